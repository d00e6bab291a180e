"""A Hugging Face token classifier with our windows and valid decoding: `hf:FOLDER` or `hf:ID` of the hub."""

from __future__ import annotations

from typing import Any

PACKAGES = ["transformers", "torch", "tokenizers", "numpy"]


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    from deidlab.systems.classifier import load_classifier_folder
    from deidlab.systems.own import tell_spans

    found = load_classifier_folder(settings["argument"])

    def find(text: str) -> dict[str, Any]:
        return {"spans": tell_spans(found.model.find(text)), "read": found.count_read(text)}

    return {"find": find, "labels": list(found.labels), "packages": PACKAGES, "files": [str(found.folder)]}
