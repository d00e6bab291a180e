"""A student learns what its teachers say; copies of notes with exchanged PHI keep their spans."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from deidlab.encode.pieced import Cutting, count_labels, piece_corpus
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import IGNORED, WindowShape
from deidlab.errors import ConfigError
from deidlab.labels import auto_label_set
from deidlab.train.fit import fit
from deidlab.train.launch import Launch
from deidlab.train.request import RunRequest, read_request
from deidlab.train.settings import TrainSettings
from deidlab.train.swapping import swap_mentions
from deidlab.train.teaching import make_targets, number_pieces
from deidlab.types import Document, Span

CPU = torch.device("cpu")


@pytest.fixture(scope="session")
def teacher(
    notes: list[Document], make_config: Callable[[str], str], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A run that has learned its notes."""
    folder = tmp_path_factory.mktemp("teacher") / "run"
    settings = TrainSettings(epochs=30, batch=4, learning_rate=3e-3, window=48, stride=32, shapes=True)
    request = RunRequest(model=make_config("bert"), scratch=True, tokenizer="learn")
    fit(notes, [], request, settings, Launch(folder, device="cpu"))
    return folder


def pieced(teacher: Path, notes: list[Document]) -> Any:
    pieces = WordPieces.from_file(teacher / "tokenizer.json")
    labels = auto_label_set(count_labels(notes))
    shape = WindowShape(48, 32, pieces.prefix, pieces.suffix)
    return piece_corpus(notes, Cutting(pieces, shape), labels, all_pieces=True), labels


def test_targets_mix_teachers_and_gold(teacher: Path, notes: list[Document]) -> None:
    corpus, labels = pieced(teacher, notes)
    gold = corpus.labels[corpus.labels != IGNORED]
    for share in (1.0, 0.5):
        settings = TrainSettings(teacher_share=share, label_smoothing=0.0)
        targets = make_targets([str(teacher)], corpus, labels.tags, settings, CPU).float()
        assert targets.shape == (len(gold), len(labels.tags))
        assert torch.allclose(targets.sum(dim=1), torch.ones(len(gold)), atol=5e-3)
        # The teacher knows these notes by heart, so that it seldom differs from gold.
        assert (targets.argmax(dim=1).numpy() == gold).mean() > 0.95
        at_gold = targets[torch.arange(len(gold)), torch.from_numpy(gold).long()]
        assert at_gold.min() >= (1 - share) - 5e-3


def test_numbers_stand_in_for_tags(teacher: Path, notes: list[Document]) -> None:
    corpus, _ = pieced(teacher, notes)
    numbered = number_pieces(corpus)
    decided = numbered.labels[numbered.labels != IGNORED]
    assert decided.tolist() == list(range(len(decided)))
    assert np.array_equal(numbered.labels == IGNORED, corpus.labels == IGNORED)


def test_the_head_of_a_corpus_is_the_corpus_of_its_first_notes(teacher: Path, notes: list[Document]) -> None:
    whole, _ = pieced(teacher, notes)
    for n_notes in (1, 5, len(notes)):
        alone, _ = pieced(teacher, notes[:n_notes])
        head = whole.head(n_notes)
        for name in ("ids", "shapes", "starts", "deciding"):
            assert np.array_equal(getattr(head, name), getattr(alone, name)), name
        assert all(map(np.array_equal, head.words, alone.words)) and len(head.words) == n_notes
        assert head.spans == alone.spans


def test_a_student_learns_from_teachers_alone(teacher: Path, notes: list[Document], tmp_path: Path) -> None:
    """Its notes carry gold that is wrong throughout; with a share of 1 it learns the teacher's tags."""
    wrong = [
        replace(
            note,
            spans=tuple(Span(s.start, s.end, "DATE" if s.label == "NAME" else "NAME") for s in note.spans),
        )
        for note in notes
    ]
    settings = TrainSettings(epochs=40, batch=4, learning_rate=3e-3, window=48, stride=32, all_pieces=True)
    request = RunRequest(
        model=json.loads((teacher / "settings.json").read_text())["request"]["model"],
        scratch=True,
        tokenizer=str(teacher / "tokenizer.json"),
        teachers=(str(teacher), str(teacher)),
    )
    run = fit(wrong, notes, request, settings, Launch(tmp_path / "student", device="cpu"))
    assert run.f1 is not None and run.f1 > 0.8
    assert run.record["train"]["f1"] < 0.2
    assert [each["seed"] for each in run.record["teachers"]] == [1, 1]
    assert read_request(tmp_path / "student")[0].teachers == request.teachers


def test_teachers_that_cannot_teach_are_refused(
    teacher: Path, notes: list[Document], run_tiny: Callable[..., Any], tiny: RunRequest, tmp_path: Path
) -> None:
    model = json.loads((teacher / "settings.json").read_text())["request"]["model"]
    good = RunRequest(
        model, scratch=True, tokenizer=str(teacher / "tokenizer.json"), teachers=(str(teacher),)
    )
    with pytest.raises(ConfigError, match="no finished run"):
        run_tiny(tmp_path / "a", request=replace(good, teachers=(str(tmp_path),)))
    with pytest.raises(ConfigError, match="cannot be crf with teachers"):
        run_tiny(tmp_path / "b", request=good, decoding="crf")
    learned = replace(good, tokenizer="learn", model=tiny.model)
    renamed = [
        replace(note, spans=tuple(replace(s, label="X" + s.label) for s in note.spans)) for note in notes
    ]
    with pytest.raises(ConfigError, match="other tags"):
        fit(
            renamed,
            [],
            good,
            TrainSettings(epochs=1, window=48, stride=32),
            Launch(tmp_path / "c", device="cpu"),
        )
    other = [replace(note, text=note.text.replace("weeks", "moons")) for note in notes]
    with pytest.raises(ConfigError, match="other pieces"):
        fit(
            other,
            [],
            learned,
            TrainSettings(epochs=1, window=48, stride=32),
            Launch(tmp_path / "d", device="cpu"),
        )


def test_swapped_copies_keep_their_spans(notes: list[Document]) -> None:
    copies = swap_mentions(notes, 2, seed=3)
    assert len(copies) == 2 * len(notes)
    assert len({each.id for each in copies} | {each.id for each in notes}) == 3 * len(notes)
    pool = {(s.label, note.text[s.start : s.end]) for note in notes for s in note.spans}
    changed = 0
    for copy, note in zip(copies, [*notes, *notes], strict=True):
        assert [s.label for s in copy.spans] == [s.label for s in note.spans]
        mentions = [(s.label, copy.text[s.start : s.end]) for s in copy.spans]
        assert set(mentions) <= pool
        changed += copy.text != note.text
        rest = lambda d: "|".join(d.text[a:b] for a, b in outside(d))  # noqa: E731
        assert rest(copy) == rest(note)
    assert changed > len(notes)
    assert [c.text for c in copies] == [c.text for c in swap_mentions(notes, 2, seed=3)]


def outside(document: Document) -> list[tuple[int, int]]:
    edges = [0, *(edge for s in document.spans for edge in (s.start, s.end)), len(document.text)]
    return list(zip(edges[::2], edges[1::2], strict=True))
