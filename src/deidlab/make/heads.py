"""The head of a note: fields with their names, in lines, columns, tables or running text."""

from __future__ import annotations

from collections.abc import Mapping

from deidlab.make.grammar import Grammar, Slot
from deidlab.make.lists import table
from deidlab.make.pen import Pen

_SLOTS = table("heads", "slots")
_ORDER = (*_SLOTS, "other")


def write_head(pen: Pen, grammar: Grammar, fields: Mapping[str, float]) -> None:
    """Fields in one of many layouts; `fields` says how often each is there."""
    chosen = [name for name in _ORDER if pen.often(fields[name])]
    if pen.often(0.3):
        pen.chance.shuffle(chosen)
    chosen += ["other"] * pen.number(0, 2)
    sep = pen.pick((": ", ": ", ": ", ":", " : ", ":  ", ":\t", " - ", " = ", "\t", "  ", ":     ", ". "))
    upper, n_columns = pen.often(0.3), pen.pick((1, 1, 1, 1, 2, 2, 3))
    gap = pen.pick(("   ", "\t", " | ", "; ", ", ", "     ", " / ", "  "))
    frame = pen.pick(("", "", "", "", "| ", "* ", "-", "  "))
    for number, name in enumerate(chosen):
        if number:
            pen.put("\n" if number % n_columns == 0 else gap)
        if number % n_columns == 0 and frame:
            pen.put(frame)
        if name == "other":
            grammar.write("f.other", pen)
        else:
            _write_field(pen, grammar, name, sep, upper)


def _write_field(pen: Pen, grammar: Grammar, name: str, sep: str, upper: bool) -> None:
    before = len(pen.parts)
    grammar.write(f"f.{name}", pen)
    if upper and len(pen.parts) == before + 1:
        pen.parts[before] = (pen.parts[before][0].upper(), "")
    pen.put(sep)
    _value(grammar, name, pen)(pen)


def _value(grammar: Grammar, name: str, pen: Pen) -> Slot:
    line = pen.pick(_SLOTS[name])
    if line not in _COMPILED:
        _COMPILED[line] = grammar.compile(line, f"field {name}")
    return _COMPILED[line]


_COMPILED: dict[str, Slot] = {}
