"""One of our own detectors in, what an adapter tells of it out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import deidlab
from deidlab.detect import Detector
from deidlab.detect.naming import NATIVE_LABELS
from deidlab.labels import load_label_set
from deidlab.types import Document, Span


def open_detector(detector: Detector) -> dict[str, Any]:
    """Finds as `deidlab detect` does, in the native labels."""

    def find(text: str) -> dict[str, Any]:
        found = detector.detect([Document("note", text=text)], with_words=False)[0]
        return {"spans": tell_spans(found.spans)}

    labels = list(load_label_set(NATIVE_LABELS).labels)
    return {"find": find, "scheme": NATIVE_LABELS, "labels": labels}


def tell_spans(spans: Iterable[Span]) -> list[dict[str, Any]]:
    return [
        {"start": each.start, "end": each.end, "label": each.label, "score": each.score} for each in spans
    ]


def own_files() -> list[str]:
    """DeidLab's own files: an installation for developers does not list them; models are told by who uses
    them."""
    folder = Path(deidlab.__file__).parent
    return [str(each) for each in sorted(folder.iterdir()) if each.name not in ("models", "__pycache__")]
