"""What a carrier is: bytes of a container in, its pieces out; and the same container with other pieces.

Whatever a carrier does not know, it removes and counts, or it refuses the container: nothing that nobody has
classified is passed through.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

from deidlab.errors import CorpusError

KEY = "KEY"
"""The label of a key that links records: it becomes the same pseudonym wherever it stands, in any style."""

_TYPED = ":"


def typed_label(label: str, kind: str, space: str = "") -> str:
    """The label of a field that holds nothing but one kind of value, such as a column of dates or of numbers.

    What takes its place is of that kind again, and empty where nothing of it may stay. Keys of one `space`
    are pseudonyms of one another wherever they stand.
    """
    return _TYPED.join((label, kind, space) if space else (label, kind))


def split_label(label: str) -> tuple[str, str, str]:
    """The label, kind and space; kind and space are empty where the label is not that of a typed field."""
    plain, _, rest = label.partition(_TYPED)
    kind, _, space = rest.partition(_TYPED)
    return plain, kind, space


Removed = Counter[str]
"""What was taken out since nobody has classified it, by kinds that the standard names."""


class Refused(CorpusError):
    """A container that cannot be taken apart safely; the message quotes nothing of it."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The text at one place of a container.

    `label` is the PHI type that a typed field holds, or KEY; without one the text is searched. The `caption`
    is a word for the place, such as DOB, that stands before the piece in the note and is never put back.
    `cuts` are the offsets at which the text goes on in another run, so that a name over two runs is one name.
    """

    text: str = field(repr=False)
    label: str = ""
    caption: str = ""
    cuts: tuple[int, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Slot:
    """One piece, and how what became of it is put in its place: called with the text of each of its runs."""

    piece: Piece
    put: Callable[..., None] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text that stands in one place, and how another is put there."""

    text: str = field(repr=False)
    put: Callable[[str], None] = field(repr=False)


def join_runs(runs: Sequence[Run], caption: str = "") -> Slot:
    """Runs that are read as one text, as a single piece."""

    def put(*texts: str) -> None:
        for run, text in zip(runs, texts, strict=True):
            if text != run.text:
                run.put(text)

    cuts = tuple(accumulate(len(run.text) for run in runs[:-1]))
    return Slot(Piece("".join(run.text for run in runs), "", caption, cuts), put)


def put_all(slots: Iterable[Slot], texts: Sequence[str]) -> None:
    """Fill slots with the texts of their runs, in order."""
    left = iter(texts)
    for slot in slots:
        slot.put(*(next(left) for _ in range(len(slot.piece.cuts) + 1)))
    if next(left, None) is not None:
        raise ValueError("more texts than places")


@dataclass(frozen=True, slots=True)
class Parts:
    """A container taken apart: its pieces, always in the same order; whose it is; what is left out.

    `patient` is empty where the container does not say.
    """

    pieces: tuple[Piece, ...] = field(repr=False)
    patient: str = field(default="", repr=False)
    id: str = field(default="", repr=False)
    removed: Mapping[str, int] = field(default_factory=dict)


class Carrier(Protocol):
    """One kind of container."""

    def take_apart(self, content: bytes) -> Parts:
        """Its pieces; a container that cannot be read, or not safely, is `Refused`."""
        ...

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        """The container with these texts in the place of its pieces, one for each run and in their order.

        A piece without cuts is one run.

        All else that is not known to be harmless is gone. A text that its place cannot hold, such as a tag
        in the place of a date, is left out there in the way that the standard has for that.
        """
        ...
