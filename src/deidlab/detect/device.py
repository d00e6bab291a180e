"""Whether this machine has a GPU that a model can run on."""

from __future__ import annotations

from importlib.util import find_spec


def has_gpu() -> bool:
    """Whether torch is installed and sees one; without torch none can be used."""
    if find_spec("torch") is None:
        return False
    import torch

    return bool(torch.cuda.is_available())
