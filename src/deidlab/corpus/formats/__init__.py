"""The formats that DeidLab reads and writes, a file each, and how to tell them apart.

Every module of this package is loaded, and registers what it holds: a new format is a new file here.
"""

from __future__ import annotations

import codecs
import pkgutil
from collections import Counter
from importlib import import_module
from pathlib import Path

from deidlab import conventions
from deidlab.corpus.files import list_files
from deidlab.corpus.format import ALIASES, FORMATS, Format
from deidlab.errors import CorpusError, UnknownNameError, UsageError

__all__ = [
    "find_format",
    "format_to_write",
    "formats_to_write",
    "known",
    "recognise_format",
    "refuse_misnamed",
]

# As far as most notes reach: what tells a format may stand behind a note's text.
_HEAD_BYTES = 1 << 16

for _module in sorted(each.name for each in pkgutil.iter_modules(__path__)):
    import_module(f"{__name__}.{_module}")


def known() -> tuple[str, ...]:
    """Every name that `find_format` takes."""
    return (*FORMATS, *ALIASES, *conventions.known())


def find_format(name: str) -> Format:
    """The format of that name; a corpus with conventions of its own stands for the format of its files."""
    if name in conventions.known():
        name = conventions.find(name).format
    name = ALIASES.get(name, name)
    if name not in FORMATS:
        raise UnknownNameError("format", name, known())
    return FORMATS[name]


def recognise_format(source: Path) -> Format:
    """The format of a file or of all the files in a folder; what cannot be told for certain is an error."""
    if not source.exists():
        raise CorpusError(f"{source}: no such file or folder")
    if not source.is_dir():
        found = _format_of_name(source) or _format_of_content(source)
        if found is None:
            raise CorpusError(f"{source}: cannot tell its format; say --from FORMAT")
        return found
    counts = Counter(found.name for path in list_files(source, ("",)) if (found := _format_of_name(path)))
    # Text files beside brat's annotations are brat's: what one format may have holds for all of it.
    names = [name for name in counts if not any(_holds(other, name) for other in counts)]
    if not names:
        raise CorpusError(f"{source}: no document of a known format in this folder")
    if len(names) > 1:
        shown = ", ".join(f"{n} {name}" for name, n in counts.most_common() if name in names)
        raise CorpusError(f"{source}: files of several formats ({shown}); say which with --from FORMAT")
    return FORMATS[names[0]]


def _holds(name: str, other: str) -> bool:
    """Whether files of the other format may be of this one, by their endings, and not the other way round."""
    return set(FORMATS[name].all_suffixes) > set(FORMATS[other].all_suffixes)


def _format_of_name(path: Path) -> Format | None:
    """By the longest ending that a format has; where several have it, by what stands in the file."""
    found = _by_ending(path.name)
    if any(each.is_special for each in found) or (len(found) > 1 and any(each.begins for each in found)):
        head = _first_bytes(path)
        begun = [each for each in found if each.begins and each.begins(head)]
        usual = [each for each in found if not each.is_special]
        found = [each for each in begun if each.is_special] or begun or usual
    # A file that belongs to a note's tells the format of both; the note's own file tells nothing of another.
    beside = [each for each in found if each.side_suffixes and path.name.endswith(each.side_suffixes)]
    alone = [each for each in found if not each.side_suffixes]
    return next(iter(beside or alone or found), None)


def _by_ending(name: str) -> list[Format]:
    """The formats with the longest ending that fits, those first that write it."""
    endings = [suffix for each in FORMATS.values() for suffix in each.all_suffixes if name.endswith(suffix)]
    longest = max(endings, key=len, default="")
    found = [each for each in FORMATS.values() if longest in each.all_suffixes]
    return sorted(found, key=lambda each: (each.is_special, longest != each.suffixes[0]))


def _format_of_content(path: Path) -> Format | None:
    """The format of a file whose name says nothing, where its beginning does."""
    head = _first_bytes(path)
    found = (each for each in FORMATS.values() if each.begins and each.begins(head))
    return min(found, key=lambda each: not each.is_special, default=None)


def _first_bytes(path: Path) -> bytes:
    if not path.is_file():
        # What is taken from a pipe is gone for the reader.
        return b""
    try:
        with path.open("rb") as stream:
            return stream.read(_HEAD_BYTES).removeprefix(codecs.BOM_UTF8).lstrip()
    except OSError:
        # Its reader will say why, and let the other files be.
        return b""


def formats_to_write(name: str) -> list[Format]:
    """The formats that a new file or folder of that name may be in; none where its name tells none."""
    found = [each for each in _by_ending(name) if each.can_write]
    # An ending that is a format's first is that format's own, whoever else reads it.
    own = [each for each in found if name.endswith(each.suffixes[0]) and not each.is_special]
    return [each for each in found if each in own or each.is_special] if own else found


def format_to_write(destination: Path, wanted: str | None, otherwise: str) -> Format:
    """The format that was asked for, else that of the new file's name, else another."""
    if wanted is not None:
        return find_format(wanted)
    named = [] if destination.is_dir() else formats_to_write(destination.name)
    return next((each for each in named if each.one is not None), find_format(otherwise))


def refuse_misnamed(destination: Path, format: Format) -> None:
    """Raise where the name of a new file or folder tells another format than what is written."""
    others = [] if destination.is_dir() else formats_to_write(destination.name)
    if others and format not in others:
        said = " or ".join(each.name for each in others)
        kind = "a folder" if format.one is None else f"a file that ends in {format.suffixes[0]}"
        raise UsageError(
            f"{destination}: its name says {said}, and {format.name} would be written; name {kind}, "
            "or ask for the format of the name"
        )
