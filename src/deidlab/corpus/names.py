"""A corpus in, how the names of its files are told apart out: where two are the same, by their folders.

Ids made of file names stay what they were wherever these names differ. `a/note.txt` and `b/note.txt` become
`a/note` and `b/note`; `x.csv` beside `x.tsv` have their endings in the ids of their rows.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from deidlab.corpus.files import walk_files
from deidlab.corpus.format import Format
from deidlab.corpus.raw import BadDocument, RawDocument

Around = tuple[str, str]
"""What stands before and after an id that is made of a file's name."""


class FileNames:
    """The names that several files of a corpus share."""

    def __init__(self, source: Path, format: Format) -> None:
        self._source = source
        self._format = format
        self._shared: set[str] = set()
        self._twins: set[tuple[str, str]] = set()
        if not source.is_dir():
            return
        seen: set[str] = set()
        here, folder_before = set[str](), ""
        for folder, name in walk_files(source, format.suffixes):
            stem = self._stem(name)
            if folder != folder_before:
                here, folder_before = set(), folder
            if stem in here:
                self._twins.add((folder, stem))
            elif stem in seen:
                self._shared.add(stem)
            here.add(stem)
            seen.add(stem)

    def around(self, path: Path) -> Around:
        """What makes the ids of this file its own."""
        folder, name = os.path.split(path)
        stem = self._stem(name)
        before = after = ""
        if stem in self._shared:
            inside = path.relative_to(self._source).parent.as_posix()
            before = "" if inside == "." else f"{inside}/"
        if (folder, stem) in self._twins:
            after = path.suffix
        return before, after

    def _stem(self, name: str) -> str:
        ending = next((each for each in self._format.all_suffixes if name.endswith(each)), "")
        return name.removesuffix(ending)


def rename(raw: RawDocument | BadDocument, around: Around) -> RawDocument | BadDocument:
    """The document under an id of its own, where its id is made of a name that other files have."""
    if around == ("", "") or isinstance(raw, BadDocument) or not raw.named_by_file:
        return raw
    before, after = around
    patient = "" if raw.patient == raw.id else raw.patient
    return replace(raw, id=f"{before}{raw.id}{after}", patient=patient)
