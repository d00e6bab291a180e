"""The model that comes with DeidLab together with the rules of its language, as `deidlab mask` runs it:
`embedded:en`."""

from __future__ import annotations

from typing import Any

PACKAGES = ["deidlab"]


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    from deidlab.detect import load_detector
    from deidlab.detect.embedded import embedded_folder
    from deidlab.systems.own import open_detector, own_files

    folder = embedded_folder(settings["argument"])
    detector = load_detector(settings["argument"])
    return open_detector(detector) | {"packages": PACKAGES, "files": [*own_files(), str(folder)]}
