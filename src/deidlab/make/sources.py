"""What `corpus make` was asked for in, the notes out: the grammar, filled notes, or Spanish ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.make.notes import make_notes
from deidlab.types import Document

LABEL_SETS = ("i2b2-2014", "meddocan")


def choose_source(
    n: int, seed: int, labels: str = "i2b2-2014", lift: bool = False, base: Path | None = None
) -> Iterator[Document]:
    """n notes of the label set, written by a grammar or made of the notes under `base`."""
    if labels not in LABEL_SETS:
        raise UnknownNameError("label set to make", labels, LABEL_SETS)
    if labels == "meddocan":
        if base is not None:
            raise ConfigError("--base fills English notes: leave it out with the labels of MEDDOCAN")
        from deidlab.make.spanish import make_spanish_notes

        return make_spanish_notes(n, seed, lift)
    if base is None:
        return make_notes(n, seed, lift)
    from deidlab.corpus import read_corpus
    from deidlab.make.base import fill_notes, read_notes

    return fill_notes(list(read_notes(read_corpus(base))), n, seed, lift)
