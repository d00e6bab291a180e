"""The text of HL7 v2: delimiters, escapes, and a segment as fields, repetitions, components and parts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

from deidlab.carriers.carrier import Refused

Repetition = list[list[str]]
_LAYOUT = re.compile(r"\.(?:br|fi|nf|ce|(?:sp|in|ti|sk)[+-]?\d*)")


@dataclass(frozen=True, slots=True)
class Delimiters:
    """Those that a message names itself."""

    fields: str = "|"
    components: str = "^"
    repetitions: str = "~"
    escape: str = "\\"
    parts: str = "&"

    @classmethod
    def of(cls, header: str) -> Delimiters:
        """What the first segment says; delimiters that are letters, or twice the same, are none."""
        named = header[3:4], *header[4:].split(header[3:4], 1)[0][:4]
        whole = (*named, *("|", "^", "~", "\\", "&")[len(named) :])
        if len(set(whole)) != len(whole) or any(each.isalnum() or each.isspace() for each in whole):
            raise Refused("its first segment names no delimiters that could be told apart")
        return cls(*whole)

    def read(self, written: str) -> str:
        """The text that stands for escapes: a line's end, a delimiter, or a character by its number."""
        if self.escape not in written:
            return written
        pieces = written.split(self.escape)
        out = [pieces[0]]
        inside = True
        for place, piece in enumerate(pieces[1:], 1):
            closed = place < len(pieces) - 1
            if inside and closed:
                out.append(self._meant(piece))
                inside = False
            else:
                out.append(piece if not inside else self.escape + piece)
                inside = True
        return "".join(out)

    def _meant(self, code: str) -> str:
        plain = {
            "F": self.fields,
            "S": self.components,
            "R": self.repetitions,
            "E": self.escape,
            "T": self.parts,
        }
        if code in plain:
            return plain[code]
        if _LAYOUT.fullmatch(code):
            return "\n" if code[1:3] in ("br", "sp", "ce") else " "
        if code in ("H", "N"):
            return ""
        if re.fullmatch(r"X(?:[0-9A-Fa-f]{2})+", code):
            return bytes.fromhex(code[1:]).decode("utf-8", "replace")
        # What is no escape of the standard is text, and may hold a name.
        return f"{self.escape}{code}{self.escape}"

    def write(self, text: str) -> str:
        """The mirror of `read`."""
        codes = {
            self.escape: "E", self.fields: "F", self.components: "S", self.repetitions: "R", self.parts: "T",
            "\n": ".br", "\r": ".br",
        }  # fmt: skip
        return "".join(f"{self.escape}{codes[c]}{self.escape}" if c in codes else c for c in text)


@dataclass(slots=True)
class Segment:
    """A segment; `fields` are those from number 1 on, parsed only as far as somebody asks."""

    name: str
    fields: list[list[Repetition]] = field(repr=False)
    first: int = 1
    """The number of the first of `fields`: in a header the first is the delimiter itself."""

    def numbers(self) -> range:
        return range(self.first, self.first + len(self.fields))

    def repetitions(self, number: int) -> list[Repetition]:
        index = number - self.first
        return self.fields[index] if 0 <= index < len(self.fields) else [[[""]]]

    def is_empty(self, number: int) -> bool:
        return not any(part for one in self.repetitions(number) for component in one for part in component)

    def clear(self, number: int) -> None:
        self.fields[number - self.first] = [[[""]]]

    def text(self, number: int, delimiters: Delimiters) -> str:
        """The first component of a field."""
        return delimiters.read(self.repetitions(number)[0][0][0])

    def lines(self, number: int, delimiters: Delimiters) -> list[str]:
        """A field of text as its lines: repetitions, and lines within them. What only divides is text too."""
        return [line for lines in self._lines(number, delimiters) for line in lines]

    def _lines(self, number: int, delimiters: Delimiters) -> list[list[str]]:
        """The lines of each repetition."""
        texts = (
            delimiters.components.join(delimiters.parts.join(component) for component in one)
            for one in self.repetitions(number)
        )
        return [delimiters.read(text).split("\n") for text in texts]

    def put_lines(self, number: int, lines: list[str], delimiters: Delimiters) -> None:
        """Other lines in the repetitions that are there; a segment that ends before the field grows."""
        old = self._lines(number, delimiters)
        if "\n".join(lines) == "\n".join(line for each in old for line in each):
            return
        index = number - self.first
        self.fields += [[[[""]]] for _ in range(index + 1 - len(self.fields))]
        dealt = deal(lines, [len(each) for each in old])
        self.fields[index] = [[[delimiters.write("\n".join(each))]] for each in dealt]


def deal(lines: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    """To each place as many lines as it had, and to the last whatever is left."""
    left = iter(lines)
    return [*(list(islice(left, size)) for size in sizes[:-1]), list(left)]


def read_place(repetition: Repetition, place: str) -> str:
    """What stands at a place: 5 is a component with all its parts, 1.2 one part; empty where none is."""
    outer, _, inner = place.partition(".")
    component = repetition[int(outer) - 1] if int(outer) <= len(repetition) else [""]
    if not inner:
        return " ".join(filter(None, component))
    return component[int(inner) - 1] if int(inner) <= len(component) else ""


def write_place(repetition: Repetition, place: str, written: str) -> None:
    """Put a component, or a part of one, in its place; nothing is added for what is empty."""
    if written == read_place(repetition, place):
        return
    outer, _, inner = place.partition(".")
    repetition += [[""] for _ in range(int(outer) - len(repetition))]
    component = repetition[int(outer) - 1]
    if not inner:
        component[:] = [written]
        return
    component += [""] * (int(inner) - len(component))
    component[int(inner) - 1] = written


def parse_segment(line: str, delimiters: Delimiters) -> Segment:
    """A line as a segment."""
    name = line[:3]
    if len(line) > 3 and line[3] != delimiters.fields:
        raise Refused("a segment's name is not followed by the delimiter of its fields")
    fields = line.split(delimiters.fields)[1:]
    if name in ("MSH", "FHS", "BHS"):
        # The second field names the other delimiters, and is no field of text.
        return Segment(name, [[[[fields[0]]]], *(_field(each, delimiters) for each in fields[1:])], first=2)
    return Segment(name, [_field(each, delimiters) for each in fields])


def _field(written: str, delimiters: Delimiters) -> list[Repetition]:
    return [
        [component.split(delimiters.parts) for component in one.split(delimiters.components)]
        for one in written.split(delimiters.repetitions)
    ]


def segment_text(segment: Segment, delimiters: Delimiters) -> str:
    """The line of a segment, as it was parsed."""
    fields = (
        delimiters.repetitions.join(
            delimiters.components.join(delimiters.parts.join(component) for component in one)
            for one in repetitions
        )
        for repetitions in segment.fields
    )
    return delimiters.fields.join((segment.name, *fields))


def read_text(content: bytes) -> str:
    """The text of a message: UTF-8; another encoding is refused rather than guessed."""
    try:
        return content.strip(b"\x0b\x1c").decode("utf-8-sig").replace("\x0b", "").replace("\x1c", "")
    except UnicodeDecodeError as error:
        raise Refused(f"byte {error.start} is not UTF-8; convert the file first") from None
