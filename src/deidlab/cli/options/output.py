"""What a command prints, and whether it may replace what is there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from deidlab.options import option

OUTPUT = "Output"


@dataclass(frozen=True, slots=True)
class QuietOption:
    GROUP: ClassVar[str] = OUTPUT

    quiet: bool = option(
        False,
        "--quiet",
        "-q",
        help="Say nothing but errors and the answer; with an output file, not even that.",
    )


@dataclass(frozen=True, slots=True)
class AnswerOptions(QuietOption):
    """How the answer is given."""

    as_json: bool = option(False, "--json", help="Print the answer as JSON for a program to read.")

    @property
    def silent(self) -> bool:
        """Whether nothing but the answer is wanted."""
        return self.quiet or self.as_json


@dataclass(frozen=True, slots=True)
class OverwriteOption:
    GROUP: ClassVar[str] = OUTPUT

    overwrite: bool = option(False, help="Replace existing output.")
