"""Several taggers in, one answer out: by the mean of their probabilities, or by a vote of their tags.

They must cut the same words and know the same tags. A folder with a `committee.json` that names them is a
model like any other; the file knows its members by the digest of their weights too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np

from deidlab.detect.findings import Describer, Findings, NoteTagger
from deidlab.detect.folder import WEIGHTS, TaggerFacts, read_committee
from deidlab.detect.model import load_model
from deidlab.encode.decoding import Scores, TagGrammar, TagIds, decode_valid
from deidlab.errors import ConfigError, ModelError
from deidlab.types import Document

# Below every other difference: it decides only where votes are equal.
_LEAST = np.float32(1e-3)
_BATCH_NOTES = 256


class Member(Protocol):
    """A tagger that may sit on a committee."""

    @property
    def facts(self) -> TaggerFacts: ...

    def tag_notes(self, documents: Iterable[Document]) -> Iterator[Findings]: ...


class Committee(NoteTagger):
    """Taggers that answer as one."""

    def __init__(self, members: Sequence[Member], how: str) -> None:
        first = members[0].facts
        if any((each.facts.tags, each.facts.words) != (first.tags, first.words) for each in members):
            raise ConfigError("these models cannot answer together: they do not share words and tags")
        languages = {each.facts.language for each in members}
        language = languages.pop() if len(languages) == 1 else ""
        self.facts = replace(first, language=language, phi_minimum=None, conventions="", own_threshold=None)
        self._members, self._how = tuple(members), how
        self._grammar, self._describer = TagGrammar.of(first.tags), Describer(self.facts)

    def tag_notes(self, documents: Iterable[Document]) -> Iterator[Findings]:
        """What all find together in each note, in the order of the notes."""
        stream = iter(documents)
        while batch := list(islice(stream, _BATCH_NOTES)):
            found = [list(member.tag_notes(batch)) for member in self._members]
            own = [[note.probabilities for note in notes] for notes in found]
            tags = combine_probabilities(own, self._grammar, self._how)
            for place, (document, note) in enumerate(zip(batch, found[0], strict=True)):
                mean = np.mean(np.stack([notes[place] for notes in own]), axis=0)
                yield self._describer.describe(note.id, document.text, note.words, tags[place], mean)


def combine_probabilities(members: Sequence[Sequence[Scores]], grammar: TagGrammar, how: str) -> list[TagIds]:
    """The tags of each note's words from each member's [words, tags] probabilities.

    `mean` takes the best valid run of tags under the mean; `vote` the one that most members' own tags agree
    with, word by word, where the mean decides between equals.
    """
    combined = []
    for notes in zip(*members, strict=True):
        mean = np.mean(np.stack(notes), axis=0)
        if how == "mean":
            combined.append(_logs(mean))
            continue
        votes = np.zeros_like(mean)
        for tags in decode_valid([_logs(note) for note in notes], grammar):
            votes[np.arange(len(tags)), tags] += 1.0
        combined.append((votes + _LEAST * mean).astype(np.float32))
    return decode_valid(combined, grammar)


def _logs(probabilities: Scores) -> Scores:
    return np.log(np.maximum(probabilities, 1e-12)).astype(np.float32)


def describe_committee(how: str, members: Sequence[tuple[str, Path]]) -> bytes:
    """The text of a `committee.json`: members by their paths from its folder, and where they lie now."""
    rows = [{"folder": name, "weights": _digest(place)} for name, place in members]
    return (json.dumps({"committee": 1, "how": how, "members": rows}, indent=1) + "\n").encode()


def load_committee(folder: Path, device: str = "cpu", threads: int | None = None) -> Committee:
    """The committee of a folder, its members loaded; other weights than it was written for are refused."""
    how, members = read_committee(folder)
    for member, digest in members:
        if not (member / WEIGHTS).is_file():
            raise ModelError(f"{folder}: a member is gone, {member}")
        if _digest(member) != digest:
            raise ModelError(f"{folder}: the weights in {member} are not those that it was made of")
    return Committee([load_model(member, threads, device=device) for member, _ in members], how)


def _digest(folder: Path) -> str:
    with (folder / WEIGHTS).open("rb") as weights:
        return f"sha256:{hashlib.file_digest(weights, 'sha256').hexdigest()}"
