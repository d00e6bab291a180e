"""The folder of a language's made notes in, what `corpus make` writes with out.

`made.toml` says who the notes are about; `slots.txt`, `words.txt` and `sentences.txt` are the grammar, files
that start with `whole_` whole notes; `towns.tsv` and `names.tsv` what the countries and people are called.
"""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from deidlab.languages.language import MadeNotes, Population
from deidlab.rules.wordlists import read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_GRAMMAR = ("slots.txt", "words.txt", "sentences.txt")
HELD = "\u00a0"
"""Stands for the `_` between words of one name (Le_Goff), lest the first be taken for the whole of it."""


def read_made_notes(folder: str, slots: Mapping[str, Callable[[Any], None]]) -> MadeNotes:
    """Those of a package folder; `slots` are what only functions can write."""
    table = read_table(folder, "made.toml")
    whole = sorted(each.name for each in resources.files(folder).iterdir() if each.name.startswith("whole_"))
    names = {
        (origin, kind): tuple(listed.replace("_", HELD).split(", "))
        for origin, kind, listed in _rows(folder, "names.tsv")
    }
    return MadeNotes(
        table["labels"],
        table["prefix"],
        "\n".join(_text(folder, name) for name in _GRAMMAR),
        slots,
        "\n====\n".join(_text(folder, name) for name in whole),
        table["whole_share"],
        Population(
            table["countries"],
            table["origins"],
            names,
            tuple(map(tuple, _rows(folder, "towns.tsv"))),
            table["two_families"],
            table["accents"],
        ),
    )


def _text(folder: str, name: str) -> str:
    return resources.files(folder).joinpath(name).read_text("utf-8")


def _rows(folder: str, name: str) -> list[list[str]]:
    lines = _text(folder, name).splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]
