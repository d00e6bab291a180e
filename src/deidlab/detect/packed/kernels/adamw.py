"""AdamW over one long vector, each value read and written once."""

# mypy: ignore-errors
# ruff: noqa: N803
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def _adamw(
    Master, Weights, Gradient, First, Second, Scale, Knobs, size, rate, decay,
    BETA1: tl.constexpr, BETA2: tl.constexpr, EPSILON: tl.constexpr, HALF: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < size
    lr = tl.load(Knobs) * rate
    correct1, correct2 = tl.load(Knobs + 1), tl.load(Knobs + 2)
    g = tl.load(Gradient + at, mask=inside, other=0.0).to(tl.float32) * tl.load(Scale)
    m = tl.load(First + at, mask=inside, other=0.0)
    v = tl.load(Second + at, mask=inside, other=0.0)
    w = tl.load(Master + at, mask=inside, other=0.0)
    m += (g - m) * (1.0 - BETA1)
    v = v * BETA2 + g * g * (1.0 - BETA2)
    w = w * (1.0 - lr * decay) - m / (tl.sqrt(v / correct2) + EPSILON) * (lr / correct1)
    tl.store(First + at, m, mask=inside)
    tl.store(Second + at, v, mask=inside)
    tl.store(Master + at, w, mask=inside)
    if HALF:
        tl.store(Weights + at, w.to(Weights.dtype.element_ty), mask=inside)


def adamw(master, weights, gradient, first, second, scale, knobs, rate, decay, betas, epsilon) -> None:
    """One AdamW step over vectors; `weights`, where not None, is the copy in half precision."""
    block = 1024
    _adamw[(triton.cdiv(master.numel(), block),)](
        master, master if weights is None else weights, gradient, first, second, scale, knobs,
        master.numel(), rate, decay, BETA1=betas[0], BETA2=betas[1], EPSILON=epsilon,
        HALF=weights is not None, BLOCK=block, num_warps=4,
    )  # fmt: skip
