"""A GLiNER model that is asked for kinds of PHI in plain words: `gliner:FOLDER`.

The words that it is asked for, and what each means, are data: the label map of `gliner`.
"""

from __future__ import annotations

import os
from typing import Any

PACKAGES = ["gliner"]
_THRESHOLD = 0.5


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    folder = settings["argument"]
    if os.path.isdir(folder):
        os.environ["HF_HUB_OFFLINE"] = "1"
    from gliner import GLiNER

    model = GLiNER.from_pretrained(folder)
    prompts = settings["prompts"]

    def find(text: str) -> dict[str, Any]:
        found = model.predict_entities(text, prompts, threshold=_THRESHOLD)
        return {
            "spans": [
                {"start": e["start"], "end": e["end"], "label": e["label"], "score": float(e["score"])}
                for e in found
                if e["start"] < e["end"]
            ]
        }

    return {
        "find": find,
        "scheme": "gliner",
        "labels": prompts,
        # It drops the words past this with a warning.
        "limit": int(getattr(model.config, "max_len", 384)),
        "unit": "words",
        "packages": PACKAGES,
        "files": [folder] if os.path.isdir(folder) else [],
    }
