"""What travels to a worker and back: a job is what one request, or one stretch of a stream, asks for."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

from deidlab.mask import Policy
from deidlab.types import Document
from deidlab.web.settings import ServedCodes, ServedModel

TaskName = Literal["detect", "mask"]


def nameless(reason: str, documents: Iterable[Document]) -> str:
    """The reason without ids: they come from outside, and may be names."""
    for document in documents:
        reason = reason.replace(f"document {document.id}", "the note")
    return reason


@dataclass(frozen=True, slots=True)
class Job:
    """Notes that are answered together; those of one patient are masked alike.

    `given` tells that people's spans stand in the notes, so that nothing is to be found. `candidates` and
    `words` ask for more of a detection, `with_text` for the note's text beside its spans. `pseudonyms` puts
    keyed names in the place of ids and patients. A `resource` of FHIR is masked instead of documents; where
    it names no patient, it is the `stranger`'s.
    """

    task: TaskName
    model: str
    documents: tuple[Document, ...] = field(repr=False)
    given: bool = False
    style: str = "tag"
    policy: str = "i2b2"
    day_first: bool = False
    pseudonyms: bool = False
    candidates: bool = False
    words: bool = False
    with_text: bool = False
    resource: bytes | None = field(default=None, repr=False)
    stranger: str = field(default="", repr=False)

    @property
    def n_characters(self) -> int:
        return len(self.resource or b"") + sum(len(document.text) for document in self.documents)


@dataclass(frozen=True, slots=True)
class Done:
    """The answer to a job: a JSON object a note, in order, and how many spans are in them."""

    objects: tuple[bytes, ...] = field(repr=False)
    n_spans: int = 0


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a worker loads before its first job."""

    models: tuple[ServedModel, ...]
    policies: tuple[Policy, ...] = ()
    key: bytes = field(default=b"", repr=False)
    codes: ServedCodes = field(default_factory=ServedCodes)


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker has loaded everything: the labels that each model can find."""

    labels: tuple[tuple[str, tuple[str, ...]], ...]
