"""Losses of notes that a tagger learned from and of others in, how surely the former are told from the latter
out: whether who has the model and a note can tell that the note was among those it learned from."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from deidlab.evaluate.areas import area_interval
from deidlab.evaluate.layout import Floats
from deidlab.evaluate.resample import ResampleSettings


def tell_members(members: Floats, others: Floats, seed: int) -> dict[str, Any]:
    """The area for telling by the lower mean loss, which asks for the note's gold tags too."""
    is_member = np.repeat([1, 0], [len(members), len(others)])
    area = area_interval(is_member, -np.concatenate([members, others]), ResampleSettings(seed=seed))
    return {"notes": len(members), "validation_notes": len(others), "area": asdict(area)}
