"""A run's folder in, its model as a torch module over one window out; `export` traces it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deidlab.detect.folder import SHAPES_KEY, STEPS_KEY, TaggerFacts
from deidlab.encode.decoding import Scores
from deidlab.errors import MissingExtraError

try:
    import torch
    import transformers
    from torch import nn

    from deidlab.detect.packed.attention import supports_window
    from deidlab.detect.packed.loading import load_classifier, read_extra
except ImportError:
    raise MissingExtraError("running a model with torch", "train") from None

PLAIN = "deidlab_window"


class WindowModel(nn.Module):  # type: ignore[misc]
    """[1, pieces] in, [1, pieces, tags] out, in fp32."""

    def __init__(self, model: Any, facts: TaggerFacts, shapes: Any = None) -> None:
        super().__init__()
        self.model = model
        self.shapes = None if shapes is None else nn.Embedding.from_pretrained(shapes)
        self._first_position = facts.first_position
        self._takes_positions = supports_window(type(model))
        self.eval()

    def forward(self, input_ids: Any, shapes: Any = None) -> Any:
        inputs: dict[str, Any] = {"input_ids": input_ids}
        if self.shapes is not None:
            inputs = {"inputs_embeds": self.model.get_input_embeddings()(input_ids) + self.shapes(shapes)}
        if self._takes_positions:
            places = torch.arange(input_ids.shape[1], device=input_ids.device)[None]
            inputs["position_ids"] = places + self._first_position
        else:
            inputs["attention_mask"] = torch.ones_like(input_ids)
        return self.model(**inputs).logits


def load_window_model(folder: Path, facts: TaggerFacts) -> tuple[WindowModel, Scores | None]:
    """The run's model in fp32, and a CRF's steps between tags where it has one."""
    transformers.AttentionInterface.register(PLAIN, window_attention)
    extra = read_extra(folder, facts)
    model = load_classifier(folder, facts, PLAIN)
    steps = extra[STEPS_KEY].float().numpy() if STEPS_KEY in extra else None
    return WindowModel(model, facts, extra.get(SHAPES_KEY)), steps


def window_attention(
    module: Any,
    query: Any,
    key: Any,
    value: Any,
    attention_mask: Any,
    scaling: float | None = None,
    dropout: float = 0.0,
    sliding_window: int | None = None,
    **_: Any,
) -> tuple[Any, None]:
    """Attention over one whole window, in steps that every runtime knows how to join into one."""
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    weights = torch.matmul(query * scale, key.transpose(2, 3))
    if sliding_window is not None:
        place = torch.arange(query.shape[2], device=query.device)
        weights = weights.masked_fill((place[:, None] - place[None]).abs() >= sliding_window, -1e9)
    return torch.matmul(weights.softmax(-1), value).transpose(1, 2), None
