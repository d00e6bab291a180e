"""Notes cut by several processes: the same windows, words and gold as one process makes."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from deidlab.detect.embedded import embedded_folder
from deidlab.detect.folder import TOKENIZER
from deidlab.encode import parallel
from deidlab.encode.parallel import piece_many
from deidlab.encode.pieced import Cutting, piece_corpus
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import WindowShape
from deidlab.labels import load_label_set
from deidlab.make.notes import make_notes
from deidlab.types import Document


@pytest.fixture(scope="module")
def cutting() -> Cutting:
    pieces = WordPieces.from_file(embedded_folder("en") / TOKENIZER)
    return Cutting(pieces, WindowShape(128, 96, pieces.prefix, pieces.suffix))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are forked on Linux alone")
@pytest.mark.parametrize("as_gold", [True, False])
def test_many_processes_cut_as_one(cutting: Cutting, as_gold: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CHUNK", 7)
    monkeypatch.setattr(parallel, "n_cores", lambda: 3)
    # A note without words among them, and a last task that is not full.
    notes = [*make_notes(40, seed=3, lift=True), Document("empty", "p", ""), *make_notes(5, seed=4)]
    labels = load_label_set("made")
    alone, together = (
        cut(notes, cutting, labels, all_pieces=as_gold, as_gold=as_gold) for cut in (piece_corpus, piece_many)
    )
    for name in ("ids", "labels", "shapes", "starts", "deciding"):
        one, many = getattr(alone, name), getattr(together, name)
        assert one.dtype == many.dtype and np.array_equal(one, many), name
    assert len(alone.words) == len(together.words) == len(notes)
    assert all(map(np.array_equal, alone.words, together.words))
    assert alone.spans == together.spans
    assert alone.n_misfits == together.n_misfits
    assert not parallel._TASK


def test_a_head_of_joined_parts_is_the_first_notes(cutting: Cutting) -> None:
    notes, labels = list(make_notes(6, seed=5)), load_label_set("made")
    parts = [piece_corpus(part, cutting, labels) for part in (notes[:2], notes[2:])]
    head, first = parallel.join(parts).head(4), piece_corpus(notes[:4], cutting, labels)
    assert np.array_equal(head.ids, first.ids) and np.array_equal(head.deciding, first.deciding)
    assert head.spans == first.spans
