"""Write the training notes of the model for all languages: made and filled notes, and MEDDOCAN, from a seed.

    python recipes/all/all_notes.py --base mtsamples.jsonl --meddocan MEDDOCAN --out NOTES

MEDDOCAN is the folder with `train` and `dev`; `--base` may be a file that `--prepare` wrote. Labels are those
of `made`: the types of i2b2 2014, sex and kinship. MEDDOCAN's are brought to them by what a span holds, since
one of its types may be several here. The notes do not depend on the number of processes.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import re
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.append(str(Path(__file__).parents[1] / "en"))

from corpus import prepare, read_prepared

from deidlab import languages
from deidlab.corpus.records import document_to_record
from deidlab.labels import load_map
from deidlab.make.base import fill_notes
from deidlab.make.masks import BaseNote
from deidlab.make.notes import make_notes
from deidlab.make.spoken import make_spoken_notes
from deidlab.train.swapping import swap_mentions
from deidlab.types import Document, Span

HERE = Path(__file__).parent
PREPARED = ".gz"
_CHUNK = 500
_FEW = 8
_POSTCODE = re.compile(r"[\d\s.-]+")
_NUMBER = re.compile(r"\s*[\d.,]+")
_DNI = re.compile(r"[XYZ]?\d{7,8}[-\s]?[A-Z]")
_BASE: list[BaseNote] = []


def read_recipe(path: Path = HERE / "recipe.toml") -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


def write_notes(
    recipe: dict[str, Any], seed: int, base: Path | None, meddocan: Path | None, out: Path, share: float = 1.0
) -> int:
    """All notes of the recipe, or a share of each kind, as parts of a folder; how many."""
    sizes = recipe["notes"]
    _BASE[:] = read_prepared(base) if base is not None else []
    kinds = {kind: int(sizes[kind] * share) for kind in ("en", "base", "es", "fr")}
    if not _BASE:
        kinds.pop("base")
    folder = out / "train"
    folder.mkdir(parents=True)
    tasks = [
        (kind, first, min(_CHUNK, n - first), seed, folder)
        for kind, n in kinds.items()
        for first in range(0, n, _CHUNK)
    ]
    n_written = 0
    for done, n in enumerate(spread(_write_part, tasks), 1):
        n_written += n
        if done % 40 == 0:
            print(f"{n_written} notes", flush=True)
    known = list(map(to_made_labels, read_meddocan(meddocan, "train")))
    known = known[: max(1, int(len(known) * share))]
    copies = swap_mentions(known, sizes["swaps"], seed)
    _write(folder / "meddocan.jsonl", [*known, *copies])
    _write(out / "held_out.jsonl", make_held_out(recipe, meddocan, share))
    return n_written + len(known) + len(copies)


def spread(work: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
    """What becomes of each task, in order; more than a few are done by as many processes as cores."""
    if len(tasks) < _FEW:
        yield from map(work, tasks)
        return
    with multiprocessing.get_context("fork").Pool(min(16, os.cpu_count() or 1)) as pool:
        yield from pool.imap(work, tasks)


def make_held_out(recipe: dict[str, Any], meddocan: Path | None, share: float = 1.0) -> list[Document]:
    """Made notes of another seed, and MEDDOCAN's development notes."""
    n, seed = max(1, int(recipe["held_out"]["each"] * share)), recipe["held_out"]["seed"]
    made = [note for kind in ("en", "es", "fr") for note in make((kind, 0, n, seed))]
    return [*made, *map(to_made_labels, read_meddocan(meddocan, "dev")[: max(1, int(100 * share))])]


def make(task: tuple[str, int, int, int]) -> Iterable[Document]:
    """So many notes of a kind, from a number on."""
    kind, first, n, seed = task
    if kind == "base":
        return fill_notes(_BASE, n, seed, lift=True, first=first)
    # Patients have up to three notes: numbers that far apart never meet.
    if kind == "en":
        return make_notes(n, seed, lift=True, first=first)
    notes = languages.find(kind).notes
    assert notes is not None
    return make_spoken_notes(kind, notes(), n, seed, first)


def _write_part(task: tuple[str, int, int, int, Path]) -> int:
    kind, first, n, seed, folder = task
    return _write(folder / f"{kind}-{first:06d}.jsonl", make((kind, first, n, seed)))


def _write(path: Path, notes: Iterable[Document]) -> int:
    lines = [json.dumps(document_to_record(note), ensure_ascii=False) for note in notes]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return len(lines)


def read_meddocan(folder: Path | None, part: str) -> list[Document]:
    if folder is None:
        return []
    from deidlab.corpus import read_corpus

    return list(read_corpus(folder / part, "i2b2"))


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


def prepare_base(base: Path, out: Path) -> Path:
    """The base read once, with the rules; a file that was written so before is taken as it is."""
    if base.suffix == PREPARED:
        return base
    from deidlab.corpus import read_corpus

    out.parent.mkdir(parents=True, exist_ok=True)
    prepare(read_corpus(base), out)
    return out


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path, help="English notes to fill, in any format")
    parser.add_argument("--prepare", type=Path, help="only read the base into this file")
    parser.add_argument("--meddocan", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--share", type=float, default=1.0, help="of each kind of notes; for trying it out")
    parser.add_argument("--round", type=int, default=1, help="the training that the notes are for")
    said = parser.parse_args()
    if said.prepare:
        prepare_base(said.base, said.prepare)
        return
    began = time.perf_counter()
    base = said.base and prepare_base(said.base, said.out.with_suffix(f".base{PREPARED}"))
    recipe = read_recipe()
    seed = recipe["rounds"][said.round - 1]["seed"]
    n = write_notes(recipe, seed, base, said.meddocan, said.out, said.share)
    print(f"{n} notes written in {time.perf_counter() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
