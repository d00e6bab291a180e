"""HTML letters: a page in; the same page out, of the tags, attributes and styles that the table knows.

Text over inline tags is one piece. Script, comments, hidden fields and what else no reader sees goes;
pictures give way to a blank one, since a picture may be a scanned letter.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial

from deidlab.carriers.addresses import address_slot
from deidlab.carriers.anchors import Anchors
from deidlab.carriers.captions import caption_of
from deidlab.carriers.carrier import Parts, Piece, Refused, Removed, Run, Slot, join_runs, put_all
from deidlab.carriers.ccda_place import flat_text
from deidlab.carriers.css import clean_declarations, clean_sheet, is_font
from deidlab.carriers.html_reader import Literal, PageReader, Tag, Text, names, table
from deidlab.carriers.xml_text import MAX_BYTES

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.I)
_DECLARED = re.compile(rb"\A<\?xml[^>]{0,100}?encoding\s*=\s*[\"']([\w.:-]{1,40})")
_HARMLESS = re.compile(r"[-+]?\d{1,5}(?:\.\d{1,3})?(?:%|px|pt|em|\*)?|#?[0-9a-f]{6}|#[0-9a-f]{3}", re.I)
_LANGUAGE = re.compile(r"[a-z]{2,3}(?:-[A-Za-z]{2,4})?")
_SCRIPTS = frozenset(("data", "javascript", "vbscript", "blob", "cid", "mid", "view-source"))
_BLANK = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


@dataclass(slots=True)
class _Page:
    """A page as its tags and texts; going through it takes out whatever is not known."""

    events: list[Tag | Text | Literal] = field(repr=False)
    removed: Removed
    _ids: Anchors = field(default_factory=Anchors)
    _classes: Anchors = field(default_factory=lambda: Anchors("c"))

    def slots(self) -> Iterator[Slot]:
        block: list[Text] = []
        caption = ""
        for event in [*self.events, Tag("html", closing=True)]:
            if isinstance(event, Text):
                if event.styles:
                    event.text = self._sheet(event.text)
                else:
                    block.append(event)
            elif isinstance(event, Tag):
                if event.name in names("blocks"):
                    yield from _block_slots(block, caption)
                    said = "".join(each.text for each in block).strip()
                    caption = caption_of(said) if said else caption
                    block = []
                yield from self._attributes(event, caption)

    def _sheet(self, text: str) -> str:
        sheet, gone = clean_sheet(
            text, lambda mark, name: (self._ids if mark == "#" else self._classes).of(name)
        )
        self.removed["styles"] += gone
        return sheet

    def _attributes(self, tag: Tag, caption: str) -> Iterator[Slot]:
        for key, value in list(tag.attributes.items()):
            rule = _rules().get(key, "")
            if rule == "text":
                if value.strip() and not (tag.name == "li" and value.isdigit()):
                    said = caption if key == "value" else ""
                    yield Slot(Piece(value, "", said), partial(tag.attributes.__setitem__, key))
            elif rule == "address":
                yield from self._address(tag, key, value)
            elif (new := self._stays(tag, key, rule, value)) is not None:
                tag.attributes[key] = new
            else:
                del tag.attributes[key]
                self.removed["attributes"] += 1

    def _address(self, tag: Tag, key: str, value: str) -> Iterator[Slot]:
        if value.startswith("#"):
            tag.attributes[key] = f"#{self._ids.of(value[1:])}" if value != "#" else value
            return

        def put(new: str) -> None:
            if new:
                tag.attributes[key] = new
            else:
                tag.attributes.pop(key, None)

        slot = address_slot(value, "URL", put)
        scheme = slot.piece.text.partition(":")[0].lower()
        if slot.piece.text.strip() and scheme not in _SCRIPTS:
            yield slot
        else:
            put("")
            self.removed["attributes"] += 1

    def _stays(self, tag: Tag, key: str, rule: str, value: str) -> str | None:
        """What may stand in an attribute; None where it goes."""
        if rule == "picture":
            self.removed["pictures"] += tag.name == "img"
            return _BLANK if tag.name == "img" else None
        if rule in ("id", "class"):
            return (self._ids if rule == "id" else self._classes).each_of(value) or None
        if rule == "style":
            declarations, gone = clean_declarations(value)
            self.removed["styles"] += gone
            return declarations
        if rule == "font":
            return ",".join(filter(is_font, value.split(","))) or None
        if rule == "language":
            return value if _LANGUAGE.fullmatch(value) else None
        is_known = not value or value in _words() or _HARMLESS.fullmatch(value)
        return value if rule == "look" and is_known else None

    def written(self) -> str:
        return "".join(event.written() for event in self.events)


def _block_slots(block: list[Text], caption: str) -> Iterator[Slot]:
    """The text of a block as one piece, as a reader sees it."""
    if any(each.text.strip() for each in block):
        runs = [
            Run(each.text if each.exact else flat_text(each.text), partial(setattr, each, "text"))
            for each in block
        ]
        yield join_runs(runs, caption)


@cache
def _rules() -> dict[str, str]:
    return {name: rule for rule, listed in table()["attributes"].items() for name in listed}


@cache
def _words() -> frozenset[str]:
    """Words of the standard, and the names of colours."""
    return frozenset((*table()["vocabulary"]["words"].split(), *table()["css"]["words"].split()))


class HTMLLetter:
    """The carrier: one page."""

    def take_apart(self, content: bytes) -> Parts:
        letter, _, _ = _read(content)
        pieces = tuple(slot.piece for slot in letter.slots())
        return Parts(pieces, removed=+letter.removed)

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        letter, mark, charset = _read(content)
        put_all(list(letter.slots()), texts)
        return mark + letter.written().encode(charset, "xmlcharrefreplace")


def _read(content: bytes) -> tuple[_Page, bytes, str]:
    """The page, the mark that it begins with, and its character set."""
    if len(content) > MAX_BYTES:
        raise Refused(f"it has more than {MAX_BYTES >> 20} MiB of HTML")
    mark, said = next((each for each in _BOMS if content.startswith(each[0])), (b"", ""))
    # What an XML declaration says is lost with it.
    kept = said or _named(_META, content) or "utf-8"
    charset = said or _named(_DECLARED, content) or kept
    try:
        text = content.removeprefix(mark).decode(table()["charsets"].get(charset, charset))
    except UnicodeDecodeError as error:
        raise Refused(f"byte {error.start} is not of its character set; save it as UTF-8") from None
    if "\0" in text:
        raise Refused("it has a NUL; this is not a page")
    removed = Removed()
    events = PageReader(kept.removesuffix("-le").removesuffix("-be"), removed).read(text)
    return _Page(events, removed), mark, table()["charsets"].get(kept, kept)


def _named(pattern: re.Pattern[bytes], content: bytes) -> str:
    """The character set that a page names; one that is not known is refused."""
    match = pattern.search(content[:4096])
    name = match[1].decode("ascii").lower() if match else ""
    if name and name not in table()["charsets"]:
        raise Refused("it names a character set that is not known here; save it as UTF-8")
    return name
