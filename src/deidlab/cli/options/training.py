"""What trainings take: a model, a run's folder, settings."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from deidlab.errors import ConfigError
from deidlab.options import COMMON, option


@dataclass(frozen=True, slots=True)
class StartOptions:
    """The model to start from, and the folder of the run."""

    GROUP: ClassVar[str] = COMMON

    model: str = option(
        "", help="A folder with a model, a known name (`deidlab params --list`), or a hub id."
    )
    out: Path | None = option(None, help="The run folder to write.")
    resume: Path | None = option(
        None, help="Continue the run in this folder; settings given here replace its own."
    )
    overwrite: bool = option(False, help="Replace a run that is in the folder.")
    tokenizer: str = option(
        "", help="A folder or tokenizer.json, or `learn` to learn one from the notes.", group="Model"
    )
    from_scratch: bool = option(False, help="Start with random weights.", group="Model")
    device: str = option("auto", metavar="auto|cpu|cuda", help="The device to train on.")

    @property
    def folder(self) -> Path:
        """The run's own."""
        return self.resume or self.out or Path()


@dataclass(frozen=True, slots=True)
class NotesOption:
    format: str = option("", help="Format of the notes; recognised unless given.", group="Notes")


def setting_names(settings: type) -> str:
    """The settings that `--set` takes."""
    return ", ".join(sorted(each.name for each in fields(settings)))


def read_pair(pair: str) -> tuple[str, Any]:
    """'KEY=VALUE' as a setting; a value that is not a number or truth value is text."""
    key, equals, value = pair.partition("=")
    if not equals:
        raise ConfigError(f"--set {pair}: write KEY=VALUE")
    try:
        return key.strip().replace("-", "_"), json.loads(value)
    except ValueError:
        return key.strip().replace("-", "_"), value
    except RecursionError:
        raise ConfigError(f"--set {key.strip()}: a value that is nested too deeply") from None
