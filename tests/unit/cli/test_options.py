"""All options of all commands: those of before are still taken, help is grouped, and one is added in one place."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from deidlab.cli.app import all_commands
from deidlab.cli.mask_options import MaskOptions
from deidlab.cli.options import option, takes_options
from deidlab.mask import MaskSettings
from deidlab.options import COMMON, option_of
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.run.identity import describe_job
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.systems.members import SYSTEM_FIELDS

COMMANDS = all_commands()
# What `deidlab` took before options were declared in dataclasses: command, spelling, type, default.
BEFORE = [
    line.split(" | ") for line in (Path(__file__).parent / "options.txt").read_text("utf-8").splitlines()
]


def told(parameter: Any) -> str:
    """What a parameter is, in the words of options.txt."""
    kind = parameter.type_descriptor.annotation
    bounds = (getattr(parameter, "min", None), getattr(parameter, "max", None))
    words = [getattr(kind, "__name__", str(kind))]
    words += [f"{bounds[0]}..{bounds[1]}"] if bounds != (None, None) else []
    words += ["many"] if getattr(parameter, "multiple", False) or parameter.nargs == -1 else []
    words += ["required"] if parameter.required else []
    return " ".join(words)


def default_of(parameter: Any) -> str:
    nothing = parameter.required or parameter.default in (None, [], (), "")
    shown = "None" if nothing else str(parameter.default)
    return f"{shown} ${parameter.envvar}" if getattr(parameter, "envvar", None) else shown


def find(command: Any, spelling: str) -> Any:
    """The parameter of that spelling, be it the one of now or an old one."""
    first = spelling.partition("|")[0]
    now = getattr(command.callback, "old_names", {}).get(first, first)
    for each in command.params:
        if now in (*each.opts, *each.secondary_opts) or f"argument {each.metavar or each.name}" == now:
            return each
    raise AssertionError(f"{command.name} does not take {spelling} any more")


@pytest.mark.parametrize(
    ("name", "spelling", "kind", "default"), [(*row, "") if len(row) == 3 else row for row in BEFORE]
)
def test_every_option_of_before_is_taken_as_it_was(name: str, spelling: str, kind: str, default: str) -> None:
    parameter = find(COMMANDS[name], spelling)
    assert told(parameter) == kind
    assert default_of(parameter) == (default or "None")
    taken = {*parameter.opts, *parameter.secondary_opts, *getattr(COMMANDS[name].callback, "old_names", {})}
    assert spelling.startswith("argument ") or set(spelling.split("|")) <= taken


def groups(name: str) -> dict[str, list[str]]:
    """The options of a command under the headings of its help."""
    found: dict[str, list[str]] = {COMMON: []}
    for each in COMMANDS[name].params:
        if each.param_type_name == "option":
            found.setdefault(each.rich_help_panel or COMMON, []).append(each.opts[0])
    return found


def test_the_help_of_mask_has_seven_groups_and_what_most_need_comes_first() -> None:
    found = groups("mask")
    assert len(found) <= 7
    assert found[COMMON] == [
        "--out", "--dry-run", "--style", "--policy", "--key-file", "--model", "--language", "--workers",
    ]  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_help_is_grouped_and_teaches(name: str) -> None:
    command = COMMANDS[name]
    assert f"Example: deidlab {name}" in command.help
    assert len(groups(name)) <= 7
    for each in command.params:
        assert each.help.strip().endswith((".", "?", "]", "**", ")")), f"{name} {each.name}: {each.help}"


@pytest.mark.parametrize("word", ["least", "yields", "neck", "gone on with", "a part a"])
def test_help_has_no_word_that_stops_a_reader(word: str) -> None:
    for name, command in COMMANDS.items():
        texts = [command.help, *(each.help for each in command.params)]
        assert not [text for text in texts if re.search(rf"\b{word}\b", text.lower())], name


def test_old_spellings_are_told_on_stderr() -> None:
    @takes_options
    def run(limits: Renamed) -> None:
        typer.echo(f"{limits.min_workers} {limits.time_steps}")

    from deidlab.cli.strict import StrictCommand

    app = typer.Typer()
    app.command(cls=StrictCommand)(run)
    done = CliRunner().invoke(app, ["--least-workers=3", "--no-calibrate"])
    assert done.stdout == "3 False\n"
    assert "--least-workers is now called --min-workers" in done.stderr
    assert "--no-calibrate is now called --no-time-steps" in done.stderr
    new = CliRunner().invoke(app, ["--min-workers", "3", "--no-time-steps"])
    assert (new.stdout, new.stderr) == (done.stdout, "")


@dataclass(frozen=True, slots=True)
class Renamed:
    min_workers: int = option(1, old=("--least-workers",), help="Few.")
    time_steps: bool = option(
        True, "--time-steps/--no-time-steps", old=("--calibrate", "--no-calibrate"), help="Time."
    )


@dataclass(frozen=True, slots=True)
class FindingMore(Finding):
    """What adding an option of `mask` takes: one field, here, and the code that reads it."""

    nicknames: bool = option(False, help="Look for nicknames, too.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskMore(MaskOptions):
    finding: FindingMore  # type: ignore[misc]


def test_an_option_of_mask_is_added_by_one_field_and_the_code_that_uses_it() -> None:
    got: list[MaskMore] = []

    @takes_options
    def mask(options: MaskMore) -> None:
        got.append(options)

    app = typer.Typer()
    app.command()(mask)
    assert CliRunner().invoke(app, ["notes", "--out", "masked", "--nicknames"]).exit_code == 0
    assert got[0].finding.nicknames
    assert "--nicknames" in CliRunner().invoke(app, ["--help"]).output
    # A run with it is another run than one without, and nobody had to think of that.
    source, settings = SourceSettings(Path("notes")), MaskSettings(key=bytes(range(32)))
    with_it, without_it = (
        describe_job(MaskJob(source, Path("o"), FindingMore(None, "only", nicknames=on), settings), "jsonl")
        for on in (True, False)
    )
    assert with_it != without_it


def test_a_command_leaves_out_fields_that_are_not_its_own() -> None:
    taken = {each.name for each in COMMANDS["mask"].params}
    assert "labels" not in taken and "mark" not in taken
    declared = {each.name for each in fields(Finding) if option_of(each) is not None}
    assert declared - {"labels"} <= taken
    served = declared - {"how", "labels", *SYSTEM_FIELDS} | {"allow_host"}
    assert {each.name for each in COMMANDS["serve"].params} & declared == served


def test_no_field_of_a_group_is_without_a_default_by_accident() -> None:
    needed = {
        name: [each.name for each in command.params if each.required] for name, command in COMMANDS.items()
    }
    assert (
        needed["mask"] == ["source"]
        and needed["detect"] == []
        and needed["restore"] == ["source", "map_file", "out"]
    )
