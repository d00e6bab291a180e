"""The model that is trained: a transformers token classifier over packed rows, with what DeidLab adds to it.

Added, where asked for: a table over the shapes of words, and a CRF's steps between tags.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from deidlab.detect.packed.attention import can_pack
from deidlab.detect.packed.fusing import DECIDING, can_choose_places
from deidlab.encode.packing import RowShape
from deidlab.encode.shapes import N_SHAPES


class Tagger(nn.Module):  # type: ignore[misc]
    """Scores of every tag for every piece of a row."""

    def __init__(self, model: Any, shapes: bool = False, crf: bool = False) -> None:
        super().__init__()
        self.model = model
        self.packs = can_pack(model)
        # Windows that cannot be packed are padded to one size, so that a batch changes no window's sums.
        self.steady = False
        width = model.get_input_embeddings().weight.shape[1]
        self.shapes = nn.Embedding(N_SHAPES, width) if shapes else None
        if self.shapes is not None:
            nn.init.zeros_(self.shapes.weight)
        n_tags = model.config.num_labels
        self.steps = nn.Parameter(torch.zeros(n_tags, n_tags)) if crf else None

    def forward(self, row: Any, shape: RowShape, ids: Any = None) -> Any:
        """[pieces, tags] for one row, or [deciding, tags] where the row tells which pieces decide.

        `ids`, where given, stand in for the row's own.
        """
        return run_encoder(self.model, row, shape, self.shapes, ids, self.steady).logits[0]

    @property
    def can_choose(self) -> bool:
        """Whether scores of the pieces that decide can be had alone, on a GPU in half precision."""
        return self.steps is None and can_choose_places(self.model)


def run_encoder(
    model: Any, row: Any, shape: RowShape, shapes: Any = None, ids: Any = None, steady: bool = False
) -> Any:
    """A transformers model's output for one row: [1, pieces, …] whether or not the model can pack."""
    ids = row[shape.field(0)].long() if ids is None else ids
    positions = row[shape.field(1)].long()
    inputs: dict[str, Any] = {"input_ids": ids}
    if shapes is not None:
        inputs = {"inputs_embeds": model.get_input_embeddings()(ids) + shapes(row[shape.field(3)].long())}
    edges = row[shape.edges]
    chosen = {DECIDING: row[shape.deciding].long()} if shape.n_deciding else {}
    if not can_pack(model):
        return _run_padded(model, inputs, edges, shape.longest if steady else None)
    return model(
        **{name: value[None] for name, value in inputs.items()},
        position_ids=positions[None],
        cu_seq_lens_q=edges,
        cu_seq_lens_k=edges,
        max_length_q=shape.longest,
        max_length_k=shape.longest,
        **chosen,
    )


def _run_padded(model: Any, inputs: dict[str, Any], edges: Any, longest: int | None) -> Any:
    """One window a line, padded to the longest: for models with an attention of their own."""
    places, real = spread_windows(edges, longest)
    output = model(**{name: value[places] for name, value in inputs.items()}, attention_mask=real.long())
    for name in ("logits", "last_hidden_state"):
        if name in output:
            output[name] = output[name][real][None]
    return output


def spread_windows(edges: Any, longest: int | None = None) -> tuple[Any, Any]:
    """For each window a line of its pieces' places in the row, and which of these are real.

    With `longest` given nothing depends on the values, as a captured graph needs it.
    """
    starts, lengths = edges[:-1].long(), edges.diff().long()
    if longest is None:
        filled = lengths > 0
        starts, lengths = starts[filled], lengths[filled]
        longest = int(lengths.max())
    along = torch.arange(longest, device=edges.device)
    real = along[None] < lengths[:, None]
    return torch.where(real, starts[:, None] + along[None], 0), real


def first_position(model: Any) -> int:
    """The number of a window's first position: RoBERTa and its kin count from after the padding piece."""
    for module in model.modules():
        table = getattr(module, "position_embeddings", None)
        if isinstance(table, nn.Embedding):
            return 0 if table.padding_idx is None else int(table.padding_idx) + 1
    return 0


def longest_window(model: Any) -> int | None:
    """Pieces that the model has positions for; None where it has no limit."""
    limit = getattr(model.config, "max_position_embeddings", None)
    return None if not limit or limit < 1 else int(limit) - first_position(model)
