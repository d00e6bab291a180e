"""`/v1/batch`: order, patients, bad lines, both ways at once, and what is held in memory."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.detect import DetectorSettings
from deidlab.execute import Failed
from deidlab.mask import MaskSettings, load_policy, mask_notes
from deidlab.types import Document
from deidlab.web.jobs import Done, Job
from deidlab.web.lines import BadLine, LineCutter, read_line
from deidlab.web.settings import Limits, ServeSettings
from deidlab.web.streaming import BatchOptions, BatchStream, Slots
from tests.unit.web.serving import RULES, Served, serving

KEY = bytes(range(32))
LIMITS = Limits(body_bytes=10_000, batch_bytes=200_000, stall_seconds=1.0, batches=2)
SENTINEL = "Quillfeather"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("log") / "access.log"
    with serving(ServeSettings(port=0, models=RULES, key=KEY, limits=LIMITS, access_log=log)) as up:
        yield up


def to_lines(*records: Any) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def test_a_line_out_for_each_line_in(served: Served) -> None:
    texts = [f"Note {n}, seen on {1 + n % 12}/14/2071." for n in range(300)]
    body = to_lines(*({"id": f"n{n}", "text": text} for n, text in enumerate(texts)))
    answer = served.post("/v1/batch", body)
    assert answer.status == 200 and answer.headers["content-type"] == "application/x-ndjson"
    records = answer.lines()
    assert [record["id"] for record in records] == [f"n{n}" for n in range(300)]
    assert all(record["text"] == f"Note {n}, seen on [DATE-1]." for n, record in enumerate(records))


def test_notes_of_a_patient_in_a_row_are_masked_together(served: Served) -> None:
    text = "Mr. Ostrander met Dr. Pelling on 3/14/2071."
    notes = [
        Document("b", "p1", text),
        Document("a", "p1", "Dr. Raman called Mr. Ostrander."),
        Document("c", "p2", text),
    ]
    from dataclasses import replace

    from deidlab.detect import load_detector

    found = load_detector(None, DetectorSettings("only")).detect(notes)
    marked = [replace(note, spans=each.spans) for note, each in zip(notes, found, strict=True)]
    for style in ("tag", "surrogate"):
        wanted = mask_notes(marked, MaskSettings(load_policy("i2b2"), style, KEY))  # type: ignore[arg-type]
        body = to_lines(*({"id": n.id, "patient": n.patient, "text": n.text} for n in notes))
        records = served.post(f"/v1/batch?style={style}", body).lines()
        assert [record["text"] for record in records] == [note.text for note in wanted]


def test_detect_gives_notes_with_spans(served: Served) -> None:
    [record] = served.post("/v1/batch?task=detect", to_lines({"text": "Seen on 3/14/2071."})).lines()
    assert (record["id"], record["text"]) == ("line-1", "Seen on 3/14/2071.")
    assert [(span["start"], span["end"], span["label"]) for span in record["spans"]] == [(8, 17, "DATE")]


def test_given_spans(served: Served) -> None:
    body = to_lines(
        {"text": "Seen on 3/14/2071.", "spans": [{"start": 0, "end": 4, "label": "OTHER"}]},
        {"text": "3/14/2071", "spans": []},
    )
    records = served.post("/v1/batch?task=mask-given", body).lines()
    assert [record["text"] for record in records] == ["[OTHER-1] on 3/14/2071.", "3/14/2071"]


BAD: list[bytes] = [
    b"{", b"[]", b'"x"', b"null", b'{"text": 5}', b'{"id": "x"}', b'{"text": "a", "id": []}', b"\xff\xfe",
    b'{"text": "a", "patient": {}}', b'{"text": "a", "spans": 7}', b'{"text": "a", "spans": [7]}',
    b'{"text": "Quillfeather", "spans": [{"start": 0, "end": 99, "label": "X"}], "id": "Quillfeather"}',
    b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "X", "source": {"a": 1}}]}',
    b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "X", "text": 5}]}',
    b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "X", "score": NaN}]}',
    b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "X", "score": ' + b"9" * 400 + b"}]}",
    b'{"text": "a", "spans": [{"start": 0, "end": ' + b"9" * 400 + b', "label": "X"}]}',
    b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "\\ud800"}]}', b'{"text": "a", "id": "\\ud800"}',
    b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "X", "source": "\\ud800"}]}',
    b'{"text": "a", "patient": "\\ud800"}', b'{"text": "a", "patient": true}', b'{"text": "a", "Quillfeather": 1}',
    b'{"text": "a", "spans": [{"start": 0, "end": 1, "label": "X", "Quillfeather": 1}]}',
    b'{"text": "Quillfeather \\ud800", "id": "Quillfeather"}', b"[" * 5000, b'{"text": "' + b"x" * 10_001 + b'"}',
]  # fmt: skip


def test_bad_lines_are_told_and_the_rest_goes_on(served: Served) -> None:
    good = b'{"id": "good", "text": "on 3/14/2071"}'
    body = b"\n".join([good, *BAD, b"", b"  ", good])
    records = served.post("/v1/batch", body).lines()
    assert len(records) == len(BAD) + 2
    assert [record["line"] for record in records[1:-1]] == list(range(2, len(BAD) + 2))
    assert records[0]["text"] == records[-1]["text"] == "on [DATE-1]"
    assert all(set(record) == {"line", "error", "message"} for record in records[1:-1])
    assert SENTINEL not in json.dumps(records)


@pytest.mark.parametrize("number", range(len(BAD)))
def test_each_bad_line_has_a_reason(number: int) -> None:
    if len(BAD[number]) <= 10_000:
        read = read_line(BAD[number], 7)
        assert isinstance(read, BadLine) and read.number == 7 and "internal" not in read.message
        assert SENTINEL not in read.message and b"\n" not in read.to_json()


def test_an_empty_body_and_another_content_type(served: Served) -> None:
    answer = served.post("/v1/batch", b"")
    assert (answer.status, answer.body) == (200, b"")
    assert served.post("/v1/batch", b"{}", content_type="application/x-www-form-urlencoded").status == 415


def test_a_patient_with_too_much_fails_as_a_whole(served: Served) -> None:
    note = {"patient": "p", "text": "x" * 9000}
    records = served.post("/v1/batch", to_lines(*[note] * 40, {"text": "3/14/2071"})).lines()
    assert [record.get("error") for record in records[:40]] == ["too-large"] * 40
    assert records[40]["text"] == "[DATE-1]"


def start_batch(served: Served, asked: str = "") -> Any:
    connection = served.connect()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    head = f"POST /v1/batch{asked} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    connection.sendall(head.encode())
    return connection


def send_chunk(connection: Any, data: bytes) -> None:
    connection.sendall(f"{len(data):x}\r\n".encode() + data + b"\r\n")


def test_answers_come_while_the_request_is_still_sent(served: Served) -> None:
    with start_batch(served) as connection:
        for number in range(3):
            send_chunk(connection, to_lines({"id": str(number), "text": "on 3/14/2071"}))
            got = b""
            while b"[DATE-1]" not in got:
                got += connection.recv(65536)
        connection.sendall(b"0\r\n\r\n")
        assert connection.recv(65536).endswith(b"0\r\n\r\n")


def test_one_that_sends_nothing_is_told_and_one_that_stops_is_cut(served: Served) -> None:
    with start_batch(served) as connection:
        assert b" 408 " in connection.recv(65536).split(b"\r\n")[0]
    with start_batch(served) as connection:
        send_chunk(connection, to_lines({"text": "on 3/14/2071"}))
        got = b""
        while more := connection.recv(65536):
            got += more
        assert b"[DATE-1]" in got and not got.endswith(b"0\r\n\r\n")


def test_one_that_sends_and_never_reads_is_cut_and_held_in_bounds(served: Served) -> None:
    line = to_lines({"text": "x" * 9000, "spans": []})
    with start_batch(served, "?task=mask-given") as connection:
        sent = 0
        with pytest.raises(ConnectionError):
            while sent < 200_000_000:
                send_chunk(connection, line)
                sent += len(line)
        assert sent < 60_000_000


def test_one_that_sends_no_head_is_cut(served: Served) -> None:
    for head in (b"", b"GET /healthz HTTP/1.1\r\nHost: local"):
        with served.connect() as connection:
            connection.sendall(head)
            began = time.monotonic()
            with contextlib.suppress(ConnectionResetError):
                assert connection.recv(65536) == b""
            assert time.monotonic() - began < 10


def test_only_so_many_at_once(served: Served) -> None:
    with start_batch(served), start_batch(served):
        deadline = time.monotonic() + 0.8
        while (answer := served.post("/v1/batch", b"")).status != 429 and time.monotonic() < deadline:
            time.sleep(0.02)
        assert answer.status == 429 and "2 batches" in answer.json()["message"]
    deadline = time.monotonic() + 5
    while served.post("/v1/batch", b"").status == 429 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert served.post("/v1/batch", b"").status == 200


# Without a server


class _Slow:
    """A batcher that answers when it is told to, and counts what waits."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.go = asyncio.Event()

    async def run(self, job: Job, of_stream: bool = False) -> Done | Failed:
        self.jobs.append(job)
        await self.go.wait()
        return Done(tuple(b"{}" for _ in job.documents))


OPTIONS = BatchOptions("mask", "rules", "tag", "i2b2", False, False, False)


def make_stream(slow: _Slow, limits: Limits = LIMITS) -> BatchStream:
    return BatchStream(OPTIONS, slow, limits, Slots(1), "application/x-ndjson")  # type: ignore[arg-type]


def test_reading_stops_where_answers_do_not_keep_up() -> None:
    async def go() -> None:
        slow, n_read, sent = _Slow(), 0, []
        line = to_lines({"text": "x" * 5000})

        async def receive() -> dict[str, Any]:
            nonlocal n_read
            await asyncio.sleep(0)
            n_read += 1
            return {"type": "http.request", "body": line, "more_body": n_read < 1000}

        async def send(message: Any) -> None:
            sent.append(message)

        task = asyncio.create_task(make_stream(slow)({"type": "http"}, receive, send))
        await asyncio.sleep(0.3)
        assert 20 < n_read < 60 and len(slow.jobs) <= n_read
        slow.go.set()
        await task
        assert n_read == 1000
        assert sum(message.get("body", b"").count(b"\n") for message in sent) == 1000

    asyncio.run(go())


def test_a_client_that_goes_away_takes_its_jobs_along() -> None:
    async def go() -> None:
        slow, n_read = _Slow(), 0

        async def receive() -> dict[str, Any]:
            nonlocal n_read
            n_read += 1
            if n_read < 5:
                return {"type": "http.request", "body": to_lines({"text": "x"}), "more_body": True}
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            raise AssertionError("nothing is ready")

        task = asyncio.create_task(make_stream(slow)({"type": "http"}, receive, send))
        await asyncio.sleep(0.1)
        slow.go.set()
        with pytest.raises(AssertionError):
            await task
        assert not [each for each in asyncio.all_tasks() if each is not asyncio.current_task()]

    asyncio.run(go())


@given(st.lists(st.binary(max_size=30), max_size=8), st.integers(1, 20))
def test_lines_are_cut_as_if_they_came_at_once(chunks: list[bytes], most: int) -> None:
    cutter = LineCutter(most)
    got = [line for chunk in chunks for line in cutter.feed(chunk)] + cutter.finish()
    whole = b"".join(chunks).split(b"\n")
    wanted = [line if len(line) <= most else None for line in whole]
    assert got == (wanted[:-1] if wanted[-1] == b"" else wanted)
