"""`deidlab`: the commands, put together, and the one place where errors become a line and an exit status.

Exit status: 0 done, 1 an error or a check that found problems, 2 wrong usage, 3 done but some
documents were left out (`--keep-going`), 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

import deidlab
from deidlab.cli.commands import LazyCommand, app_of, loaded
from deidlab.errors import DeidError, MissingColumnError, UnknownNameError, UsageError, is_full

_COMMANDS = {
    "Masking notes": {
        "mask": "Write notes that can be shared: the same format, with PHI masked.",
        "tables": "A whole database or folder of tables: plan what becomes of each column, then mask it.",
        "detect": "Find PHI and write the notes with it marked; text, ids and fields stay as they are.",
        "audit": "Report on a masking run: what was replaced, how surely, what is left, and how much leaks.",
        "risk": "How alone what a masked output still tells leaves its patients.",
        "validate": "Evidence by reading: a protocol first, a sample for people, bounds on what leaks.",
        "dossier": "One folder that a third person can check: runs, validation, policy, approvals, signed.",
        "restore": "Undo a mask exactly, with the map that `deidlab mask --keep-map` wrote.",
        "policy": "What happens to each kind of PHI: see a policy with examples, and check your own.",
        "key": "The secret that decides surrogates and pseudonyms.",
        "crosswalk": "Codes that are drawn at random, kept in a sealed file for later runs.",
        "review": "Look at what was found, and correct it, in the browser.",
        "serve": "Answer over HTTP: detect, mask and batch under /v1, and a page to try them on /.",
    },
    "Corpora and scores": {
        "corpus": "Read, convert, check, count, split, merge and make annotated corpora.",
        "score": "Score a system against gold: words, entities, the challenges' measures, leaks, intervals.",
        "utility": "What masking costs: figures kept, what can still be learned, what an attack tells.",
        "compare": "Which detector works on these notes: ours and other people's, measured alike.",
    },
    "Models and studies": {
        "train": "Fine-tune a model to find PHI, and leave a folder with the model, its record and its card.",
        "pretrain": "Pretrain a model further on notes without tags, by masked-language modelling.",
        "export": "Write a run as one folder that finds PHI without torch, and measure what that changed.",
        "params": "What a model is made of: every tensor, pages, tables, a picture, and what fits in memory.",
        "study": "Compare models and settings on one corpus: a TOML file in, tables out.",
    },
}

_ABOUT = "Take the identity out of clinical text: corpora in and out, models, scores, masking."

app = app_of(
    "deidlab",
    _ABOUT,
    *(
        LazyCommand(f"deidlab.cli.{name}", name, about, panel)
        for panel, commands in _COMMANDS.items()
        for name, about in commands.items()
    ),
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def all_commands() -> dict[str, Any]:
    """Every command under its whole name, loaded: for whoever wants to look at them all."""
    return dict(loaded(typer.main.get_command(app)))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"deidlab {deidlab.__version__}")
        raise typer.Exit


@app.callback(help=_ABOUT)
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """What stands before the command."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Run the command line; the exit status. No traceback leaves here: one may quote note text."""
    try:
        app(args=arguments, prog_name="deidlab")
        return 0
    except SystemExit as stop:
        # Typer prints usage errors itself, and leaves with 2 for those; of an interrupt it says nothing.
        if _was_interrupted(stop):
            _say("stopped")
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except KeyboardInterrupt:
        _say("stopped")
        return 130
    except (UsageError, UnknownNameError, MissingColumnError) as error:
        _say(str(error))
        return 2
    except DeidError as error:
        _say(str(error))
        return 1
    except BrokenPipeError:
        # The reader went away (`deidlab … | head`); keep Python from complaining when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _say(f"{where}{'no space left' if is_full(error) else error.strerror or type(error).__name__}")
        return 1
    except RecursionError:
        _say("something that was given is nested too deeply to be read")
        return 1
    except MemoryError:
        _say("out of memory: try a smaller corpus, or more memory")
        return 1
    except Exception as error:
        if is_full(error):
            _say("no space left on a disk that this command writes to")
            return 1
        # Only the kind and the place: the message of a library's exception may quote the data.
        if os.environ.get("DEIDLAB_TRACEBACK") == "1":
            raise
        _say(
            f"internal error ({_kind_and_place(error)}); please report it. DEIDLAB_TRACEBACK=1 shows the "
            "traceback, which may contain note text"
        )
        return 1


def _was_interrupted(stop: SystemExit) -> bool:
    """Whether nobody but Typer met the interrupt: a command that did has said what there is to say."""
    met = stop.__context__
    return isinstance(met, typer.Exit) and isinstance(met.__cause__, KeyboardInterrupt)


def _kind_and_place(error: BaseException) -> str:
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is None:
        return type(error).__name__
    name = os.path.basename(frame.tb_frame.f_code.co_filename)  # noqa: PTH119
    return f"{type(error).__name__} at {name}:{frame.tb_lineno}"


def _say(message: str) -> None:
    print(f"deidlab: {' '.join(message.split())}", file=sys.stderr)  # noqa: T201


if __name__ == "__main__":
    main()
