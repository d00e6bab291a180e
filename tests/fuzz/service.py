"""Cases of the service and of the review page: one request each, with a sentinel in all that a request has."""

from __future__ import annotations

import contextlib
import csv
import http.client
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.service import Service, service
from tests.fuzz.case import Case
from tests.fuzz.mask_options import KEY
from tests.fuzz.sentinels import Sentinels
from tests.fuzz.structures import MASKED_LABELS, SENTENCES

STATUSES = (200, 303, 400, 401, 403, 404, 405, 408, 413, 415, 421, 422, 429)
REVIEW_STATUSES = (*STATUSES, 409)
JSON, LINES = {"Content-Type": "application/json"}, {"Content-Type": "application/x-ndjson"}
DEEP = b"[" * 100_000
POOL = 40


@dataclass
class Bench:
    """A server that runs for many cases; its lists are fixed, so these words are drawn from a pool."""

    up: Service
    folder: Path
    denied: list[str] = field(default_factory=list)
    known: list[tuple[str, str]] = field(default_factory=list)
    read: int = 0

    def log(self) -> bytes:
        """What the server has logged and said since the last time."""
        path = self.folder / "access.log"
        data = path.read_bytes() if path.exists() else b""
        new, self.read = data[self.read :], len(data)
        said = b"".join(self.up.err)
        self.up.err.clear()
        return new + said


_benches: list[Bench] = []


@contextlib.contextmanager
def bench_in(folder: Path) -> Iterator[Bench]:
    """The server, for all cases until the block ends."""
    folder.mkdir(parents=True, exist_ok=True)
    pool = Sentinels("the service's pool")
    denied = [pool.plant("denied") for _ in range(POOL)]
    known = [(f"{pool.plant('patient')}", pool.plant("known")) for _ in range(POOL)]
    (folder / "deny.txt").write_text("\n".join(denied))
    (folder / "site.key").write_text(KEY)
    (folder / "site.key").chmod(0o600)
    with (folder / "known.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("patient", "name"), *known])
    lists = (
        "--deny",
        folder / "deny.txt",
        "--known",
        folder / "known.csv",
        "--key-file",
        folder / "site.key",
    )
    with service(
        *lists, "--workers", "1", "--max-seconds", "20", "--access-log", folder / "access.log", cwd=folder
    ) as up:
        bench = Bench(up, folder, denied, known)
        bench.log()
        _benches.append(bench)
        yield bench
        _benches.remove(bench)


def ask_service(case: Case) -> None:
    """One request to one route."""
    case.flags.add("service")
    bench = _benches[-1]
    make = case.random.choice((_mask, _mask, _mask_given, _detect, _batch, _batch, _odd, _odd, _elsewhere))
    case.tell(make.__name__.strip("_"))
    method, path, body, headers, n_lines = make(case, bench)
    if case.chance(0.3):
        headers = {**headers, **_sentinel_headers(case)}
    status, answer = _ask(bench.up.port, method, path, body, headers)
    case.commands.append(f"{method}: {status}")
    if status not in STATUSES:
        case.breach(f"the status is documented, not {status}", make.__name__)
    case.look_at("answer" if status == 200 else "refusal", answer, f"answer {status} of {make.__name__}")
    if n_lines is not None and status == 200 and answer.partition(b"\0")[0].count(b"\n") != n_lines:
        case.breach("each line in gives a line out", "batch")
    case.look_at("log", bench.log(), "the server's log")


def _ask(port: int, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, body or None, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read() + b"\0" + str(answer.getheaders()).encode()
    except (OSError, http.client.HTTPException) as error:
        return 0, type(error).__name__.encode()
    finally:
        connection.close()


Request = tuple[str, str, bytes, Mapping[str, str], int | None]


def _note(case: Case, bench: Bench, kinds: tuple[str, ...]) -> dict[str, Any]:
    """A note as a request has it, with spans over its marked words."""
    patient, word = case.random.choice(bench.known)
    patient = case.words.adopt(patient, "patient")
    text, spans = "", []
    for _ in range(case.random.randint(1, 4)):
        kind = case.random.choice(kinds)
        made = {"denied": case.random.choice(bench.denied), "known": word}.get(kind) or case.words.plant(kind)
        made = case.words.adopt(made, kind)
        before, after = case.random.choice(SENTENCES).split("{}")
        text += before
        if kind == "marked":
            span = {
                "start": len(text),
                "end": len(text) + len(made),
                "label": case.random.choice(MASKED_LABELS),
            }
            spans.append(span | ({"source": case.words.plant("origin")} if case.chance(0.2) else {}))
        text += made + after + case.random.choice((" ", "\n", "\u0000 ", " \u202e", " 😀 "))
    note: dict[str, Any] = {"text": text, "patient": patient} | (
        {"spans": spans} if "marked" in kinds else {}
    )
    return note | ({"id": case.words.plant("id")} if case.chance(0.6) else {})


def _how(case: Case) -> dict[str, Any]:
    how = {
        "style": case.random.choice(("tag", "redact", "surrogate")),
        "policy": case.random.choice(("i2b2", "safe-harbor", "gdpr")),
    }
    kept = case.chance(0.5)
    case.flags |= {"mask"} | ({"ids-kept"} if kept else set())
    return {**how, "ids": "keep" if kept else "pseudonyms"}


def _mask(case: Case, bench: Bench) -> Request:
    return (
        "POST",
        "/v1/mask",
        json.dumps(_note(case, bench, ("denied", "known", "plain")) | _how(case)).encode(),
        JSON,
        None,
    )


def _mask_given(case: Case, bench: Bench) -> Request:
    note = _note(case, bench, ("marked", "plain")) | _how(case)
    return "POST", "/v1/mask", json.dumps(note).encode(), JSON, None


def _detect(case: Case, bench: Bench) -> Request:
    case.flags.add("ids-kept")
    asked = _note(case, bench, ("denied", "known", "plain")) | {
        "words": case.chance(0.5),
        "candidates": case.chance(0.5),
    }
    return "POST", "/v1/detect", json.dumps(asked).encode(), JSON, None


def _batch(case: Case, bench: Bench) -> Request:
    """Lines, some of which are no notes."""
    how = _how(case)
    task = case.random.choice(("mask", "mask-given", "detect"))
    if task == "detect":
        case.flags |= {"detect-batch", "ids-kept"}
    kinds = ("marked", "plain") if task == "mask-given" else ("denied", "known", "plain")
    lines = [json.dumps(_note(case, bench, kinds)).encode() for _ in range(case.random.randint(1, 4))]
    if case.chance(0.4):
        lines.insert(0, _odd_line(case))
    query = "&".join(f"{name}={value}" for name, value in {**how, "task": task}.items())
    return "POST", f"/v1/batch?{query}", b"".join(line + b"\n" for line in lines), LINES, len(lines)


def _odd_line(case: Case) -> bytes:
    word = case.words.plant("quoted").encode()
    return case.random.choice((
        b'{"text": "' + word, b'{"text": 7, "x": "' + word + b'"}', b'"' + word + b'"', b'{"' + word + b'": 1, "text": "a"}', DEEP,
        b'{"text": "\\ud800", "id": "' + word + b'"}', b'{"text": "x", "spans": [{"start": 0, "end": 1, "label": "' + word + b' x"}]}',
        b'{"text": "x", "spanz": "' + word + b'"}', b"\xff" + word, b'{"text": "x", "id": ' + b"9" * 5000 + b"}", b"NaN", b"null",
        b'{"text": "x", "spans": [{"start": 0, "end": 1e999, "label": "DATE"}]}', b'{"text": "x", "patient": ["' + word + b'"]}',
    ))  # fmt: skip


def _odd(case: Case, bench: Bench) -> Request:
    """A body that a route must refuse."""
    route = case.random.choice(("/v1/mask", "/v1/detect"))
    return "POST", route, _odd_line(case), case.random.choice((JSON, JSON, LINES, {})), None


def _elsewhere(case: Case, bench: Bench) -> Request:
    """Other routes and methods, and addresses that nobody knows."""
    word = case.words.plant("address")
    routes = ("/", "/docs", "/openapi.json", "/v1/models", "/metrics", "/healthz", "/login", "/review", "/review/api/corpus", "/v1/mask",
              f"/{word}", f"/v1/{word}", f"/static/{word}", f"/static/../{word}", f"/login?next=/{word}", f"/review/api/notes/{word}",
              f"/v1/batch?style={word}", f"/v1/batch?{word}=1", f"/v1/batch?model={word}&policy={word}", f"/review/api/changes?model={word}")  # fmt: skip
    method = case.random.choice(("GET", "GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    return (
        method,
        case.random.choice(routes),
        f"token={word}&next=/".encode(),
        case.random.choice((form, JSON, LINES)),
        None,
    )


def _sentinel_headers(case: Case) -> dict[str, str]:
    names = (
        "X-Note",
        "User-Agent",
        "Referer",
        "Cookie",
        "Authorization",
        "X-Request-Id",
        "Accept",
        "Origin",
        "Host",
        "X-Forwarded-For",
    )
    return {name: case.words.plant("header") for name in case.random.sample(names, 3)}


Body = Callable[[Case], Any]
REVIEW_ASKS: tuple[tuple[str, str, Body], ...] = (
    ("GET", "/review", lambda _: None),
    ("GET", "/review/api/corpus", lambda _: None),
    ("POST", "/review/api/notes", lambda case: {"search": case.words.plant("quoted")}),
    ("POST", "/review/api/notes", lambda case: {case.words.plant("quoted"): 1}),
    ("POST", "/review/api/notes", lambda case: {"labels": [case.words.plant("quoted")], "low": 2}),
    ("GET", "/review/api/notes/1", lambda _: None),
    ("GET", "/review/api/notes/999", lambda _: None),
    (
        "POST",
        "/review/api/notes/1/decisions",
        lambda case: {"version": 0, "kind": "add", "label": case.words.plant("quoted"), "end": 3},
    ),
    (
        "POST",
        "/review/api/notes/1/decisions",
        lambda _: {"version": 0, "kind": "add", "label": "DATE", "start": 0, "end": 10**8},
    ),
    ("POST", "/review/api/notes/1/decisions", lambda _: {"version": 0, "kind": "done"}),
    ("POST", "/review/api/notes/1/undo", lambda _: {"version": 0}),
    ("POST", "/review/api/merge/1", lambda _: {"version": 0}),
    ("GET", "/review/api/notes/1/masked?style=surrogate", lambda _: None),
    ("GET", "/review/api/notes/1/masked?policy=none", lambda _: None),
    ("GET", "/review/api/agreement?one=a&other=b", lambda _: None),
    ("GET", "/review/api/export?format=brat&part=all", lambda _: None),
    ("GET", "/review/api/export?format=jsonl&part=all", lambda _: None),
)


def ask_page(case: Case, store: Path, method: str, path: str, body: Any) -> None:
    """One request to the review page of that store."""
    from starlette.testclient import TestClient

    from deidlab.web.app import create_app
    from deidlab.web.review import ReviewDesk
    from deidlab.web.settings import ServeSettings
    from deidlab.web.store import ReviewStore

    opened = ReviewStore(store)
    app = create_app(ServeSettings(reviewer="anna", access_log=case.room.out / "access.log"))
    app.state.review = ReviewDesk(opened, "rules", ())
    try:
        client = TestClient(app, base_url="http://localhost", raise_server_exceptions=False)
        answer = client.request(method, path, json=body)
    finally:
        opened.close()
    if answer.status_code not in REVIEW_STATUSES:
        case.breach(f"the status is documented, not {answer.status_code}", f"{method} {path}")
    case.look_at("review" if answer.status_code == 200 else "refusal", answer.content, f"{method} {path}")
