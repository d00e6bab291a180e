"""A corpus with the answers of a system in, a system that gives them again out: predictions made
elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deidlab.corpus import read_corpus
from deidlab.systems.contract import Answer, SystemFacts, SystemFailure
from deidlab.systems.usage import Usage
from deidlab.types import Document, Span


@dataclass(slots=True)
class RecordedSystem:
    """Knows notes by id; a note that is not there, or has another text there, fails."""

    folder: Path
    format: str | None = None
    facts: SystemFacts = field(default_factory=SystemFacts)
    usage: Usage = field(default_factory=Usage)
    _found: dict[str, tuple[str, Sequence[Span]]] = field(default_factory=dict, repr=False)

    def open(self) -> None:
        """Read all of it."""
        self._found = {each.id: (each.text, each.spans) for each in read_corpus(self.folder, self.format)}

    def find_document(self, document: Document) -> Answer:
        """What the corpus has for the note."""
        if document.id not in self._found:
            raise SystemFailure("has no answer to this note")
        text, spans = self._found[document.id]
        if text != document.text:
            raise SystemFailure("answered about another text than it was given")
        return Answer(tuple(spans), len(text))

    def close(self) -> None:
        self._found.clear()
