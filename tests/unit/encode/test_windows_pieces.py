"""Pieces of words on the kinds of tokenizers that the zoo's models use, and gold through windows on each."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

pytest.importorskip("tokenizers", reason="tokenizers is not installed: pip install '.[train]'")

from deidlab.encode.pieces import WordPieces
from deidlab.encode.tags import spans_to_tags, tags_to_spans
from deidlab.encode.windows import WindowShape, cut_windows, merge_windows
from deidlab.encode.words import find_words
from deidlab.errors import ModelError
from deidlab.train.vocabulary import learn_pieces
from deidlab.types import Document, Span

SHARED = Path(__file__).parents[3].parent / "shared" / "tokenizers"
LEARNED = ("bert", "roberta", "albert")
PUBLISHED = ("roberta", "albert")
TEXT = "Seen by Dr. María Núñez-Ortega on 12/03/2014, room 4B (ward É). \nTel: +34 93-555-01 22; E11.9 — ok."


@cache
def learned(family: str) -> WordPieces:
    notes = [Document(id=str(n), text=TEXT + f" Note number {n} of {n * 37}.") for n in range(30)]
    return learn_pieces(notes, family, 400)


@cache
def published(name: str) -> WordPieces:
    folder = SHARED / name
    if not folder.exists():
        pytest.skip(f"the published {name} tokenizer is not here ({folder})")
    transformers = pytest.importorskip("transformers")
    if name == "albert":
        pytest.importorskip("sentencepiece", reason="ALBERT's published file needs sentencepiece")
    return WordPieces(transformers.AutoTokenizer.from_pretrained(str(folder)))


def through_windows(pieces: WordPieces, document: Document, length: int, stride: int) -> Any:
    tagged = spans_to_tags(document)
    names = sorted(set(tagged.tags))
    ids = [names.index(tag) for tag in tagged.tags]
    shape = WindowShape(length, stride, pieces.prefix, pieces.suffix)
    windows = cut_windows("d", pieces.of_words(document.text, tagged.words), shape, ids)
    merged = merge_windows(windows, [window.label_ids for window in windows])
    return tags_to_spans(tagged.words, [names[label] for label in merged])


notes = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs",)) | st.sampled_from("ab \n\t\x01\ufe0f\u200d12é"),
    max_size=200,
)


@pytest.mark.parametrize("family", LEARNED)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=notes, data=st.data())
def test_any_text_and_spans_go_through_unchanged(family: str, text: str, data: st.DataObject) -> None:
    edges = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    spans = tuple(Span(start, end, "X") for start, end in zip(edges[::2], edges[1::2], strict=False))
    document = Document(id="d", text=text, spans=spans)
    length = data.draw(st.integers(4, 64))
    found = through_windows(learned(family), document, length, max(1, length // 2))
    assert found == document.spans


@pytest.mark.parametrize("name", PUBLISHED)
@pytest.mark.parametrize("length", [8, 13, 64, 512])
def test_published_tokenizers_keep_gold(name: str, length: int) -> None:
    start = TEXT.index("12/03")
    document = Document(
        id="d",
        text=TEXT * 9,
        spans=tuple(Span(start + n * len(TEXT), start + n * len(TEXT) + 10, "DATE") for n in range(9)),
    )
    assert through_windows(published(name), document, length, length // 2) == document.spans


@pytest.mark.parametrize("family", LEARNED)
def test_words_that_tokenize_to_nothing_still_get_a_piece(family: str) -> None:
    text = "a \x01 b \ufe0f c \u200d \x7f d"
    pieces = learned(family).of_words(text, find_words(text, "whitespace"))
    assert len(pieces) == len(find_words(text, "whitespace"))
    assert all(pieces)


@pytest.mark.parametrize("family", LEARNED)
def test_special_pieces_spelled_in_a_note_are_text(family: str) -> None:
    pieces = learned(family)
    text = "see <s> and [SEP] and </s> and [MASK]"
    special = {pieces.piece_id(name) for name in ("<s>", "</s>", "[CLS]", "[SEP]", "[MASK]", "<mask>")}
    found = {piece for word in pieces.of_words(text, find_words(text, "whitespace")) for piece in word}
    assert not (found & (special - {None, pieces.unknown}))


def test_white_space_is_marked_only_where_it_stands() -> None:
    pieces = learned("roberta")
    spaced, joined = pieces.of_words("a 12/12", [(2, 4), (5, 7)])
    assert spaced != joined
    assert pieces.of_words("12", [(0, 2)])[0] == joined


def test_the_same_pieces_as_the_tokenizer_gives_running_text() -> None:
    pieces = published("roberta")
    text = "Seen on 12 March in room four by the nurse"
    flat = [piece for word in pieces.of_words(text, find_words(text)) for piece in word]
    assert flat == pieces._plain.encode(text, add_special_tokens=False).ids


def test_limits_that_a_published_file_carries_are_taken_off() -> None:
    from tokenizers import Tokenizer

    limited = Tokenizer.from_str(learned("bert").to_json())
    limited.enable_truncation(max_length=4)
    limited.enable_padding(length=6)
    pieces = WordPieces(limited)
    long = "oneonoeno" * 4
    assert len(pieces.of_words(long, [(0, 36)])[0]) > 4
    assert '"truncation":null' in pieces.to_json().replace(" ", "")


def test_a_folder_without_tokenizer_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError):
        WordPieces.from_file(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ModelError):
        WordPieces.from_file(tmp_path / "tokenizer.json")
