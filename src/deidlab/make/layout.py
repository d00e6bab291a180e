"""Kinds of note in, the order of a note out: head, sections with sentences, end, in one of many layouts."""

from __future__ import annotations

import functools
import tomllib
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from deidlab.errors import UnknownNameError
from deidlab.make.grammar import Grammar
from deidlab.make.heads import write_head
from deidlab.make.lists import words
from deidlab.make.pen import Pen
from deidlab.make.reading import own_text
from deidlab.make.slots import SLOTS
from deidlab.make.whole import WholeNotes, sign_further, styled

_TRIES = 20
_HEADINGS = words("layout_headings")
_WHOLE = (
    "whole_hospital.txt",
    "whole_community.txt",
    "whole_abroad.txt",
    "whole_hurried.txt",
    "whole_office.txt",
    "whole_rounds.txt",
    "whole_letters.txt",
    "whole_field.txt",
    "whole_screens.txt",
)
_BARE = "whole_bare.txt"
_FILES = ("words.txt", "plain.txt", "terse.txt", "labelled.txt", "tails.txt", "passing.txt", "frames.txt")
_THEMES = (
    "s.terse",
    "s.terse",
    "t.ratio",
    "t.short",
    "t.word",
    "t.code",
    "t.gas",
    "t.eponym",
    "t.form",
    "t.said",
    "s.hard",
)


@dataclass(frozen=True, slots=True)
class Profile:
    """How much PHI of which label a note holds."""

    rate: float
    head: float
    end: float
    messy: float
    whole: float
    bare: float
    """The share of notes that are a few lines without PHI."""
    rules: tuple[str, ...]
    bounds: tuple[float, ...]
    fields: Mapping[str, float]
    length: float
    thin: Mapping[str, float]
    """Of what is written with a label, the share that is kept; the rest is written anew."""

    def draw_rule(self, pen: Pen) -> str:
        """The rule of a sentence with PHI."""
        return self.rules[bisect_right(self.bounds, pen.draw() * self.bounds[-1])]


@dataclass(frozen=True, slots=True)
class _Look:
    """How one note is laid out."""

    heading: str
    case: str
    between: str
    lines: bool
    bullet: str


@functools.cache
def english() -> Grammar:
    """The English grammar, read once."""
    lines = [line for name in _FILES for line in own_text("grammar", name).splitlines()]
    return Grammar(lines, SLOTS)


@functools.cache
def _whole_notes() -> WholeNotes:
    return WholeNotes("\n====\n".join(own_text("grammar", name) for name in _WHOLE), english())


@functools.cache
def _bare_notes() -> WholeNotes:
    return WholeNotes(own_text("grammar", _BARE), english())


@functools.cache
def _table() -> dict[str, Any]:
    return tomllib.loads(own_text("grammar", "kinds.toml"))


def known_kinds() -> tuple[str, ...]:
    return tuple(_table()["kinds"])


@functools.cache
def find_profile(name: str) -> Profile:
    """`study` for the frequencies of the study's Table 3, `lift` for training."""
    known = _table()["profiles"]
    if name not in known:
        raise UnknownNameError("profile", name, known)
    table = known[name]
    weights = table["sentences"]
    return Profile(
        rate=table["rate"],
        head=table["head"],
        end=table["end"],
        messy=table["messy"],
        whole=table["whole"],
        bare=table["bare"],
        rules=tuple(f"p.{label}" for label in weights),
        bounds=tuple(accumulate(weights.values())),
        fields=table["fields"],
        length=table["length"],
        thin=table["thin"],
    )


def write_note(pen: Pen, profile: Profile) -> str:
    """One note about the pen's cast; the name of its kind."""
    if profile.bare and pen.often(profile.bare):
        _write_bare(pen)
        return "bare"
    if pen.often(profile.messy):
        _write_messy(pen, profile)
        return "messy"
    if profile.whole and pen.often(profile.whole):
        _write_whole(pen)
        return "whole"
    name = _draw_kind(pen)
    kind = _table()["kinds"][name]
    look = _draw_look(pen)
    title = styled(pen.pick(kind["titles"]), look.case)
    title_first = pen.often(0.5)
    if title and title_first:
        pen.put(title + "\n" + look.between)
    if pen.often(profile.head):
        write_head_of(pen, profile)
        pen.put("\n" + look.between)
    if title and not title_first:
        pen.put(title + "\n" + look.between)
    for section in kind["sections"]:
        if pen.often(0.85):
            _write_section(pen, section, look, profile)
    if pen.often(profile.end):
        write_end(pen, profile)
    return name


def write_head_of(pen: Pen, profile: Profile) -> None:
    """A head with fields, or in a form of its own."""
    if pen.often(0.3):
        write_rule(pen, profile, lambda: "h.free")
    else:
        write_head(pen, english(), profile.fields)


def write_rule(pen: Pen, profile: Profile, draw: Callable[[], str]) -> None:
    """Write the rule that is drawn, and another one where the profile holds its labels to be too many."""
    for _ in range(_TRIES):
        before = len(pen.parts)
        english().write(draw(), pen)
        if not profile.thin:
            return
        labels = {label for _, label in pen.parts[before:] if label}
        if all(pen.draw() < profile.thin.get(label, 1.0) for label in sorted(labels)):
            return
        del pen.parts[before:]


def write_end(pen: Pen, profile: Profile) -> None:
    """What stands under a note: signatures, copies, dictation marks."""
    for _ in range(1 if pen.often(0.75) else 2):
        pen.put(pen.pick(("\n", "\n\n", "\n")))
        write_rule(pen, profile, lambda: "end")
        if profile.whole:
            sign_further(pen, english(), 0.85)
    pen.put("\n")


def write_sentence(pen: Pen, profile: Profile, plain: str) -> None:
    """One sentence, with PHI or from the rule of plain ones."""
    write_rule(pen, profile, lambda: profile.draw_rule(pen) if pen.often(profile.rate) else plain)


def _write_whole(pen: Pen) -> None:
    note = pen.pick(_whole_notes().of(""))
    note.write(pen)
    sign_further(pen, english(), 0.95)
    pen.put("\n")
    note.restyle(pen)


def _write_bare(pen: Pen) -> None:
    """A note without PHI: one written as a whole, or a few short lines of a kind."""
    if pen.often(0.2):
        note = pen.pick(_bare_notes().of(""))
        note.write(pen)
        note.restyle(pen)
    else:
        theme, between = pen.pick(_THEMES), pen.pick(("\n", "\n", "\n", " ", "; ", "\n\n"))
        case = pen.pick(("", "", "", "", "upper", "lower"))
        for number in range(pen.number(1, 6)):
            pen.put(between if number else "")
            english().write(theme, pen)
        pen.parts[:] = [(styled(text, case), label) for text, label in pen.parts]
    pen.put("\n")


def _write_messy(pen: Pen, profile: Profile) -> None:
    english().write("messy", pen)
    for _ in range(pen.number(0, 4)):
        pen.put("\n")
        write_sentence(pen, profile, pen.pick(("s.hpi", "s.hard", "s.plan", "s.nurse", "s.lab")))
    pen.put("\n")


def _draw_kind(pen: Pen) -> str:
    names, bounds = _kind_bounds()
    return names[bisect_right(bounds, pen.draw() * bounds[-1])]


@functools.cache
def _kind_bounds() -> tuple[tuple[str, ...], tuple[float, ...]]:
    kinds = _table()["kinds"]
    return tuple(kinds), tuple(accumulate(kind["weight"] for kind in kinds.values()))


def _draw_look(pen: Pen) -> _Look:
    return _Look(
        heading=pen.pick(_HEADINGS),
        case=pen.pick(("as", "as", "upper", "title", "lower")),
        between=pen.pick(("", "\n", "\n", "")),
        lines=pen.often(0.3),
        bullet=pen.pick(("", "", "- ", "* ", "• ", "-", "> ", "1")),
    )


def _write_section(pen: Pen, name: str, look: _Look, profile: Profile) -> None:
    section = _table()["sections"][name]
    title = styled(pen.pick(section["titles"]), look.case)
    if title:
        pen.put(
            look.heading.format(title, line=pen.pick("-=~_*") * pen.number(len(title) - 1, len(title) + 6))
        )
    listed = name == "meds" or (look.lines and pen.often(0.7))
    low, high = section["size"]
    for number in range(round(pen.number(low, high) * profile.length)):
        if listed:
            pen.put(f"{number + 1}. " if look.bullet == "1" else look.bullet)
        write_sentence(pen, profile, pen.pick(section["rules"]))
        pen.put("\n" if listed else " " if pen.often(0.9) else "  ")
    pen.put("\n" + look.between if not listed else look.between)
