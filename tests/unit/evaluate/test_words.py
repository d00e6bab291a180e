"""Word level: what counts as a word, whose label it has, and every answer where there is nothing to count."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from deidlab.encode.tags import tags_to_spans
from deidlab.evaluate.confusion import confuse_types
from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.scores import summarise
from deidlab.evaluate.tally import tally_pairs
from deidlab.labels import load_label_set
from deidlab.types import Counts, Document, Span
from tests.strategies import any_texts, spans_in
from tests.unit.evaluate.builders import pair, span_pair, tally
from tests.unit.evaluate.plain import count_hidden, count_words

LABELS = ("AGE", "CITY", "DATE", "NAME")


@st.composite
def pairs_of_documents(draw: st.DrawFn) -> Pair:
    text = draw(any_texts)
    gold, system = draw(spans_in(len(text), True)), draw(spans_in(len(text), True))
    return span_pair(text, list(dict.fromkeys(gold)), list(system))


@st.composite
def tagged_notes(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]], list[Pair]]:
    """Gold and system BIO tags of a few notes, and the same as pairs of documents."""
    golds, systems, pairs = [], [], []
    for number in range(draw(st.integers(1, 4))):
        n_words = draw(st.integers(0, 12))
        gold, system = draw(_tags(n_words)), draw(_tags(n_words))
        words = [(3 * index, 3 * index + 2) for index in range(n_words)]
        text = " ".join(["ab"] * n_words)
        sides = [
            Document(f"n{number}", text=text, spans=tags_to_spans(words, tags)) for tags in (gold, system)
        ]
        golds.append(gold)
        systems.append(system)
        pairs.append(Pair(*sides))
    return golds, systems, pairs


@st.composite
def _tags(draw: st.DrawFn, n_words: int) -> list[str]:
    tags: list[str] = []
    for _ in range(n_words):
        inside = tags and tags[-1] != "O" and draw(st.booleans())
        if inside:
            tags.append("I-" + tags[-1][2:])
        else:
            tags.append(draw(st.sampled_from(["O", "O", *(f"B-{label}" for label in LABELS)])))
    return tags


@given(tagged_notes())
def test_scikit_learn_agrees_on_every_word_level_figure(
    notes: tuple[list[list[str]], list[list[str]], list[Pair]],
) -> None:
    golds, systems, pairs = notes
    gold = [tag[2:] for tags in golds for tag in tags]
    system = [tag[2:] for tags in systems for tag in tags]
    assume(gold)
    summary = summarise(tally_pairs(pairs, seen=LABELS))
    for label in LABELS:
        (precision,), (recall,), (f1,), (support,) = precision_recall_fscore_support(
            gold, system, labels=[label], zero_division=np.nan
        )
        mine = summary.words.by_type[label]
        for ours, theirs in ((mine.precision, precision), (mine.recall, recall)):
            assert ours == (None if np.isnan(theirs) else pytest.approx(theirs))
        assert (mine.f1 or 0.0) == pytest.approx(np.nan_to_num(f1))
        assert mine.tp + mine.fn == support
    present = [label for label in LABELS if label in gold]
    means = [("macro", summary.words.macro), ("weighted", summary.words.weighted)]
    for name, mean in means if present else []:
        theirs = precision_recall_fscore_support(gold, system, labels=present, average=name, zero_division=0)[
            :3
        ]
        assert (mean.precision, mean.recall, mean.f1) == pytest.approx(theirs)
    micro = precision_recall_fscore_support(gold, system, labels=LABELS, average="micro", zero_division=0)[:3]
    ours = (summary.words.micro.precision, summary.words.micro.recall, summary.words.micro.f1)
    assert [value or 0.0 for value in ours] == pytest.approx(micro)
    assert summary.accuracy == pytest.approx(accuracy_score(gold, system))
    binary = precision_recall_fscore_support(
        [bool(tag) for tag in gold], [bool(tag) for tag in system], average="binary", zero_division=0
    )[:3]
    mine = summary.blind["words_binary"]
    assert [mine.precision or 0.0, mine.recall or 0.0, mine.f1 or 0.0] == pytest.approx(binary)


@pytest.mark.filterwarnings("ignore:A single label was found")
@given(tagged_notes())
def test_scikit_learn_agrees_on_the_confusion_of_types(
    notes: tuple[list[list[str]], list[list[str]], list[Pair]],
) -> None:
    golds, systems, pairs = notes
    gold = [tag[2:] or "(none)" for tags in golds for tag in tags]
    system = [tag[2:] or "(none)" for tags in systems for tag in tags]
    ours = confuse_types(tally_pairs(pairs))
    assert ours.system == (*ours.gold, "(in part)")
    assert not ours.cells[:, -1].any()
    if gold:
        theirs = confusion_matrix(gold, system, labels=list(ours.gold))
        assert (ours.cells[:, :-1] == theirs).all()


@given(pairs_of_documents(), st.sampled_from(["runs", "whitespace"]))
def test_any_spans_in_any_text_count_as_one_word_at_a_time_would(made: Pair, style: str) -> None:
    counts, right, n_words = count_words(made, style)
    counted = tally_pairs([made], style=style)
    summary = summarise(counted)
    for label, mine in summary.words.by_type.items():
        assert mine == Counts(*(counts[label, key] for key in ("tp", "fp", "fn")))
    assert (summary.sizes["right_words"], summary.sizes["words"]) == (right, n_words)
    phi, leaked, characters, bare, over = count_hidden(made, style)
    assert summary.blind["words_binary"].tp + summary.blind["words_binary"].fn == phi
    assert summary.blind["words_binary"].fn == leaked
    assert (summary.sizes["phi_characters"], summary.sizes["leaked_characters"]) == (characters, bare)
    assert summary.sizes["overmasked_words"] == over
    confusion = confuse_types(counted)
    assert confusion.cells.sum() == n_words
    diagonal = sum(confusion.cells[index, index] for index in range(len(confusion.gold)))
    assert diagonal == right


def test_words_are_cut_at_gold_edges_only_so_that_all_systems_share_them() -> None:
    one = summarise(tally("[PATIENT Odell],DOB", "[PATIENT Odell],DOB", "whitespace"))
    two = summarise(tally("[PATIENT Odell],DOB", "[PATIENT Ode]ll,[DATE DO]B", "whitespace"))
    assert one.sizes["words"] == two.sizes["words"] == 2


def test_a_word_covered_in_part_is_missed_and_a_false_alarm() -> None:
    summary = summarise(tally("[PATIENT Odell] here", "[PATIENT Ode]ll here"))
    assert summary.words.micro == Counts(0, 1, 1)
    assert summary.blind["words_binary"] == Counts(0, 1, 1)
    assert summary.sizes["partly_covered_words"] == 1


def test_spans_that_share_a_word_speak_by_the_characters_they_cover() -> None:
    text = "2071-03-14"
    gold = [Span(0, 10, "DATE")]
    joined = tally_pairs(
        [span_pair(text, gold, [Span(0, 5, "DATE"), Span(5, 10, "DATE")])], style="whitespace"
    )
    assert summarise(joined).words.micro == Counts(1, 0, 0)
    split = tally_pairs(
        [span_pair(text, gold, [Span(0, 4, "IDNUM"), Span(4, 10, "DATE")])], style="whitespace"
    )
    assert summarise(split).words.by_type == {"DATE": Counts(0, 1, 1), "IDNUM": Counts(0, 0, 0)}
    assert summarise(split).blind["words_binary"] == Counts(1, 0, 0)


def test_white_space_in_a_span_is_no_word() -> None:
    text = "Odell  here"
    summary = summarise(
        tally_pairs([span_pair(text, [Span(0, 6, "PATIENT"), Span(6, 7, "DATE")], [Span(0, 5, "PATIENT")])])
    )
    assert summary.words.micro == Counts(1, 0, 0)
    assert summary.sizes["gold_wordless"] == 1
    assert summary.entities["strict"].micro == Counts(0, 1, 2)


def test_overlaps_give_way_are_counted_and_still_are_phi_to_a_privacy_officer() -> None:
    text = "Maria Lopez Vigo"
    gold = [Span(0, 11, "PATIENT"), Span(6, 16, "CITY")]
    summary = summarise(tally_pairs([span_pair(text, gold, [Span(0, 11, "PATIENT")])]))
    assert summary.sizes["gold_gave_way"] == 1
    assert summary.words.micro == Counts(2, 0, 0)
    assert summary.blind["words_binary"] == Counts(2, 0, 1)


def test_the_same_span_twice_counts_once() -> None:
    spans = [Span(0, 5, "PATIENT", 0.4), Span(0, 5, "PATIENT", 0.9)]
    counted = tally_pairs([span_pair("Odell", [Span(0, 5, "PATIENT")], spans)])
    assert summarise(counted).entities["strict"].micro == Counts(1, 0, 0)
    assert summarise(counted).sizes["system_twice"] == 1
    assert counted.spans.score.tolist() == [0.9]


def test_a_label_set_scores_its_own_labels_and_names_the_absent() -> None:
    made = pair(
        "[PATIENT Odell] [DOCTOR Brandt] [DATE 3/14]", "[PATIENT Odell] [PATIENT Brandt] [IDNUM 3/14]"
    )
    summary = summarise(tally_pairs([made], load_label_set("hipaa-i2b2")))
    assert summary.words.by_type["PATIENT"] == Counts(1, 1, 0)
    assert summary.words.by_type["DATE"] == Counts(0, 0, 3)
    assert "DOCTOR" not in summary.words.by_type
    assert "AGE" in summary.absent
    assert "PATIENT" not in summary.absent
    assert (summary.sizes["gold_unscored"], summary.sizes["system_unscored"]) == (1, 1)
    # What hides a word hides it under whichever label, and masking a DOCTOR is not for nothing.
    assert summary.sizes["leaked_characters"] == 0
    assert summary.sizes["overmasked_words"] == 0
    # The challenge's own measures are always over all labels.
    assert summary.i2b2_2014 == summarise(tally_pairs([made])).i2b2_2014


@given(st.lists(pairs_of_documents(), min_size=1, max_size=4), st.integers(1, 40))
def test_documents_add_up_however_they_are_laid_out(made: list[Pair], n_characters: int) -> None:
    import deidlab.evaluate.layout as layout

    named = [
        Pair(
            Document(f"{row}", "", pair.gold.text, pair.gold.spans),
            Document(f"{row}", "", pair.gold.text, pair.system.spans),
        )
        for row, pair in enumerate(made)
    ]
    together = tally_pairs(named, seen=("X",))
    chunks = layout.chunks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deidlab.evaluate.tally.chunks", lambda pairs: chunks(pairs, n_characters))
        apart = tally_pairs(named, seen=("X",))
    one, other = together.table.cells, apart.table.cells
    assert one.keys() == other.keys() and all((one[key] == other[key]).all() for key in one)
    assert (together.table.sizes == apart.table.sizes).all()
    assert (together.words.doc == apart.words.doc).all()
    assert (together.words.start == apart.words.start).all()
