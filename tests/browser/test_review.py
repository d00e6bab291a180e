"""The review page in a real browser: draw, relabel, undo, export, reload; twenty spans by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deidlab.corpus import read_corpus
from deidlab.types import Document, Span
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Wish, first_marks
from tests.browser.conftest import Served, open_page, sample_note

Begin = Callable[..., ReviewStore]


def text_and_label(store: ReviewStore, status: str, number: int = 1) -> list[tuple[str, str]]:
    state = store.read_note(number)
    text = state.document.text
    return [(text[m.start : m.end], m.label) for m in state.marks if m.status == status]


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def settle(page: Page, store: ReviewStore, version: int, number: int = 1) -> None:
    """Waits until the server has kept that many decisions."""
    for _ in range(300):
        if store.read_note(number).version >= version:
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"version {store.read_note(number).version}, not {version}")


@pytest.fixture
def store(begin: Begin, served: Served, page: Page) -> ReviewStore:
    store = begin([sample_note("first"), sample_note("second")])
    open_page(page, f"{served.address}/review#1")
    return store


def drag(page: Page, words: str, alt: bool = False) -> None:
    """Selects words in the original with the mouse."""
    box = page.evaluate(
        """(words) => {
        const walker = document.createTreeWalker(document.querySelector("#original"), NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const at = node.data.indexOf(words);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node, at);
            range.setEnd(node, at + words.length);
            const box = range.getBoundingClientRect();
            return [box.left, box.right, (box.top + box.bottom) / 2];
        }
        }""",
        words,
    )
    left, right, middle = box
    if alt:
        page.keyboard.down("Alt")
    page.mouse.move(left + 1, middle)
    page.mouse.down()
    page.mouse.move((left + right) / 2, middle, steps=3)
    page.mouse.move(right - 1, middle)
    page.mouse.up()
    if alt:
        page.keyboard.up("Alt")


def test_twenty_spans_are_reviewed_by_keyboard_alone(begin: Begin, served: Served, page: Page) -> None:
    store = begin([sample_note("long", copies=3), sample_note("short")])
    open_page(page, f"{served.address}/review")
    expect(page.locator("#note-title")).to_have_text("long")
    # Twenty-four spans: the three Foleys are rejected, the three towns get another type, the rest is right.
    decided = []
    for number in range(24):
        label = page.locator("#original .mark.current").get_attribute("data-label")
        words = page.locator("#original .mark.current").inner_text()
        decided.append((words, label))
        if words == "Foley":
            press(page, "r")
        elif label == "CITY":
            press(page, "l")
            page.keyboard.type("state")
            press(page, "Enter")
        else:
            press(page, "a")
        expect(page.locator("#note-state")).to_contain_text(
            "all decided" if number == 23 else f"{23 - number} span"
        )
    press(page, "e")
    expect(page.locator("#note-title")).to_have_text("short")
    assert len(decided) == 24
    assert text_and_label(store, "rejected") == [("Foley", "DOCTOR")] * 3
    assert [pair for pair in text_and_label(store, "accepted") if pair[1] == "STATE"] == [
        ("Brenholm", "STATE")
    ] * 3
    assert len(text_and_label(store, "accepted")) == 21
    assert store.read_note(1).done


def test_keys_typed_fast_are_all_heard(page: Page, store: ReviewStore) -> None:
    press(page, "n", *"aaaaaaaa")
    settle(page, store, 8)
    assert len(text_and_label(store, "accepted")) == 8


def test_a_span_is_drawn_with_the_mouse(page: Page, store: ReviewStore) -> None:
    drag(page, "Bea")
    expect(page.locator("#dock")).to_contain_text("Selected: Bea")
    page.locator("#dock").get_by_role("button", name="PATIENT").click()
    settle(page, store, 1)
    assert text_and_label(store, "accepted") == [("Bea", "PATIENT")]
    expect(page.locator("#original .mark.current")).to_have_text("Bea")
    expect(page.locator("#masked")).to_contain_text("niece [PATIENT-2]")


def test_the_mouse_takes_whole_words_unless_told_otherwise(page: Page, store: ReviewStore) -> None:
    drag(page, "iec")
    expect(page.locator("#dock")).to_contain_text("Selected: niece")
    press(page, "Escape")
    drag(page, "iec", alt=True)
    expect(page.locator("#dock .what")).to_have_text("iec")


def test_a_span_is_drawn_with_keys(page: Page, store: ReviewStore) -> None:
    press(page, "p")
    expect(page.locator("#original .mark.current")).to_have_text("Brenholm")
    # From the span before it: the words after `(253) 555-0147`.
    press(page, "k", "d", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Shift+ArrowLeft")
    expect(page.locator("#dock .what")).to_have_text("Bea")
    press(page, "Enter")
    page.keyboard.type("patient")
    press(page, "Enter")
    settle(page, store, 1)
    assert text_and_label(store, "accepted") == [("Bea", "PATIENT")]


def test_edges_are_moved_with_keys_across_an_emoji(page: Page, store: ReviewStore) -> None:
    press(page, "n")
    while page.locator("#original .mark.current").inner_text() != "Ilse Verhoeven":
        press(page, "j")
    press(page, "w", "[", "[", "[", "[", "Shift+ArrowRight", "Enter")
    settle(page, store, 1)
    assert text_and_label(store, "accepted") == [("Dr. Ilse Verhoeven 😀 of", "DOCTOR")]


def test_relabel_undo_redo_and_reload(page: Page, store: ReviewStore) -> None:
    press(page, "c")
    expect(page.locator("#original .mark.current")).to_have_text("Foley")
    press(page, "l")
    page.keyboard.type("devi")
    press(page, "Enter")
    settle(page, store, 1)
    assert text_and_label(store, "accepted") == [("Foley", "DEVICE")]
    press(page, "u")
    settle(page, store, 2)
    assert text_and_label(store, "accepted") == []
    press(page, "Shift+U")
    settle(page, store, 3)
    page.reload()
    page.wait_for_selector("body[data-ready=true]")
    expect(page.locator('#original .mark[data-status="accepted"]')).to_have_text("Foley")
    expect(page.locator('#original .mark[data-status="accepted"]')).to_have_attribute("data-label", "DEVICE")
    # What was decided before the page was loaded can be taken back after it.
    press(page, "Control+z")
    settle(page, store, 4)
    assert text_and_label(store, "found")[5] == ("Foley", "DOCTOR")


def test_undo_goes_back_to_the_note_before(page: Page, store: ReviewStore) -> None:
    press(page, "n", "a", "e", "e")
    expect(page.locator("#note-title")).to_have_text("second")
    press(page, "u")
    expect(page.locator("#note-title")).to_have_text("first")
    settle(page, store, 3)
    assert not store.read_note(1).done


def test_a_digit_gives_the_type_and_x_means_every_mention(begin: Begin, served: Served, page: Page) -> None:
    store = begin([sample_note("long", copies=2)])
    open_page(page, f"{served.address}/review")
    press(page, "c", "x")
    first = page.evaluate("document.querySelector('#dock .quick .chip').textContent.slice(1)")
    press(page, "1")
    settle(page, store, 1)
    assert text_and_label(store, "accepted") == [("Foley", first)] * 2


def test_a_type_given_goes_on_to_the_next_span_as_accepting_does(page: Page, store: ReviewStore) -> None:
    press(page, "n")
    marks = page.locator("#original .mark")
    first = page.locator("#original .mark.current").get_attribute("data-id")
    press(page, "1", "1", "2")
    settle(page, store, 3)
    assert len(text_and_label(store, "accepted")) == 3
    assert page.locator("#original .mark.current").get_attribute("data-id") != first
    assert page.locator("#original .mark.current").get_attribute("data-status") in ("found", "hint")
    statuses = marks.evaluate_all("marks => marks.map((mark) => mark.dataset.status)")
    assert statuses.count("accepted") == 3


def test_a_note_with_undecided_spans_is_closed_only_when_asked_twice(page: Page, store: ReviewStore) -> None:
    n_open = sum(mark.status in ("found", "hint") for mark in store.read_note(1).marks)
    press(page, "n", "a", "e")
    expect(page.locator("#toasts")).to_contain_text(f"{n_open - 1} spans undecided. Press e again")
    expect(page.locator("#note-title")).to_have_text("first")
    assert not store.read_note(1).done
    # Whatever comes between takes the question back.
    press(page, "n", "e")
    expect(page.locator("#toasts .toast")).to_have_count(2)
    assert not store.read_note(1).done
    page.locator("#done").click()
    expect(page.locator("#note-title")).to_have_text("second")
    assert store.read_note(1).done
    page.locator("#done").click()
    expect(page.locator("#note-title")).to_have_text("second")
    assert not store.read_note(2).done


def test_a_key_held_down_does_not_close_a_note(page: Page, store: ReviewStore) -> None:
    for _ in range(5):
        page.keyboard.down("e")
    page.keyboard.up("e")
    expect(page.locator("#toasts")).to_contain_text("undecided")
    expect(page.locator("#note-title")).to_have_text("first")
    assert not store.read_note(1).done


def test_export_downloads_what_was_decided(page: Page, store: ReviewStore, tmp_path: Path) -> None:
    page.locator("#open-export").click()
    expect(page.locator("#export-none")).to_be_visible()
    page.locator("#export-close").click()
    press(page, "n", "Shift+A")
    settle(page, store, 1)
    press(page, "e")
    expect(page.locator("#note-title")).to_have_text("second")
    for format, name in (
        ("i2b2", "reviewed-i2b2.zip"),
        ("brat", "reviewed-brat.zip"),
        ("jsonl", "reviewed.jsonl"),
    ):
        page.locator("#open-export").click()
        with page.expect_download() as caught:
            page.locator(f"#export-{format}").click()
        assert caught.value.suggested_filename == name
        caught.value.save_as(tmp_path / name)
        page.locator("#export-close").click()
    [document] = read_corpus(tmp_path / "reviewed.jsonl")
    assert (document.id, len(document.spans)) == ("first", 8)


def test_two_reviewers_do_not_overwrite_each_other(page: Page, store: ReviewStore) -> None:
    store.decide(1, "", 0, Wish("relabel", (1,), "DOCTOR"), "ben")
    press(page, "n", "r")
    expect(page.get_by_role("alert")).to_contain_text(
        "Ben changed this note meanwhile; nothing of yours was saved"
    )
    assert store.read_note(1).version == 1
    expect(page.locator("#original .mark").first).to_have_attribute("data-label", "DOCTOR")


def test_the_list_is_searched_and_filtered(begin: Begin, served: Served, page: Page) -> None:
    other, marks, _ = sample_note("third")
    begin(
        [sample_note("first"), sample_note("second"), (other, [m for m in marks if m.label == "DATE"], False)]
    )
    open_page(page, f"{served.address}/review")
    links = page.locator("#list a .id")
    expect(links).to_have_text(["first", "second", "third"])
    press(page, "/")
    page.keyboard.type("SECOND")
    expect(links).to_have_text(["second"])
    page.locator("#search").fill("nobody of that name")
    expect(page.locator("#page-text")).to_have_text("no note fits")
    page.locator("#search").fill("")
    page.locator("#filters summary").click()
    page.locator("#types").get_by_role("button", name="PHONE").click()
    expect(links).to_have_text(["first", "second"])
    # The filter holds in the note too: only the phone number is gone through.
    page.locator("#main").focus()
    press(page, "j")
    expect(page.locator("#original .mark.current")).to_have_text("(253) 555-0147")
    page.locator("#clear-filters").click()
    page.locator("#high").fill("60")
    expect(links).to_have_text(["first", "second"])


def test_the_masked_text_stands_beside_in_any_style(page: Page, store: ReviewStore) -> None:
    expect(page.locator("#masked")).to_contain_text("Ms. [PATIENT-1], [AGE-1], was seen on [DATE-1].")
    page.locator("#style").select_option("redact")
    expect(page.locator("#masked")).to_contain_text("Ms. █████████████, ██, was seen")
    page.locator("#policy").select_option("limited-dataset")
    expect(page.locator("#masked")).to_contain_text("was seen on 3/14/2071.")
    page.locator("#toggle-masked").click()
    expect(page.locator("#masked-pane")).to_be_hidden()


def test_single_keys_can_be_switched_off(page: Page, store: ReviewStore) -> None:
    press(page, "?")
    page.locator("#single-keys").uncheck()
    press(page, "Escape")
    press(page, "n", "a", "a")
    page.locator("#dock").get_by_role("button", name="Accept").click()
    settle(page, store, 1)
    assert len(text_and_label(store, "accepted")) == 1


def test_a_screen_reader_hears_what_happens(page: Page, store: ReviewStore) -> None:
    press(page, "n")
    mark = page.locator("#original .mark:focus")
    expect(mark).to_have_attribute("aria-label", "82: AGE, 75 % certain, undecided")
    press(page, "a")
    expect(page.locator("#said")).to_have_text("Accepted AGE. 7 left.")
    expect(page.locator("#original .mark:focus")).to_have_attribute(
        "aria-label", "3/14/2071: DATE, 95 % certain, undecided"
    )


def test_hostile_text_is_only_text(begin: Begin, served: Served, page: Page) -> None:
    text = "<img src=x onerror=alert(1)> <script>alert(2)</script>\r\n&amp; 'x' \"y\""
    begin(
        [
            (
                Document("<b>id</b>", "", text),
                first_marks([Span(0, 28, "PATIENT", 0.9)]),
                False,
            )
        ]
    )
    open_page(page, f"{served.address}/review")
    expect(page.locator("#note-title")).to_have_text("<b>id</b>")
    assert page.evaluate("document.querySelector('#original').textContent") == text
    assert page.locator("#original img, #original script, #masked img").count() == 0
