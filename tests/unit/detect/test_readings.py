"""Texts that look alike are read alike: hidden characters, other forms of letters, hyphens at line ends."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.detect import DetectorSettings, KnownTable, load_detector
from deidlab.rules.readings import HIDDEN, find_in_readings, readings
from deidlab.types import Document, Span

KNOWN = {
    "patient": "p1",
    "last": "Quillfeather",
    "dob": "1970-09-12",
    "phone": "206-555-0134",
    "mrn": "AB-4471920",
}
VALUES = ("Quillfeather", "09/12/1970", "12 Sep 1970", "(206) 555-0134", "AB-4471920", "ab 4471920")
INVISIBLE = (
    "\u00ad", "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a", "\u202e", "\u2060", "\u2066", "\u2069",
    "\ufeff", "\ufe0f", "\u034f", "\u061c", "\x00", "\x01", "\x0c", "\x1b", "\x1f", "\x7f", "\x85", "\x9f",
)  # fmt: skip


def uncovered(text: str, start: int, end: int, **extra: object) -> str:
    """What is left of a stretch of the text."""
    table = KnownTable.of([KNOWN]) if not extra else None
    detector = load_detector(None, DetectorSettings("only", known=table, **extra))  # type: ignore[arg-type]
    spans = detector.detect([Document(id="n", patient="p1", text=text)], with_words=False)[0].spans
    left = [i for i in range(start, end) if not any(span.start <= i < span.end for span in spans)]
    return "".join(text[i] for i in left)


def full_width(value: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else "\u3000" if c == " " else c for c in value)


@given(
    value=st.sampled_from(VALUES),
    wide=st.booleans(),
    cuts=st.lists(st.tuples(st.integers(1, 13), st.sampled_from(INVISIBLE)), max_size=6),
)
def test_no_part_of_a_known_identifier_stays_whatever_is_hidden_in_it(
    value: str, wide: bool, cuts: list[tuple[int, str]]
) -> None:
    written = full_width(value) if wide else value
    for place, char in sorted(cuts, reverse=True):
        if place < len(written):
            written = written[:place] + char + written[place:]
    text = f"the person is {written}, and walks"
    start = len("the person is ")
    assert uncovered(text, start, start + len(written)) == ""


@pytest.mark.parametrize("hidden", INVISIBLE, ids=[f"U+{ord(c):04X}" for c in INVISIBLE])
def test_rules_and_deny_lists_read_past_what_is_hidden(hidden: str) -> None:
    for written in (
        f"Quill{hidden}feather",
        f"Zebulon {hidden} Quillfeather",
        f"Zebulon{hidden} Quillfeather",
    ):
        text = f"Seen was Mr. {written} today."
        assert uncovered(text, 13, 13 + len(written), deny=frozenset()) == ""
    text = f"left Quill{hidden}feather there"
    assert uncovered(text, 5, 5 + 13, deny=frozenset({"quillfeather"})) == ""
    assert uncovered("left Quillfeather there", 5, 17, deny=frozenset({f"quill{hidden}feather"})) == ""


@pytest.mark.parametrize("hyphen", ["-\n", "-\r\n", "- \n  ", "\u00ad\n", "\u2010\n", "-\x0c\n"])
def test_a_hyphen_at_the_end_of_a_line_hides_no_half(hyphen: str) -> None:
    text = f"the person is Quill{hyphen}feather, and walks"
    assert uncovered(text, 14, 14 + 12 + len(hyphen)) == ""
    number = f"call 206-555{hyphen}0134 now"
    assert uncovered(number, 5, len(number) - 4) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Mr. Ｑｕｉｌｌｆｅａｔｈｅｒ",
        "Mr. Zebulon Ste\ufb03",
        "Mr.\u00a0Quillfeather",
        "Mr. Zebulon\u00a0Quillfeather",
        "Sra. Garci\u0301a",
        "Mr. 𝐐𝐮𝐢𝐥𝐥𝐟𝐞𝐚𝐭𝐡𝐞𝐫",
    ],
)
def test_names_in_another_form_are_found(text: str) -> None:
    start = text.index(".") + 2
    assert uncovered(text, start, len(text), deny=frozenset()) in ("", "\u00a0")


@pytest.mark.parametrize(
    "value",
    ["(206) 555-0134", "03/14/2071", "SSN 219-09-9999", "q.feather@example.org", "10.20.30.40", "MRN: 4471920",
     "DNI 12345678Z", "user: qfeather7", "1HGCM82633A004352"],
)  # fmt: skip
def test_every_rule_reads_full_width_and_past_hidden_characters(value: str) -> None:
    said = (
        load_detector(None, DetectorSettings("only")).detect([Document(id="n", text=f"x {value} y")])[0].spans
    )
    wanted = [(span.start, span.end, span.label) for span in said]
    assert wanted
    wide = (
        load_detector(None, DetectorSettings("only"))
        .detect([Document(id="n", text=f"x {full_width(value)} y")])[0]
        .spans
    )
    assert [(span.start, span.end, span.label) for span in wide] == wanted
    [(start, end, _)] = wanted
    cut = f"x {value} y"
    cut = cut[: end - 2] + "\u200b" + cut[end - 2 :]
    assert uncovered(cut, start, end + 1, deny=frozenset()) == ""


def test_what_is_hidden_may_part_two_names_as_well() -> None:
    text = "left Quillfeather\u200bSmithson there, Larkin-\nOdell too"
    deny = frozenset({"Quillfeather", "Smithson", "Larkin", "Odell"})
    assert uncovered(text, 5, 17, deny=deny) == uncovered(text, 18, 26, deny=deny) == ""
    assert uncovered(text, text.index("Lark"), text.index(" too"), deny=deny) == "-\n"


def test_an_allowed_term_is_read_likewise() -> None:
    detector = load_detector(None, DetectorSettings("only", allow=frozenset({"Quillfeather"})))
    text = "Mr. Quill\u00adfeather slept"
    assert detector.detect([Document(id="n", text=text)])[0].spans == ()


def test_an_echo_is_heard_across_a_hidden_character() -> None:
    text = "Mr. Quillfeather slept. Later quill\u00adfeather walked."
    start = text.index("quill")
    assert uncovered(text, start, start + 13, deny=frozenset()) == ""


def test_a_plain_text_has_one_reading_itself() -> None:
    text = "Sra. Núñez, 3º B, 37,5 º, ½ comp., 5 µg – well-known; «x»…\tfin\r\n"
    assert [(way.text, way.starts) for way in readings(text)] == [(text, None)]


def test_offsets_lead_back_to_all_that_was_read() -> None:
    text = "\ufb01nn Qu\u00adill\u200b e\u0301 a-\nb"
    whole = find_in_readings(text, lambda plain: [Span(0, len(plain), "OTHER")])
    assert {(span.start, span.end) for span in whole} == {(0, len(text))}
    assert readings(text)[-1].text == "finn Quill é ab"


@given(st.text(st.sampled_from("aB1 -\n\r\t.\u00ad\u200b\x00\u0301\ufb01\uff11\u00a0\x0c"), max_size=40))
def test_every_reading_maps_forth_and_back(text: str) -> None:
    for way in readings(text):
        if way.starts is None:
            assert way.text == text
            continue
        assert len(way.starts) == len(way.ends) == len(way.text)
        assert list(way.starts) == sorted(way.starts) and list(way.ends) == sorted(way.ends)
        spans = [Span(i, i + 1, "OTHER") for i in range(len(way.text))]
        for span, back in zip(spans, way.back(spans), strict=True):
            assert 0 <= back.start < back.end <= len(text)
            [forth] = way.forth([back])
            assert forth.start <= span.start < span.end <= forth.end


def test_everything_that_unicode_calls_format_or_control_is_hidden() -> None:
    hidden = re.compile(f"[{HIDDEN}]")
    kinds = ("Cf", "Cc")
    every = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) in kinds]
    assert [char for char in every if not hidden.match(char)] == ["\t", "\n", "\r"]
