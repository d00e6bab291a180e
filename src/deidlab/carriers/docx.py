"""Word documents: a package in; a new one out, of the parts that are known, and of what is known in them.

Body, headers, footers, notes and comments are searched; looks (styles, numbering, theme, settings) stay.
Properties, thumbnails, custom data, embedded objects, macros and all other parts are not taken over, and in
the place of each picture stands a blank one, since a picture may be a scanned letter.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from deidlab.carriers.carrier import Parts, Refused, Removed, Slot, put_all
from deidlab.carriers.docx_clean import Cleaner
from deidlab.carriers.docx_package import NewPackage, Package, Relation
from deidlab.carriers.docx_text import find_slots
from deidlab.carriers.docx_values import Names, known
from deidlab.carriers.xml_text import write_xml

_MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_FIRST = "officeDocument"
_BODY = "word/document.xml"
_BLANK_NAME = "word/media/blank.png"
_BLANK = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg=="
)
_SEVERAL = frozenset(("header", "footer"))


@dataclass(slots=True)
class _Part:
    """One part as it will be written."""

    kind: str
    name: str
    root: Element = field(repr=False)
    links: list[Relation] = field(default_factory=list, repr=False)


@dataclass(slots=True)
class _Letter:
    """A document that is read and cleaned, part by part."""

    package: Package
    parts: list[_Part] = field(default_factory=list)
    removed: Removed = field(default_factory=Removed)
    _cleaner: Cleaner = field(default_factory=lambda: Cleaner(Names()), repr=False)
    _taken: set[str] = field(default_factory=set, repr=False)

    @classmethod
    def read(cls, content: bytes) -> _Letter:
        letter = cls(Package(content))
        letter._cleaner.removed = letter.removed
        main = [each for each in letter.package.relations("") if each.kind == _FIRST]
        if len(main) != 1 or not main[0].target:
            raise Refused("it names no main document, so it is no Word document")
        letter._read_all(main[0].target)
        return letter

    def _read_all(self, main: str) -> None:
        named = list(self.package.relations(main))
        # Styles come first, since they name what others refer to.
        named.sort(key=lambda each: each.kind != "styles")
        body = _Part(_FIRST, _BODY, Element("w:document"))
        ids: dict[str, str] = {}
        for each in named:
            self._follow(each, body, ids)
        whole = self._clean(main, body, ids)
        if whole is None:
            raise Refused("its main part is no Word document")
        body.root = whole
        self.parts.insert(0, body)
        unread = [each for each in self.package.names - self._taken if _is_part(each)]
        self.removed["parts"] += len(unread)

    def _follow(self, relation: Relation, body: _Part, ids: dict[str, str]) -> None:
        kind, kinds = relation.kind, known()["parts"]
        have = [each for each in self.parts if each.kind == kind]
        if kind not in kinds or not relation.target or (have and kind not in _SEVERAL):
            # Links and pictures are counted where they stand.
            self.removed["relationships"] += kind not in ("image", "hyperlink", *kinds)
            return
        name = f"word/{kind}{len(have) + 1 if kind in _SEVERAL else ''}.xml"
        part = _Part(kind, name, Element("none"))
        root = self._clean(relation.target, part, {})
        if root is None:
            raise Refused("a part of it is not of the kind that it is said to be")
        part.root = root
        self.parts.append(part)
        ids[relation.id] = _link(body, kind, name)

    def _clean(self, source: str, part: _Part, ids: dict[str, str]) -> Element | None:
        self._taken.add(source)

        def blank() -> str:
            self.removed["pictures"] += 1
            return _link(part, "image", _BLANK_NAME)

        self._cleaner.link, self._cleaner.picture = ids.get, blank
        return self._cleaner.root(self.package.tree(source), known()["roots"][part.kind])

    def slots(self) -> Iterator[Slot]:
        for part in self.parts:
            yield from find_slots(part.root)

    def written(self) -> bytes:
        table = known()
        new = NewPackage()
        new.relations[""] = [Relation("rId1", _FIRST, _BODY)]
        for part in self.parts:
            media_type = _MAIN if part.kind == _FIRST else table["parts"][part.kind]
            new.add(part.name, write_xml(part.root, table["namespaces"], ' mc:Ignorable="wp14"'), media_type)
            if part.links:
                new.relations[part.name] = part.links
            if any(each.kind == "image" for each in part.links):
                new.add(_BLANK_NAME, _BLANK)
        return new.written()


def _link(part: _Part, kind: str, target: str) -> str:
    """The id of a part's relationship to another, a new one where it has none."""
    for each in part.links:
        if each.target == target:
            return each.id
    id = f"rId{len(part.links) + 1}"
    part.links.append(Relation(id, kind, target))
    return id


def _is_part(name: str) -> bool:
    return name != "[content_types].xml" and not name.endswith(".rels")


class Docx:
    """The carrier: one document."""

    def take_apart(self, content: bytes) -> Parts:
        letter = _Letter.read(content)
        return Parts(tuple(slot.piece for slot in letter.slots()), removed=+letter.removed)

    def put_together(self, content: bytes, texts: Sequence[str]) -> bytes:
        letter = _Letter.read(content)
        put_all(letter.slots(), texts)
        return letter.written()
