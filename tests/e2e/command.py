"""Running the command line as a person does, in a process of its own or in this one."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from deidlab.cli.app import run


@dataclass(frozen=True)
class Outcome:
    status: int
    out: str
    err: str


def deidlab(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> Outcome:
    """In this process: fast."""
    capsys.readouterr()
    status = run([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return Outcome(status, captured.out, captured.err)


def deidlab_process(*arguments: str | Path, **options: object) -> Outcome:
    """In a process of its own, as from a shell."""
    done = subprocess.run(
        [sys.executable, "-m", "deidlab", *map(str, arguments)], capture_output=True, text=True, **options
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
