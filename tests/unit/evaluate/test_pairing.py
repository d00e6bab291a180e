import pytest

from deidlab.errors import AlignmentError, CorpusError, UnknownNameError
from deidlab.evaluate.pairing import common_pairs, drop_below, pair_documents
from deidlab.types import Document
from tests.unit.evaluate.builders import marked

A, B, C = (Document(name, "p", f"note {name}") for name in "abc")


def test_documents_meet_by_id_in_the_order_of_ids() -> None:
    pairs = pair_documents([C, A, B], [B, C, A]).pairs
    assert [(pair.gold.id, pair.system.id) for pair in pairs] == [("a", "a"), ("b", "b"), ("c", "c")]


def test_texts_that_differ_are_an_error_naming_document_and_place_but_no_text() -> None:
    with pytest.raises(AlignmentError) as error:
        pair_documents([Document("n1", text="Seen by Zsofia")], [Document("n1", text="Seen in Zsofia")])
    message = str(error.value)
    assert "document n1" in message
    assert "character 5" in message
    assert "Zsofia" not in message


def test_a_text_that_stops_short_differs_where_it_stops() -> None:
    with pytest.raises(AlignmentError, match=r"from character 4 on \(gold has 4 characters, system 6"):
        pair_documents([Document("n", text="abcd")], [Document("n", text="abcdef")])


def test_ids_on_one_side_are_an_error_that_names_them() -> None:
    with pytest.raises(
        CorpusError, match=r"1 document only in the gold corpus \(a\) and 1 document only in .* \(c\)"
    ):
        pair_documents([A, B], [B, C])


def test_many_ids_on_one_side_are_counted_not_listed() -> None:
    golds = [Document(f"n{number}") for number in range(9)]
    with pytest.raises(CorpusError, match="n4 and 4 more"):
        pair_documents(golds, [A])


def test_skip_leaves_them_out_and_empty_counts_gold_ones_as_missed() -> None:
    skipped = pair_documents([A, B], [B, C], "skip")
    assert [pair.gold.id for pair in skipped.pairs] == ["b"]
    assert (skipped.only_gold, skipped.only_system) == (("a",), ("c",))
    emptied = pair_documents([A, B], [B, C], "empty")
    assert [(pair.gold.id, pair.system.spans) for pair in emptied.pairs] == [("a", ()), ("b", ())]


def test_the_same_id_twice_on_one_side_is_an_error() -> None:
    with pytest.raises(CorpusError, match="document a is in the system corpus twice"):
        pair_documents([A], [A, A])


def test_nothing_in_common_is_an_error_and_so_is_an_unknown_rule() -> None:
    with pytest.raises(CorpusError, match="no document in common"):
        pair_documents([A], [B], "skip")
    with pytest.raises(UnknownNameError, match="did you mean skip"):
        pair_documents([A], [A], "skp")


def test_systems_are_compared_on_what_all_of_them_hold() -> None:
    one = pair_documents([A, B, C], [A, B], "skip")
    two = pair_documents([A, B, C], [B, C], "skip")
    assert [[pair.gold.id for pair in pairs] for pairs in common_pairs([one, two])] == [["b"], ["b"]]
    three = pair_documents([A, B, C], [C], "skip")
    with pytest.raises(CorpusError, match="nothing to compare"):
        common_pairs([one, three])


def test_a_threshold_drops_scores_below_it_and_keeps_spans_without_one() -> None:
    gold = marked("a", "[DATE 3/14] [AGE 82] [ZIP 98402]")
    system = marked("a", "[DATE@0.2 3/14] [AGE@0.5 82] [ZIP 98402]")
    pairs = pair_documents([gold], [system]).pairs
    (kept,) = drop_below(pairs, 0.5)
    assert [span.label for span in kept.system.spans] == ["AGE", "ZIP"]
    assert drop_below(pairs, 0.0) == pairs
