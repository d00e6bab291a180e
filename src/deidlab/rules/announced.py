"""Text in, numbers of any country out that a word announces and whose check digits hold: whole, as written.

The table `data/detect/identifiers.tsv` says which modules of python-stdnum know them, under which words.
A module is loaded when one of its words stands before a number. An account number (IBAN) needs no word:
its check is strong.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from importlib import import_module, resources

from deidlab.rules.folding import Cues
from deidlab.rules.numbers import letter_starts
from deidlab.types import Span

SOURCE = "rules:national"
_VALUE = re.compile(
    r"(?:[A-Z0-9]|[a-z](?=\d))"
    r"(?:[ ]?[./-]?[ ]?(?:[A-Z0-9]|(?<=[\dA-Z])[a-z](?![a-z]))|\+(?=\d)){5,36}(?!\w)"
)
_MARKS = re.compile(r"[^\w\n]{0,6}")
_GROUP_ENDS = re.compile(r"(?<=\w)(?=[ ./-])")
_PLAIN = re.compile(r"[ ./+-]")
_WORD = re.compile(r"[^\W\d_]+")
# Groups may be of any length: the check digits tell where it ends.
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}[ -]?\d{2}(?:[ -]?[\dA-Z]){11,30}(?!\w)")
_FEWEST, _WORDS_BETWEEN = 5, 3
_GENERIC, _GENERAL = "*", 20
Check = Callable[[str], bool]


@functools.cache
def _kinds() -> tuple[tuple[tuple[str, ...], str, tuple[str, ...]], ...]:
    """Modules, label and cues of every line of the table."""
    text = resources.files("deidlab").joinpath("data/detect/identifiers.tsv").read_text("utf-8")
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return tuple((tuple(modules.split()), label, tuple(cues.split(", "))) for modules, label, cues in rows)


@functools.cache
def _cues() -> dict[str, tuple[tuple[str, str], ...]]:
    """Label and module of all that each cue announces; what only that cue announces comes first."""
    own: dict[str, list[tuple[str, str]]] = {}
    every = {module: label for modules, label, _ in _kinds() for module in modules if module != _GENERIC}
    every.pop("luhn", None)  # Any number holds one time in ten.
    for modules, label, cues in _kinds():
        rows = [(label, module) for module in (every if modules == (_GENERIC,) else modules)]
        for cue in cues:
            own.setdefault(cue, []).extend(rows)
    return {cue: tuple(dict.fromkeys(rows)) for cue, rows in own.items()}


@functools.cache
def _finder() -> Cues:
    return Cues(_cues())


@functools.cache
def _check(module: str) -> Check:
    check: Check = import_module(f"stdnum.{module}").is_valid
    return check


def find(text: str) -> list[Span]:
    """Every announced number with valid check digits, and account numbers without."""
    return [*_announced(text), *_accounts(text)]


def _announced(text: str) -> Iterator[Span]:
    for _, end, cue in _finder().find(text):
        kinds = _cues()[cue]
        place = _behind(text, end)
        for _ in range(_WORDS_BETWEEN + 1):
            value = _VALUE.match(text, place)
            found = None
            if value is not None and sum(map(str.isdigit, value.group())) >= _FEWEST:
                found = _valid_end(text, place, value.end(), kinds)
            if found is not None:
                score = 0.9 if len(kinds) < _GENERAL else 0.85
                yield Span(place, found[0], found[1], score, SOURCE)
                break
            word = _WORD.match(text, place)
            if word is None:
                break
            place = _behind(text, word.end())


def _behind(text: str, end: int) -> int:
    """Where the next word or number begins."""
    marks = _MARKS.match(text, end)
    return marks.end() if marks else end


def _valid_end(text: str, start: int, end: int, kinds: tuple[tuple[str, str], ...]) -> tuple[int, str] | None:
    """Where the longest valid number from `start` ends, and its label; groups behind it may be others."""
    ends = [end, *(match.start() for match in reversed(list(_GROUP_ENDS.finditer(text, start, end))))]
    for stop in ends:
        written = text[start:stop]
        plain = _PLAIN.sub("", written)
        if len(plain) <= _FEWEST:
            break
        for label, module in kinds:
            if _is_valid(module, written, plain):
                return stop, label
    return None


def _is_valid(module: str, written: str, plain: str) -> bool:
    if module == "luhn" and len(plain) < 12:
        return False
    check = _check(module)
    return bool(check(plain) or (written != plain and check(written)))


def _accounts(text: str) -> Iterator[Span]:
    for start in letter_starts(text):
        value = _IBAN.match(text, start)
        found = _valid_end(text, start, value.end(), (("ACCOUNT", "iban"),)) if value else None
        if found is not None:
            yield Span(start, found[0], "ACCOUNT", 0.97, SOURCE)
