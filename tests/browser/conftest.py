"""A real browser and a real server for the pages.

The browser is the system's Chromium, which `scripts/install_test_tools.sh` brings where it can; where it is missing
these tests are skipped, and say so.
"""

from __future__ import annotations

import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from ctypes.util import find_library
from dataclasses import dataclass
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, Page, sync_playwright

from deidlab.pipeline.settings import Finding
from deidlab.types import Document, Span
from deidlab.web.app import create_app
from deidlab.web.review import ReviewDesk
from deidlab.web.running import listen, make_server
from deidlab.web.settings import ServedModel, ServeSettings, rules_only
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Mark, first_marks
from deidlab.web.store_notes import fix_label_order
from deidlab.web.tokens import Tokens, digest_of

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
REVIEWERS = ("anna", "ben")
TOKEN = "a token that is long enough for {}"


def find_browser() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium() -> str:
    path = find_browser()
    if path is None:
        pytest.skip("NEEDS a Chromium browser: sh scripts/install_test_tools.sh")
    if find_library("atomic") is None:
        pytest.skip(
            "NEEDS libatomic.so.1, without which the browser's driver does not start: sh scripts/install_test_tools.sh"
        )
    return path


# Not for the session: while it is open, an event loop runs, and tests of other files could not start theirs.
@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with sync_playwright() as playwright:
        # A sandbox needs rights that root in a container does not have; only our own pages are loaded.
        started = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
        )
        yield started
        started.close()


@dataclass(frozen=True)
class Served:
    app: FastAPI
    address: str


@contextlib.contextmanager
def serving(settings: ServeSettings) -> Iterator[Served]:
    app = create_app(settings)
    listener = listen(settings)
    listener.listen()
    server = make_server(app, settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 60
    while not server.started and thread.is_alive() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert server.started, "the server did not start"
    yield Served(app, f"http://127.0.0.1:{listener.getsockname()[1]}")
    server.should_exit = True
    thread.join(30)


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server without tokens and with two models: whoever asks is Anna."""
    log = tmp_path_factory.mktemp("log") / "access.log"
    models = (rules_only(), ServedModel("strict", Finding(None, "only", threshold=0.97), "surer rules"))
    with serving(ServeSettings(port=0, models=models, reviewer="anna", access_log=log)) as found:
        yield found


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a token a reviewer."""
    log = tmp_path_factory.mktemp("log") / "access.log"
    tokens = Tokens(tuple((name, digest_of(TOKEN.format(name))) for name in REVIEWERS))
    with serving(ServeSettings(port=0, models=(rules_only(),), tokens=tokens, access_log=log)) as found:
        yield found


LINES = (
    ("Ms. Tamsin Okonjo, 82, was seen on 3/14/2071.", ("Tamsin Okonjo", "PATIENT"), ("82", "AGE"), ("3/14/2071", "DATE")),
    ("Referred by Dr. Ilse Verhoeven 😀 of Larchmont Clinic.", ("Ilse Verhoeven", "DOCTOR"), ("Larchmont Clinic", "HOSPITAL")),
    ("Foley removed, BP 120/80. Call (253) 555-0147.", ("Foley", "DOCTOR"), ("(253) 555-0147", "PHONE")),
    ("Her niece Bea visits from Brenholm.", ("Brenholm", "CITY")),
)  # fmt: skip


def sample_note(name: str, copies: int = 1) -> tuple[Document, list[Mark], bool]:
    """Eight found spans a copy, `Foley` the least certain, and `Bea` unmarked."""
    text, spans = "", []
    for _ in range(copies):
        for line, *found in LINES:
            for words, label in found:
                start = len(text) + line.index(words)
                score = 0.55 if words == "Foley" else 0.75 if label in ("AGE", "CITY") else 0.95
                spans.append(Span(start, start + len(words), label, score, "rules:test"))
            text += f"{line}\n"
    return Document(name, "", text), first_marks(spans), False


@pytest.fixture
def begin(tmp_path: Path, served: Served) -> Iterator[Callable[..., ReviewStore]]:
    """Puts a fresh review on the server."""
    stores = []

    def start(
        notes: list[tuple[Document, list[Mark], bool]], models: tuple[str, ...] = (), on: Served = served
    ) -> ReviewStore:
        store = ReviewStore(tmp_path / "notes.review")
        store.add_notes(notes)
        fix_label_order(store)
        on.app.state.review = ReviewDesk(store, "test", models)
        stores.append(store)
        return store

    yield start
    for store in stores:
        store.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A window of its own; an error of a script, or anything from another host, fails the test."""
    context = browser.new_context(viewport={"width": 1360, "height": 860}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(15_000)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "console", lambda said: faults.append(said.text) if "Content Security Policy" in said.text else None
    )
    page.on(
        "request",
        lambda asked: (
            faults.append(asked.url)
            if "//127.0.0.1:" not in asked.url and not asked.url.startswith("data:")
            else None
        ),
    )
    yield page
    context.close()
    assert not faults, faults


def open_page(page: Page, address: str) -> None:
    page.goto(address)
    page.wait_for_selector("body[data-ready=true]")
