"""Words beside a field that help to tell what it holds."""

from __future__ import annotations

from deidlab.carriers.docx_values import words

_TITLES = {"male": "Mr", "m": "Mr", "female": "Mrs", "f": "Mrs"}


def patient_caption(caption: str, gender: str) -> str:
    """What stands before a patient's name: a title, where the record tells the gender.

    Banks do not know every given name, and the new one is to be the same in all records and letters.
    """
    return _TITLES.get(gender.casefold(), caption) if caption == "Patient" else caption


def caption_of(text: str) -> str:
    """The text, if it is one of the words that forms have before what is filled in, without its colon."""
    said = text.strip().rstrip(":").rstrip()
    return said if said.casefold() in words("captions", "words") else ""
