"""A model's tensors as one web page that needs nothing else: picture, arithmetic, a table to sort and search.

`TensorList`s come in; HTML goes out, which can be mailed, archived or opened without a network.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deidlab.report.pages import Card, render_page
from deidlab.report.parameters.explain import describe_head, tensors_to_explanation
from deidlab.report.parameters.figure import INKS
from deidlab.report.parameters.treemap import Box, lay_out_model
from deidlab.report.tables import Table, columns_of
from deidlab.zoo.blocks import block_of, count_blocks
from deidlab.zoo.params import TensorList, format_bytes

_AREA = Box(0, 0, 1000, 420)
_COLUMNS = columns_of(
    ("number", "#", "count"), ("name", "Name", "code"), ("shape", "Shape", "text"),
    ("count", "Parameters", "count"), ("form", "Form", "text"), ("block", "Block", "swatch"),
)  # fmt: skip


def tensors_to_html(lists: Sequence[TensorList]) -> str:
    """One page with a section a model."""
    title = f"Parameters of {', '.join(listed.model for listed in lists)}"
    return render_page("parameters.html", title, models=list(map(_model, lists)), area=_AREA, dark=set(INKS))


def _model(listed: TensorList) -> dict[str, Any]:
    shares = {block: f"{100 * n / listed.total:.2f} %" for block, n in count_blocks(listed.tensors).items()}
    return {
        "name": listed.model,
        "head": describe_head(listed),
        "cards": (
            Card("parameters", f"{listed.total:,}"),
            Card("trainable", f"{listed.trainable:,}"),
            Card("in fp32", format_bytes(listed.bytes)),
            Card("tensors", f"{len(listed.tensors):,}"),
        ),
        "blocks": shares.items(),
        "total": listed.total,
        "tiles": lay_out_model(listed, _AREA, margin=2),
        "arithmetic": tensors_to_explanation(listed),
        "tensors": _tensors(listed),
    }


def _tensors(listed: TensorList) -> Table:
    rows = (
        (
            number,
            tensor.name,
            " × ".join(map(str, tensor.shape)),
            tensor.count,
            tensor.form,
            block_of(tensor.name),
        )
        for number, tensor in enumerate(listed.tensors, start=1)
    )
    return Table(f"Every tensor of {listed.model}", _COLUMNS, tuple(rows))
