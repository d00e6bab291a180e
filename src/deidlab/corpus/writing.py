"""Documents in, a corpus on disk out; it appears under its name only when it is complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from deidlab.corpus.files import (
    SIDECAR,
    complete_file,
    complete_folder,
    id_to_name,
    same_kind,
    sidecar_bytes,
)
from deidlab.corpus.formats import FORMATS, Format, find_format
from deidlab.errors import CorpusError, UnknownNameError
from deidlab.types import Document


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
    chosen = find_format(format)
    if not chosen.can_write:
        known = [each.name for each in FORMATS.values() if each.can_write]
        raise UnknownNameError("format to write", chosen.name, known)
    destination = Path(destination)
    losses: Counter[str] = Counter()
    if chosen.write is not None:
        path = destination / f"corpus{chosen.suffixes[0]}" if destination.is_dir() else destination
        with complete_file(path, overwrite) as partial:
            chosen.write(documents, partial, losses)
    else:
        with complete_folder(destination, overwrite, is_own) as folder:
            for document in documents:
                _write_document(document, folder, chosen, losses)
    return +losses


def _write_document(document: Document, folder: Path, format: Format, losses: Counter[str]) -> None:
    assert format.render is not None
    name = id_to_name(document.id)
    files = format.render(document, losses)
    extra = sidecar_bytes(document, format.usual_patient(document.id))
    if extra is not None:
        files[SIDECAR] = extra
    for suffix, data in files.items():
        try:
            with (folder / f"{name}{suffix}").open("xb") as stream:
                stream.write(data)
        except FileExistsError:
            raise CorpusError(
                f"document {document.id}: a second document of this id (or one that differs only in case); "
                "`deidlab corpus check` lists them"
            ) from None
