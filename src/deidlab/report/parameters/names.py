"""The known models as a list: name, family, size, objective, and the other names they go by."""

from __future__ import annotations

from typing import Any

from deidlab.report.tables import Table, text_table
from deidlab.zoo.configs import known_models
from deidlab.zoo.shipped import load_tensors


def names_table() -> Table:
    """One row a model; parameters are those of the bare model without a head."""
    rows = tuple(
        (
            model.name,
            model.family,
            model.objective,
            ", ".join(alias for alias in model.aliases if "/" not in alias),
            f"{load_tensors(model.name, 'none').total:,}",
        )
        for model in known_models()
    )
    note = "Parameters: the bare model, with its pooler where it has one. The hub's owner/name works, too."
    return text_table("Known models", ("Model", "Family", "Objective", "Also", "Parameters"), rows, 4, note)


def names_to_json() -> list[dict[str, Any]]:
    """The same as data, with every fact of each configuration."""
    return [
        {
            "model": model.name,
            "family": model.family,
            "objective": model.objective,
            "aliases": list(model.aliases),
            "parameters": load_tensors(model.name, "none").total,
            "config": dict(model.config),
        }
        for model in known_models()
    ]
