"""The formats that DeidLab reads and writes, and how to tell them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidlab import conventions
from deidlab.corpus import brat, conll, i2b2, i2b2_2006, inline, jsonl, physionet, table, text
from deidlab.corpus.files import list_files, patient_of_name
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings
from deidlab.errors import CorpusError, UnknownNameError
from deidlab.types import Document

Reader = Callable[[Path, ReadSettings], Iterator[RawDocument | BadDocument]]
Renderer = Callable[[Document, Counter[str]], dict[str, bytes]]


@dataclass(frozen=True, slots=True)
class OneText:
    """One file for all documents: the text of each, between a head and a foot."""

    render: Callable[[Document, Counter[str]], str]
    head: str = ""
    foot: str = ""


@dataclass(frozen=True, slots=True)
class OneTable:
    """One file for all documents: a row each."""

    render: Callable[[Document], Any]
    write: Callable[[Iterable[Any], Path], None]


@dataclass(frozen=True, slots=True)
class Format:
    """One format: `render` makes a file or two of a document, `one` is how all of them are one file."""

    name: str
    suffixes: tuple[str, ...]
    read: Reader
    render: Renderer | None = None
    one: OneText | OneTable | None = None
    usual_patient: Callable[[str], str] = str

    @property
    def can_write(self) -> bool:
        return self.render is not None or self.one is not None

    @property
    def note_suffixes(self) -> tuple[str, ...]:
        """Of its files those that notes are in: brat's annotations only belong to one."""
        return tuple(suffix for suffix in self.suffixes if suffix != ".ann")


_I2B2_2006 = OneText(i2b2_2006.render, i2b2_2006.HEAD, i2b2_2006.FOOT)
_CSV = OneTable(table.csv_row, table.write_csv)
_PARQUET = OneTable(table.parquet_row, table.write_parquet)
FORMATS = {
    each.name: each
    for each in (
        Format("i2b2", i2b2.SUFFIXES, i2b2.read, i2b2.render, usual_patient=patient_of_name),
        Format("i2b2-2006", i2b2_2006.SUFFIXES, i2b2_2006.read, one=_I2B2_2006),
        Format("brat", brat.SUFFIXES, brat.read, brat.render),
        Format("conll", conll.SUFFIXES, conll.read, one=OneText(conll.render)),
        Format("conll-bilou", (".bilou",), conll.read, one=OneText(conll.render_bilou)),
        Format("jsonl", jsonl.SUFFIXES, jsonl.read, one=OneText(jsonl.render)),
        Format("inline", inline.SUFFIXES, inline.read, inline.render),
        Format("csv", table.CSV_SUFFIXES, table.read_csv, one=_CSV),
        Format("parquet", table.PARQUET_SUFFIXES, table.read_parquet, one=_PARQUET),
        Format("txt", text.SUFFIXES, text.read, text.render),
        Format("physionet", physionet.SUFFIXES, physionet.read),
    )
}
ALIASES = {
    # The 2016 challenge kept 2014's files; other corpora say which form theirs have.
    "i2b2-2014": "i2b2",
    "n2c2-2016": "i2b2",
    **{name: conventions.find(name).format for name in conventions.known()},
    "text": "txt",
    "tsv": "csv",
}


def find_format(name: str) -> Format:
    name = ALIASES.get(name, name)
    if name not in FORMATS:
        raise UnknownNameError("format", name, [*FORMATS, *ALIASES])
    return FORMATS[name]


def recognise_format(source: Path) -> Format:
    """The format of a file or of all the files in a folder; what cannot be told for certain is an error."""
    if not source.exists():
        raise CorpusError(f"{source}: no such file or folder")
    if not source.is_dir():
        found = _format_of_name(source) or _format_of_content(source)
        if found is None:
            raise CorpusError(f"{source}: cannot tell its format; say --from FORMAT")
        return FORMATS[found]
    counts = Counter(name for path in list_files(source, ("",)) if (name := _format_of_name(path)))
    if "brat" in counts:
        # Beside annotation files, text files are brat's.
        counts.pop("txt", None)
    if not counts:
        raise CorpusError(f"{source}: no document of a known format in this folder")
    if len(counts) > 1:
        shown = ", ".join(f"{n} {name}" for name, n in counts.most_common())
        raise CorpusError(f"{source}: files of several formats ({shown}); say which with --from FORMAT")
    return FORMATS[next(iter(counts))]


_BY_SUFFIX = {
    ".tagged.txt": "inline",
    ".ann": "brat",
    ".txt": "txt",
    ".text": "physionet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".conll": "conll",
    ".bio": "conll",
    ".iob": "conll",
    ".bilou": "conll",
}


def _format_of_name(path: Path) -> str | None:
    if path.name.endswith(".xml"):
        return _format_of_xml(path)
    for suffix, name in _BY_SUFFIX.items():
        if path.name.endswith(suffix):
            return name
    return None


_BY_FIRST_BYTES = (
    (b"PAR1", "parquet"),
    (b"{", "jsonl"),
    (b"-DOCSTART-", "conll"),
    (b"START_OF_RECORD=", "physionet"),
)


def _format_of_content(path: Path) -> str | None:
    """The format of a file whose name says nothing, where its beginning does."""
    head = _first_bytes(path).lstrip()
    if head.startswith(b"<?xml"):
        return _format_of_xml(path)
    return next((name for first, name in _BY_FIRST_BYTES if head.startswith(first)), None)


def _first_bytes(path: Path) -> bytes:
    if not path.is_file():
        # What is taken from a pipe is gone for the reader.
        return b""
    try:
        with path.open("rb") as stream:
            return stream.read(4096)
    except OSError:
        # Its reader will say why, and let the other files be.
        return b""


def _format_of_xml(path: Path) -> str:
    """2006 keeps records in one file; everything later has one note a file."""
    head = _first_bytes(path)
    before_text = head.partition(b"<TEXT")[0]
    return "i2b2-2006" if b"<RECORD" in before_text else "i2b2"
