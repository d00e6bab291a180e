"""A sentinel name is sent and every stage made to fail in turn: the name reaches no answer, log, stream or file."""

from __future__ import annotations

import json
from pathlib import Path

from tests.e2e.service import Service, service
from tests.unit.web.breaking import breaking

FIRST, LAST = "Zebulon", "Quillfeather"
TEXT = f"Patient: {LAST}, {FIRST}. Mr. {LAST} was seen on 03/04/2065. Call {FIRST}."
STAGES = ("", "detect", "facts", "mask", "memory", "crash", "server")
HEADERS = {
    "X-Note": LAST,
    "User-Agent": LAST,
    "Referer": f"http://localhost/{LAST}",
    "Cookie": f"deidlab_session={LAST}",
}
JSON, LINES = {"Content-Type": "application/json"}, {"Content-Type": "application/x-ndjson"}


def ways_to_ask(stage: str) -> list[tuple[str, object]]:
    """Every way to send the name."""
    text = f"{TEXT} ~{stage}~"
    note = {"text": text, "id": f"{LAST}-7", "patient": f"{FIRST} {LAST}"}
    return [
        ("/v1/mask", {**note, "ids": "pseudonyms"}),
        ("/v1/mask", {**note, "ids": "pseudonyms", "style": "surrogate"}),
        ("/v1/detect", {"text": text, "words": True}),
        ("/v1/mask", {**note, "spans": [{"start": 0, "end": 9999, "label": "X"}]}),
        ("/v1/mask", {"text": text, "style": LAST}),
        ("/v1/detect", {"text": {LAST: text}}),
        ("/v1/detect", f'{{"text": "{text}'.encode()),
        (f"/v1/{LAST}?name={LAST}", note),
        (f"/v1/batch?style={LAST}", b"{}"),
        (f"/{LAST}", None),
        ("/login", text.encode()),
    ]


def batch_of(stage: str) -> bytes:
    note = {"text": f"{TEXT} ~{stage}~", "id": f"{LAST}-7", "patient": f"{FIRST} {LAST}"}
    lines = ({"text": "on 3/4/2065"}, note, note, {"text": LAST, "spans": [7]}, {"text": "on 3/4/2065"})
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def ask_everything(up: Service, stage: str) -> list[bytes]:
    """What comes back, with the status in front; others are answered all the while."""
    answers = []
    for path, body in ways_to_ask(stage):
        status, answer = up.ask(path, body, {**HEADERS, **JSON})
        answers.append(f"{status} ".encode() + answer)
    status, lines = up.ask("/v1/batch?ids=pseudonyms", batch_of(stage), {**HEADERS, **LINES})
    # Where the server itself fails in the middle, the stream is cut; else every line has its answer.
    assert lines.count(b"[DATE-1]") >= (1 if stage == "server" else 2)
    status, healthy = up.ask("/v1/mask", {"text": "on 3/4/2065"})
    assert status == 200 and b"[DATE-1]" in healthy
    return [*answers, lines, up.ask("/metrics")[1]]


def test_the_name_reaches_nothing(tmp_path: Path) -> None:
    folder, private = tmp_path / "room", tmp_path / "private"
    (folder / "tmp").mkdir(parents=True)
    environment = {**breaking(private), "TMPDIR": str(folder / "tmp")}
    (private / "deny.txt").write_text(f"{FIRST}\n{LAST}\n")
    options = ("--deny", private / "deny.txt", "--workers", "1", "--max-seconds", "8")
    with service(*options, "--access-log", folder / "access.log", cwd=folder, **environment) as up:
        answers = {stage: ask_everything(up, stage) for stage in STAGES}
        slow = [up.ask(*way, {**HEADERS, **JSON})[1] for way in ways_to_ask("slow")[:1]]
        assert up.stop() == 0
    left = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    streams = {f"{stage} {n}": data for stage, own in answers.items() for n, data in enumerate(own)}
    assert left["access.log"].count(b"\n") >= len(streams)
    for name, data in {**left, **streams, "slow": slow[0], "standard error": b"".join(up.err)}.items():
        for word in (FIRST, LAST):
            assert word.lower().encode() not in data.lower(), f"{word} reached {name}"
        assert b"Traceback" not in data, name
    assert b"too-slow" in slow[0]
    assert [answers[""][number][:3] for number in range(3)] == [b"200"] * 3
    for stage in STAGES[1:]:
        assert answers[stage][0].startswith(b'500 {"error":"internal"'), stage
