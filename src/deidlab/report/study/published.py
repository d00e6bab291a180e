"""The 2022 study's published figures, as facts in `data/report/meaney-2022.json`.

A model's name and configuration come in; what the study printed of that architecture goes out, or None.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping
from dataclasses import replace
from importlib import resources
from typing import Any

from deidlab.report.tables import Table
from deidlab.zoo.configs import find_model

Published = Mapping[str, Any]
_SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")


@functools.cache
def published_study() -> Published:
    """Every figure of Tables 1 to 6."""
    file = resources.files("deidlab") / "data" / "report" / "meaney-2022.json"
    found: Published = json.loads(file.read_text("utf-8"))
    return found


def find_published(model: str, config: Mapping[str, Any] | None = None) -> Published | None:
    """The study's model of the same architecture: by name, or by family and sizes."""
    known = find_model(model)
    family, sizes = (known.family, known.config) if known else ("", {})
    if config:
        family, sizes = str(config.get("model_type", family)), config
    for each in published_study()["models"]:
        study = find_model(each["model"])
        if study is None or study.family != family:
            continue
        wanted = [study.config.get(size) for size in _SIZES]
        if [sizes.get(size) for size in _SIZES] == wanted:
            found: Published = each
            return found
    return None


def with_published(table: Table, said: str = "") -> Table:
    """The table with a note on its published columns; without them where no row has such a figure."""
    theirs = [index for index, column in enumerate(table.columns) if column.key.startswith("published")]
    if any(row[index] is not None for row in table.rows for index in theirs):
        return replace(table, note=" ".join(part for part in (table.note, said, published_note()) if part))
    kept = [index for index in range(len(table.columns)) if index not in theirs]
    rows = tuple(tuple(row[index] for index in kept) for row in table.rows)
    return replace(table, columns=tuple(table.columns[index] for index in kept), rows=rows)


def published_note() -> str:
    """Where the published figures are from, and what may be read into them."""
    study = published_study()
    return (
        f"Published: {study['short']}, on {study['corpus']}; on another corpus the columns show the same "
        "measure of different tasks."
    )
