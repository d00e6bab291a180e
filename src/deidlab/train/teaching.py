"""Finished runs and a student's notes in, a table of targets out: what teachers say of every deciding piece.

A student then learns the mean of its teachers' probabilities, or a mixture of that and gold: one model that
comes near to what several find together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deidlab.detect.folder import TOKENIZER, is_run, read_tagger
from deidlab.detect.packed.loading import load_tagger
from deidlab.detect.packed.scoring import ScoreSteps
from deidlab.detect.packed.tagger import Tagger, first_position
from deidlab.encode.packing import build_rows, choose_row_shape, n_used, pack_windows
from deidlab.encode.pieced import PiecedCorpus
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import IGNORED
from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object
from deidlab.train.record import RECORD
from deidlab.train.settings import TrainSettings

_ROW_PIECES = 16_384


def check_teachers(
    teachers: Sequence[str], pieces: WordPieces, tags: Sequence[str], settings: TrainSettings
) -> None:
    """Refuse, before any work, teachers that do not speak the student's language."""
    for key, off in (("decoding", "crf"), ("class_weights", "sqrt"), ("class_weights", "balanced")):
        if teachers and getattr(settings, key) == off:
            raise ConfigError(
                f"'{key}' cannot be {off} with teachers: a student learns tag by tag, as they say"
            )
    for name in teachers:
        folder = Path(name)
        if not is_run(folder):
            raise ConfigError(f"{name}: no finished run of `deidlab train` is here to be a teacher")
        facts = read_tagger(folder)
        if set(facts.tags) != set(tags):
            raise ConfigError(f"{name}: this teacher knows other tags than the student is to learn")
        if facts.decoding == "crf":
            raise ConfigError(f"{name}: a CRF does not say how likely each tag is alone: it cannot teach")
        if WordPieces.from_file(folder / TOKENIZER).to_json() != pieces.to_json():
            raise ConfigError(f"{name}: this teacher cuts words into other pieces than the student")


def number_pieces(corpus: PiecedCorpus) -> PiecedCorpus:
    """The corpus with the number of its row in the table of targets in place of each deciding piece's tag."""
    decides = corpus.labels != IGNORED
    numbers = np.where(decides, np.cumsum(decides) - 1, IGNORED).astype(np.int32)
    return replace(corpus, labels=numbers)


def describe_teachers(teachers: Sequence[str]) -> list[dict[str, Any]]:
    """What a student's record says of its teachers."""
    records = [read_object(Path(name) / RECORD) for name in teachers]
    return [
        {
            "seed": record.get("seed"),
            "corpus": record.get("corpus", {}).get("digest"),
            "f1": (record.get("validation") or {}).get("f1"),
        }
        for record in records
    ]


def make_targets(
    teachers: Sequence[str],
    corpus: PiecedCorpus,
    tags: Sequence[str],
    settings: TrainSettings,
    device: torch.device,
) -> Any:
    """[pieces that decide, tags]: the teachers' mean probabilities for their share, and gold for the rest."""
    share, smoothing = settings.teacher_share, settings.label_smoothing
    gold = torch.from_numpy(corpus.labels[corpus.labels != IGNORED]).long().to(device)
    targets = torch.zeros((len(gold), len(tags)), dtype=torch.float32, device=device)
    for name in teachers:
        facts = read_tagger(Path(name))
        order = [facts.tags.index(tag) for tag in tags]
        targets += _ask(load_tagger(Path(name), facts, device), corpus, device)[:, order]
    targets *= share / len(teachers)
    targets += (1.0 - share) * smoothing / len(tags)
    targets[torch.arange(len(gold), device=device), gold] += (1.0 - share) * (1.0 - smoothing)
    return targets.half()


def _ask(teacher: Tagger, corpus: PiecedCorpus, device: torch.device) -> Any:
    """A teacher's probabilities for every piece that decides, in the order of the corpus."""
    on_gpu = device.type == "cuda"
    lengths = corpus.lengths.tolist()
    batch = max(1.0, _ROW_PIECES / float(corpus.lengths.mean()))
    shape = choose_row_shape(corpus, batch, first_position(teacher.model))
    order = np.argsort(-corpus.lengths, kind="stable").tolist()
    steps = ScoreSteps(teacher, shape, device, graphed=on_gpu and teacher.packs)
    decides = corpus.labels != IGNORED
    numbers = np.cumsum(decides) - 1
    said = torch.zeros((int(decides.sum()), teacher.model.config.num_labels), device=device)
    for windows in pack_windows(lengths, order, shape):
        fit = shape if on_gpu else replace(shape, n_pieces=n_used(windows, lengths), n_windows=len(windows))
        row = torch.from_numpy(build_rows(corpus, [windows], fit)[0]).to(device)
        places = np.concatenate([np.arange(corpus.starts[w], corpus.starts[w + 1]) for w in windows])
        asked = np.flatnonzero(decides[places])
        scores = steps.run(row, fit)[torch.from_numpy(asked).to(device)]
        said[torch.from_numpy(numbers[places[asked]]).to(device)] = scores.float().softmax(dim=1)
    return said
