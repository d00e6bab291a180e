"""What the records of a study say, as frozen values: no note text anywhere in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from deidlab.types import Span, Word

PARTS = ("train", "validation", "test")
DONE, FAILED = "done", "failed"
Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class StudyModel:
    """A model of the study: `model`, `tokenizer` and `scratch` as for training; `config` as it was built.

    `published` names the model of the 2022 study that it stands for, where it is one of the six.
    """

    name: str
    model: str
    tokenizer: str = ""
    scratch: bool = False
    published: str | None = None
    config: Table = field(default_factory=dict, repr=False)
    settings: tuple[Table, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class StudyFacts:
    """What was asked for: `split` holds the ids of each part, `corpora` what is known of a part's notes."""

    name: str
    title: str
    digest: str
    created: str
    models: tuple[StudyModel, ...]
    split: Mapping[str, tuple[str, ...]] = field(repr=False)
    corpora: Mapping[str, Table] = field(repr=False)
    selection_measure: str
    word_style: str
    labels: tuple[str, ...]
    price_per_hour: float | None
    currency: str
    environment: Table = field(repr=False)
    spec: Table = field(repr=False)


@dataclass(frozen=True, slots=True)
class Completion:
    """One run that ended. `validation` is None where it failed; `shares` names the run that computed it too.

    `validation` has word-level `f1`, `precision`, `recall` and `accuracy`, `strict_f1` and `by_label`;
    `epochs` is the history; `speed` has a table `train`; `rung` counts from 1 under successive halving.
    """

    run: str
    model: str
    settings: Table
    seed: int
    status: str
    error: str | None
    started: str
    ended: str
    seconds: float
    gpu_seconds: float
    attempts: int
    shares: str | None
    rung: int | None
    final: bool
    validation: Table | None
    train: Table
    epochs: tuple[Table, ...] = field(repr=False)
    speed: Table
    n_parameters: int | None
    peak_memory_bytes: int | None
    environment: Table = field(repr=False)

    @property
    def is_done(self) -> bool:
        return self.status == DONE

    @property
    def f1(self) -> float | None:
        """The figure that selection goes by."""
        return None if self.validation is None else self.validation.get("f1")


@dataclass(frozen=True, slots=True)
class Choice:
    """The run that was selected for a model, and the next best."""

    model: str
    run: str
    settings: Table
    f1: float
    runner_up: str | None
    runner_up_f1: float | None
    n_runs: int


@dataclass(frozen=True, slots=True)
class Selection:
    """Which run stands for each model, decided before any test note was opened."""

    time: str
    measure: str
    digest: str
    choices: Mapping[str, Choice]


@dataclass(frozen=True, slots=True)
class TestRecord:
    """One row of the tests: a model, an ensemble of `members`, a hybrid with the rules, or a baseline.

    `scores` has a table a part; `prediction` raw counts and seconds for all windows and the first ones only.
    """

    __test__ = False

    name: str
    kind: str
    members: tuple[str, ...]
    run: str | None
    opened_at: str
    test_digest: str
    scores: Table
    prediction: Table
    cross: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class PredictedDocument:
    """One document as offsets: the words as text is cut, what people marked, what was found."""

    id: str
    patient: str
    words: tuple[Word, ...] = field(repr=False)
    gold: tuple[Span, ...] = field(repr=False)
    found: tuple[Span, ...] = field(repr=False)
