"""A figure as SVG in, SVG out that may stand inside a web page, in the page's own colours.

Matplotlib writes styles as attributes that a strict content policy refuses. They become plain attributes
here; ids get a prefix, so that figures do not share them; and the known colours become the page's own
variables, so that a figure is as legible on a dark page as on a light one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as Xml

from deidlab.report.figures import PALETTE

if TYPE_CHECKING:
    from markupsafe import Markup

_XLINK = "{http://www.w3.org/1999/xlink}href"
_LINKED = re.compile(r"#([A-Za-z_][\w.-]*)")
_FONT = re.compile(r"^(?:(?:normal|bold|italic)\s+)*([\d.]+)px\b")
# How large a figure stands on the page, where there is room.
_PIXELS_A_POINT = 1.45
# Ink and paper of the drawings, and the page's variable for each.
_COLOURS = {
    "#000000": "var(--ink)", "black": "var(--ink)", "#222222": "var(--ink)", "#ffffff": "var(--paper)",
    "white": "var(--paper)", "#444444": "var(--soft)", "#888888": "var(--soft)", "#bbbbbb": "var(--faint)",
    "#cccccc": "var(--line)", "#dddddd": "var(--line)", "#b0b0b0": "var(--line)",
    **{colour.lower(): f"var(--c{index})" for index, colour in enumerate(PALETTE[:-1])},
}  # fmt: skip


def svg_to_inline(svg: str, key: str, title: str, caption: str) -> Markup:
    """The same picture as an element of a page, named for screen readers."""
    from markupsafe import Markup, escape

    root = Xml.fromstring(svg)
    _strip(root)
    for element in root.iter():
        _plain_attributes(element, key)
    box = root.get("viewBox", "0 0 100 100")
    width = round(_PIXELS_A_POINT * float(box.split()[2]))
    inner = "".join(Xml.tostring(child, encoding="unicode", method="html") for child in root)
    return Markup(
        f'<svg viewBox="{box}" width="{width}" role="img" aria-labelledby="{key}-t {key}-d">'
        f'<title id="{key}-t">{escape(title)}</title><desc id="{key}-d">{escape(caption)}</desc>'
        f"{inner}</svg>"
    )


def _strip(parent: Xml.Element) -> None:
    """Leave out what only a file needs: metadata, and the style that all elements share."""
    for child in list(parent):
        if not isinstance(child.tag, str):
            parent.remove(child)
            continue
        child.tag = child.tag.rpartition("}")[2]
        if child.tag in ("metadata", "style"):
            parent.remove(child)
        else:
            child.text, child.tail = _ink(child.text), _ink(child.tail)
            _strip(child)


def _ink(text: str | None) -> str | None:
    return text if text and text.strip() else None


def _plain_attributes(element: Xml.Element, key: str) -> None:
    for name, value in list(element.attrib.items()):
        del element.attrib[name]
        if name == "style":
            for part in value.split(";"):
                _declare(element, part)
        elif name == "id":
            element.set("id", f"{key}-{value}")
        else:
            plain = "href" if name == _XLINK else name.rpartition("}")[2]
            element.set(plain, value)
    for name, value in element.attrib.items():
        if "#" in value and name != "id":
            linked = _LINKED.sub(rf"#{key}-\1", value) if name == "href" or "url(" in value else value
            element.set(name, _COLOURS.get(linked.lower(), linked))
        elif name in ("fill", "stroke"):
            element.set(name, _COLOURS.get(value.lower(), value))
    if element.tag == "text" and "fill" not in element.attrib:
        element.set("fill", "var(--ink)")


def _declare(element: Xml.Element, part: str) -> None:
    name, colon, value = part.partition(":")
    name, value = name.strip(), value.strip()
    if not colon:
        return
    if name == "font":
        size = _FONT.match(value)
        element.set("font-size", size[1] if size else "10")
        if value.startswith("bold"):
            element.set("font-weight", "bold")
    else:
        element.set(name, value)
