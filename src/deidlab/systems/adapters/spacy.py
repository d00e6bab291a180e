"""A spaCy pipeline's own entities: `spacy:MODEL`, the name of an installed model or its folder."""

from __future__ import annotations

from typing import Any

PACKAGES = ["spacy"]


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    import spacy

    pipeline = spacy.load(settings["argument"])

    def find(text: str) -> dict[str, Any]:
        found = pipeline(text).ents
        return {
            "spans": [
                {"start": each.start_char, "end": each.end_char, "label": each.label_}
                for each in found
                if each.start_char < each.end_char
            ]
        }

    labels = list(pipeline.get_pipe("ner").labels) if pipeline.has_pipe("ner") else []
    return {
        "find": find,
        # The labels tell what it was trained on: OntoNotes for English, other schemes elsewhere.
        "labels": labels,
        "limit": int(pipeline.max_length),
        "packages": PACKAGES,
        "files": [str(pipeline.path)] if pipeline.path else [],
    }
