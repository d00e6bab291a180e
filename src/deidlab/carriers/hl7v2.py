"""HL7 v2 messages: what `data/carriers/hl7v2.toml` knows of their fields, and nothing else, goes through.

A message is parsed with the delimiters that it names itself. Rows of text that belong together (OBX, NTE) are
one piece, since a name may run over their edge. Names, dates and addresses are typed fields.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from deidlab.carriers.captions import patient_caption
from deidlab.carriers.carrier import Parts, Piece, Refused, Removed, Slot, put_all
from deidlab.carriers.enclosed import Enclosures
from deidlab.carriers.hl7_date import hl7_date_slots
from deidlab.carriers.hl7v2_text import (
    Delimiters,
    Repetition,
    Segment,
    deal,
    parse_segment,
    read_place,
    read_text,
    segment_text,
    write_place,
)
from deidlab.carriers.tables import load_table

_HEADERS = ("MSH", "FHS", "BHS")
_TRAILERS = ("BTS", "FTS")
_STARTS = re.compile(rb"(?m)^[\x0b\s]*(?=(?:MSH|FHS|BTS|FTS)\W|BHS\W)")
_TEXTS = frozenset({"ST", "TX", "FT"})
_NULL = '""'
_FORMS = {
    "NM": re.compile(r"[+-]?\d+(?:\.\d*)?"),
    "TN": re.compile(r"(?:\d\d )?(?:\(\d+\))?\d[\d-]*\d(?:X\d+)?(?:B\d+)?(?:C.+)?"),
}


@dataclass(slots=True)
class _Message:
    """A message as a tree of its parts; going through it takes out whatever is not known."""

    delimiters: Delimiters
    segments: list[Segment]
    ending: str
    removed: Removed = field(default_factory=Removed)
    closing: list[Callable[[], None]] = field(default_factory=list, repr=False)
    _enclosures: Enclosures = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._enclosures = Enclosures(self.removed)

    def slots(self) -> list[Slot]:
        """Every piece of it, in order."""
        known = load_table("hl7v2")["segments"]
        kept = [each for each in self.segments if each.name in known]
        self.removed["segments"] += len(self.segments) - len(kept)
        self.segments = kept
        found: list[Slot] = []
        for (_, is_text), group in groupby(kept, key=self._row_of):
            rows = list(group)
            for segment in rows:
                found += self._fields(segment, known[segment.name], is_text)
            if is_text:
                found += self._joined(rows)
        return found

    def _row_of(self, segment: Segment) -> tuple[object, bool]:
        """Rows of text that belong together are alike in this."""
        if segment.name == "NTE":
            return "NTE", True
        if segment.name == "OBX" and segment.text(2, self.delimiters) in _TEXTS:
            return ("OBX", segment.text(3, self.delimiters)), True
        return id(segment), False

    def _joined(self, rows: Sequence[Segment]) -> Iterator[Slot]:
        places = [(row, 3 if row.name == "NTE" else 5) for row in rows]
        texts = [row.lines(number, self.delimiters) for row, number in places]
        if not any(line for lines in texts for line in lines):
            return

        def put(new: str) -> None:
            dealt = deal(new.split("\n"), [len(lines) for lines in texts])
            for (row, number), lines in zip(places, dealt, strict=True):
                row.put_lines(number, lines, self.delimiters)

        yield Slot(Piece("\n".join(line for lines in texts for line in lines)), put)

    def _fields(self, segment: Segment, known: dict[str, str], has_rows: bool) -> Iterator[Slot]:
        rows_at = (3 if segment.name == "NTE" else 5) if has_rows else None
        for number in segment.numbers():
            kind = known.get(str(number))
            if number == rows_at or segment.is_empty(number):
                continue
            if kind == "value":
                kind = load_table("hl7v2")["values"].get(segment.text(2, self.delimiters))
            if kind is None:
                self._remove(segment, number)
            elif kind != "stays":
                yield from self._typed(segment, number, kind)

    def _remove(self, segment: Segment, number: int) -> None:
        self.removed[f"{segment.name}-{number}"] += 1
        segment.clear(number)

    def _typed(self, segment: Segment, number: int, kind: str) -> Iterator[Slot]:
        name, _, label = kind.partition(":")
        caption = load_table("hl7v2")["captions"].get(f"{segment.name}-{number}", "")
        caption = patient_caption(caption, segment.text(8, self.delimiters))
        for repetition in segment.repetitions(number):
            if name == "text":
                yield from self._leaf(repetition, "1", "text", caption)
                self._keep_only(segment, number, repetition, {"1"})
                continue
            parts = load_table("hl7v2")["types"][name]
            yield from self._parts(repetition, parts, label or "DOCTOR", caption)
            places = [place for key, of in parts.items() for place in (of if key == "name" else [key])]
            self._keep_only(segment, number, repetition, set(map(str, places)))

    def _parts(
        self, repetition: Repetition, parts: dict[str, object], label: str, caption: str
    ) -> Iterator[Slot]:
        for place, kind in parts.items():
            if place == "name":
                assert isinstance(kind, list)
                yield from self._name(repetition, [str(each) for each in kind], label, caption)
            elif kind == "data":
                yield from self._data(repetition)
            elif kind != "stays":
                yield from self._leaf(repetition, place, str(kind), caption)

    def _keep_only(self, segment: Segment, number: int, repetition: Repetition, known: set[str]) -> None:
        for index, component in enumerate(repetition, 1):
            if str(index) in known or not any(component):
                continue
            if any(place.startswith(f"{index}.") for place in known):
                component[:] = [
                    part if f"{index}.{inner}" in known else "" for inner, part in enumerate(component, 1)
                ]
                continue
            self.removed[f"{segment.name}-{number}.{index}"] += 1
            component[:] = [""]

    def _leaf(self, repetition: Repetition, place: str, kind: str, caption: str) -> Iterator[Slot]:
        kind, _, form = kind.partition(":")
        old = self._read(repetition, place)
        if not old.strip() or old == _NULL:
            return

        def put(new: str) -> None:
            if new != old:
                write_place(repetition, place, self.delimiters.write(self._fitting(old, new, form)))

        if kind == "date":
            yield from hl7_date_slots(old, put, self.removed, caption)
        else:
            yield Slot(Piece(old, "" if kind == "text" else kind, caption), put)

    def _fitting(self, old: str, new: str, form: str) -> str:
        """As much of what is new as may stand in a place that has a form; nothing, where none of it may."""
        if form.isdigit():
            return new[: int(form)]
        # Since 2.5 a telephone number may be any text.
        if not form or (form == "TN" and not "2" < self._version() < "2.5"):
            return new
        return "" if _FORMS[form].fullmatch(old) and not _FORMS[form].fullmatch(new) else new

    def _version(self) -> str:
        header = self.segments[0]
        return header.text(12, self.delimiters) if header.name == "MSH" else ""

    def _read(self, repetition: Repetition, place: str) -> str:
        return self.delimiters.read(read_place(repetition, place))

    def _name(
        self, repetition: Repetition, places: Sequence[str], label: str, caption: str
    ) -> Iterator[Slot]:
        """Family name, given name and more as one piece, so that it is one person."""
        old = "^".join(self._read(repetition, place) for place in places).rstrip("^")
        if not old.strip() or old == _NULL:
            return

        def put(new: str) -> None:
            if new == old:
                return
            parts = [*new.split("^", len(places) - 1), *[""] * len(places)]
            for place, part in zip(places, parts, strict=False):
                write_place(repetition, place, self.delimiters.write(part.replace("^", " ")))

        yield Slot(Piece(old, label, caption), put)

    def _data(self, repetition: Repetition) -> Iterator[Slot]:
        """What is enclosed is unpacked and searched; of what nobody can unpack nothing stays."""
        encoding, held = self._read(repetition, "4").upper(), read_place(repetition, "5")
        try:
            packed = encoding == "BASE64"
            data = base64.b64decode(held, validate=True) if packed else self.delimiters.read(held).encode()
        except (binascii.Error, ValueError):
            encoding, data = "", b""
        media = self._media(repetition) if encoding in ("BASE64", "A") else ""
        if not held:
            return
        enclosed = self._enclosures.unpack(data, media)
        if enclosed is None:
            write_place(repetition, "5", "")
            return
        yield from enclosed.slots

        def pack() -> None:
            new = enclosed.written()
            if new != data:
                text = base64.b64encode(new).decode() if packed else self.delimiters.write(new.decode())
                write_place(repetition, "5", text)

        self.closing.append(pack)

    def _media(self, repetition: Repetition) -> str:
        """The media type that the type and the subtype of encapsulated data tell."""
        kind, subtype = (self._read(repetition, place).lower() for place in ("2", "3"))
        known = load_table("enclosed")
        whole = next((each for each in (kind, f"{kind}/{subtype}") if each in known["media"]), "")
        plain = "text/plain" if kind in ("text", "tx") and not subtype else ""
        return whole or str(known["subtypes"].get(subtype, "")) or plain

    def patient(self) -> str:
        """The first identifier of the patient; a message about several is refused."""
        found = {
            self.delimiters.read(each.repetitions(3)[0][0][0])
            for each in self.segments
            if each.name == "PID" and not each.is_empty(3)
        }
        if len(found) > 1:
            raise Refused("a message about several patients: split it first, so that each is masked alone")
        return next(iter(found), "")

    def written(self) -> bytes:
        lines = (segment_text(each, self.delimiters) for each in self.segments)
        return "".join(line + self.ending for line in lines).encode()


class HL7v2:
    """The carrier: one message, or what stands before and behind the messages of a batch."""

    def take_apart(self, content: bytes) -> Parts:
        message = _parse(content)
        patient = message.patient()
        pieces = tuple(slot.piece for slot in message.slots())
        return Parts(pieces, patient, "", +message.removed)

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        message = _parse(content)
        put_all(message.slots(), texts)
        for close in message.closing:
            close()
        return message.written()


def _parse(content: bytes) -> _Message:
    text = read_text(content)
    ending = "\r\n" if "\r\n" in text else "\r" if "\r" in text else "\n"
    lines = [line for line in re.split(r"[\r\n]+", text) if line.strip()]
    if not lines:
        raise Refused("no segment in it")
    if lines[0][:3] in _HEADERS:
        delimiters = Delimiters.of(lines[0])
    elif lines[0][:3] in _TRAILERS and len(lines[0]) > 3:
        delimiters = Delimiters(lines[0][3])
    else:
        raise Refused("it does not begin with MSH, FHS or BHS, so its delimiters are not known")
    return _Message(delimiters, [parse_segment(line, delimiters) for line in lines], ending)


def split_messages(data: bytes) -> Iterable[bytes]:
    """The messages of a file, and what stands around them in a batch."""
    starts = [match.end() for match in _STARTS.finditer(data.replace(b"\r", b"\n"))]
    # A batch's header goes with that of the file before it.
    starts = [place for place in starts if not (data.startswith(b"BHS", place) and place != starts[0])]
    if not starts or data[: starts[0]].strip(b"\x0b\r\n\t "):
        raise Refused("no message: HL7 v2 begins with MSH, FHS or BHS")
    for start, end in zip(starts, [*starts[1:], len(data)], strict=True):
        yield data[start:end]
