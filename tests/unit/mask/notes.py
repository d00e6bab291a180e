"""Notes for the tests, written with their spans: 'seen by {DOCTOR:Dr. Adams}'."""

from __future__ import annotations

import re

from deidlab.mask import MaskSettings, load_policy, mask_notes
from deidlab.types import Document, Span

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))
_MARK = re.compile(r"\{([A-Z_-]+):([^{}]*)\}")


def note(marked: str, id: str = "n1", patient: str = "p1") -> Document:
    text, spans, done = "", [], 0
    for match in _MARK.finditer(marked):
        text += marked[done : match.start()]
        spans.append(Span(len(text), len(text) + len(match[2]), match[1]))
        text += match[2]
        done = match.end()
    return Document(id, patient, text + marked[done:], tuple(spans))


def settings(style: str = "surrogate", policy: str = "i2b2", key: bytes = KEY) -> MaskSettings:
    return MaskSettings(policy=load_policy(policy), style=style, key=key)  # type: ignore[arg-type]


def masked(*marked: str, style: str = "surrogate", policy: str = "i2b2", key: bytes = KEY) -> list[str]:
    """The masked texts of the notes of one patient."""
    notes = [note(text, f"n{index:02d}") for index, text in enumerate(marked)]
    return [result.text for result in mask_notes(notes, settings(style, policy, key))]


def masked_spanish(marked: str, key: bytes = KEY) -> str:
    """A Spanish note with surrogates, under labels that do not tell its language."""
    chosen = MaskSettings(load_policy("i2b2"), "surrogate", key, None, True, "es")
    return mask_notes([note(marked)], chosen)[0].text


def one(label: str, text: str, **how: object) -> str:
    """What replaces one span that is a note by itself."""
    return masked(f"{{{label}:{text}}}", **how)[0]  # type: ignore[arg-type]
