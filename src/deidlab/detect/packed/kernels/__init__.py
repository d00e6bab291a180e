"""GPU kernels in Triton; imported only where a GPU computes."""

from deidlab.detect.packed.kernels.adamw import adamw
from deidlab.detect.packed.kernels.attention import (
    HEAD_SIZES,
    Chosen,
    attend,
    attend_gradient,
    window_attention,
)
from deidlab.detect.packed.kernels.gelu import gelu, gelu_gradient
from deidlab.detect.packed.kernels.norm import Normed, add_and_norm, add_and_norm_gradient
from deidlab.detect.packed.kernels.sums import PartSums

__all__ = [
    "HEAD_SIZES", "Chosen", "Normed", "PartSums", "adamw", "add_and_norm", "add_and_norm_gradient", "attend",
    "attend_gradient", "gelu", "gelu_gradient", "window_attention",
]  # fmt: skip
