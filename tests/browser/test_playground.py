"""The playground in a real browser: a note is masked as it is typed, pasted or dropped."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Served, open_page

NOTE = "Seen on 3/14/2071 by Dr. Ilse Verhoeven 😀."


@pytest.fixture
def play(page: Page, served: Served) -> Page:
    open_page(page, f"{served.address}/")
    return page


def test_a_note_is_masked_as_it_is_typed(play: Page) -> None:
    play.locator("#note").press_sequentially(NOTE, delay=5)
    expect(play.locator("#masked")).to_have_text("Seen on [DATE-1] by Dr. [DOCTOR-1] 😀.")
    expect(play.locator("#found .chip")).to_have_text(["DATE 1", "DOCTOR 1"])
    play.locator("#note").press("Control+a")
    play.locator("#note").press("Delete")
    expect(play.locator("#masked")).to_have_text("")
    expect(play.locator("#copy")).to_be_disabled()


def test_style_and_policy_are_switched(play: Page) -> None:
    play.locator("#note").fill(NOTE)
    play.locator("#style").select_option("redact")
    expect(play.locator("#masked")).to_have_text("Seen on █████████ by Dr. ██████████████ 😀.")
    play.locator("#policy").select_option("limited-dataset")
    expect(play.locator("#masked")).to_contain_text("3/14/2071")
    play.locator("#style").select_option("surrogate")
    expect(play.locator("#masked")).not_to_contain_text("█")
    expect(play.locator("#masked")).not_to_contain_text("Verhoeven")
    play.reload()
    play.wait_for_selector("body[data-ready=true]")
    expect(play.locator("#style")).to_have_value("surrogate")
    expect(play.locator("#note")).to_have_value("")


def test_surrogates_stay_while_a_note_is_typed_and_go_with_it(play: Page) -> None:
    play.locator("#style").select_option("surrogate")
    dates = set()
    for _ in range(3):
        play.locator("#note").fill("Seen on 3/14/2071.")
        expect(play.locator("#masked")).to_contain_text("Seen on ")
        first = play.locator("#masked").inner_text()
        play.locator("#note").press("End")
        play.locator("#note").press_sequentially(" Well.")
        expect(play.locator("#masked")).to_have_text(f"{first} Well.")
        dates.add(first)
        play.locator("#clear").click()
        expect(play.locator("#masked")).to_have_text("")
    assert len(dates) >= 2


def test_the_model_is_switched_and_rules_alone_come_with_a_caution(play: Page) -> None:
    expect(play.locator("#model option")).to_have_text(["rules", "strict"])
    expect(play.locator("#rules-only")).to_be_visible()
    play.locator("#note").fill(NOTE)
    expect(play.locator("#masked")).to_contain_text("[DOCTOR-1]")
    play.locator("#model").select_option("strict")
    expect(play.locator("#masked")).to_contain_text("Verhoeven")
    expect(play.locator("#rules-only")).to_be_hidden()


def test_a_file_is_opened_or_dropped(play: Page, tmp_path: Path) -> None:
    path = tmp_path / "note.txt"
    path.write_text(NOTE)
    play.locator("#file").set_input_files(path)
    expect(play.locator("#masked")).to_contain_text("[DOCTOR-1]")
    play.evaluate(
        """() => {
        const carried = new DataTransfer();
        carried.items.add(new File(["Seen by Dr. Amaru Quispe."], "drop.txt", {type: "text/plain"}));
        document.querySelector("#note").dispatchEvent(new DragEvent("drop", {dataTransfer: carried, bubbles: true, cancelable: true}));
        }"""
    )
    expect(play.locator("#masked")).to_have_text("Seen by Dr. [DOCTOR-1].")


def test_hostile_text_is_only_text(play: Page) -> None:
    text = "<img src=x onerror=alert(1)> seen by Dr. Ilse Verhoeven"
    play.locator("#note").fill(text)
    expect(play.locator("#masked")).to_contain_text("<img src=x onerror=alert(1)> seen by Dr. [DOCTOR-1]")
    assert play.locator("#masked img").count() == 0


def test_a_note_that_is_too_large_is_refused_with_a_reason(play: Page) -> None:
    play.evaluate(
        """() => {
        const note = document.querySelector("#note");
        note.value = "word ".repeat(900_000);
        note.dispatchEvent(new Event("input"));
        }"""
    )
    expect(play.get_by_role("alert")).to_contain_text("bytes", timeout=30_000)


def test_the_access_log_has_no_word_of_a_note(play: Page, served: Served) -> None:
    play.locator("#note").fill(NOTE)
    expect(play.locator("#masked")).to_contain_text("[DOCTOR-1]")
    log = served.app.state.settings.access_log.read_text()
    assert "/v1/mask" in log and "Verhoeven" not in log and "Okonjo" not in log
