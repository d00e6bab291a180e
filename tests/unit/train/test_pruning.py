"""A smaller vocabulary: the same scores for the words it was cut for, other words still spelled."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deidlab.detect.model import load_model
from deidlab.encode.pieces import WordPieces
from deidlab.errors import ModelError
from deidlab.train.pruning import pieces_in_use, prune_folder
from deidlab.types import Document


def vocabulary(folder: Path) -> dict[str, int]:
    return dict(json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"])


def test_a_pruned_run_finds_the_same(
    run_tiny: Callable[..., Any], notes: list[Document], tmp_path: Path
) -> None:
    run, few = run_tiny(tmp_path / "run", epochs=8).folder, notes[:1]
    before, after = prune_folder(run, tmp_path / "pruned", pieces_in_use(run, [note.text for note in few]))
    assert after < before == len(vocabulary(run))
    assert len(vocabulary(tmp_path / "pruned")) == after
    assert json.loads((tmp_path / "pruned" / "config.json").read_text())["vocab_size"] == after
    whole, pruned = (list(load_model(each, 1).tag_notes(few)) for each in (run, tmp_path / "pruned"))
    for one, other in zip(whole, pruned, strict=True):
        assert one.tags == other.tags
        assert np.allclose(one.probabilities, other.probabilities, atol=1e-5)


def test_special_and_short_pieces_stay(run_tiny: Callable[..., Any], tmp_path: Path) -> None:
    run = run_tiny(tmp_path / "run").folder
    prune_folder(run, tmp_path / "pruned", ())
    kept, had = vocabulary(tmp_path / "pruned"), vocabulary(run)
    assert sorted(kept.values()) == list(range(len(kept)))
    for piece in had:
        if len(piece.removeprefix("##")) <= 3 or piece.startswith("["):
            assert piece in kept
    pieces = WordPieces.from_file(tmp_path / "pruned" / "tokenizer.json")
    assert pieces.prefix == (kept["[CLS]"],) and pieces.suffix == (kept["[SEP]"],)
    assert pieces.unknown not in pieces.of_words("patient", [(0, 7)])[0]


def test_other_vocabularies_are_refused(
    make_config: Callable[[str], str], run_tiny: Callable[..., Any], tmp_path: Path
) -> None:
    from deidlab.train.request import RunRequest

    request = RunRequest(make_config("roberta"), scratch=True, tokenizer="learn")
    run = run_tiny(tmp_path / "run", request=request, epochs=1).folder
    with pytest.raises(ModelError, match="WordPiece"):
        prune_folder(run, tmp_path / "pruned", ())
