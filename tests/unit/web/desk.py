"""Reviews small enough to see through, for the tests of the review page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fastapi import FastAPI
from starlette.testclient import TestClient

from deidlab.types import Document, Span
from deidlab.web.app import create_app
from deidlab.web.review import ReviewDesk
from deidlab.web.settings import ServeSettings
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Mark, first_marks
from deidlab.web.tokens import Tokens, digest_of

TEXT = "Ms. Okonjo saw Dr. Verhoeven on 3/14. Okonjo is well; Foley out. 😀 Call 555-0147."
NAMES = ("anna", "ben")


def span_of(text: str, words: str, label: str, score: float | None = None, nth: int = 0) -> Span:
    start = -1
    for _ in range(nth + 1):
        start = text.index(words, start + 1)
    return Span(start, start + len(words), label, score, "test" if score is not None else "")


def note(id: str = "n1", patient: str = "p1") -> Document:
    return Document(id, patient, TEXT, meta={"ward": "3"})


def marks() -> list[Mark]:
    """Four found marks of falling certainty, and a hint."""
    found = (
        span_of(TEXT, "Okonjo", "PATIENT", 0.99),
        span_of(TEXT, "Verhoeven", "DOCTOR", 0.9),
        span_of(TEXT, "3/14", "DATE", 0.8),
        span_of(TEXT, "Foley", "DOCTOR", 0.55),
    )
    return first_marks(found, [span_of(TEXT, "555-0147", "PHONE", 0.3)])


def open_store(
    folder: Path, notes: Sequence[tuple[Document, Sequence[Mark], bool]] | None = None
) -> ReviewStore:
    store = ReviewStore(folder / "notes.review")
    store.add_notes(notes if notes is not None else [(note(), marks(), False)])
    return store


def make_app(store: ReviewStore, models: tuple[str, ...] = (), tokens: bool = False) -> FastAPI:
    held = (
        Tokens(tuple((name, digest_of(f"a long enough token of {name}")) for name in NAMES))
        if tokens
        else Tokens()
    )
    app = create_app(ServeSettings(reviewer="anna", tokens=held))
    app.state.review = ReviewDesk(store, "test", models)
    return app


def client_of(app: FastAPI, reviewer: str = "") -> TestClient:
    """A client without the service's workers: the review page needs none."""
    headers = {"Authorization": f"Bearer a long enough token of {reviewer}"} if reviewer else {}
    return TestClient(app, base_url="http://localhost", headers=headers)
