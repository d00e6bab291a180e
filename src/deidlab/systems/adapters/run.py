"""A run of `deidlab train`, an export, or a study's run or ensemble, alone: `run:FOLDER`, in the labels that
it learned."""

from __future__ import annotations

from typing import Any

PACKAGES = ["deidlab", "transformers", "torch"]


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    from deidlab.detect import DetectorSettings, load_detector
    from deidlab.detect.naming import labels_of
    from deidlab.systems.own import open_detector, own_files

    folder = settings["argument"]
    detector = load_detector(folder, DetectorSettings("off", labels="own"))
    assert detector.model is not None
    return open_detector(detector) | {
        "scheme": "",
        "labels": sorted(labels_of(detector.model.tags)),
        "packages": PACKAGES,
        "files": [*own_files(), folder],
    }
