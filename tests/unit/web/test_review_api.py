"""The routes of the review page: what they answer, whom they let in, and that they never quote a note."""

from __future__ import annotations

import json
import sqlite3
import stat
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from deidlab.corpus import read_corpus
from deidlab.mask import MaskSettings, load_policy, mask_notes
from deidlab.types import Span
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Wish
from deidlab.web.store_notes import as_document, save_proposal
from tests.unit.web.desk import TEXT, client_of, make_app, marks, note, open_store, span_of


@pytest.fixture
def store(tmp_path: Path) -> ReviewStore:
    return open_store(tmp_path, [(note(), marks(), False), (note("n2"), marks(), True)])


@pytest.fixture
def client(store: ReviewStore) -> TestClient:
    return client_of(make_app(store, models=("new",)))


def post(client: TestClient, path: str, **body: Any) -> Any:
    return client.post(f"/review/api/{path}", json=body)


@pytest.mark.parametrize("path", ["/review", "/review/agreement", "/review/changes", "/"])
def test_pages_load_nothing_from_elsewhere(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/html")
    assert "http://" not in answer.text.replace("http://www.w3.org", "") and "https://" not in answer.text
    assert " style=" not in answer.text and "<style" not in answer.text
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"


def test_every_file_that_a_page_names_is_there(client: TestClient) -> None:
    import re

    from deidlab.web.pages import PAGES, WEB, build_page

    for page in PAGES:
        for name in re.findall(r'(?:href|src)="(/static/[^"]+)"', build_page(page)):
            assert client.get(name).status_code == 200, name
    for script in WEB.rglob("*.js"):
        for name in re.findall(r'from "(\.[^"]+)"', script.read_text()):
            assert (script.parent / name).resolve().is_file(), f"{script.name} imports {name}"


def test_without_a_review_the_page_says_how_to_begin_one(store: ReviewStore) -> None:
    app = make_app(store)
    app.state.review = None
    client = client_of(app)
    assert client.get("/review").status_code == 404
    assert "deidlab review" in client.get("/review").text
    answer = client.get("/review/api/corpus")
    assert (answer.status_code, answer.json()["error"]) == (404, "no-review")


def test_the_corpus_is_described(client: TestClient) -> None:
    found = client.get("/review/api/corpus").json()
    assert found["reviewer"] == "anna"
    assert found["counts"] == {"notes": 2, "done": 0, "undecided": 10, "twice": 1}
    assert {"name": "DATE", "group": "DATE", "used": True} in found["labels"]
    assert found["models"] == ["new"] and "i2b2" in found["policies"]


def test_a_note_is_listed_opened_and_decided_on(client: TestClient) -> None:
    assert [row["id"] for row in post(client, "notes", search="okonjo").json()["notes"]] == ["n1", "n2"]
    state = client.get("/review/api/notes/1").json()
    assert state["text"] == TEXT and len(state["marks"]) == 5
    state = post(client, "notes/1/decisions", version=0, kind="relabel", marks=[1], label="DOCTOR").json()
    assert (state["version"], state["marks"][0]["label"], state["marks"][0]["reviewer"]) == (
        1,
        "DOCTOR",
        "anna",
    )
    state = post(client, "notes/1/undo", version=1).json()
    assert state["marks"][0]["label"] == "PATIENT"
    assert post(client, "notes/1/redo", version=2).json()["marks"][0]["label"] == "DOCTOR"


def test_the_slower_of_two_hears_of_it(store: ReviewStore) -> None:
    app = make_app(store, tokens=True)
    anna, ben = client_of(app, "anna"), client_of(app, "ben")
    assert post(anna, "notes/1/decisions", version=0, kind="accept", marks=[1]).status_code == 200
    answer = post(ben, "notes/1/decisions", version=0, kind="reject", marks=[1])
    assert (answer.status_code, answer.json()["error"]) == (409, "stale")
    assert "anna" in answer.json()["message"]
    assert post(ben, "notes/1/undo", version=1).json()["error"] == "nothing-to-undo"


def test_nobody_comes_in_without_a_token(store: ReviewStore) -> None:
    stranger = client_of(make_app(store, tokens=True))
    for path in ("corpus", "notes/1", "notes/1/masked", "export", "changes?model=new"):
        assert stranger.get(f"/review/api/{path}").status_code == 401
    assert post(stranger, "notes/1/decisions", version=0, kind="accept", marks=[1]).status_code == 401
    assert store.read_note(1).version == 0


@pytest.mark.parametrize(
    "body",
    [
        {"kind": "accept", "marks": [1]},
        {"version": 0, "kind": "ZANZIBAR"},
        {"version": 0, "kind": "accept", "marks": ["ZANZIBAR"]},
        {"version": 0, "kind": "relabel", "marks": [1], "label": "ZANZIBAR ?"},
        {"version": 0, "kind": "relabel", "marks": [1], "label": ""},
        {"version": 0, "kind": "draw", "label": "DATE", "start": 5, "end": 10**6},
        {"version": 0, "kind": "accept", "marks": [1], "ZANZIBAR": 1},
    ],
)
def test_wrong_decisions_are_refused_without_an_echo(client: TestClient, body: dict[str, Any]) -> None:
    answer = client.post("/review/api/notes/1/decisions", json=body)
    assert answer.status_code == 422
    assert "ZANZIBAR" not in answer.text and "Okonjo" not in answer.text


def test_odd_searches_are_answered_or_refused(client: TestClient) -> None:
    for search, status in (("\x00", 200), ("%_'\"", 200), ("x" * 201, 422)):
        assert post(client, "notes", search=search).status_code == status
    answer = client.post(
        "/review/api/notes", content=b'{"search": "\\ud800"}', headers={"Content-Type": "application/json"}
    )
    assert answer.status_code in (400, 422)


@pytest.mark.parametrize("number", [0, -1, 10**30])
def test_impossible_numbers_are_refused(client: TestClient, number: int) -> None:
    assert client.get(f"/review/api/notes/{number}").status_code == 422


def test_a_file_that_cannot_be_written_is_told(
    client: TestClient, store: ReviewStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("deidlab.web.store.carry_out", fail)
    answer = post(client, "notes/1/decisions", version=0, kind="accept", marks=[1])
    assert (answer.status_code, answer.json()["error"]) == (503, "no-store")
    monkeypatch.undo()
    assert store.read_note(1).version == 0
    with sqlite3.connect(store.path) as db:
        assert db.execute("SELECT count(*) FROM decision").fetchone() == (0,), "half a decision was kept"


@pytest.mark.parametrize("path", ["notes/99", "notes/99/masked", "agreement?one=anna&other=ben"])
def test_what_is_not_there_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(f"/review/api/{path}").status_code == 404


@pytest.mark.parametrize("path", ["notes/x", "notes/1/masked?style=ZANZIBAR", "notes/1/masked?policy=ZANZIBAR",
                                  "changes?model=ZANZIBAR", "export?format=ZANZIBAR"])  # fmt: skip
def test_unknown_names_are_refused_without_an_echo(client: TestClient, path: str) -> None:
    answer = client.get(f"/review/api/{path}")
    assert answer.status_code == 422 and "ZANZIBAR" not in answer.text


@pytest.mark.parametrize("style", ["tag", "redact", "surrogate"])
def test_the_masked_text_is_what_masking_writes(client: TestClient, store: ReviewStore, style: str) -> None:
    store.decide(1, "", 0, Wish("reject", (1,)), "anna")
    answer = client.get(f"/review/api/notes/1/masked?style={style}&policy=safe-harbor").json()
    key = client.app.state.settings.key  # type: ignore[attr-defined]
    wanted = MaskSettings(load_policy("safe-harbor"), style, key, codes="keyed", accept_derived_codes=True)  # type: ignore[arg-type]
    documents = [as_document(store.read_note(number)) for number in (1, 2)]
    assert "".join(piece["text"] for piece in answer["pieces"]) == mask_notes(documents, wanted)[0].text
    assert next(piece["label"] for piece in answer["pieces"] if piece["start"] is not None) == "DOCTOR"


def test_a_note_reviewed_twice_is_apart_until_both_are_done(store: ReviewStore) -> None:
    app = make_app(store, tokens=True)
    anna, ben = client_of(app, "anna"), client_of(app, "ben")
    for client, kind in ((anna, "accept"), (ben, "reject")):
        assert client.get("/review/api/notes/2?settle=true").status_code == 409
        assert post(client, "notes/2/decisions", version=0, kind=kind, marks=[1]).status_code == 200
        assert post(client, "notes/2/decisions", version=1, kind="done").status_code == 200
    found = anna.get("/review/api/agreement?one=anna&other=ben").json()
    assert found["differing"] == [{"number": 2, "id": "n2", "differences": 1}]
    merged = post(anna, "merge/2", version=0).json()
    assert merged["settling"] and [mark["status"] for mark in merged["marks"]] == [
        "found",
        "accepted",
        "accepted",
        "accepted",
    ]
    settled = post(anna, "notes/2/decisions", version=1, settle=True, kind="accept", marks=[1]).json()
    assert (settled["version"], settled["marks"][0]["status"]) == (2, "accepted")
    assert ben.get("/review/api/notes/2").json()["marks"][0]["status"] == "rejected"


def test_changes_of_a_model_are_shown(client: TestClient, store: ReviewStore) -> None:
    save_proposal(store, "new", 1, [span_of(TEXT, "Okonjo", "PATIENT", 0.9, nth=1)])
    found = client.get("/review/api/notes/1/changes?model=new").json()
    assert [change["kind"] for change in found["changes"]] == ["drops", "drops", "drops", "adds", "drops"]
    assert client.get("/review/api/notes/2/changes?model=new").json()["known"] is False
    assert client.get("/review/api/changes?model=new").json()["changes"]["adds"] == 1


@pytest.mark.parametrize("format", ["i2b2", "brat", "jsonl"])
def test_export_holds_what_was_decided(
    client: TestClient, store: ReviewStore, format: str, tmp_path: Path
) -> None:
    for version, wish in enumerate((Wish("accept-all"), Wish("reject", (1,)), Wish("done"))):
        store.decide(1, "", version, wish, "anna")
    answer = client.get(f"/review/api/export?format={format}")
    assert "attachment" in answer.headers["content-disposition"]
    target = tmp_path / "out"
    if format == "jsonl":
        target = tmp_path / "out.jsonl"
        target.write_bytes(answer.content)
    else:
        zipfile.ZipFile(BytesIO(answer.content)).extractall(target)
    [read] = read_corpus(target)
    assert (read.id, read.patient, read.text, read.meta) == ("n1", "p1", TEXT, {"ward": "3"})
    assert read.spans == as_document(store.read_note(1)).spans
    assert {span.source for span in read.spans} == {"review:anna"}
    assert not list(store.path.parent.glob(".export-*")), "nothing stays behind"


def test_an_export_of_nothing_is_refused(client: TestClient, store: ReviewStore) -> None:
    answer = client.get("/review/api/export?format=brat")
    assert (answer.status_code, answer.json()["error"]) == (409, "cannot-export")
    assert not list(store.path.parent.glob(".export-*"))


def test_export_of_all_takes_notes_as_they_stand(client: TestClient) -> None:
    lines = client.get("/review/api/export?format=jsonl&part=all").text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["n1", "n2"]
    assert Span(4, 10, "PATIENT", 0.99, "test").score == json.loads(lines[0])["spans"][0]["score"]


def test_exports_are_made_in_a_folder_of_their_owner(store: ReviewStore) -> None:
    from deidlab.web.review_export import private_folder

    with private_folder(store) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert not folder.exists()
