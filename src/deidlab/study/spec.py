"""A study as it is asked for: what is compared, on which notes, and how it is chosen. `reading` makes one."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

KEEP = ("best", "all", "none")
ENSEMBLES = ("vote", "mean")
HYBRIDS = ("rules",)
BASELINES = ("rules", "embedded")
MEASURE = "word-level micro F1 over all PHI labels, validation notes"


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """One model; `config` describes an architecture in place, `grid` lists values of settings to search."""

    name: str
    model: str = ""
    tokenizer: str = ""
    scratch: bool = False
    preset: str = ""
    published: str = ""
    config: Mapping[str, Any] = field(default_factory=dict, hash=False)
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    grid: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class CorpusSpec:
    """Where the notes are: one corpus to split (`path`), or parts of their own."""

    path: str = ""
    train: str = ""
    validation: str = ""
    test: str = ""
    format: str = ""
    map: str = ""


@dataclass(frozen=True, slots=True)
class SplitSpec:
    """How one corpus becomes parts; without `validation` notes, how training notes do."""

    ratios: str = "50:10:40"
    by: str = "patient"
    seed: int = 1


@dataclass(frozen=True, slots=True)
class MakeSpec:
    """Notes made for the study, where no corpus is given."""

    notes: int = 200
    seed: int = 1


@dataclass(frozen=True, slots=True)
class HalvingSpec:
    """Successive halving: of each rung one in `eta` goes on, to `eta` times as many epochs."""

    eta: int = 3
    min_epochs: int = 1


@dataclass(frozen=True, slots=True)
class CrossSpec:
    """Another corpus that the selected models are tried on."""

    name: str
    path: str = ""
    format: str = ""
    map: str = ""


@dataclass(frozen=True, slots=True)
class ForeignSpec:
    """A system that was not trained here, as `deidlab compare --system` takes it: a row like the others."""

    name: str
    system: str = ""
    python: str = ""


@dataclass(frozen=True, slots=True)
class CostSpec:
    """What an hour of one GPU costs."""

    price_per_hour: float | None = None
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class RunSpec:
    """How runs are carried out: `processes` 0 is one a GPU, or one; `share` trains lengths together.

    `keep` says whose weights stay: each model's `best` run, `all`, or `none`, which ends with the selection.
    """

    processes: int = 0
    share: bool = False
    keep: str = "best"
    predict_train: bool = True


@dataclass(frozen=True, slots=True)
class StudySpec:
    """A whole study."""

    name: str
    title: str
    labels: str
    models: tuple[ModelSpec, ...]
    settings: Mapping[str, Any] = field(hash=False)
    grid: Mapping[str, Any] = field(hash=False)
    corpus: CorpusSpec
    split: SplitSpec
    make: MakeSpec | None
    halving: HalvingSpec | None
    run: RunSpec
    cost: CostSpec
    ensembles: tuple[str, ...]
    hybrids: tuple[str, ...]
    cross: tuple[CrossSpec, ...]
    baselines: tuple[str, ...] = ()
    system: tuple[ForeignSpec, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def as_record(self) -> dict[str, Any]:
        """The study as records show it: of every path only the last part, which means the same elsewhere."""
        table = json.loads(json.dumps(self.as_dict()))
        for row in table["system"]:
            kind, _, place = row["system"].partition(":")
            row["system"] = f"{kind}:{last_part(place)}" if place else kind
            row["python"] = ""
        for row, keys in (
            (table["corpus"], ("path", "train", "validation", "test")),
            *((each, ("path",)) for each in table["cross"]),
            *((each, ("model", "tokenizer")) for each in table["models"]),
        ):
            for key in keys:
                row[key] = last_part(row[key])
        return dict(table)

    def digest(self) -> str:
        """A fingerprint of everything that decides the results; where files lie does not."""
        table = self.as_record()
        for key in ("run", "cost", "title"):
            table.pop(key)
        if not table["baselines"]:
            # Folders from before there were any keep their fingerprint.
            table.pop("baselines")
        if not table["system"]:
            table.pop("system")
        for key in ("path", "train", "validation", "test"):
            table["corpus"][key] = bool(table["corpus"][key])
        text = json.dumps(table, sort_keys=True, ensure_ascii=False)
        return f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"


def last_part(place: str) -> str:
    """The name of a file or folder that is given by its whole path; anything else as it is."""
    return Path(place).name if Path(place).is_absolute() else place


def with_price(spec: StudySpec, price: float | None) -> StudySpec:
    return spec if price is None else replace(spec, cost=replace(spec.cost, price_per_hour=price))
