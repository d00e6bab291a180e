"""The text of a cleaned part: its paragraphs as pieces, runs and all, and the attributes that hold text.

A paragraph is one piece, whatever runs, links and changes it was written in, so that a name is found whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import chain
from xml.etree.ElementTree import Element

from deidlab.carriers.carrier import Piece, Run, Slot, join_runs
from deidlab.carriers.docx_values import TEXTS, words

_FIXED = {
    "w:tab": "\t",
    "w:ptab": "\t",
    "w:br": "\n",
    "w:cr": "\n",
    "w:noBreakHyphen": "-",
    "w:softHyphen": "",
}
_APART = frozenset(("w:pPr", "w:rPr", "w:txbxContent"))
_LONGEST_LABEL = 12
_WORDY = re.compile(r"[^\W\d_]{2}|\d{2}")


def find_slots(root: Element) -> Iterator[Slot]:
    """Every piece of a part, in order."""
    captions = _captions(root)
    for each in root.iter():
        if each.tag == "w:p":
            yield from _paragraph(each, captions.get(each, ""))
        for key in ("descr", "title", "w:val"):
            text = each.get(key, "")
            if (each.tag, key) in TEXTS and text and (each.tag != "w:lvlText" or _is_wordy(text)):
                yield Slot(Piece(text), partial(each.set, key))


def _is_wordy(label: str) -> bool:
    """Whether the label of a list says more than a number or a dot."""
    return len(label) > _LONGEST_LABEL or _WORDY.search(label) is not None


def _paragraph(paragraph: Element, caption: str) -> Iterator[Slot]:
    runs = [Run(_text_of(each), partial(_put_text, each)) for each in find_runs(paragraph)]
    if any(each.text.strip() for each in runs):
        yield join_runs(runs, caption)


def _put_text(element: Element, text: str) -> None:
    element.tag = "w:t"
    element.attrib.clear()
    element.text = text
    element.set("xml:space", "preserve")


def find_runs(element: Element) -> Iterator[Element]:
    """The places of a paragraph's text; those of a text box in it are its own."""
    for child in element:
        if child.tag == "w:t" or child.tag in _FIXED:
            yield child
        elif child.tag not in _APART:
            yield from find_runs(child)


def _text_of(element: Element) -> str:
    return element.text or "" if element.tag == "w:t" else _FIXED[element.tag]


def _captions(root: Element) -> dict[Element, str]:
    """What a form says beside or above a cell about what it holds, where the list has the words."""
    listed = words("captions", "words")
    found: dict[Element, str] = {}
    for table in root.iter("w:tbl"):
        rows = [[_cell_text(cell) for cell in row.findall("w:tc")] for row in _named(table, "w:tr")]
        is_headed = bool(rows) and all(each.casefold() in listed for each in rows[0])
        for y, row in enumerate(_named(table, "w:tr")):
            for x, cell in enumerate(row.findall("w:tc")):
                beside = rows[y][x - 1] if x else ""
                above = rows[0][x] if is_headed and y and x < len(rows[0]) else ""
                caption = next((each for each in (beside, above) if each.casefold() in listed), "")
                first = cell.find("w:p")
                if caption and first is not None and rows[y][x].casefold() not in listed:
                    found[first] = caption
    return found


def _named(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if child.tag == name)


def _cell_text(cell: Element) -> str:
    texts = chain.from_iterable(find_runs(each) for each in _named(cell, "w:p"))
    return "".join(map(_text_of, texts)).strip().rstrip(":").rstrip()
