"""What a training step keeps from its forward to its backward pass, tensor by tensor.

A family, its sizes and how it is trained come in; rows of kept values go out: those of each layer
(`zoo/layers.py`), of the embeddings and of the head. The rows follow the operations of eager
transformers and what autograd saves for each; a test counts the same on the meta device.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from deidlab.errors import ModelError, UnknownNameError
from deidlab.zoo.sizes import Sizes

BOOL = 1
FP32 = 4


@dataclass(frozen=True, slots=True)
class Precision:
    """How many bytes weights and kept values have.

    `mixed` means autocast: weights, norms and residual sums in fp32, products in bf16.
    """

    name: str
    weight: int
    value: int
    mixed: bool = False

    @property
    def residual(self) -> int:
        """Bytes of a value on the residual path, where autocast stays in fp32."""
        return FP32 if self.mixed else self.value


PRECISIONS = {
    "fp32": Precision("fp32", weight=4, value=4),
    "bf16": Precision("bf16", weight=2, value=2),
    "bf16-mixed": Precision("bf16-mixed", weight=4, value=2, mixed=True),
}


@dataclass(frozen=True, slots=True)
class Setting:
    """One way to train: `length` pieces a window, a precision, and how attention is computed."""

    length: int
    precision: Precision
    attention: str
    head: str = "token"
    labels: int = 2


@dataclass(frozen=True, slots=True)
class Kept:
    """Values kept for the way back: `count` of them a window (or once a batch), `width` bytes each."""

    block: str
    what: str
    count: int
    width: int
    once: bool = False

    @property
    def bytes(self) -> int:
        return self.count * self.width


def times(rows: list[Kept], factor: int) -> list[Kept]:
    """The rows of `factor` layers from those of one."""
    return [replace(row, count=row.count * factor) for row in rows]


def find_precision(name: str) -> Precision:
    if name not in PRECISIONS:
        raise UnknownNameError("precision", name, PRECISIONS)
    return PRECISIONS[name]


def activation_widths(activation: str, precision: Precision) -> tuple[int, ...]:
    """Bytes of each feed-forward-wide value that the activation and the product after it keep."""
    value = precision.value
    if activation == "relu":
        return (value,)
    if activation in ("gelu", "gelu_pytorch_tanh", "silu", "swish"):
        return (value, value)
    if activation == "gelu_new":
        # Written out in Python: x (for x³), tanh, 1+tanh, x/2 and the product are all kept.
        # Autocast computes powers in fp32, and what follows from them.
        part = FP32 if precision.mixed else value
        return (part, part, part, value, value)
    raise ModelError(f"what the activation '{activation}' keeps is not known here")


def embedding_rows(family: str, sizes: Sizes, setting: Setting) -> list[Kept]:
    """The embeddings' norm and dropout, and the projection where they are narrower than the layers."""
    length, precision = setting.length, setting.precision
    width = sizes.embedding
    if family == "xlnet":
        rows = [Kept("embeddings", "dropout mask", length * width, BOOL)] if sizes.dropout else []
        if precision.value == FP32:
            rows.append(Kept("embeddings", "position vectors", 2 * length * width, FP32))
        return rows
    rows = [
        Kept("embeddings", "norm input", length * width, precision.residual),
        Kept("embeddings", "norm statistics", 2 * length, FP32),
    ]
    if sizes.dropout:
        rows.append(Kept("embeddings", "dropout mask", length * width, BOOL))
    if family == "albert" or width != sizes.hidden:
        rows.append(Kept("embeddings", "projection input", length * width, precision.value))
    return rows


def head_rows(family: str, sizes: Sizes, setting: Setting) -> list[Kept]:
    """The last hidden values as the head takes them, the logits and what the loss keeps."""
    length, precision, width = setting.length, setting.precision, sizes.hidden
    n_outputs = setting.labels * (length if setting.head == "token" else 1)
    rows = [
        Kept("head", "logits", n_outputs, precision.value),
        Kept("head", "log-softmax", n_outputs, precision.residual),
    ]
    if setting.head == "sequence":
        rows.append(Kept("head", "input of the whole window", length * width, precision.value))
        return rows
    if sizes.head_dropout:
        rows.append(Kept("head", "dropout mask", length * width, BOOL))
    rows.append(Kept("head", "input", length * width, precision.value))
    if family == "modernbert":
        rows.append(Kept("head", "dense, activation and norm", 4 * length * width, precision.value))
    return rows
