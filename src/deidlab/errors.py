"""Every error that DeidLab raises on purpose.

    DeidError
    ├── CorpusError          a file or a document cannot be read or written as asked
    │   └── AlignmentError   annotations and text disagree
    ├── ConfigError          a setting is missing, unknown or impossible
    │   └── UnknownNameError a name is not among the known ones; the nearest are offered
    ├── ModelError           a model cannot be built, loaded or run
    └── MissingExtraError    an optional part is not installed; the message has the command

A message says what is wrong, where, and what to do next. It never quotes note text: messages
travel to terminals, logs and tickets where notes must not go.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class DeidError(Exception):
    """The root: catch this to catch everything DeidLab raises on purpose."""


class CorpusError(DeidError):
    """A file or a document cannot be read or written as asked."""


class AlignmentError(CorpusError):
    """Annotations and text disagree: offsets out of bounds, or a quoted text that is not there."""


class ConfigError(DeidError):
    """A setting is missing, unknown or impossible."""


class UnknownNameError(ConfigError):
    """A name is not among the known ones."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        choices = sorted(known)
        near = difflib.get_close_matches(name.lower(), choices, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(choices)}"
        super().__init__(f"unknown {kind} '{name}'; {hint}")
        self.kind, self.name, self.nearest = kind, name, tuple(near)


class ModelError(DeidError):
    """A model cannot be built, loaded or run."""


class MissingExtraError(DeidError):
    """An optional part of DeidLab is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the '{extra}' extra: pip install 'deidlab[{extra}]'")
        self.extra = extra
