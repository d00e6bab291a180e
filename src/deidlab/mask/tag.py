"""A label in, the mark that stands for a span of it out."""

from __future__ import annotations


def tag(label: str, number: int | None = None) -> str:
    return f"[{label}]" if number is None else f"[{label}-{number}]"
