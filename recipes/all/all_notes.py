"""The training notes of the model for all languages: made and filled notes, and MEDDOCAN, from a seed.

Labels are those of `made`: the types of i2b2 2014, sex and kinship. MEDDOCAN's are brought to them by what a
span holds, since one of its types may be several here.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "en")]

from corpus import read_prepared  # noqa: E402  (recipes/en)

from deidlab import languages  # noqa: E402
from deidlab.labels import load_map  # noqa: E402
from deidlab.make.base import fill_notes  # noqa: E402
from deidlab.make.masks import BaseNote  # noqa: E402
from deidlab.make.notes import make_notes  # noqa: E402
from deidlab.make.spoken import make_spoken_notes  # noqa: E402
from deidlab.types import Document, Span  # noqa: E402

_CHUNK = 500
_POSTCODE = re.compile(r"[\d\s.-]+")
_NUMBER = re.compile(r"\s*[\d.,]+")
_DNI = re.compile(r"[XYZ]?\d{7,8}[-\s]?[A-Z]")
_BASE: list[BaseNote] = []


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many notes of each kind; `copies` is how often each note of MEDDOCAN comes."""

    en: int = 40_000
    base: int = 16_000
    es: int = 45_000
    fr: int = 35_000
    copies: int = 6


def make_corpus(sizes: Sizes, seed: int, base: Path | None, meddocan: Iterable[Document]) -> list[Document]:
    """All notes, in an order that does not depend on the number of processes."""
    if sizes.base and base is not None:
        _BASE[:] = read_prepared(base)
    kinds = {"en": sizes.en, "base": sizes.base, "es": sizes.es, "fr": sizes.fr}
    tasks = [
        (kind, first, min(_CHUNK, n - first), seed)
        for kind, n in kinds.items()
        for first in range(0, n, _CHUNK)
    ]
    with multiprocessing.get_context("fork").Pool(min(16, os.cpu_count() or 1)) as pool:
        made = [document for part in pool.map(_make, tasks, chunksize=1) for document in part]
    known = [to_made_labels(document) for document in meddocan]
    return made + [replace(each, id=f"{each.id}-{copy}") for copy in range(sizes.copies) for each in known]


def _make(task: tuple[str, int, int, int]) -> list[Document]:
    kind, first, n, seed = task
    if kind == "base":
        return list(fill_notes(_BASE, n, seed, lift=True, first=first))
    # Patients have up to three notes: numbers that far apart never meet.
    if kind == "en":
        return list(make_notes(n, seed, lift=True, first=first))
    notes = languages.find(kind).notes
    assert notes is not None
    return list(make_spoken_notes(kind, notes(), n, seed, first))


def to_made_labels(document: Document) -> Document:
    """A note of MEDDOCAN with the labels of made notes; an age is its number alone there."""
    return replace(document, spans=tuple(_brought(document)))


def _brought(document: Document) -> Iterator[Span]:
    names = load_map("meddocan--i2b2-2014") | {
        "SEXO_SUJETO_ASISTENCIA": "SEX",
        "FAMILIARES_SUJETO_ASISTENCIA": "KIN",
    }
    for span in document.spans:
        text, label = document.text[span.start : span.end], names[span.label]
        if span.label == "TERRITORIO":
            label = "ZIP" if _POSTCODE.fullmatch(text) else "CITY"
        elif span.label == "ID_SUJETO_ASISTENCIA":
            label = "SSN" if _DNI.fullmatch(text) else "MEDICALRECORD"
        number = _NUMBER.match(text) if label == "AGE" else None
        if label:
            yield replace(span, label=label, end=span.start + number.end() if number else span.end)
