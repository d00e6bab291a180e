"""The study's Table 1 and its Appendices B to G, computed.

Nothing comes in but the shipped facts; tables go out, in the study's order and with its columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deidlab.report.tables import Table, table_to_markdown, text_table
from deidlab.zoo.configs import load_model_facts
from deidlab.zoo.params import TensorList
from deidlab.zoo.shipped import load_tensors
from deidlab.zoo.sizes import read_sizes
from deidlab.zoo.study import STUDY_LABELS, STUDY_MODELS, StudyModel

_NOTE = (
    "Size: all parameters in fp32, GiB. Study's file: the published weights' file, as the study gives it. "
    "GELU: Gaussian error linear unit. MLM: masked language modelling; NSP: next sentence prediction; "
    "SOP: sentence order prediction."
)


def study_tensors(study: StudyModel) -> TensorList:
    """The model as the study trained it: a token head without pooler, 41 labels."""
    return load_tensors(study.model, "token", STUDY_LABELS)


def study_row(study: StudyModel) -> dict[str, Any]:
    """Table 1's facts of one model."""
    known = load_model_facts(study.model)
    sizes = read_sizes(known.family, known.config)
    listed = study_tensors(study)
    return {
        "model": study.title,
        "size_gib": round(listed.bytes / 2**30, 2),
        "study_file_gb": float(study.file_gb),
        "parameters": listed.total,
        "layers": sizes.layers,
        "vocabulary": sizes.vocabulary,
        "embedding": sizes.embedding,
        "attention": sizes.hidden,
        "feed_forward": sizes.feed_forward,
        "dropout": sizes.dropout,
        "activation": "GELU" if sizes.activation.startswith("gelu") else sizes.activation,
        "sharing": sizes.shares_layers,
        "objective": known.objective,
    }


def study_table() -> Table:
    """Table 1, with our size beside the study's file size."""
    columns = (
        "Model",
        "Size (GiB)",
        "Study's file (Gb)",
        "Number Parameters",
        "Number Layers",
        "Vocabulary Size",
        "Embedding Size",
        "Attention Size",
        "Feed Forward Network Size",
        "Dropout",
        "Activation Function",
        "Parameter Sharing",
        "Objective Function",
    )
    rows = tuple(_cells(study_row(study)) for study in STUDY_MODELS)
    title = "Table 1: Model size and architectural characteristics"
    return text_table(title, columns, rows, note=_NOTE)


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    cells = dict.fromkeys(row, "")
    for key, value in row.items():
        if key in ("size_gib", "study_file_gb"):
            cells[key] = f"{value:.2f}"
        elif isinstance(value, bool) or not isinstance(value, int):
            cells[key] = str(value)
        else:
            cells[key] = f"{value:,}" if value >= 10_000 else str(value)
    return tuple(cells.values())


def appendix_table(study: StudyModel) -> Table:
    """One appendix: every tensor in construction order, underscores as dots."""
    listed = study_tensors(study)
    rows = tuple((tensor.name.replace("_", "."), str(tensor.count)) for tensor in listed.tensors)
    title = f"Appendix {study.appendix}: {study.title}"
    return text_table(title, ("Module", "Number Parameters"), rows, note=f"Total: {listed.total:,}")


def appendices() -> Sequence[StudyModel]:
    """The six in the order of their appendices."""
    return sorted(STUDY_MODELS, key=lambda study: study.appendix)


def study_to_markdown() -> str:
    """Table 1 and all appendices."""
    tables = [study_table(), *(appendix_table(study) for study in appendices())]
    return "\n".join(table_to_markdown(table) for table in tables)


def study_to_json() -> dict[str, Any]:
    """The same as data."""
    return {
        "table_1": [study_row(study) for study in STUDY_MODELS],
        "appendices": {
            study.appendix: {
                "model": study.title,
                "modules": [
                    {"module": tensor.name.replace("_", "."), "parameters": tensor.count}
                    for tensor in study_tensors(study).tensors
                ],
            }
            for study in appendices()
        },
    }
