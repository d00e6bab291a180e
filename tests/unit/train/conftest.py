"""Tiny notes and models, so that a whole run takes a second."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")

from deidlab.train.fit import Run, fit  # noqa: E402
from deidlab.train.launch import Launch  # noqa: E402
from deidlab.train.request import RunRequest  # noqa: E402
from deidlab.train.settings import TrainSettings  # noqa: E402
from deidlab.types import Document, Span  # noqa: E402

torch.set_num_threads(1)

NAMES = ("Ana Lopez", "John Smith", "Mary Ann Poe", "Wei Li", "Omar Haddad")
SMALL: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 48,
    "max_position_embeddings": 66,
}
FAMILIES: dict[str, dict[str, Any]] = {
    "bert": {},
    "roberta": {"pad_token_id": 1},
    "albert": {"embedding_size": 16, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0},
    "deberta-v2": {"relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 16},
}


def make_notes(n_notes: int, seed: int) -> list[Document]:
    draw = random.Random(seed)
    notes = []
    for number in range(n_notes):
        name = draw.choice(NAMES)
        date = f"{draw.randint(1, 28)}/{draw.randint(1, 12)}/20{draw.randint(10, 24)}"
        text = f"Patient {name} was seen on {date}.\nPain since {draw.randint(2, 9)} weeks. "
        spans = (Span(8, 8 + len(name), "NAME"), Span(text.index(date), text.index(date) + len(date), "DATE"))
        text += "No other findings were noted today. " * draw.randint(0, 9)
        notes.append(Document(id=f"n{seed}-{number}", text=text, spans=spans))
    return notes


@pytest.fixture(scope="session")
def notes() -> list[Document]:
    return make_notes(16, 1)


@pytest.fixture(scope="session")
def held_out() -> list[Document]:
    return make_notes(6, 2)


@pytest.fixture
def settings() -> TrainSettings:
    return TrainSettings(epochs=2, batch=4, learning_rate=3e-3, window=48, stride=32, checkpoint_minutes=0.0)


@pytest.fixture(scope="session")
def make_config(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """A folder with the configuration of a tiny model of a family."""

    def make(family: str) -> str:
        folder = tmp_path_factory.mktemp(family)
        config = {"model_type": family, "vocab_size": 300} | SMALL | FAMILIES[family]
        (folder / "config.json").write_text(json.dumps(config))
        return str(folder)

    return make


@pytest.fixture
def tiny(make_config: Callable[[str], str]) -> RunRequest:
    return RunRequest(model=make_config("bert"), scratch=True, tokenizer="learn")


@pytest.fixture
def run_tiny(
    notes: list[Document], held_out: list[Document], tiny: RunRequest, settings: TrainSettings
) -> Callable[..., Run]:
    """Fit the tiny model; keywords change the settings, `resume` and `request` are fit's own."""

    def run(folder: Path, resume: bool = False, request: RunRequest | None = None, **changes: Any) -> Run:
        chosen = settings.changed(**changes)
        return fit(notes, held_out, request or tiny, chosen, Launch(folder, resume=resume, device="cpu"))

    return run
