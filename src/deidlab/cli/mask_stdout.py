"""Standard output as a destination."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from deidlab.corpus.files import SIDECAR
from deidlab.corpus.format import Format, OneText
from deidlab.corpus.writing import Rendered, render_note
from deidlab.errors import CorpusError
from deidlab.types import Document

DASH = Path("-")


@contextlib.contextmanager
def writing_to(out: Path, format: Format) -> Iterator[Path]:
    """The destination; for - a private folder whose one masked file is copied out and removed."""
    if out != DASH:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="deidlab-") as folder:
        destination = Path(folder) / f"out{format.suffixes[0]}"
        yield destination
        files = [destination] if destination.is_file() else sorted(destination.glob("*"))
        if len(files) > 1:
            raise CorpusError(
                f"standard output holds one file, and {format.name} needs {len(files)}; use --out FOLDER"
            )
        for path in files:
            with path.open("rb") as stream:
                shutil.copyfileobj(stream, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def print_documents(documents: Iterable[Document], format: Format, stream: IO[bytes]) -> None:
    """Documents to a stream, with no file in between: the one file of all, or of the one note."""
    print_notes((render_note(document, format, Counter()) for document in documents), format, stream)


def print_notes(notes: Iterable[Rendered], format: Format, stream: IO[bytes]) -> None:
    """The same for notes that were rendered."""
    if isinstance(format.one, OneText):
        stream.writelines(piece.encode() for piece in format.one.whole(note.content for note in notes))
    elif format.is_note_a_file:
        for number, note in enumerate(notes):
            files = [data for ending, data in note.content.items() if ending != SIDECAR]
            if number or len(files) > 1:
                raise CorpusError(f"a stream holds one file, and {format.name} needs several; use jsonl")
            stream.write(files[0])
    else:
        raise CorpusError(f"{format.name} cannot be written to a stream; use jsonl, or files")
    stream.flush()
