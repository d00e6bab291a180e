"""The notes of a run: read, their labels mapped, and a share held out where no validation notes are given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deidlab.corpus import read_corpus
from deidlab.corpus.merge import relabel
from deidlab.corpus.split import split_corpus
from deidlab.errors import ConfigError
from deidlab.labels import load_map
from deidlab.train.request import RunRequest
from deidlab.types import Document


def read_run_notes(request: RunRequest, seed: int) -> tuple[list[Document], list[Document]]:
    """Training and validation notes as the request asks for them."""
    documents = read_notes(request.corpus, request.format, request.map)
    if request.validation:
        return documents, read_notes(request.validation, request.format, request.map)
    if request.validation_share:
        return hold_out(documents, request.validation_share, seed)
    return documents, []


def read_notes(path: Path | str, format: str = "", map: str = "") -> list[Document]:
    """Every document of a corpus, its labels mapped."""
    mapping = load_map(map) if map else {}
    documents = read_corpus(path, format or None)
    return [relabel(document, mapping) for document in documents] if mapping else list(documents)


def hold_out(documents: Sequence[Document], share: float, seed: int) -> tuple[list[Document], list[Document]]:
    """Training and validation notes; no patient is in both."""
    if not 0 < share < 1:
        raise ConfigError(f"the share to hold out is {share:g}; it must be between 0 and 1")
    parts = split_corpus(documents, {"train": 1 - share, "validation": share}, seed).part_of()
    held = [document for document in documents if parts[document.id] == "validation"]
    if not held or len(held) == len(documents):
        raise ConfigError(f"a share of {share:g} of {len(documents)} notes leaves one part empty")
    return [document for document in documents if parts[document.id] == "train"], held
