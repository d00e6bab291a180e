"""Grammar files in, something that writes with a pen out.

A file of `data/make/grammar`, or one in the folder of a language, holds rules. `== name` opens one (what else
may stand in that line says `deidlab.make.headers`), and each line after it is a way to write it:

    <name>    another rule, or a slot: a function that writes a name, a date, a number
    {a|b|}    one of the ways between the bars, all equally likely; they nest
    ^         the next word starts with a capital; so does <name^>
    3* …      this way is three times as likely as one without a number
    @MX,f …   this way is taken only for a cast of one of these countries, or a person of this sex; a number
              stands behind it
    \\n \\t    a new line, a tab; a backslash takes the meaning off any other sign

A line that starts with `#` is a comment; in a shaped rule, one that starts with `# `. Rules may refer to
rules further on, and to themselves.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import accumulate

from deidlab.errors import ConfigError
from deidlab.make.headers import Header, read_header
from deidlab.make.pen import Pen

Slot = Callable[[Pen], None]
Step = str | Slot
_START = re.compile(r"(?:@(?P<only>[A-Za-z,]+) )?(?:(?P<weight>\d+)\* )?")
_BETWEEN = re.compile(r"from\.(\d+)\.to\.(\d+)")
_SIGNS = re.compile(r"\\.|[{}|^]|<[a-z][\w.]*\^?>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to write a rule, how likely it is, and for whom; nobody named: for all."""

    text: str
    weight: int = 1
    only: frozenset[str] = frozenset()


class Grammar:
    """Rules by name; `write` writes one of them."""

    def __init__(self, lines: Iterable[str], slots: Mapping[str, Slot]) -> None:
        self._slots = slots
        self._headers: dict[str, Header] = {}
        self._sources = _read_rules(lines, self._headers)
        self._rules: dict[str, Slot] = {}
        for name, ways in self._sources.items():
            self._rules[name] = self._headers[name].wrap(self._rule(ways, self._headers[name]))

    def write(self, name: str, pen: Pen) -> None:
        self._rules[name](pen)

    def names(self) -> tuple[str, ...]:
        return tuple(self._rules)

    def ways(self, name: str) -> list[Way]:
        """A rule's lines as they stand in the file."""
        return self._sources[name]

    def compile(self, line: str, where: str = "line") -> Slot:
        """One line as something that writes it."""
        steps, rest = self._steps(_SIGNS.split(line), _SIGNS.findall(line), 0, where)
        if rest <= len(_SIGNS.findall(line)):
            raise ConfigError(f"grammar, rule {where}: a closing brace too many")
        return _sequence(steps[0]) if len(steps) == 1 else _choice([_sequence(way) for way in steps])

    def _rule(self, ways: list[Way], header: Header) -> Slot:
        written = [
            _shaped(way.text) if header.shaped else self.compile(way.text, header.name) for way in ways
        ]
        if any(way.only for way in ways):
            return _chosen(ways, written, header.name)
        weights = [way.weight for way in ways]
        return _choice(written) if len(set(weights)) == 1 else _weighted(written, weights)

    def _steps(
        self, texts: list[str], signs: list[str], at: int, where: str, depth: int = 0
    ) -> tuple[list[list[Step]], int]:
        """The ways from sign `at` on to the brace that closes them, and the number of the sign after it."""
        ways: list[list[Step]] = [[texts[at]]]
        while at < len(signs):
            sign = signs[at]
            at += 1
            if sign == "}":
                if not depth:
                    return ways, at - 1
                return ways, at
            if sign == "{":
                inner, at = self._steps(texts, signs, at, where, depth + 1)
                ways[-1] += [_choice([_sequence(way) for way in inner]), texts[at]]
                continue
            if sign == "|" and depth:
                ways.append([])
            else:
                ways[-1].append(self._step(sign, where))
            ways[-1].append(texts[at])
        if depth:
            raise ConfigError(f"grammar, rule {where}: a brace is not closed")
        return ways, at + 1

    def _step(self, sign: str, where: str) -> Step:
        if sign == "^":
            return Pen.capitalise
        if sign[0] == "\\":
            return {"n": "\n", "t": "\t"}.get(sign[1], sign[1])
        if sign[0] != "<":
            return sign
        name = sign[1:-1]
        if name.endswith("^"):
            plain = self._step(f"<{name[:-1]}>", where)
            return _sequence([Pen.capitalise, plain])
        if name in self._slots:
            return self._slots[name]
        if bounds := _BETWEEN.fullmatch(name):
            low, high = int(bounds[1]), int(bounds[2])
            return lambda pen: pen.put(str(pen.number(low, high)))
        if name not in self._sources:
            raise ConfigError(f"grammar, rule {where}: no rule or slot is called {name}")
        return lambda pen: self._rules[name](pen)


def _read_rules(lines: Iterable[str], headers: dict[str, Header]) -> dict[str, list[Way]]:
    """The ways of each rule; what stands in its first line goes into `headers`."""
    rules: dict[str, list[Way]] = {}
    current: list[Way] | None = None
    for line in lines:
        line = line.rstrip("\n")
        if line.startswith("== "):
            header = read_header(line)
            headers.setdefault(header.name, header)
            current = rules.setdefault(header.name, [])
        elif line.strip() and not line.startswith("# " if current is not None and header.shaped else "#"):
            if current is None:
                raise ConfigError("grammar: a line stands before the first rule")
            current.append(_read_way(line))
    return rules


def _read_way(line: str) -> Way:
    start = _START.match(line)
    assert start is not None  # it matches nothing, too
    only = frozenset((start["only"] or "").split(",")) - {""}
    return Way(line[start.end() :], int(start["weight"] or 1), only)


def _shaped(shape: str) -> Slot:
    """A digit for every #, a letter for every @."""
    return lambda pen: pen.put(pen.fill(shape))


def _chosen(ways: list[Way], written: list[Slot], name: str) -> Slot:
    """One of the ways that are for whom the note is about just now."""
    kept: dict[frozenset[str], Slot] = {}
    asked = frozenset[str]().union(*(way.only for way in ways))

    def write(pen: Pen) -> None:
        traits = pen.traits() & asked
        if traits not in kept:
            own = [n for n, way in enumerate(ways) if not way.only or way.only & traits]
            if not own:
                raise ConfigError(f"grammar, rule {name}: no way is for {', '.join(sorted(pen.traits()))}")
            kept[traits] = _weighted([written[n] for n in own], [ways[n].weight for n in own])
        kept[traits](pen)

    return write


def _sequence(steps: list[Step]) -> Slot:
    kept = _joined(steps)
    if len(kept) == 1 and not isinstance(kept[0], str):
        return kept[0]
    if all(isinstance(step, str) for step in kept):
        text = "".join(step for step in kept if isinstance(step, str))
        return lambda pen: pen.put(text)

    def write(pen: Pen) -> None:
        for step in kept:
            if isinstance(step, str):
                pen.put(step)
            else:
                step(pen)

    return write


def _joined(steps: list[Step]) -> list[Step]:
    """Neighbouring texts as one, none empty."""
    kept: list[Step] = []
    for step in steps:
        if isinstance(step, str) and kept and isinstance(kept[-1], str):
            kept[-1] += step
        elif step != "":
            kept.append(step)
    return kept


def _choice(ways: list[Slot]) -> Slot:
    if len(ways) == 1:
        return ways[0]
    n = len(ways)
    return lambda pen: ways[int(pen.draw() * n)](pen)


def _weighted(ways: list[Slot], weights: list[int]) -> Slot:
    bounds = list(accumulate(weights))
    return lambda pen: ways[bisect_right(bounds, pen.draw() * bounds[-1])](pen)
