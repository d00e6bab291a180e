"""Philter-lite, the rules of UCSF's Philter as a library: `philter`, or `philter:CONFIG.toml`.

What it decides to keep out is taken, as its own writers do; its types are few, and mostly OTHER.
"""

from __future__ import annotations

import os
from typing import Any

PACKAGES = ["philter-lite"]


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    import philter_lite

    usual = os.path.join(os.path.dirname(philter_lite.__file__), "configs", "philter_delta.toml")
    filters = philter_lite.load_filters(settings["argument"] or usual)

    def find(text: str) -> dict[str, Any]:
        _, removed, tracker = philter_lite.detect_phi(text, filters)
        typed = [(each.start, each.stop, each.phi_type) for each in tracker.phi]
        covered = bytearray(len(text))
        for start, end, _ in typed:
            covered[start:end] = b"\1" * (end - start)
        # What no filter gave a type to is removed all the same.
        for start, end in removed.filecoords():
            if not all(covered[start:end]):
                typed.append((start, end, "OTHER"))
        spans = [{"start": a, "end": min(b, len(text)), "label": c} for a, b, c in typed]
        return {"spans": [each for each in spans if each["start"] < each["end"]]}

    return {
        "find": find,
        "scheme": "philter",
        "labels": sorted({each.phi_type for each in filters}),
        "packages": PACKAGES,
    }
