"""A run's folder in, its model as a torch module over one window out; `export` traces it."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from deidlab.detect.folder import WEIGHTS, TaggerFacts
from deidlab.detect.runtimes import IDS, SHAPES, Runtime, Threads, WindowInputs
from deidlab.encode.decoding import Scores
from deidlab.errors import ConfigError, MissingExtraError, ModelError

try:
    import torch
    import transformers
    from safetensors import safe_open
    from torch import nn
except ImportError:
    raise MissingExtraError("running a model with torch", "train") from None

PLAIN = "deidlab_window"
SHAPES_KEY = "deidlab.shapes.weight"
STEPS_KEY = "deidlab.steps"


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


class TorchRuntime:
    """Computes a `WindowModel` with torch, one window after another on all threads, or on a GPU."""

    def __init__(self, model: WindowModel, threads: Threads, device: str = "cpu") -> None:
        if device != "cpu" and not torch.cuda.is_available():
            raise ConfigError("no GPU is seen here: ask for none, or give workers a part of one")
        self._model, self._threads, self._device = model.to(device), threads, device

    def score(self, windows: Sequence[WindowInputs]) -> list[Scores]:
        before = torch.get_num_threads()
        torch.set_num_threads(self._threads.total)
        try:
            with torch.inference_mode():
                return [self._score_one(window) for window in windows]
        finally:
            torch.set_num_threads(before)

    def _score_one(self, window: WindowInputs) -> Scores:
        arrays = {name: torch.from_numpy(array).to(self._device) for name, array in window.arrays.items()}
        scores = self._model(arrays[IDS], arrays.get(SHAPES))[0].cpu()[torch.from_numpy(window.places)]
        return np.asarray(scores.float().numpy(), np.float32)


def open_run(
    folder: Path, facts: TaggerFacts, threads: Threads, device: str = "cpu"
) -> tuple[Scores | None, Runtime]:
    """A run's CRF steps, where it has any, and its model ready to run."""
    model, steps = load_window_model(folder, facts)
    return steps, TorchRuntime(model, threads, device)


def load_window_model(folder: Path, facts: TaggerFacts) -> tuple[WindowModel, Scores | None]:
    """The run's model in fp32, and a CRF's steps between tags where it has one."""
    transformers.AttentionInterface.register(PLAIN, window_attention)
    extra = _read_extra(folder / WEIGHTS)
    if facts.shapes != (SHAPES_KEY in extra) or (facts.decoding == "crf") != (STEPS_KEY in extra):
        raise ModelError(f"{folder}: tagger.json and {WEIGHTS} do not go together")
    model = _load_classifier(folder)
    if model.config.num_labels != len(facts.tags):
        raise ModelError(
            f"{folder}: the model knows {model.config.num_labels} tags, tagger.json {len(facts.tags)}"
        )
    steps = extra[STEPS_KEY].float().numpy() if STEPS_KEY in extra else None
    return WindowModel(model, facts, extra.get(SHAPES_KEY)), steps


def supports_window(model_class: Any) -> bool:
    """Whether a transformers model takes its attention from outside and positions as an argument."""
    takes = inspect.signature(model_class.forward).parameters
    return bool(getattr(model_class, "_supports_attention_backend", False)) and "position_ids" in takes


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


def _read_extra(path: Path) -> dict[str, Any]:
    """The tensors that DeidLab adds to a transformers model."""
    try:
        with safe_open(path, framework="pt") as tensors:
            names = set(tensors.keys()) & {SHAPES_KEY, STEPS_KEY}
            return {name: tensors.get_tensor(name) for name in names}
    except Exception:
        raise ModelError(f"{path}: not a whole safetensors file") from None


def _load_classifier(folder: Path) -> Any:
    logging = transformers.utils.logging
    level = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    auto = transformers.AutoModelForTokenClassification
    try:
        config = transformers.AutoConfig.from_pretrained(folder, trust_remote_code=False)
        how = {"attn_implementation": PLAIN} if supports_window(auto._model_mapping[type(config)]) else {}
        model, info = auto.from_pretrained(
            folder,
            config=config,
            dtype=torch.float32,
            trust_remote_code=False,
            local_files_only=True,
            output_loading_info=True,
            **how,
        )
    except Exception:
        raise ModelError(f"{folder}: no model that transformers can load is in this folder") from None
    finally:
        logging.set_verbosity(level)
        logging.enable_progress_bar()
    if info["missing_keys"]:
        raise ModelError(f"{folder}: {len(info['missing_keys'])} of the model's tensors are missing")
    return model
