"""Candidates in, candidates out: those that only look like PHI are dropped, for a reason that has a name.

A veto is a name, the labels it is about, and a function from a text and a span to whether the span goes.
It hears rules, lists and models alike, and never what is known of a patient, denied by a dictionary,
announced by a word or a title, or the echo of a name that was found. `--without-rule NAME` switches one
off, as it does a rule, and `benchmarks/vetoes.py` measures what each costs and brings.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from deidlab import languages
from deidlab.detect.lexicon import covered, overlaps
from deidlab.rules import Rule
from deidlab.types import Span

Drops = Callable[[str, Span], bool]
PEOPLE = frozenset({"PATIENT", "DOCTOR"})
PLACES = frozenset({"CITY", "STATE", "COUNTRY", "LOCATION-OTHER", "STREET"})
INSTITUTIONS = frozenset({"HOSPITAL", "ORGANIZATION"})
NUMBERS = frozenset(
    {"IDNUM", "MEDICALRECORD", "ACCOUNT", "HEALTHPLAN", "LICENSE", "DEVICE", "BIOID", "VEHICLE", "ZIP"}
)
_CERTAIN = 0.9
# What goes by a word in front, a title or a check digit. A list or a shape alone speaks for nothing.
_CUED = (
    "rules:name",
    "rules:id",
    "rules:national",
    "rules:ssn",
    "rules:web",
    "rules:institution",
    "known",
    "deny",
)
_UNCUED = frozenset({"rules:name-list", "rules:id-shape"})


@dataclass(frozen=True, slots=True)
class Veto:
    """A veto, and in one line what it keeps from being masked; `module` has its function `drops`."""

    name: str
    about: str
    labels: frozenset[str]
    module: str
    echoes: bool = False
    """Whether it hears echoes too, which others leave: somebody has that name in the note."""
    language: str = ""
    """The code of the language by whose words it goes; empty where it suits notes in any."""

    @property
    def drops(self) -> Drops:
        return _load(self.module)


@functools.cache
def _load(module: str) -> Drops:
    drops: Drops = importlib.import_module(f"{__name__}.{module}").drops
    return drops


_WORDY = PEOPLE | PLACES | INSTITUTIONS
VETOES = (
    Veto(
        "no-eponyms",
        "leaves names of diseases, signs, scores, grades and devices",
        _WORDY - {"COUNTRY", "STREET"},
        "eponyms",
        echoes=True,
    ),
    Veto("no-ratios", "leaves scores, counts, doses and levels like n/m", frozenset({"DATE"}), "ratios"),
    Veto(
        "no-abbreviations",
        "leaves clinical abbreviations that no title or signature makes a person",
        PEOPLE | INSTITUTIONS | {"CITY", "LOCATION-OTHER", "USERNAME"},
        "abbreviations",
    ),
    Veto(
        "no-codes",
        "leaves codes of diseases, procedures, drugs, genes and scores",
        NUMBERS | {"DATE", "PHONE", "FAX", "USERNAME", "PATIENT", "DOCTOR"},
        "codes",
    ),
    Veto(
        "no-values",
        "leaves clock times, blood gases and settings read as telephone numbers",
        frozenset({"PHONE", "FAX", "DATE", "MEDICALRECORD"}),
        "values",
    ),
    Veto(
        "no-editions",
        "leaves years of guidelines and classifications, and `may` and `march` as verbs",
        frozenset({"DATE"}),
        "editions",
    ),
    Veto("no-spells", "leaves measures, spells of time and ages of nobody in particular",
         frozenset({"AGE"}), "spells"),
    Veto(
        "no-words",
        "leaves drugs and everyday words that nothing makes a name",
        _WORDY,
        "words",
        # What its lists leave out may be a name elsewhere.
        language=languages.FIRST,
    ),
)  # fmt: skip


VETO_NAMES = frozenset(veto.name for veto in VETOES)


def running_vetoes(without: Iterable[str], language: str = "") -> tuple[Veto, ...]:
    """All vetoes for notes in a language, or in any, but those switched off."""
    off = frozenset(without)
    spoken = language.split(languages.JOINT)
    return tuple(
        veto
        for veto in VETOES
        if veto.name not in off and (not veto.language or not language or spoken == [veto.language])
    )


def as_rules() -> tuple[Rule, ...]:
    """What a list of rules says of the vetoes."""
    return tuple(Rule(veto.name, veto.about, "") for veto in VETOES)


@functools.lru_cache(maxsize=16)
def _by_label(vetoes: tuple[Veto, ...]) -> dict[str, tuple[Drops, ...]]:
    labels = {label for veto in vetoes for label in veto.labels}
    return {label: tuple(veto.drops for veto in vetoes if label in veto.labels) for label in labels}


def drop_vetoed(
    text: str, spans: Sequence[Span], vetoes: tuple[Veto, ...], counts: Callable[[Span], bool]
) -> list[Span]:
    """The spans that no veto drops, or that something else speaks for, and all that do not count anyway."""
    checks = _by_label(vetoes)
    cued = [_is_cued(span) for span in spans]
    spoken_for = covered(span for span, is_cued in zip(spans, cued, strict=True) if is_cued)
    return [
        span
        for span, is_cued in zip(spans, cued, strict=True)
        if is_cued
        or span.label not in checks
        or overlaps(span, spoken_for)
        or not counts(span)
        or not any(drops(text, span) for drops in checks[span.label])
    ]


def _is_cued(span: Span) -> bool:
    """Whether a span is announced by a word or a title, or is known or denied."""
    if (span.score is not None and span.score < _CERTAIN) or span.source in _UNCUED:
        return False
    return span.source.startswith(_CUED)
