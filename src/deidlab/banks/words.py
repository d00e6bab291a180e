"""Countries, professions and stems of place-like names (Lakeview, Stonebrook) out, by language."""

from __future__ import annotations

import functools

from deidlab.banks.reading import rows


@functools.cache
def countries() -> tuple[str, ...]:
    return tuple(row[0] for row in rows("countries.tsv"))


@functools.cache
def professions(language: str) -> tuple[str, ...]:
    return tuple(row[0] for row in rows(f"professions_{language}.tsv"))


@functools.cache
def stems(language: str) -> tuple[str, ...]:
    return tuple(row[0] for row in rows(f"stems_{language}.tsv"))
