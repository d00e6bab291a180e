"""Style sheets: what the table knows of rules and declarations, and nothing else."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable

from deidlab.carriers.docx_values import words as docx_words
from deidlab.carriers.tables import load_table

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_TOKEN = re.compile(
    r"[-+]?(?:\d{1,5}(?:\.\d{1,4})?|\.\d{1,4})(?:px|pt|em|rem|%|in|cm|mm|ex|ch|vh|vw|pc|fr|deg)?"
    r"|#(?:[0-9a-f]{3}|[0-9a-f]{6})|rgba?\([\d\s.,%]{1,40}\)|!important|,|/"
)
_PARTS = re.compile(r"""rgba?\([^)]*\)|"[^"]*"|'[^']*'|,|/|[^\s,/]+""", re.I)
_BRACES = re.compile(r"[{}]")
_SIMPLE = re.compile(r"([a-z][a-z0-9]{0,11}|\*)?((?:[.#][A-Za-z_-][\w-]*|:{1,2}[a-z-]+)*)", re.I)
_NAME = re.compile(r"([.#:]+)([\w-]+)")


@functools.cache
def _known(name: str) -> frozenset[str]:
    return frozenset(load_table("html")["css"][name].split())


@functools.cache
def _tags() -> frozenset[str]:
    known = load_table("html")["elements"]
    return frozenset((*known["blocks"], *known["marks"], "*"))


def is_font(name: str) -> bool:
    """Whether a font is well known; a house's own may bear its name."""
    return name.strip().strip("\"'").strip() in docx_words("vocabulary", "fonts")


def clean_declarations(text: str) -> tuple[str, int]:
    """What may be said of one element, and how much was removed."""
    kept, removed = [], 0
    for each in filter(str.strip, _COMMENT.sub("", text).split(";")):
        name, _, value = (part.strip() for part in each.partition(":"))
        fitting = _clean_fonts(value) if name.lower() == "font-family" else _fitting(value)
        if name.lower() in _known("properties") and fitting:
            kept.append(f"{name.lower()}: {fitting}")
        else:
            removed += 1
    return "; ".join(kept), removed


def _fitting(value: str) -> str:
    """The value, if it is made of numbers, colours, well-known fonts and words of the standard alone."""
    for part in _PARTS.findall(value):
        token = part.lower()
        if not (_TOKEN.fullmatch(token) or token in _known("words") or is_font(part)):
            return ""
    return value


def _clean_fonts(value: str) -> str:
    fonts = [each.strip() for each in value.split(",")]
    return ", ".join(each for each in fonts if each.lower() in _known("words") or is_font(each))


def clean_sheet(text: str, name: Callable[[str, str], str]) -> tuple[str, int]:
    """A style sheet of the rules that are known; `name` says what a class (.) or an id (#) is called now."""
    out: list[str] = []
    depth: list[bool] = []
    removed, start, selector = 0, 0, ""
    text = _COMMENT.sub("", text)
    for brace in _BRACES.finditer(text):
        inside = text[start : brace.start()].strip()
        start = brace.end()
        if brace[0] == "{":
            if inside.startswith("@") and (media := _media(inside)):
                out.append(f"{media} {{")
                depth.append(True)
            else:
                selector = _selector(inside, name) if all(depth) else ""
                depth.append(False)
        elif depth and depth.pop():
            out.append("}")
        else:
            declarations, gone = clean_declarations(inside) if selector else ("", 1)
            removed += gone
            if declarations:
                out.append(f"{selector} {{ {declarations} }}")
            selector = ""
    out += ["}"] * sum(depth)
    return "\n".join(("", *out, "")) if out else "", removed


def _media(prelude: str) -> str:
    rule, _, kinds = prelude.partition(" ")
    listed = [each.strip() for each in kinds.split(",")]
    return f"@media {', '.join(listed)}" if rule == "@media" and set(listed) <= _known("media") else ""


def _selector(text: str, name: Callable[[str, str], str]) -> str:
    """The selector with new names; empty where a part of it is not known."""
    parts = []
    for part in re.findall(r"[,>+~]|[^\s,>+~]+", text):
        match = _SIMPLE.fullmatch(part)
        if part in ",>+~":
            parts.append(part)
        elif match is None or (match[1] or "*").lower() not in _tags():
            return ""
        else:
            named = [(mark, each) for mark, each in _NAME.findall(match[2])]
            if any(":" in mark and each not in _known("pseudo") for mark, each in named):
                return ""
            new = (mark + (each if ":" in mark else name(mark, each)) for mark, each in named)
            parts.append((match[1] or "").lower() + "".join(new))
    return " ".join(parts)
