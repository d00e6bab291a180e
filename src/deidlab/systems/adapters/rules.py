"""The rules of a language alone: `rules:es`."""

from __future__ import annotations

from typing import Any

PACKAGES = ["deidlab"]


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    from deidlab import languages
    from deidlab.detect import DetectorSettings, load_detector
    from deidlab.systems.own import open_detector, own_files

    language = languages.find(settings["argument"]).code
    return open_detector(load_detector(None, DetectorSettings("only", language=language))) | {
        "packages": PACKAGES,
        "files": own_files(),
    }
