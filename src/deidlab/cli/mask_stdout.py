"""Standard output as a destination."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from deidlab.cli.mask_options import DASH
from deidlab.corpus.formats import Format, find_format
from deidlab.corpus.jsonl import document_to_record
from deidlab.errors import CorpusError
from deidlab.types import Document


@contextlib.contextmanager
def writing_to(out: Path, format: str) -> Iterator[Path]:
    """The destination; for - a private folder whose one masked file is copied out and removed."""
    if out != DASH:
        yield out
        return
    chosen = find_format(format)
    with tempfile.TemporaryDirectory(prefix="deidlab-") as folder:
        destination = Path(folder) / f"out{chosen.suffixes[0]}"
        yield destination
        files = [destination] if destination.is_file() else sorted(destination.glob("*"))
        if len(files) > 1:
            raise CorpusError(
                f"standard output holds one file, and {chosen.name} needs {len(files)}; use --out FOLDER"
            )
        for path in files:
            with path.open("rb") as stream:
                shutil.copyfileobj(stream, sys.stdout.buffer)
        sys.stdout.buffer.flush()


def print_documents(documents: Iterable[Document], format: Format, stream: IO[bytes]) -> None:
    """Documents to a stream, with no file in between: JSON lines, or the one file of the one note."""
    if format.name == "jsonl":
        for document in documents:
            stream.write((json.dumps(document_to_record(document), ensure_ascii=False) + "\n").encode())
    elif format.render is not None:
        for number, document in enumerate(documents):
            files = format.render(document, Counter())
            if number or len(files) > 1:
                raise CorpusError(f"a stream holds one file, and {format.name} needs several; use jsonl")
            stream.write(next(iter(files.values())))
    else:
        raise CorpusError(f"{format.name} cannot be written to a stream; use jsonl, or files")
    stream.flush()
