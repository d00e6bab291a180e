"""A span that is to be replaced, with all that its replacement may ask: the note, the patient, the key."""

from __future__ import annotations

import datetime as dt
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field

from deidlab.banks import fold
from deidlab.languages.language import Language
from deidlab.mask.apply import settle
from deidlab.mask.base_labels import base_label
from deidlab.mask.collect import spoken_in
from deidlab.mask.dates import anchor_of
from deidlab.mask.keys import Stream
from deidlab.mask.places import place_group
from deidlab.mask.plan import PatientPlan
from deidlab.mask.tag import tag
from deidlab.types import Span

_WORD = re.compile(r"[^\W_]{2,}")


@dataclass(frozen=True, slots=True)
class Reading:
    """How a note is read, by the code of its language, and what it is redacted with."""

    language: str
    day_first: bool = False
    redact_mark: str | None = None


class NoteContext:
    """A note whose spans are being replaced, and what depends on where in it a span stands."""

    def __init__(self, plan: PatientPlan, text: str, spans: Sequence[Span], reading: Reading) -> None:
        self.plan, self.text, self.spans = plan, text, spans
        self.language, self.day_first = reading.language, reading.day_first
        self.redact_mark = reading.redact_mark
        self.starts = [span.start for span in spans]
        self._anchors: list[tuple[int, dt.date]] | None = None

    def before(self, span: Span) -> str:
        return self.text[max(0, span.start - 40) : span.start]

    def leaves(self, spans: Sequence[Span], new: str) -> bool:
        """Whether a word of one of the spans stands in the new text."""
        words = {fold(word) for word in _WORD.findall(new)}
        texts = (self.text[span.start : span.end] for span in settle(spans))
        return any(fold(word) in words for text in texts for word in _WORD.findall(text))

    def anchor(self, span: Span) -> dt.date | None:
        """The last full date before the span, or else the first one after it."""
        if self._anchors is None:
            dates = [s for s in self.spans if base_label(s.label) == "DATE"]
            day_first, language = self.day_first, self.language
            found = ((s.start, anchor_of(self.text[s.start : s.end], day_first, language)) for s in dates)
            self._anchors = [(start, date) for start, date in found if date]
        index = bisect_left(self._anchors, span.start, key=lambda item: item[0])
        if index:
            return self._anchors[index - 1][1]
        return self._anchors[0][1] if self._anchors else None

    def neighbour(self, span: Span, back: int = 1) -> Span | None:
        """The span so many places before this one."""
        index = bisect_left(self.starts, span.start) - back
        return self.spans[index] if index >= 0 else None


@dataclass(frozen=True, slots=True)
class Mention:
    """One span, the text that stands there, and the number of that text among the patient's own."""

    note: NoteContext = field(repr=False)
    span: Span
    text: str = field(repr=False)
    number: int | None = None

    @property
    def base(self) -> str:
        """The label of this house's own scheme that stands for the span's."""
        return base_label(self.span.label)

    @property
    def plan(self) -> PatientPlan:
        return self.note.plan

    @property
    def language(self) -> Language:
        """The language that the label tells, else that of the note."""
        return spoken_in(self.span.label, self.note.language)

    @property
    def stream(self) -> Stream:
        """Draws that are the same for this text wherever it stands in the patient's notes."""
        digest = self.plan.mention(self.text)
        return self.plan.keyring.stream("ids", self.base, self.plan.patient, digest)

    def group(self) -> bytes:
        """The region that the text names, by its digest."""
        return self.group_of(self.text, self.base)

    def group_of(self, text: str, base: str) -> bytes:
        """The same for another text, of another label of the house's own."""
        return place_group(self.plan.keyring, self.plan.patient, base, text, self.language)

    def tag(self) -> str:
        """What stands for a span of which nothing realistic can be made."""
        return tag(self.span.label)
