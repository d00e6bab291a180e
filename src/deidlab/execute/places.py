"""On what a process computes: what decides whether a model's results can differ from another machine's."""

from __future__ import annotations

import os
import platform

# The kinds of arithmetic that make int8 and half precision round otherwise.
_KNOWN = ("avx2", "avx512f", "avx512_vnni", "avx_vnni", "amx_int8", "amx_bf16", "avx512_bf16")


def describe_processor() -> str:
    """The machine's kind, its arithmetic, and whether it sees a GPU."""
    try:
        with open("/proc/cpuinfo") as lines:  # noqa: PTH123
            flags = next(
                (set(line.split()) for line in lines if line.startswith(("flags", "Features"))), set()
            )
    except OSError:
        flags = set()
    found = [platform.machine(), *(name for name in _KNOWN if name in flags)]
    seen = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    return " ".join([*found, "cuda"] if seen not in ("", "-1") else found)
