"""The state of a run on disk, so that an interrupted one resumes to the same result."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deidlab.errors import ModelError
from deidlab.train.flat import FlatParameters
from deidlab.train.record import full_disk

CHECKPOINT = "checkpoint.pt"


def seed_everything(seed: int) -> None:
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def save_checkpoint(
    folder: Path, flat: FlatParameters, progress: dict[str, Any], best: torch.Tensor | None
) -> None:
    """Write the state under its name only when it is complete: the one before it stays good until then."""
    state = {
        "flat": flat.state(),
        "progress": progress,
        "best": best,
        "random": torch.get_rng_state(),
        "random_gpu": torch.cuda.get_rng_state() if flat.master.is_cuda else None,
    }
    path = folder / CHECKPOINT
    partial = path.with_name(f".{path.name}.partial")
    try:
        torch.save(state, partial)
        partial.replace(path)
    except OSError as error:
        raise full_disk(path, error) from None
    except RuntimeError as error:
        # torch's writer reports a full disk in its own words.
        raise full_disk(path, OSError(0, "could not be written, the disk may be full")) from error
    finally:
        partial.unlink(missing_ok=True)


def load_checkpoint(folder: Path, flat: FlatParameters) -> tuple[dict[str, Any], Any] | None:
    """The progress and best weights of a checkpoint, None without one; the rest is put in its place."""
    path = folder / CHECKPOINT
    if not path.exists():
        return None
    try:
        state = torch.load(path, map_location=flat.master.device, weights_only=True)
        flat.load_state(state["flat"])
    except Exception:
        raise ModelError(
            f"{path}: this checkpoint cannot be read, or is of another model; remove it to start the run anew"
        ) from None
    torch.set_rng_state(state["random"].cpu())
    if state["random_gpu"] is not None and flat.master.is_cuda:
        torch.cuda.set_rng_state(state["random_gpu"].cpu())
    return state["progress"], state["best"]


def remove_checkpoint(folder: Path) -> None:
    (folder / CHECKPOINT).unlink(missing_ok=True)
