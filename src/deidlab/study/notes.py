"""A study's corpora in, the notes of one part out, each reading written down: test notes stay shut at first.

Which note belongs to which part is decided from ids and patients. Where every note is a file of its own
these are in the names, and no test file is opened; one large file has to be gone through, and what it says
of test notes is dropped. `access.jsonl` tells which it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deidlab.corpus.files import name_to_id, read_sidecar
from deidlab.corpus.format import Format
from deidlab.corpus.formats import find_format, recognise_format
from deidlab.corpus.merge import relabel
from deidlab.corpus.raw import BadDocument, ReadSettings, build_document
from deidlab.corpus.reading import corpus_files, read_corpus
from deidlab.corpus.split import read_ratios, split_corpus
from deidlab.errors import ConfigError, CorpusError
from deidlab.labels import load_map
from deidlab.study.folder import SELECTION, Access, note_access
from deidlab.study.spec import CrossSpec, MakeSpec, SplitSpec, StudySpec
from deidlab.types import Document

MADE = "made"
"""Stands for the path of notes that the study makes itself."""

Ids = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Where a part's notes are; `ids` are those that belong to it, all of them where None."""

    path: str
    format: str = ""
    map: str = ""
    ids: Ids | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a study, and what is to be made where notes are made."""

    parts: Mapping[str, Part]
    make: MakeSpec | None = None

    def ids(self) -> dict[str, list[str]]:
        """The ids of each part that are known before its notes are read."""
        return {name: list(part.ids) for name, part in self.parts.items() if part.ids is not None}


def deal_parts(spec: StudySpec, folder: Path) -> Parts:
    """Which notes make up which part; nothing of a test note but its id and patient is looked at."""
    corpus = spec.corpus
    if corpus.train:
        given = {"train": corpus.train, "validation": corpus.validation, "test": corpus.test}
        parts = {name: Part(path, corpus.format, corpus.map) for name, path in given.items() if path}
        if "validation" not in parts:
            dealt = _deal(_list_notes(corpus.train, corpus.format, folder, "train"), spec.split, 2)
            parts["train"] = Part(corpus.train, corpus.format, corpus.map, dealt["train"])
            parts["validation"] = Part(corpus.train, corpus.format, corpus.map, dealt["validation"])
        return Parts({name: parts[name] for name in ("train", "validation", "test")})
    if not corpus.path and spec.make is None:
        raise ConfigError(
            f"study {spec.name}: no notes to work on; give [corpus] a path, or say --corpus PATH (or "
            "--corpus train=PATH --corpus test=PATH)"
        )
    make = None if corpus.path else spec.make
    path = corpus.path or MADE
    listed = _list_notes(path, corpus.format, folder, "all") if corpus.path else _list_made(make, folder)
    dealt = _deal(listed, spec.split, 3)
    return Parts({name: Part(path, corpus.format, corpus.map, ids) for name, ids in dealt.items()}, make)


def parts_from(spec: StudySpec, ids: Mapping[str, Iterable[str]]) -> Parts:
    """The parts as a study's record has them."""
    corpus = spec.corpus
    own = {"train": corpus.train, "validation": corpus.validation or corpus.train, "test": corpus.test}
    found = {}
    for name in ("train", "validation", "test"):
        known = tuple(ids[name]) if name in ids else None
        found[name] = Part((own[name] or corpus.path) or MADE, corpus.format, corpus.map, known)
    return Parts(found, None if corpus.path or corpus.train else spec.make)


def read_part(parts: Parts, name: str, folder: Path, step: str, out: Path | None = None) -> list[Document]:
    """The notes of a part, their labels mapped; the reading is written down first."""
    if name == "test" and not (folder / SELECTION).is_file():
        raise ConfigError("the test notes stay shut until every run has ended and the selection is written")
    part = parts.parts[name]
    known = None if part.ids is None else len(part.ids)
    note_access(folder, Access(step, name, "notes", part.path, known), out)
    documents = list(_read(part, parts.make))
    if part.ids is not None:
        _refuse_missing(part, documents, name)
    if not documents:
        raise CorpusError(f"{part.path}: the {name} part has no note; change the ratios of [split]")
    mapping = load_map(part.map) if part.map else {}
    return [relabel(document, mapping) for document in documents] if mapping else documents


def read_cross(cross: CrossSpec, folder: Path, out: Path | None = None) -> list[Document]:
    """The notes of another corpus."""
    if not cross.path:
        raise ConfigError(
            f"the corpus '{cross.name}' of [[cross]] has no path: say --corpus {cross.name}=PATH"
        )
    note_access(folder, Access("cross", cross.name, "notes", cross.path, None), out)
    mapping = load_map(cross.map) if cross.map else {}
    return [relabel(each, mapping) for each in read_corpus(cross.path, cross.format or None)]


def _deal(notes: Iterable[Document], split: SplitSpec, n_parts: int) -> dict[str, Ids]:
    ratios = read_ratios(split.ratios)
    names = ("train", "validation", "test")[:n_parts]
    named = dict(zip(names, ratios.values(), strict=True))
    manifest = split_corpus(notes, named, split.seed, split.by)
    for name, ids in manifest.parts.items():
        if not ids:
            raise ConfigError(f"the ratios {split.ratios} leave the {name} part without a note")
    return {name: tuple(ids) for name, ids in manifest.parts.items()}


def _list_notes(path: str, format: str, folder: Path, part: str) -> list[Document]:
    """Id and patient of every note, without text, as documents that can be dealt out."""
    source = Path(path)
    chosen = _format(path, format)
    if not format and source.is_dir():
        note_access(folder, Access("split", part, "beginnings of files, to tell their format", path, None))
    if source.is_dir() and chosen.is_note_a_file:
        listed = [Document(id=id, patient=patient) for _, id, patient in _names(source, chosen)]
        note_access(folder, Access("split", part, "file names", path, len(listed)))
        return listed
    listed = [Document(id=each.id, patient=each.patient) for each in read_corpus(path, chosen.name)]
    note_access(folder, Access("split", part, "ids and patients; the text was dropped", path, len(listed)))
    return listed


def _list_made(make: MakeSpec | None, folder: Path) -> list[Document]:
    listed = [Document(id=each.id, patient=each.patient) for each in _make(make or MakeSpec())]
    note_access(folder, Access("split", "all", "ids and patients; the text was dropped", MADE, len(listed)))
    return listed


def _format(path: str, format: str) -> Format:
    return find_format(format) if format else recognise_format(Path(path))


def _names(source: Path, format: Format) -> Iterator[tuple[Path, str, str]]:
    """File, id and patient of every note of a folder with one note a file."""
    for path in format.note_files(corpus_files(source, format)):
        stem = path.name
        for suffix in format.suffixes:
            stem = stem.removesuffix(suffix)
        id = name_to_id(stem)
        patient, _ = read_sidecar(path, stem)
        yield path, id, patient or format.usual_patient(id)


def _read(part: Part, make: MakeSpec | None) -> Iterator[Document]:
    ids = None if part.ids is None else frozenset(part.ids)

    def wanted(id: str) -> bool:
        return ids is None or id in ids

    if part.path == MADE:
        yield from (document for document in _make(make or MakeSpec()) if wanted(document.id))
        return
    source, format = Path(part.path), _format(part.path, part.format)
    if part.ids is None or not source.is_dir() or not format.is_note_a_file:
        yield from (each for each in read_corpus(source, format.name) if wanted(each.id))
        return
    for path, id, _ in _names(source, format):
        if not wanted(id):
            continue
        for raw in format.read(path, ReadSettings()):
            if isinstance(raw, BadDocument):
                raise CorpusError(str(raw))
            yield build_document(raw)


def _make(make: MakeSpec) -> Iterator[Document]:
    from deidlab.make import make_notes

    yield from make_notes(make.notes, make.seed)


def _refuse_missing(part: Part, documents: list[Document], name: str) -> None:
    missing = set(part.ids or ()) - {document.id for document in documents}
    if missing:
        raise CorpusError(
            f"{part.path}: {len(missing)} notes of the {name} part are no longer there; a study goes on only "
            "with the notes that it began with"
        )
