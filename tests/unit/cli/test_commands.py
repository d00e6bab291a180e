"""Commands load when they are called, and all that is known before is true."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer.main

from deidlab.cli.app import all_commands, app, run
from deidlab.cli.commands import LazyCommand

Capture = pytest.CaptureFixture[str]


def _modules_after(*arguments: str) -> set[str]:
    """The modules of the command line that are there once it has run in a process of its own."""
    code = (
        "import sys; from deidlab.cli.app import run; run(sys.argv[1:]);"
        "sys.stderr.write('modules ' + ' '.join(name for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return set(done.stderr.rpartition("modules ")[2].split())


def test_the_version_and_the_list_load_no_command() -> None:
    for arguments in (["--version"], ["--help"], ["corpus", "--help"]):
        there = _modules_after(*arguments)
        assert "deidlab.cli.app" in there
        assert not there & {
            f"deidlab.cli.{name}" for name in ("mask", "detect", "train", "score", "corpus.make")
        }


def test_a_command_loads_no_other() -> None:
    there = _modules_after("mask", "--help")
    assert "deidlab.cli.mask" in there
    others = ("detect", "train", "score", "serve", "review", "params", "corpus.make", "study.run")
    assert not there & {f"deidlab.cli.{name}" for name in others}


def test_the_list_says_what_each_command_says_of_itself() -> None:
    def walk(group: object, name: str = "") -> None:
        for each, listed in group.commands.items():  # type: ignore[attr-defined]
            assert isinstance(listed, LazyCommand)
            own = listed.load()
            assert listed.help == own.help.partition("\n\n")[0].replace("\n", " "), f"{name} {each}"
            if hasattr(own, "commands"):
                walk(own, f"{name} {each}")

    walk(typer.main.get_command(app))


def test_every_command_is_found() -> None:
    names = set(all_commands())
    assert {"mask", "detect", "key new", "corpus check", "study report"} <= names
    assert not {"corpus", "key", "study"} & names


def test_help_lists_every_command_in_one_line_each(capsys: Capture) -> None:
    assert run(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"│ {name} " in shown for name in typer.main.get_command(app).commands)  # type: ignore[attr-defined]


def test_a_wrong_name_is_told_with_a_near_one(capsys: Capture) -> None:
    assert run(["msk"]) == 2
    assert "Did you mean 'mask'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("deidlab ma", {"mask"}), ("deidlab mask --sty", {"--style"}), ("deidlab corpus s", {"split", "stats"})],
)
def test_the_shell_completes_commands_and_options(typed: str, offered: set[str]) -> None:
    environment = {
        "_DEIDLAB_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split()) - 1),
    }
    code = "from deidlab.cli.app import app; app(prog_name='deidlab')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}
    )
    assert set(done.stdout.split()) == offered, done.stderr
