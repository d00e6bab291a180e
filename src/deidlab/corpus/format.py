"""What a format is: all that the house asks of one, as a value that the format's own file makes.

A format is a file of `formats/` with `register(Format(…))` in it; nothing else knows its name or the endings
of its files. What is left out of the value, the format cannot do, and who asks is told so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from deidlab.carriers import Carrier, standing
from deidlab.corpus.raw import BadDocument, RawDocument, ReadSettings
from deidlab.errors import ConfigError, MissingExtraError
from deidlab.inputfile import open_input
from deidlab.types import Document

Reader = Callable[[Path, ReadSettings], Iterator[RawDocument | BadDocument]]
"""The documents of one file; of a file that only belongs to a note's, none."""
Renderer = Callable[[Document, Counter[str]], dict[str, bytes]]
"""The files of one document by their endings; what they cannot hold is counted."""

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class OneText:
    """One file for all documents: the text of each, between a head and a foot, and what stands `between`."""

    render: Callable[[Document, Counter[str]], str]
    head: str = ""
    foot: str = ""
    between: str = ""

    def whole(self, texts: Iterable[str]) -> Iterator[str]:
        """The file, piece by piece."""
        yield self.head
        for number, text in enumerate(texts):
            yield self.between + text if number else text
        yield self.foot


@dataclass(frozen=True, slots=True)
class OnePacked:
    """One file for all documents that is no text: `write` packs what `render` makes of each into it."""

    render: Callable[[Document, Counter[str]], str]
    write: Callable[[Iterable[str], Path], None]


@dataclass(frozen=True, slots=True)
class OneTable:
    """One file for all documents: a row each.

    `render` and `write` hold documents as they are. `write_cells` writes rows of any columns under a header,
    the values of columns that were kept turned by `cell` into what the table can hold.
    """

    render: Callable[[Document], Any]
    write: Callable[[Iterable[Any], Path], None]
    write_cells: Callable[[Iterable[Sequence[Any]], Path, Sequence[str]], None]
    cell: Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Counted:
    """How many notes: `exact`, or as the size of the files lets one expect.

    `longer` is how much longer notes are than the first ones, 1 where they are alike.
    """

    n_notes: int
    exact: bool = True
    longer: float = 1.0


Sampler = Callable[[Sequence[Path], int], Counted]
"""Files and how many notes are looked at as a sample -> how many notes the files hold."""


def whole_file(data: bytes) -> Sequence[bytes]:
    """Of a format whose file is decoded as one."""
    return (data,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format; `render` makes a file or two of a document, `one` is how all of them are one file.

    `suffixes` are the endings of the files that notes are in, that of what is written first; files that end
    in one of `side_suffixes` belong to such a file. `begins` tells from the first bytes whether a file may be
    of this format, where its ending does not. `lacks` names all that may be lost of a document.

    `count` is how many notes a file holds, told without reading them as notes, and `sample` how many several
    hold, and how long. `columns` are those of a table's file, given how it is to be shown, None where they
    cannot be told. `first_notes` cuts the beginning of a file into what is decoded by itself; None where the
    files say their own encoding. `usual_patient` is the patient that an id tells.

    `is_plain` tells that a file is its note's text and nothing else, so that it holds no spans and a stream
    of it is one note; `is_special` that a file is of this format by what it begins with alone, before any
    format whose endings and beginning it shares; `in_row_groups` that any machine can read a file's rows by
    their place. `extra` is the package that reads and writes it, and the extra that brings it, where the
    core does not. The `carrier` is what takes its containers apart, where notes stand in such.
    """

    name: str
    read: Reader
    suffixes: tuple[str, ...]
    side_suffixes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    begins: Callable[[bytes], bool] | None = None
    render: Renderer | None = None
    one: OneText | OnePacked | OneTable | None = None
    lacks: tuple[str, ...] = ()
    count: Callable[[Path], int] | None = None
    sample: Sampler | None = None
    columns: Callable[[Path, Path, ReadSettings], Sequence[str] | None] | None = None
    first_notes: Callable[[bytes], Sequence[bytes]] | None = whole_file
    usual_patient: Callable[[str], str] = str
    media_type: str = "application/octet-stream"
    is_plain: bool = False
    is_special: bool = False
    in_row_groups: bool = False
    extra: tuple[str, str] | None = None
    carrier: Carrier | None = None

    @property
    def in_containers(self) -> bool:
        """Whether its notes are written only into what they were read from."""
        return self.carrier is not None

    @property
    def can_write(self) -> bool:
        return self.render is not None or self.one is not None

    @property
    def takes_any_note(self) -> bool:
        """Whether notes of any source can be written in it."""
        return self.can_write and not self.in_containers

    @property
    def all_suffixes(self) -> tuple[str, ...]:
        return self.suffixes + self.side_suffixes

    @property
    def is_note_a_file(self) -> bool:
        """Whether each note is a file of its own, or several."""
        return self.render is not None

    @property
    def is_one_file_a_note(self) -> bool:
        """Whether each note is a single file."""
        return self.render is not None and not self.side_suffixes

    def require(self) -> None:
        """Raise, before any work, where what reads and writes it is not installed."""
        if self.extra is not None and not self.is_installed():
            raise MissingExtraError(self.name, self.extra[1])

    def is_installed(self) -> bool:
        return self.extra is None or find_spec(self.extra[0]) is not None

    def place_of_one(self, destination: Path) -> Path:
        """The one file: in a folder that is there, it is called `corpus`."""
        return destination / f"corpus{self.suffixes[0]}" if destination.is_dir() else destination

    def note_files(self, paths: Iterable[Path]) -> Iterator[Path]:
        """Those that notes are in, without what belongs to them; a file of any name may have been named."""
        return (path for path in paths if not (self.side_suffixes and path.name.endswith(self.side_suffixes)))


FORMATS: dict[str, Format] = {}
"""All formats by their names, as their files register them."""
ALIASES: dict[str, str] = {}


def register(format: Format) -> Format:
    """Make a format known; a name that another has is refused."""
    for name in (format.name, *format.aliases):
        if name in FORMATS or name in ALIASES:
            raise ConfigError(f"format '{name}': another format has this name; give it one of its own")
    if format.carrier is not None:
        standing.stands(format.name, format.carrier, format.is_installed)
    FORMATS[format.name] = format
    ALIASES.update(dict.fromkeys(format.aliases, format.name))
    return format


def forget(format: Format) -> None:
    """Undo `register`."""
    del FORMATS[format.name]
    standing.fell(format.name)
    for name in format.aliases:
        del ALIASES[name]


def longer_than_first(n_notes: int, n_bytes: int, n_first: int, first_bytes: int) -> float:
    """How much longer the notes are than the first ones."""
    if not first_bytes or n_notes <= n_first:
        return 1.0
    return (n_bytes / n_notes) / (first_bytes / n_first)


def blocks_of(path: Path) -> Iterator[bytes]:
    """A file's bytes, for those who count."""
    with open_input(path) as stream:
        yield from iter(lambda: stream.read(_BLOCK), b"")
