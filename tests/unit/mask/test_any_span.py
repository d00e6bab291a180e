"""Anything in a span of any label: masking never fails, and nothing of what was marked is left."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deidlab.banks import canada, fold, spain, united_states
from deidlab.mask import MaskSettings, load_policy, mask_notes
from deidlab.mask.apply import landings
from deidlab.mask.base_labels import known_labels
from deidlab.mask.policy import known_policies
from deidlab.mask.styles import known_styles
from deidlab.types import Document, Span
from tests.unit.mask.notes import KEY, masked, one

LABELS = (*known_labels(), "NOBODY-KNOWS")
WORD = re.compile(r"[^\W_]+")
PIECES = [
    "Zorvax", "QUILLFERN", "brimtholl", "Zorvax-Quillfern", "4711029", "3/14/2064", "13/45/2064", "March", "auguſt", "aprıl", "ﬆ", "97",
    "97 M", "47 years", "9" * 500, "nonagenarian", "ninety-one", "03601", "M5V 2T6", "０３６０１", "٩٧", "28046 Zorvax", "(617) 555-9999", "+34 600 100 200",
    "no digits", "a@b", "@", "http://zorvax.org/x", "www.", "10.0.0.1", "fe80::1%eth0", "ID ID ID ID 7", "#9", "12345678Z", "1M8GDM9AXKP042788",
    "ß", "ŉ", "İ", "ﬁ", "e\u0301", "\u0301", "Ⓩⓞⓡ", "½", "²", "Ⅻ", "一二", "王伟", "محمد", "שלום", "नमस्ते", "👩‍⚕️", "🇪🇸", "\u202e", "\u200b", "\ufeff",
    " ", "  ", "\t", "\n", "\r\n", "\u2028", "-", ".", ",", "'", "_", "%", "\\", "\x00", "Christmas", "chriſtmas 2064", "winter", "Boston", "Madrid", "MA", "Dr.",
]  # fmt: skip
ANY_TEXT = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), min_size=1, max_size=5).map("".join)
MADE_UP = st.sampled_from(["Zorvax", "QUILLFERN", "brimtholl", "Vexnor-Plimwock", "4711029633", "8850217"])
SECRETS = {"zorvax", "quillfern", "brimtholl", "vexnor", "plimwock", "4711029633", "8850217"}


def settings_of(policy: str, style: str, language: str) -> MaskSettings:
    return MaskSettings(load_policy(policy), style, KEY, None, language == "es", language)  # type: ignore[arg-type]


def words(text: str) -> set[str]:
    return {fold(word) for word in WORD.findall(text)}


@given(
    st.lists(st.tuples(st.sampled_from(LABELS), ANY_TEXT), min_size=1, max_size=4),
    st.sampled_from(known_policies()),
    st.sampled_from(known_styles()),
    st.sampled_from(["", "es"]),
)
@settings(max_examples=1500, deadline=None)
def test_any_text_in_a_span_of_any_label_is_masked(marked, policy, style, language):
    text, spans = "seen: ", []
    for label, written in marked:
        if not written:
            continue
        spans.append(Span(len(text), len(text) + len(written), label))
        text += written + " ; "
    try:
        document = Document("n", "p", text, tuple(spans))
    except ValueError:
        return
    chosen = settings_of(policy, style, language)
    result = mask_notes([document], chosen)[0]
    at = new_at = 0
    for (span, new), (start, end) in zip(result.replacements, landings(result.replacements), strict=True):
        assert text[at : span.start] == result.text[new_at:start] and result.text[start:end] == new != ""
        assert not words(text[span.start : span.end]) & words(new) & SECRETS
        at, new_at = span.end, end
    assert text[at:] == result.text[new_at:]
    assert len(result.replacements) == sum(chosen.policy.row(span.label).action != "keep" for span in spans)


@st.composite
def overlapping(draw: st.DrawFn) -> Document:
    """Made-up words under spans that begin and end with words and lie across each other."""
    pieces = draw(
        st.lists(
            MADE_UP | st.sampled_from(["47 years", "3/14/2064", "Boston", "Dr.", "Hospital"]),
            min_size=2,
            max_size=6,
        )
    )
    edges, text = [], ""
    for piece in pieces:
        edges.append((len(text), len(text) + len(piece)))
        text += piece + draw(st.sampled_from([" ", ", "]))
    spans = []
    for _ in range(draw(st.integers(1, 5))):
        first = draw(st.integers(0, len(edges) - 1))
        last = draw(st.integers(first, len(edges) - 1))
        spans.append(Span(edges[first][0], edges[last][1], draw(st.sampled_from(LABELS))))
    return Document("n", "p", text, tuple(spans))


@given(
    overlapping(),
    st.sampled_from(known_policies()),
    st.sampled_from(known_styles()),
    st.sampled_from(["", "es"]),
)
@settings(max_examples=1500, deadline=None)
def test_all_that_some_masked_span_covers_is_masked(document, policy, style, language):
    chosen = settings_of(policy, style, language)
    result = mask_notes([document], chosen)[0]
    covered = {
        at for span in document.spans if chosen.policy.masks(span) for at in range(span.start, span.end)
    }
    replaced = {at for span, _ in result.replacements for at in range(span.start, span.end)}
    assert covered == replaced
    for span, new in result.replacements:
        assert not words(document.text[span.start : span.end]) & words(new) & SECRETS


@pytest.mark.parametrize("policy", ["safe-harbor", "phipa", "gdpr", "i2b2"])
@pytest.mark.parametrize("style", known_styles())
def test_an_age_over_a_name_does_not_keep_the_name(policy, style):
    text = "John Smith, 47 years"
    for spans in ((Span(0, 20, "AGE"), Span(0, 10, "PATIENT")), (Span(0, 20, "AGE"),)):
        document = Document("n", "p", text, spans)
        new = mask_notes([document], settings_of(policy, style, ""))[0].text
        assert not {"john", "smith"} & words(new)


@pytest.mark.parametrize(
    ("text", "new"),
    [
        ("97 M", "90+ M"), ("97 W", "90+ W"), ("97M", "90+M"), ("97 m", "90+ m"), ("97, 3 months", "90+, 3 months"), ("47 M", "47 M"),
        ("97 (ninety-seven)", "90+"), ("1100 months", "90+ months"), ("nonagenarian", "90+"), ("nineties", "90+"), ("100-120 days", "100-120 days"),
        ("47", "47"), ("47-year-old", "47-year-old"), ("3 years 4 months", "3 years 4 months"), ("late 40s", "late 40s"), ("45 an\u0303os", "45 an\u0303os"),
        ("John", "[AGE-1]"), ("47 Smith", "[AGE-1]"), ("forty-seven Smith", "[AGE-1]"), ("months", "[AGE-1]"), ("47 11 22 33", "[AGE-1]"), ("47 👩", "[AGE-1]"),
    ],
)  # fmt: skip
def test_only_a_plain_age_below_90_stays(text, new):
    assert one("AGE", text, style="tag", policy="safe-harbor") == new


def test_an_age_that_is_none_is_a_tag_among_surrogates():
    assert (
        one("AGE", "John Smith") == "[AGE]"
        and one("AGE", "47 years") == "47 years"
        and one("AGE", "97 M") == "90 M"
    )
    assert one("AGE", "47 Smith", policy="gdpr") == "[AGE]"
    assert one("AGE", "9" * 5000, style="tag", policy="safe-harbor") == "90+"


def test_a_year_or_weekday_that_is_a_name_too_goes():
    text = "Tuesday 3/14/2064"
    document = Document("n", "p", text, (Span(0, 17, "DATE"), Span(0, 7, "PATIENT")))
    assert "Tuesday" not in mask_notes([document], settings_of("i2b2", "surrogate", ""))[0].text
    assert "2064" not in mask_notes([document], settings_of("safe-harbor", "tag", ""))[0].text


@pytest.mark.parametrize("policy", known_policies())
def test_no_known_town_stays_where_the_policy_keeps_the_state(policy):
    banks = [("TERRITORIO", spain()), ("LOCATION-OTHER", canada()), ("CITY", united_states())]
    for label, bank in banks:
        if load_policy(policy).row(label).action == "keep":
            continue
        for places in bank.regions.values():
            town = places[0].town
            assert fold(one(label, town, policy=policy)) != fold(town)
    assert "Madrid" not in masked("{TERRITORIO:Alcalá de Henares}, {TERRITORIO:Madrid}", policy=policy)[0]


@pytest.mark.parametrize("text", ["auguſt 3", "aprıl 2064", "chriſtmas", "ſpring of 2064"])
def test_a_letter_that_only_looks_like_another_makes_no_date(text):
    assert one("DATE", text) != text


def test_many_words_before_a_number_are_no_trouble():
    assert one("IDNUM", "ID " * 3000 + "7") != "ID " * 3000 + "7"


def test_words_in_a_phone_number_go_unless_they_say_what_it_is():
    new = one("PHONE", "Zorvax 617-555-9999")
    assert "Zorvax" not in new and re.fullmatch(r"[A-Z][a-z]{5} \d{3}-555-01\d\d", new)
    assert re.fullmatch(r"Tel\. 800-555-01\d\d ext\. \d\d", one("PHONE", "Tel. 800-555-9999 ext. 22"))
    assert "FLOWERS" not in one("PHONE", "1-800-FLOWERS")
