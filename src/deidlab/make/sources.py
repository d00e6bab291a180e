"""What `corpus make` was asked for in, the notes out: the grammar, filled notes, or those of a language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from deidlab import languages
from deidlab.errors import ConfigError
from deidlab.labels import known_maps, load_label_set, load_map
from deidlab.make.notes import make_notes
from deidlab.make.spoken import make_spoken_notes
from deidlab.types import Document

LABELS = "i2b2-2014"
"""Those of the notes that `deidlab.make` writes itself."""


def choose_source(
    n: int, seed: int, labels: str = "", lift: bool = False, base: Path | None = None, language: str = ""
) -> Iterator[Document]:
    """n notes of the language and label set, written by a grammar or made of the notes under `base`.

    Without a language it is that of the label set; without a label set it is the first language's, where a
    map leads there. `lift` changes nothing where a language's own grammar is dense in PHI as it is.
    """
    told = load_label_set(labels).language if labels else ""
    spoken = languages.find(language or told or languages.FIRST)
    if spoken.code == languages.FIRST:
        return _labelled(_own_notes(n, seed, lift, base), LABELS, labels)
    if base is not None:
        raise ConfigError(f"--base fills notes in {languages.find(languages.FIRST).name}: leave it out here")
    if spoken.notes is None:
        raise ConfigError(f"no notes can be made in {spoken.name or spoken.code}: it has no grammar for them")
    made = spoken.notes()
    usual = LABELS if f"{made.labels}--{LABELS}" in known_maps() else made.labels
    return _labelled(make_spoken_notes(spoken.code, made, n, seed), made.labels, labels or usual)


def _own_notes(n: int, seed: int, lift: bool, base: Path | None) -> Iterator[Document]:
    if base is None:
        return make_notes(n, seed, lift)
    from deidlab.corpus import read_corpus
    from deidlab.make.base import fill_notes, read_notes

    return fill_notes(list(read_notes(read_corpus(base))), n, seed, lift)


def _labelled(notes: Iterator[Document], own: str, wanted: str) -> Iterator[Document]:
    if wanted in ("", own):
        return notes
    name = f"{own}--{wanted}"
    if name not in known_maps():
        raise ConfigError(f"these notes have the labels of {own}, and no map leads to {wanted} from there")
    return _renamed(notes, load_map(name))


def _renamed(notes: Iterable[Document], names: dict[str, str]) -> Iterator[Document]:
    for note in notes:
        kept = (span for span in note.spans if names.get(span.label, span.label))
        spans = tuple(replace(span, label=names.get(span.label, span.label)) for span in kept)
        yield replace(note, spans=spans)
