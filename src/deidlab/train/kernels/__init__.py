"""GPU kernels in Triton; imported only where a GPU computes."""

from deidlab.train.kernels.adamw import adamw
from deidlab.train.kernels.attention import HEAD_SIZES, window_attention

__all__ = ["HEAD_SIZES", "adamw", "window_attention"]
