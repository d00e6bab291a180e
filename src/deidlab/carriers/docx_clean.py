"""A part of a Word document, as it came, in; out a tree of what is known of it, with prefixes for names.

Tracked changes are settled (what was inserted stays, what was deleted goes), form controls and links leave
their text, pictures lead to a blank one. All else that the table does not list is removed and counted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element

from deidlab.carriers.carrier import Removed
from deidlab.carriers.docx_text import find_runs
from deidlab.carriers.docx_values import Names, is_harmless, known, page_field, words

_SHAPES = frozenset(("v:shape", "v:rect", "v:roundrect", "v:oval", "v:line"))
_LINKS = frozenset(("r:embed", "r:link"))
_FONTS = frozenset(("a:latin", "a:ea", "a:cs"))
_DRAWN = frozenset(("w:drawing", "w:pict"))
_NEEDED = frozenset(("w:val", "val", "prst"))
"""Attributes without which an element says nothing, or something wrong."""
_WORDS_IN = frozenset(("wp:align", "wp:posOffset", "wp14:pctWidth", "wp14:pctHeight"))
_IN_A_RUN = frozenset(("w:t", "w:instrText"))


@functools.cache
def _prefixes() -> Mapping[str, str]:
    table = known()
    return {name: prefix for key in ("namespaces", "strict") for prefix, name in table[key].items()}


@functools.cache
def _known(prefix: str) -> frozenset[str]:
    return words("elements", prefix) if prefix in known()["elements"] else frozenset()


@functools.lru_cache(maxsize=2048)
def short_name(name: str) -> str:
    """The name with the prefix that we give its namespace; empty where that is not known."""
    space, _, local = name.removeprefix("{").rpartition("}")
    if not space:
        return local
    prefix = _prefixes().get(space)
    return f"{prefix}:{local}" if prefix else ""


@dataclass(slots=True)
class Cleaner:
    """Cleans the parts of one document; `link` says what a relationship of the part at hand is called now."""

    names: Names
    removed: Removed = field(default_factory=Removed)
    link: Callable[[str], str | None] = lambda _: None
    picture: Callable[[], str] = lambda: ""

    def root(self, element: Element, wanted: str) -> Element | None:
        """The part; None where it is another than it should be."""
        if short_name(element.tag) != wanted:
            return None
        (clean,) = self._clean(element, "")
        settle_fields(clean, self.removed)
        held = {run for each in clean.iter("w:p") for run in find_runs(each)}
        for each in clean.iter("w:t"):
            if each not in held:
                # Text at a place where the standard has none.
                each.text = ""
                self.removed["elements"] += 1
        return clean

    def _clean(self, element: Element, parent: str) -> Iterator[Element]:
        name = short_name(element.tag) if isinstance(element.tag, str) else ""
        if name in words("elements", "unwrapped"):
            self._count_unwrapped(name)
            yield from self._children(element, parent)
        elif name == "mc:AlternateContent":
            yield from self._alternatives(element, parent)
        elif name == "w:fldSimple" and not page_field(element.get(_w("instr"), "")):
            self.removed["fields"] += 1
            yield from self._children(element, parent)
        elif self._is_known(name) and not _is_deleted_row(element, name):
            clean = self._kept(element, name)
            if _is_whole(clean, set(map(short_name, element.attrib))):
                yield clean
            else:
                self.removed["drawings" if name in _DRAWN else "elements"] += 1
        else:
            self._count_removed(name)

    def _children(self, element: Element, name: str) -> Iterator[Element]:
        for child in element:
            yield from self._clean(child, name)

    def _is_known(self, name: str) -> bool:
        prefix, _, local = name.partition(":")
        return local in _known(prefix) and name not in words("elements", "silent")

    def _count_unwrapped(self, name: str) -> None:
        kinds = {"w:sdt": "form controls", "w:hyperlink": "links"}
        if name in words("elements", "tracked"):
            self.removed["tracked changes"] += 1
        elif name in kinds:
            self.removed[kinds[name]] += 1

    def _count_removed(self, name: str) -> None:
        if name in words("elements", "tracked") or name == "w:tr":
            self.removed["tracked changes"] += 1
        elif name in words("elements", "controls"):
            self.removed["form controls"] += name == "w:ffData"
        elif name == "w:object":
            self.removed["embedded objects"] += 1
        elif name not in words("elements", "silent"):
            self.removed["elements"] += 1

    def _alternatives(self, element: Element, parent: str) -> Iterator[Element]:
        """Both ways in which a drawing is told, where both are known; else the one that is."""
        (whole,) = (self._kept(element, "mc:AlternateContent"),)
        told = [each for each in whole if len(each) and (each.get("Requires") or each.tag == "mc:Fallback")]
        if any(each.tag == "mc:Choice" for each in told):
            whole[:] = told
            yield whole
        else:
            yield from (child for each in told for child in each)

    def _kept(self, element: Element, name: str) -> Element:
        clean = Element("v:rect" if name in _SHAPES else name)
        for key, value in element.items():
            self._attribute(clean, name, key, value)
        if name in _FONTS:
            clean.set("typeface", clean.get("typeface", ""))
        if name == "a:prstGeom":
            clean.set("prst", clean.get("prst", "rect"))
        if name == "w:fldSimple":
            clean.set("w:instr", page_field(element.get(_w("instr"), "")))
        text = element.text or ""
        if name in _IN_A_RUN or (name in _WORDS_IN and is_harmless(text.strip())):
            clean.text = text
        if name == "w:t":
            clean.set("xml:space", "preserve")
        if name != "w:fldChar":
            clean.extend(self._children(element, name))
        elif len(element):
            self.removed["form controls"] += 1
        return clean

    def _attribute(self, clean: Element, name: str, whole: str, value: str) -> None:
        key = short_name(whole)
        if (key in _LINKS and name == "a:blip") or (name, key) == ("v:imagedata", "r:id"):
            clean.set("r:embed" if name == "a:blip" else "r:id", self.picture())
            return
        if key == "r:id" and name in ("w:headerReference", "w:footerReference"):
            new = self.link(value)
        else:
            new = self.names.value(name, key, value) if key else None
        if new is not None:
            clean.set(key, new)
        elif not (key.startswith("w:rsid") or whole.rpartition("}")[2] in words("elements", "attributes")):
            self.removed["attributes"] += 1


def _w(name: str) -> str:
    return f"{{{known()['namespaces']['w']}}}{name}"


def _is_deleted_row(element: Element, name: str) -> bool:
    if name != "w:tr":
        return False
    return any(
        short_name(mark.tag) in ("w:del", "w:moveFrom")
        for properties in element
        if short_name(properties.tag) == "w:trPr"
        for mark in properties
    )


def _is_whole(clean: Element, had: set[str]) -> bool:
    """Whether what is left of an element still stands for something that a reader can show."""
    if any(key in had and key not in clean.attrib for key in _NEEDED):
        return False
    if clean.tag == "w:drawing":
        return any(len(each) and each.get("uri") for each in clean.iter("a:graphicData"))
    if clean.tag == "w:pict":
        return any(each.tag in ("v:textbox", "v:imagedata") for each in clean.iter())
    if clean.tag in ("w:headerReference", "w:footerReference"):
        return clean.get("r:id") is not None
    if clean.tag == "w:sym":
        return clean.get("w:font") is not None and clean.get("w:char") is not None
    return True


def settle_fields(root: Element, removed: Removed) -> None:
    """Of fields in several runs those that count pages stay; of others their text, without their code."""
    parents = {child: each for each in root.iter() for child in each}
    opened: list[list[Element]] = []
    closed: list[list[Element]] = []
    for each in root.iter():
        kind = each.get("w:fldCharType") if each.tag == "w:fldChar" else None
        if kind == "begin":
            opened.append([])
        if opened and (kind or each.tag == "w:instrText"):
            opened[-1].append(each)
        elif kind or each.tag in _CODES:
            closed.append([each])
        if kind == "end" and opened:
            closed.append(opened.pop())
    for field_ in (*closed, *opened):
        codes = [each for each in field_ if each.tag == "w:instrText"]
        code = page_field("".join(each.text or "" for each in codes))
        if code and field_[-1].get("w:fldCharType") == "end":
            for index, each in enumerate(codes):
                each.text = "" if index else code
        else:
            removed["fields"] += 1
            for each in field_:
                parents[each].remove(each)


_CODES = frozenset(("w:fldChar", "w:instrText"))
