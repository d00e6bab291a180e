"""Documents in, a corpus on disk out; it appears under its name only when it is complete.

A document is rendered first and written then, each once: whoever must know whether a format can hold a note
renders it where that is to be told, and hands on what came of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from deidlab.corpus.files import (
    SIDECAR,
    complete_file,
    complete_folder,
    id_to_name,
    same_kind,
    sidecar_bytes,
)
from deidlab.corpus.format import FORMATS, Format, OnePacked, OneText
from deidlab.corpus.formats import find_format, refuse_misnamed
from deidlab.errors import CorpusError, UnknownNameError
from deidlab.types import Document


@dataclass(frozen=True, slots=True)
class Rendered:
    """One note as its format writes it: the bytes of its files by their endings, its text, or its row."""

    id: str
    content: Any = field(repr=False)


def write_corpus(
    documents: Iterable[Document],
    destination: Path | str,
    format: str,
    overwrite: bool = False,
    is_own: Callable[[str, frozenset[str]], bool] = same_kind,
) -> Counter[str]:
    """Write the documents; what the format cannot hold is counted in the answer, by kind.

    `is_own` says which files of a folder that is overwritten may go, as for `complete_folder`.

    `destination` is a folder, or a file where the format is one file; in an existing folder such a file
    is called `corpus` with the format's suffix.
    """
    chosen, losses = find_format(format), Counter[str]()
    refuse_misnamed(Path(destination), chosen)
    notes = (render_note(document, chosen, losses) for document in documents)
    write_rendered(notes, Path(destination), chosen, overwrite, is_own)
    return +losses


def render_note(document: Document, format: Format, losses: Counter[str]) -> Rendered:
    """The note as it is written; raises where the format cannot hold it."""
    if isinstance(format.one, OneText | OnePacked):
        return Rendered(document.id, format.one.render(document, losses))
    if format.one is not None:
        return Rendered(document.id, format.one.render(document))
    assert format.render is not None
    files = format.render(document, losses)
    extra = sidecar_bytes(document, format.usual_patient(document.id))
    return Rendered(document.id, files if extra is None else {**files, SIDECAR: extra})


def write_rendered(
    notes: Iterable[Rendered],
    destination: Path,
    format: Format,
    overwrite: bool = False,
    is_own: Callable[[str, frozenset[str]], bool] = same_kind,
) -> None:
    """Write notes that were rendered, as `write_corpus` does."""
    if not format.can_write:
        known = [each.name for each in FORMATS.values() if each.can_write]
        raise UnknownNameError("format to write", format.name, known)
    one = format.one
    if one is None:
        with complete_folder(destination, overwrite, is_own) as folder:
            for note in notes:
                _write_files(note, folder)
        return
    path = format.place_of_one(destination)
    with complete_file(path, overwrite) as partial:
        if not isinstance(one, OneText):
            one.write((note.content for note in notes), partial)
            return
        with partial.open("w", encoding="utf-8", newline="") as stream:
            stream.writelines(one.whole(note.content for note in notes))


def _write_files(note: Rendered, folder: Path) -> None:
    name = id_to_name(note.id)
    for suffix, data in note.content.items():
        try:
            with (folder / f"{name}{suffix}").open("xb") as stream:
                stream.write(data)
        except FileExistsError:
            raise CorpusError(
                f"document {note.id}: a second document of this id (or one that differs only in case); "
                "`deidlab corpus check` lists them"
            ) from None
