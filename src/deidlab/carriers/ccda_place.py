"""A place in a tree of XML: what stands there is changed, taken out, or said to be masked."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from xml.etree.ElementTree import Element

from deidlab.carriers.carrier import Run

_EMPTY_LINE = re.compile(r"[ \t\r\f]*\n[ \t\r\f]*\n\s*")
_WHITE = re.compile(r"[ \t\r\n\f]+")


def take_out(parent: Element, children: Collection[Element]) -> None:
    """Remove elements, all at once; what stands behind them stays."""
    gone = set(map(id, children))
    kept: list[Element] = []
    behind = [parent.text or ""]

    def settle() -> None:
        if len(behind) > 1:
            text = "".join(behind)
            if kept:
                kept[-1].tail = text
            else:
                parent.text = text

    for child in parent:
        if id(child) in gone:
            behind.append(child.tail or "")
        else:
            settle()
            kept.append(child)
            behind = [child.tail or ""]
    settle()
    parent[:] = kept


def put_attribute(element: Element, key: str, new: str) -> None:
    """The attribute's new value; one that nothing can stand in says that it is masked."""
    if new.strip():
        element.set(key, new)
    else:
        mask_attribute(element, key)


def mask_attribute(element: Element, *keys: str) -> None:
    """Leave attributes out in the way that the standard has for it."""
    for key in keys:
        element.attrib.pop(key, None)
    element.set("nullFlavor", "MSK")


def mask_text(element: Element) -> None:
    """The same for the text of an element."""
    element.text = None
    element.set("nullFlavor", "MSK")


def put_text(element: Element, new: str) -> None:
    element.text = new


def put_tail(element: Element, new: str) -> None:
    element.tail = new


def runs_of(element: Element, flat: bool) -> list[Run]:
    """The text of an element and what stands between the elements in it."""
    places: list[tuple[str | None, Callable[[str], None]]] = [(element.text, partial(put_text, element))]
    places += [(child.tail, partial(put_tail, child)) for child in element]
    return [Run(flat_text(text) if flat else text, put) for text, put in places if text]


def flat_text(text: str) -> str:
    """Text as a reader sees it: a line that an editor broke goes on; an empty line stays one."""
    return "\n\n".join(_WHITE.sub(" ", each) for each in _EMPTY_LINE.split(text))
