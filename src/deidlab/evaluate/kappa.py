"""How often one person's answer met another's in, their agreement beyond chance out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping


def cohen_kappa(table: Mapping[tuple[str, str], int]) -> float | None:
    """Agreement beyond chance; None where chance alone explains everything, or nothing was judged."""
    total = sum(table.values())
    if not total:
        return None
    rows: Counter[str] = Counter()
    columns: Counter[str] = Counter()
    for (left, right), n in table.items():
        rows[left] += n
        columns[right] += n
    observed = sum(n for (left, right), n in table.items() if left == right)
    # Whole numbers as long as possible: with two million words the difference to 1 is small.
    expected = sum(rows[label] * columns[label] for label in rows)
    return None if expected == total * total else (observed * total - expected) / (total * total - expected)
