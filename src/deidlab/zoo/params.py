"""Every tensor of a model: the values that pages, tables and pictures are made of.

Shapes come in; counts, forms and sizes go out. Lists of named models are read by `zoo/shipped.py`,
those of local configurations made by `zoo/meta.py`; `zoo/sources.py` decides which.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.zoo.checking import MOST_LABELS

HEADS = ("token", "sequence", "mlm", "none")
LABELLED_HEADS = ("token", "sequence")
DEFAULT_HEAD = "sequence"
DEFAULT_LABELS = 2
FP32_BYTES = 4


@dataclass(frozen=True, slots=True)
class Tensor:
    """One parameter tensor by its name in the model."""

    name: str
    shape: tuple[int, ...]
    trainable: bool = True

    @property
    def count(self) -> int:
        return math.prod(self.shape)

    @property
    def squeezed(self) -> tuple[int, ...]:
        """The shape without its ones."""
        return tuple(size for size in self.shape if size != 1)

    @property
    def form(self) -> str:
        """What remains after squeezing: a scalar, a vector, a matrix or a tensor of some rank."""
        rank = len(self.squeezed)
        return ("Scalar", "Vector", "Matrix")[rank] if rank < 3 else f"Tensor rank {rank}"


@dataclass(frozen=True, slots=True)
class TensorList:
    """All tensors of one model with one head, each shared tensor once, in page order.

    `head` is one of `HEADS`, or 'stored' where a file's own tensors are listed; `labels` is None
    where the head has no labels.
    """

    model: str
    head: str
    labels: int | None
    tensors: tuple[Tensor, ...]

    @property
    def total(self) -> int:
        return sum(tensor.count for tensor in self.tensors)

    @property
    def trainable(self) -> int:
        return sum(tensor.count for tensor in self.tensors if tensor.trainable)

    @property
    def bytes(self) -> int:
        """The size of all tensors in fp32."""
        return self.total * FP32_BYTES


def check_head(head: str, labels: int | None) -> int | None:
    """The number of labels that this head will have: `labels`, the usual two, or None for a head without."""
    if head not in HEADS:
        raise UnknownNameError("head", head, HEADS)
    if head not in LABELLED_HEADS:
        if labels is not None:
            raise ConfigError(f"the head '{head}' has no labels: leave the number of labels away")
        return None
    if labels is None:
        return DEFAULT_LABELS
    if labels < 1:
        raise ConfigError(f"a head needs at least 1 label, not {labels}")
    if labels > MOST_LABELS:
        raise ConfigError(f"a head has at most {MOST_LABELS:,} labels here")
    return labels


def format_bytes(n_bytes: int) -> str:
    """'475.491 MiB': the largest of KiB, MiB and GiB that leaves at least one before the point."""
    for unit, size in (("GiB", 2**30), ("MiB", 2**20)):
        if n_bytes >= size:
            return f"{n_bytes / size:.3f} {unit}"
    return f"{n_bytes / 2**10:.3f} KiB"
