"""A validation from its protocol to its report, two readers and a third through the page; and how the page looks."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from deidlab.report.validation.page import result_to_html
from deidlab.report.validation.verdicts import REASONS
from deidlab.web.review import ReviewDesk
from deidlab.web.settings import ServeSettings, rules_only
from deidlab.web.store import ReviewStore
from deidlab.web.tokens import Tokens, digest_of
from tests.browser.conftest import TOKEN, Served, open_page, serving
from tests.browser.test_pages import check
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import NAMES, make_note, write_jsonl, write_key

READERS = ("anna", "ben", "carol")
N_NOTES = 24
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def reading_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    log = tmp_path_factory.mktemp("log") / "access.log"
    tokens = Tokens(tuple((name, digest_of(TOKEN.format(name))) for name in READERS))
    with serving(ServeSettings(port=0, models=(rules_only(),), tokens=tokens, access_log=log)) as found:
        yield found


@pytest.fixture
def planned(tmp_path: Path, capsys: Capture) -> Path:
    """A protocol and its loaded sample; in every second note the name was not masked."""
    notes = [make_note(number, 1) for number in range(N_NOTES)]
    gold = write_jsonl(notes, tmp_path / "gold.jsonl")
    seen = [replace(note, spans=note.spans[number % 2 :]) for number, note in enumerate(notes)]
    spans, key, out = write_jsonl(seen, tmp_path / "seen.jsonl"), write_key(tmp_path), tmp_path / "out.jsonl"
    run = deidlab(capsys, "mask", gold, "--spans", spans, "--out", out, "--key-file", key)
    assert run.status == 0, run.err
    protocol = tmp_path / "protocol.json"
    done = deidlab(
        capsys, "validate", "plan", out, "--protocol", protocol, "--bound", "0.8", "--stratum-bound", "0.7", "--readers", "2"
    )  # fmt: skip
    assert done.status == 0, done.err
    more = ("--original", gold, "--key-file", key, "--second", "en", "--load-only")
    done = deidlab(capsys, "validate", "read", protocol, out, *more)
    assert done.status == 0, done.err
    return protocol


@pytest.fixture
def reading(planned: Path, reading_server: Served) -> Iterator[ReviewStore]:
    store = ReviewStore(planned.with_suffix(".review"))
    reading_server.app.state.review = ReviewDesk(store, "test", reasons=REASONS)
    yield store
    store.close()


@pytest.fixture
def open_as(browser: Browser) -> Iterator[Callable[[str], Page]]:
    """A window of its own for each reader."""
    contexts = []

    def open_window(name: str) -> Page:
        context = browser.new_context(
            viewport={"width": 1360, "height": 860},
            extra_http_headers={"Authorization": f"Bearer {TOKEN.format(name)}"},
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(15_000)
        return page

    yield open_window
    for context in contexts:
        context.close()


def leaking_name(page: Page) -> str | None:
    """The name that the masked note still has, as a reader sees it."""
    text = page.locator("#original").inner_text()
    return next((name for name in NAMES if name in text), None)


def read_all(page: Page, n: int, overlooks: int = 0) -> int:
    """Reads the sample by keyboard, and marks each name that is left, but for the first few of them."""
    n_leaks = 0
    for number in range(1, n + 1):
        expect(page.locator(f'#list a[data-number="{number}"]')).to_have_attribute("aria-current", "true")
        expect(page.locator("#masked")).to_contain_text("Mr. ")
        name = leaking_name(page)
        n_leaks += name is not None
        if name is not None and n_leaks > overlooks:
            mark_name(page, name)
        while page.locator('#original .mark[data-status="hint"]').count():
            before = page.locator('#original .mark[data-status="hint"]').count()
            page.keyboard.press("n")
            page.keyboard.press("r")
            expect(page.locator('#original .mark[data-status="hint"]')).to_have_count(before - 1)
        page.keyboard.press("e")
        expect(page.locator("#progress-text")).to_have_text(f"{number} of {n} done")
    return n_leaks


def mark_name(page: Page, name: str) -> None:
    """Draws the name word by word, gives it a type, and says why it was left."""
    suspect = page.locator('#original .mark[data-status="hint"]', has_text=name)
    if suspect.count():
        suspect.first.click()
        page.keyboard.press("a")
    else:
        page.keyboard.press("d")
        for _ in range(40):
            if page.evaluate("getSelection().toString()") == name:
                break
            page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        page.keyboard.type("patient")
        page.keyboard.press("Enter")
    expect(page.locator("#why")).to_be_visible()
    page.keyboard.press("y")
    expect(page.locator("#reason")).to_be_focused()
    page.locator("#reason").select_option("missed")
    page.keyboard.press("Escape")
    expect(page.locator("#done")).to_contain_text("1 leak, next note")


def test_a_validation_from_protocol_to_report(
    planned: Path,
    reading: ReviewStore,
    reading_server: Served,
    open_as: Callable[[str], Page],
    tmp_path: Path,
    capsys: Capture,
) -> None:
    n = len(reading.note_ids())
    assert 5 <= n < N_NOTES
    pages = {name: open_as(name) for name in READERS}
    for name in READERS[:2]:
        open_page(pages[name], f"{reading_server.address}/review")
    found = read_all(pages["anna"], n)
    assert found >= 2
    # Ben sees nothing of what Anna marked, and overlooks one name.
    expect(pages["ben"].locator("#progress-text")).to_have_text(f"0 of {n} done")
    assert read_all(pages["ben"], n, overlooks=1) == found

    early = json.loads(deidlab(capsys, "validate", "report", planned, "--json").out)
    assert early["counted"] == n and early["overall"]["leaking"] == found
    assert early["agreement"] | {"kappa": None} == {
        "one": "anna", "other": "ben", "notes": n, "same": n - 1, "raw": (n - 1) / n, "kappa": None,
        "only_one": 1, "only_other": 0, "both": found - 1, "settled": 0, "open": 1,
    }  # fmt: skip

    # A third person opens the note on which they differ, and settles it.
    carol = pages["carol"]
    carol.goto(f"{reading_server.address}/review/agreement")
    carol.get_by_role("button", name="Settle").first.click()
    carol.wait_for_selector("body[data-ready=true]")
    expect(carol.locator("#notice")).to_contain_text("settling")
    carol.keyboard.press("n")
    carol.keyboard.press("a")
    expect(carol.locator("#done")).to_contain_text("1 leak")
    carol.keyboard.press("e")
    for _ in range(100):
        if any(state.done for state in [reading.read_note(number) for number in range(1, n + 1)]):
            break
        carol.wait_for_timeout(50)

    page = tmp_path / "validation.html"
    done = deidlab(capsys, "validate", "report", planned, "--report", page)
    assert done.status == 0, done.err
    result = json.loads(page.with_suffix(".json").read_text("utf-8"))
    assert result["agreement"]["open"] == 0 and result["agreement"]["settled"] == 1
    assert result["overall"]["leaking"] == found and result["bound"] == "fixed"
    assert result["found"]["by_reason"][0]["reason"] == "missed"
    assert [row["label"] for row in result["found"]["by_type"]] == ["PATIENT"]
    shown = page.read_text("utf-8") + page.with_suffix(".json").read_text("utf-8") + done.out + done.err
    assert not any(name in shown for name in NAMES), "no text of a note leaves the reading"
    assert planned.with_suffix(".review").stat().st_mode & 0o777 == 0o600
    check_dossier(planned, page.with_suffix(".json"), capsys)


def check_dossier(protocol: Path, result: Path, capsys: Capture) -> None:
    """All of it goes into a dossier, which holds as it is and names any file of which a byte was changed."""
    room = protocol.parent
    dossier, hand = room / "dossier", ("--sign-with", room / "sign.key", "--operator", "Ada Roe")
    evidence = ("--run", room / "out.jsonl", "--protocol", protocol, "--result", result)
    later = (date.today() + timedelta(days=90)).isoformat()
    for words in (
        ("key", "new", room / "sign.key"),
        ("dossier", "new", dossier, "--title", "Letters of a clinic", *hand),
        ("dossier", "add", dossier, *evidence, *hand),
        (
            "dossier",
            "approve",
            dossier,
            "--until",
            later,
            "--name",
            "B. Vance",
            "--role",
            "officer",
            *hand[:2],
        ),
        ("dossier", "verify", dossier, "--output", room / "out.jsonl"),
    ):
        done = deidlab(capsys, *words)
        assert done.status == 0, done.err
    for changed in sorted(path for path in dossier.rglob("*") if path.is_file()):
        data = changed.read_bytes()
        changed.write_bytes(data[:-2] + bytes([data[-2] ^ 1]) + data[-1:])
        done = deidlab(capsys, "dossier", "verify", dossier)
        assert done.status == 1 and changed.name in done.out
        changed.write_bytes(data)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_reading_page_has_no_violation(
    reading: ReviewStore, reading_server: Served, open_as: Callable[[str], Page], scheme: str
) -> None:
    page = open_as("anna")
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    open_page(page, f"{reading_server.address}/review")
    check(page, "reading", scheme)
    while leaking_name(page) is None:
        page.keyboard.press("Shift+J")
        page.wait_for_timeout(150)
    mark_name(page, str(leaking_name(page)))
    check(page, "reading with a leak", scheme)


RESULT = {
    "reached": False, "counted": 120, "planned": 150, "out_of_turn": 2, "bound": "sequential", "protocol": "a" * 64,
    "wanted": {"confidence": 0.95, "notes": 0.02, "words_per_thousand": 1.0, "stratum_notes": 0.05, "most_words": 20},
    "run": {"digest": "b" * 64, "finished": "2026-01-01T00:00:00Z"}, "digest": "c" * 64, "written": "2026-01-02",
    "deidlab": "0", "looks_before": 3,
    "words": {"leaked": 3, "most_words": 20, "above_most": 0, "upper": 2.25, "wanted": 1.0, "reached": False, "more": 80},
    "agreement": {"one": "anna", "other": "ben", "notes": 120, "same": 119, "raw": 119 / 120, "kappa": 0.66,
                  "only_one": 1, "only_other": 0, "both": 1, "settled": 0, "open": 1},
    "found": {"by_type": [{"label": "PATIENT", "notes": 2, "places": 2, "words": 3}],
              "by_reason": [{"reason": "missed", "notes": 1}, {"reason": "not said", "notes": 1}]},
}  # fmt: skip
PART = {
    "notes": 4000, "read": 120, "leaking": 2, "share": 2 / 120, "fixed_upper": None, "sequential_upper": 0.07,
    "sequential_lower": 0.001, "upper": 0.07, "wanted": 0.02, "reached": False, "more": 300, "planned": 90,
}  # fmt: skip


@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_report_has_no_violation(browser: Browser, tmp_path: Path, width: int, scheme: str) -> None:
    strata = [PART | {"stratum": name, "wanted": 0.05} for name in ("discharge letter · en", "other")]
    file = tmp_path / "validation.html"
    file.write_text(result_to_html(RESULT | {"overall": PART, "strata": strata}), "utf-8")
    context = browser.new_context(bypass_csp=True, viewport={"width": width, "height": 900})
    window = context.new_page()
    window.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    window.goto(file.as_uri())
    check(window, f"validation at {width}", scheme)
    assert window.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
