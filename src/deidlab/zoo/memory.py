"""What fits: the memory that training a model takes, from its tensors and its sizes.

A model, its tensors and a way to train come in; a `MemoryPlan` goes out: weights, gradients,
optimizer state and activations, the peak at any batch, the largest batch below a limit. It models
eager transformers (forward, backward, a step of torch's optimizer, gradients set to None after it)
as `torch.cuda.max_memory_allocated` sees it; `benchmarks/memory_model.py` measures the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.zoo.activations import Kept, Precision, Setting, embedding_rows, find_precision, head_rows
from deidlab.zoo.blocks import block_of
from deidlab.zoo.layers import layer_rows
from deidlab.zoo.params import LABELLED_HEADS, TensorList
from deidlab.zoo.sizes import Sizes
from deidlab.zoo.sources import ModelSizes

# Copies of each weight that an optimizer keeps, and that its step makes for a moment.
OPTIMIZERS = {"adamw": (2, 1), "sgd": (0, 0)}
ATTENTIONS = ("sdpa", "eager")
# Families whose attention transformers can hand to a fused kernel, which it does by default.
_FUSED = ("albert", "bert", "distilbert", "electra", "modernbert", "roberta", "xlm-roberta")
# cuBLAS asks for this much once; it counts as allocated.
LIBRARY_WORKSPACE = 32 * 2**20
_MOST_BYTES = 10**18


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """Bytes of one way to train one model; those of activations are for one window.

    `kept` lists the activations; `working` is what the first steps backward need for a moment,
    `working_once` the part of it that does not grow with the batch.
    """

    model: str
    setting: Setting
    optimizer: str
    weights: int
    cast_weights: int
    gradients: int
    state: int
    step: int
    kept: tuple[Kept, ...]
    working: int
    working_once: int
    shared_gradients: int
    n_layers: int

    @property
    def per_window(self) -> int:
        return sum(row.bytes for row in self.kept if not row.once)

    @property
    def per_batch(self) -> int:
        return sum(row.bytes for row in self.kept if row.once)

    def activations(self, batch: int) -> int:
        """What is kept for the way back, autocast's copies of weights included."""
        return self.per_window * batch + self.per_batch + self.cast_weights

    def peak_backward(self, batch: int, accumulate: bool = False) -> int:
        """The most at any time between going forward and having all gradients.

        Gradients fill up while activations go, so the peak is at the start; but where layers share
        their tensors, all gradients of a layer are there after the first one. `accumulate` means
        that gradients of earlier batches are kept.
        """
        full = self.activations(batch) + self.working * batch + self.working_once
        layer = sum(
            row.bytes for row in self.kept if row.block in ("attention", "feed-forward") and not row.once
        )
        later = full - layer * batch // self.n_layers + self.shared_gradients
        held = self.gradients if accumulate else 0
        return self.weights + self.state + held + max(full, later) + LIBRARY_WORKSPACE

    @property
    def peak_step(self) -> int:
        """The most while the optimizer takes its step."""
        return self.weights + self.gradients + self.state + self.step + LIBRARY_WORKSPACE

    def peak(self, batch: int, accumulate: bool = False) -> int:
        return max(self.peak_backward(batch, accumulate), self.peak_step)

    def largest_batch(self, memory: int, accumulate: bool = False) -> int:
        """The most windows in a batch whose peak stays within `memory`; 0 if not even one does."""
        if self.peak(1, accumulate) > memory:
            return 0
        fits, fails = 1, 2
        while self.peak(fails, accumulate) <= memory:
            fits, fails = fails, fails * 2
        while fails - fits > 1:
            middle = (fits + fails) // 2
            fits, fails = (middle, fails) if self.peak(middle, accumulate) <= memory else (fits, middle)
        return fits


def plan_memory(
    model: ModelSizes,
    tensors: TensorList,
    length: int,
    precision: str = "fp32",
    optimizer: str = "adamw",
    attention: str | None = None,
) -> MemoryPlan:
    """The plan of a model with its head; `attention` is transformers' own choice unless given."""
    if optimizer not in OPTIMIZERS:
        raise UnknownNameError("optimizer", optimizer, OPTIMIZERS)
    if tensors.head not in LABELLED_HEADS or tensors.labels is None:
        raise ConfigError(f"memory is modelled for the heads token and sequence, not for '{tensors.head}'")
    _check_length(model, length)
    width = find_precision(precision)
    setting = Setting(
        length=_padded_length(model, length),
        precision=width,
        attention=_attention_of(model, attention, width),
        head=tensors.head,
        labels=tensors.labels,
    )
    n_state, n_step = OPTIMIZERS[optimizer]
    kept = (
        *embedding_rows(model.family, model.sizes, setting),
        *layer_rows(model.family, model.sizes, setting),
        *head_rows(model.family, model.sizes, setting),
    )
    weights = tensors.total * width.weight
    gradients = _trained_count(model, tensors) * width.weight
    working, working_once = _working_space(model, setting)
    return MemoryPlan(
        model=model.name,
        setting=setting,
        optimizer=optimizer,
        weights=weights,
        cast_weights=_cast_weights(tensors) if width.mixed else 0,
        gradients=gradients,
        state=n_state * gradients,
        step=n_step * gradients,
        kept=kept,
        working=working,
        working_once=working_once,
        shared_gradients=_shared_gradients(model.sizes, tensors, width),
        n_layers=model.sizes.layers,
    )


def longest_window(model: ModelSizes) -> int | None:
    """How many pieces the model's positions allow; None where they are relative and without end."""
    positions = model.sizes.positions
    if model.family in ("roberta", "xlm-roberta", "longformer"):
        return positions - 2
    if model.family in ("xlnet", "deberta-v2"):
        return None
    return positions


def parse_memory(text: str) -> int:
    """'32GB' or '80 GiB' in bytes; GB is 10⁹, which leaves a card's driver its share."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT])(i?)B?\s*", text, re.IGNORECASE)
    if match is None:
        raise ConfigError(f"'{text}' is not a size of memory: write it as 32GB or 31.7GiB")
    power = "KMGT".index(match[2].upper()) + 1
    n_bytes = float(match[1]) * (1024 if match[3] else 1000) ** power
    if n_bytes > _MOST_BYTES:
        raise ConfigError("no machine has that much memory: write it as 32GB or 31.7GiB")
    if n_bytes < 1:
        raise ConfigError(f"'{text}' is no memory at all: write it as 32GB or 31.7GiB")
    return int(n_bytes)


def _check_length(model: ModelSizes, length: int) -> None:
    longest = longest_window(model)
    if length < 1:
        raise ConfigError(f"a window has at least 1 piece, not {length}")
    if longest is not None and length > longest:
        raise ConfigError(f"{model.name} takes windows of at most {longest} pieces, not {length}")


def _attention_of(model: ModelSizes, asked: str | None, precision: Precision) -> str:
    if asked is not None and asked not in ATTENTIONS:
        raise UnknownNameError("attention", asked, ATTENTIONS)
    fused = model.family in _FUSED
    if asked == "sdpa" and not fused:
        raise ConfigError(f"transformers has no fused attention for {model.name}: leave --attention away")
    if asked == "eager" and model.family == "modernbert":
        raise ConfigError(
            f"what {model.name} keeps with eager attention is not modelled: leave --attention away"
        )
    if precision.mixed and not fused:
        raise ConfigError(
            f"what {model.name} keeps under {precision.name} is not modelled: fp32 gives an upper bound"
        )
    return asked or ("sdpa" if fused else "eager")


def _padded_length(model: ModelSizes, length: int) -> int:
    """Longformer pads every window to a multiple of what it sees; the others take it as it is."""
    window = model.sizes.window if model.family == "longformer" else 1
    return -(-length // window) * window


def _trained_count(model: ModelSizes, tensors: TensorList) -> int:
    """Parameters that get a gradient: without global words, Longformer's projections of them get none."""
    unused = "_global." if model.family == "longformer" and tensors.head == "token" else None
    return sum(tensor.count for tensor in tensors.tensors if unused is None or unused not in tensor.name)


def _cast_weights(tensors: TensorList) -> int:
    """Autocast's bf16 copies of all that is multiplied: every tensor but embeddings and norms."""
    multiplied = (
        tensor.count
        for tensor in tensors.tensors
        if block_of(tensor.name) not in ("embeddings", "norms") or "mapping_in" in tensor.name
    )
    return 2 * sum(multiplied)


def _shared_gradients(sizes: Sizes, tensors: TensorList, precision: Precision) -> int:
    if not sizes.shares_layers:
        return 0
    layer = (t.count for t in tensors.tensors if block_of(t.name) in ("attention", "feed-forward", "norms"))
    return sum(layer) * precision.value


def _working_space(model: ModelSizes, setting: Setting) -> tuple[int, int]:
    """The first product backward: the gradient of the wide activation, and that of its weights."""
    sizes, precision = model.sizes, setting.precision
    wide = setting.length * sizes.feed_forward
    if sizes.activation == "gelu_new":
        # Its written-out form has three wide gradients at once, one of which replaces a kept value.
        each = 3 * 4 if precision.mixed else 2 * precision.value
    else:
        each = precision.value
    return wide * each, sizes.hidden * sizes.feed_forward * precision.value
