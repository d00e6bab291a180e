"""Every page in a real browser: no violation that axe-core knows, light and dark, wide and narrow."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from deidlab.types import Span
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Wish
from deidlab.web.store_notes import save_proposal
from tests.browser.conftest import REVIEWERS, TOKEN, Served, open_page, sample_note

Begin = Callable[..., ReviewStore]


def check(page: Page, where: str, scheme: str = "light") -> None:
    """No violation, best practices included; a dark page differs in its colours alone."""
    found = Axe().run(page, options={"runOnly": ["color-contrast"]} if scheme == "dark" else None)
    said = [
        f"{each['id']}: {each['help']} ({[node['target'] for node in each['nodes']][:3]})"
        for each in found.response["violations"]
    ]
    assert not said, f"{where}: {said}"


def test_the_check_sees_a_violation(page: Page, served: Served) -> None:
    open_page(page, f"{served.address}/")
    page.evaluate("document.querySelector('#main').append(document.createElement('button'))")
    with pytest.raises(AssertionError, match="button-name"):
        check(page, "playground")


@pytest.fixture
def store(begin: Begin) -> ReviewStore:
    """A note with marks of every state, a model to compare, and a note that two people have finished."""
    document, marks, _ = sample_note("both")
    store = begin(
        [sample_note("first"), sample_note("second"), (document, marks, True)], models=("retrained",)
    )
    store.decide(1, "", 0, Wish("accept", (1,)), "anna")
    store.decide(1, "", 1, Wish("reject", (6,)), "anna")
    for name in REVIEWERS:
        store.decide(3, name, 0, Wish("accept" if name == "anna" else "reject", (6,)), name)
        store.decide(3, name, 1, Wish("done"), name)
    text = document.text
    start = text.index("Bea")
    spans = [mark.to_span() for mark in marks if mark.label != "CITY"] + [
        Span(start, start + 3, "PATIENT", 0.8, "model")
    ]
    for number in (1, 2, 3):
        save_proposal(store, "retrained", number, spans)
    return store


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_review_page_has_no_violation_in_any_state(
    page: Page, store: ReviewStore, served: Served, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
    open_page(page, f"{served.address}/review#1")
    expect(page.locator("#masked .mark").first).to_be_visible()
    page.locator("#filters summary").click()
    page.locator("#types button").first.click()
    check(page, "filters", scheme)
    page.locator("#clear-filters").click()
    page.locator("#main").focus()
    for keys, where in (
        (("n",), "a span"),
        (("d",), "drawing"),
        (("Escape", "n", "l"), "types"),
        (("Escape", "?"), "keys"),
    ):
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_timeout(120)
        check(page, where, scheme)
    page.keyboard.press("Escape")
    page.locator("#open-export").click()
    check(page, "export", scheme)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 800})
    check(page, "narrow", scheme)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_other_pages_have_no_violation(
    page: Page, store: ReviewStore, served: Served, scheme: str
) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    open_page(page, f"{served.address}/")
    page.locator("#example").click()
    expect(page.locator("#found .chip").first).to_be_visible()
    check(page, "playground", scheme)
    for path in ("agreement", "changes"):
        page.goto(f"{served.address}/review/{path}")
        expect(page.locator("#answer")).to_be_visible()
        check(page, path, scheme)
    served.app.state.review = None
    page.goto(f"{served.address}/review")
    expect(page.get_by_role("heading", name="No corpus is under review here")).to_be_visible()
    check(page, "no review", scheme)


def test_agreement_is_shown_and_a_note_is_settled(page: Page, store: ReviewStore, served: Served) -> None:
    page.goto(f"{served.address}/review/agreement")
    figures = page.locator("#figures div")
    expect(figures.filter(has_text="F1, same span and type")).to_contain_text("0.93")
    expect(page.locator("#types tr").filter(has_text="DOCTOR")).to_contain_text("0.67")
    page.get_by_role("button", name="Settle both").click()
    page.wait_for_selector("body[data-ready=true]")
    expect(page.locator("#notice")).to_contain_text("You are settling two reviews")
    expect(page.locator("#note-state")).to_contain_text("1 span to decide")
    page.keyboard.press("r")
    expect(page.locator("#note-state")).to_contain_text("all decided")
    page.keyboard.press("e")
    expect(page.locator("#note-title")).not_to_have_text("both")
    assert store.read_note(3).done and len([m for m in store.read_note(3).marks if m.is_phi]) == 7


def test_what_a_retrained_model_would_change_is_shown_and_taken_over(
    page: Page, store: ReviewStore, served: Served
) -> None:
    page.goto(f"{served.address}/review/changes")
    expect(page.locator("#figures")).to_contain_text("It adds4")
    page.locator("#notes a").filter(has_text="second").click()
    page.wait_for_selector("body[data-ready=true]")
    rows = page.locator("#change-list li")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("adds PATIENTBea")
    expect(rows.last).to_contain_text("drops CITYBrenholm")
    rows.first.get_by_role("button", name="Take over").click()
    expect(rows).to_have_count(1)
    state = store.read_note(2)
    assert [state.document.text[m.start : m.end] for m in state.marks if m.status == "accepted"] == ["Bea"]


def test_the_theme_is_switched_and_remembered(page: Page, store: ReviewStore, served: Served) -> None:
    page.emulate_media(color_scheme="light")
    open_page(page, f"{served.address}/review")
    paper = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(paper)
    page.locator("#theme").click()
    page.locator("#theme").click()
    expect(page.locator("#theme")).to_have_text("Theme: dark")
    dark = page.evaluate(paper)
    assert dark != light
    page.goto(f"{served.address}/")
    assert page.evaluate(paper) == dark
    stored = page.evaluate("JSON.stringify(localStorage)")
    assert "Okonjo" not in stored and "first" not in stored


def test_two_reviewers_log_in_and_each_marks_alone(
    browser: object, page: Page, begin: Begin, guarded: Served
) -> None:
    document, marks, _ = sample_note("both")
    store = begin([(document, marks, True)], on=guarded)
    for name in REVIEWERS:
        page.context.clear_cookies()
        page.goto(f"{guarded.address}/review")
        check(page, "log-in")
        page.locator("input[type=password]").fill(TOKEN.format(name))
        page.keyboard.press("Enter")
        page.wait_for_selector("body[data-ready=true]")
        expect(page.locator("#reviewer")).to_have_text(name)
        expect(page.locator("#note-state")).to_contain_text("8 spans to decide")
        page.keyboard.press("a" if name == "anna" else "r")
        expect(page.locator("#note-state")).to_contain_text("7 spans to decide")
    assert [store.read_note(1, name).marks[0].status for name in REVIEWERS] == ["accepted", "rejected"]
    cookies = page.context.cookies()
    assert [(cookie["httpOnly"], cookie["sameSite"]) for cookie in cookies] == [(True, "Strict")]
