"""A study's TOML file in, a checked `StudySpec` out.

Reading is strict: an unknown key is an error that names the nearest valid one. Paths are relative to the
file; `changes` applies what the command line says.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from deidlab.corpus.split import read_ratios
from deidlab.errors import ConfigError, UnknownNameError
from deidlab.study.changes import apply_change, apply_corpus, resolve_paths
from deidlab.study.spec import (
    BASELINES,
    ENSEMBLES,
    HYBRIDS,
    KEEP,
    CorpusSpec,
    CostSpec,
    CrossSpec,
    ForeignSpec,
    HalvingSpec,
    MakeSpec,
    ModelSpec,
    RunSpec,
    SplitSpec,
    StudySpec,
)
from deidlab.systems.specification import read_specs
from deidlab.tomlfile import read_table
from deidlab.train.settings import check_table

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


def read_spec(path: Path | str, sets: Sequence[str] = (), corpora: Sequence[str] = ()) -> StudySpec:
    """A study from its file; `sets` are changes such as `make.notes=40`, `corpora` such as `train=notes/`."""
    path = Path(path)
    table = resolve_paths(read_table(path), path.parent)
    for change in sets:
        apply_change(table, change)
    for corpus in corpora:
        apply_corpus(table, corpus)
    return spec_from(table, str(path), path.stem)


def spec_from(table: Mapping[str, Any], where: str, stem: str = "study") -> StudySpec:
    """A study from a table of keys and values."""
    known = [each.name for each in fields(StudySpec)]
    _refuse_unknown(table, known, where)
    models = tuple(_model(each, where) for each in _list_of_tables(table, "models", where))
    if not models:
        raise ConfigError(f"{where}: a study needs at least one model ([[models]])")
    _refuse_twice([model.name for model in models], where, "model")
    corpus = CorpusSpec(**check_table(CorpusSpec, _table(table, "corpus", where), f"{where}, [corpus]"))
    make = MakeSpec(**check_table(MakeSpec, _table(table, "make", where), where)) if "make" in table else None
    halving = (
        HalvingSpec(**check_table(HalvingSpec, _table(table, "halving", where), f"{where}, [halving]"))
        if table.get("halving")
        else None
    )
    spec = StudySpec(
        name=_name(table.get("name", stem), where),
        title=str(table.get("title", table.get("name", stem))),
        labels=str(table.get("labels", "auto")),
        models=models,
        settings=_table(table, "settings", where),
        grid=_table(table, "grid", where),
        corpus=corpus,
        split=SplitSpec(**check_table(SplitSpec, _table(table, "split", where), f"{where}, [split]")),
        make=make,
        halving=halving,
        run=RunSpec(**check_table(RunSpec, _table(table, "run", where), f"{where}, [run]")),
        cost=CostSpec(**check_table(CostSpec, _table(table, "cost", where), f"{where}, [cost]")),
        ensembles=_names(table, "ensembles", ENSEMBLES, where),
        hybrids=_names(table, "hybrids", HYBRIDS, where),
        cross=tuple(_cross(each, where) for each in _list_of_tables(table, "cross", where)),
        baselines=_names(table, "baselines", BASELINES, where),
        system=tuple(_system(each, where) for each in _list_of_tables(table, "system", where)),
    )
    _check(spec, where)
    return spec


def _check(spec: StudySpec, where: str) -> None:
    corpus, n_parts = spec.corpus, len(read_ratios(spec.split.ratios))
    if spec.split.by not in ("document", "patient"):
        raise UnknownNameError(f"value of 'by' in {where}:", spec.split.by, ("document", "patient"))
    if corpus.path and (corpus.train or corpus.validation or corpus.test):
        raise ConfigError(
            f"{where}: [corpus] has a 'path' to split and parts of its own; give one or the other"
        )
    if bool(corpus.train) != bool(corpus.test):
        raise ConfigError(f"{where}: [corpus] needs both 'train' and 'test' where one is given")
    wanted = 2 if corpus.train else 3
    known = corpus.path or corpus.train or spec.make is not None
    if known and not corpus.validation and n_parts != wanted:
        parts = "train:validation" if wanted == 2 else "train:validation:test"
        raise ConfigError(f"{where}: [split] ratios '{spec.split.ratios}' must be {wanted} shares, {parts}")
    if spec.halving is not None and (spec.halving.eta < 2 or spec.halving.min_epochs < 1):
        raise ConfigError(f"{where}: [halving] needs an eta of at least 2 and min_epochs of at least 1")
    if spec.make is not None and spec.make.notes < 3:
        raise ConfigError(f"{where}: [make] needs at least 3 notes, one for each part")
    if spec.run.keep not in KEEP:
        raise UnknownNameError(f"value of 'keep' in {where}:", spec.run.keep, KEEP)
    _refuse_twice([each.name for each in spec.cross], where, "corpus of [[cross]]")
    rows = [*(each.name for each in spec.models), *(each.name for each in spec.system)]
    _refuse_twice(rows, where, "row")
    for name in spec.baselines:
        if any(each.name == name or each.name.startswith(f"{name}-") for each in spec.models):
            raise ConfigError(f"{where}: a model is called '{name}' as a baseline is; give it another name")


def _model(table: Mapping[str, Any], where: str) -> ModelSpec:
    name = _name(table.get("name", ""), where)
    place = f"{where}, model {name}"
    _refuse_unknown(table, [each.name for each in fields(ModelSpec)], place)
    inner = {key: _table(table, key, place) for key in ("config", "settings", "grid")}
    flat = {key: value for key, value in table.items() if key not in inner}
    for key, value in flat.items():
        wanted = bool if key == "scratch" else str
        if type(value) is not wanted:
            raise ConfigError(f"{place}: '{key}' must be a {wanted.__name__}, not a {type(value).__name__}")
    everything: dict[str, Any] = {**flat, **inner}
    model = ModelSpec(**everything)
    if bool(model.model) == bool(model.config):
        raise ConfigError(f"{place}: give either 'model' (a name or a folder) or a [config] of its own")
    if model.config:
        if "model_type" not in model.config:
            raise ConfigError(f"{place}: its config needs a 'model_type', such as bert")
        model = replace(model, scratch=True)
    return model


def _cross(table: Mapping[str, Any], where: str) -> CrossSpec:
    name = _name(table.get("name", ""), where)
    return CrossSpec(**check_table(CrossSpec, dict(table), f"{where}, [[cross]] {name}"))


def _system(table: Mapping[str, Any], where: str) -> ForeignSpec:
    name = _name(table.get("name", ""), where)
    spec = ForeignSpec(**check_table(ForeignSpec, dict(table), f"{where}, [[system]] {name}"))
    read_specs([f"{name}={spec.system}"], [spec.python] if spec.python else [])
    return spec


def _name(value: Any, where: str) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ConfigError(f"{where}: a name is made of letters, digits and . _ + -; '{value}' is not one")
    return value


def _names(table: Mapping[str, Any], key: str, known: Iterable[str], where: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list):
        raise ConfigError(f"{where}: '{key}' must be a list")
    for each in value:
        if each not in known:
            raise UnknownNameError(f"value of '{key}' in {where}:", str(each), known)
    return tuple(value)


def _table(table: Mapping[str, Any], key: str, where: str) -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where}: '{key}' must be a table")
    return dict(value)


def _list_of_tables(table: Mapping[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise ConfigError(f"{where}: write each of '{key}' as [[{key}]]")
    return value


def _refuse_unknown(table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.4)
            hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}"
            raise ConfigError(f"{where}: unknown key '{key}'; {hint}")


def _refuse_twice(names: Sequence[str], where: str, kind: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(f"{where}: the {kind} '{name}' is there twice")
