"""Notes cut by several processes: the same windows, words and gold as one process makes."""

from __future__ import annotations

import numpy as np
import pytest

from deidlab.detect.embedded import embedded_folder
from deidlab.detect.folder import TOKENIZER
from deidlab.encode.pieced import Cutting
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import WindowShape
from deidlab.labels import load_label_set
from deidlab.make.notes import make_notes
from deidlab.train import cutting as module
from deidlab.train.cutting import CutNotes, join, piece_many
from deidlab.types import Document


@pytest.fixture(scope="module")
def cutting() -> Cutting:
    pieces = WordPieces.from_file(embedded_folder("en") / TOKENIZER)
    return Cutting(pieces, WindowShape(128, 96, pieces.prefix, pieces.suffix))


@pytest.mark.parametrize("as_gold", [True, False])
def test_many_processes_cut_as_one(cutting: Cutting, as_gold: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CHUNK", 7)
    monkeypatch.setattr(module, "_WORTH", 7)
    # A note without words among them, and a last task that is not full.
    notes = [*make_notes(40, seed=3, lift=True), Document("empty", "p", ""), *make_notes(5, seed=4)]
    how = CutNotes(cutting, load_label_set("made"), all_pieces=as_gold, as_gold=as_gold)
    alone, together = piece_many(notes, how), piece_many(notes, how, 2)
    for name in ("ids", "labels", "shapes", "starts", "deciding"):
        one, many = getattr(alone, name), getattr(together, name)
        assert one.dtype == many.dtype and np.array_equal(one, many), name
    assert len(alone.words) == len(together.words) == len(notes)
    assert all(map(np.array_equal, alone.words, together.words))
    assert alone.spans == together.spans
    assert alone.n_misfits == together.n_misfits


def test_a_head_of_joined_parts_is_the_first_notes(cutting: Cutting) -> None:
    notes, how = list(make_notes(6, seed=5)), CutNotes(cutting, load_label_set("made"))
    head, first = join([how.cut(notes[:2]), how.cut(notes[2:])]).head(4), how.cut(notes[:4])
    assert np.array_equal(head.ids, first.ids) and np.array_equal(head.deciding, first.deciding)
    assert head.spans == first.spans
