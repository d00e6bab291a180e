"""A corpus on disk in, documents out, one at a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from deidlab.corpus.files import list_files
from deidlab.corpus.format import FORMATS, Format
from deidlab.corpus.formats import find_format, recognise_format
from deidlab.corpus.names import FileNames, rename
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings, build_document, vetted
from deidlab.errors import CorpusError, DeidError, describe
from deidlab.types import Document, is_writable

UTF8_NAME = "the file's name is not UTF-8; give it another"


@dataclass(slots=True)
class ReadReport:
    """What a reading met, filled as it goes."""

    documents: int = 0
    spans: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    bad: list[BadDocument] = field(default_factory=list)


def read_corpus(
    source: Path | str,
    format: str | None = None,
    settings: ReadSettings | None = None,
    report: ReadReport | None = None,
    keep_going: bool = False,
) -> Iterator[Document]:
    """Every document of a file or folder, checked, in an order that every machine agrees on.

    The first document that cannot be read raises a CorpusError; with `keep_going` it is left out and
    listed in `report` instead.
    """
    report = report if report is not None else ReadReport()
    for raw in read_raw(source, format, settings):
        document = raw if isinstance(raw, BadDocument) else _build(raw)
        if isinstance(document, BadDocument):
            if not keep_going:
                raise CorpusError(str(document))
            report.bad.append(document)
            continue
        report.documents += 1
        report.spans += len(document.spans)
        if isinstance(raw, RawDocument) and raw.skipped:
            report.skipped.update(raw.skipped)
        yield document


def _build(raw: RawDocument) -> Document | BadDocument:
    try:
        return build_document(raw)
    except CorpusError as error:
        return BadDocument(raw.path, str(error).removeprefix(f"{raw.path}: "), raw.id)


def read_raw(
    source: Path | str, format: str | None = None, settings: ReadSettings | None = None
) -> Iterator[RawDocument | BadDocument]:
    """Every document as its file has it; a file that cannot be read is a BadDocument, and reading goes on."""
    source = Path(source)
    chosen = find_format(format) if format else recognise_format(source)
    names = FileNames(source, chosen)
    for path in corpus_files(source, chosen):
        if is_writable(path.name):
            yield from _read_file(path, chosen, settings or ReadSettings(), names)
        else:
            yield vetted(BadDocument(path, UTF8_NAME, path.name))


def _read_file(
    path: Path, format: Format, settings: ReadSettings, names: FileNames
) -> Iterator[RawDocument | BadDocument]:
    around = names.around(path)
    try:
        for raw in format.read(path, settings):
            yield vetted(rename(raw, around))
    except CorpusError as error:
        yield vetted(BadDocument(path, str(error).removeprefix(f"{path}: "), path.name))
    except (DeidError, ImportError):
        # Wrong for every file alike: a setting, or a part that is not installed.
        raise
    except Exception as error:
        yield vetted(BadDocument(path, describe(error), path.name))


def corpus_files(source: Path, format: Format) -> Iterator[Path]:
    """The files of a corpus; none is an error, since an empty answer would look like success."""
    if not source.exists():
        raise CorpusError(f"{source}: no such file or folder")
    if not source.is_dir():
        yield source
        return
    empty = True
    foreign = _longer_endings(format) if format.is_plain else ()
    for path in list_files(source, format.all_suffixes):
        if foreign and path.name.endswith(foreign):
            continue
        empty = False
        yield path
    if empty:
        endings = ", ".join(format.all_suffixes)
        raise CorpusError(f"{source}: no {format.name} file ({endings}) in this folder")


def count_files(source: Path, format: Format) -> int | None:
    """How many notes there are, where files tell without being read as notes; None where they do not."""
    paths = corpus_files(source, format)
    if format.is_note_a_file:
        return sum(1 for _ in format.note_files(paths))
    if format.count is None:
        return None
    try:
        return sum(map(format.count, paths))
    except (OSError, ValueError):
        # Arrow's errors are among these. What is wrong with a file, its reader will say.
        return None


def _longer_endings(format: Format) -> tuple[str, ...]:
    """Endings of other formats' files that end in one of this format's too."""
    others = (suffix for each in FORMATS.values() for suffix in each.all_suffixes)
    return tuple(each for each in others if each not in format.suffixes and each.endswith(format.suffixes))
