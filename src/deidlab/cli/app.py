"""`deidlab`: the commands, put together, and the one place where errors become a line and an exit status.

Exit status: 0 done, 1 an error or a check that found problems, 2 wrong usage, 3 done but some
documents were left out (`--keep-going`), 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

import deidlab
from deidlab.cli.audit import audit
from deidlab.cli.corpus import corpus_app
from deidlab.cli.detect import detect
from deidlab.cli.export import export
from deidlab.cli.key import key_app
from deidlab.cli.mask import mask
from deidlab.cli.once import refuse_repeats
from deidlab.cli.params import params
from deidlab.cli.pretrain import pretrain
from deidlab.cli.restore import restore
from deidlab.cli.review import review
from deidlab.cli.score import score
from deidlab.cli.serve import serve
from deidlab.cli.study import study_app
from deidlab.cli.train import train
from deidlab.errors import DeidError, MissingColumnError, UnknownNameError, UsageError, is_full

app = typer.Typer(
    name="deidlab",
    help="Take the identity out of clinical text: corpora in and out, models, scores, masking.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(corpus_app, name="corpus")
app.command("export")(export)
app.command("detect")(detect)
app.command("mask")(mask)
app.command("audit")(audit)
app.command("restore")(restore)
app.add_typer(key_app, name="key")
app.command("params")(params)
app.command("score")(score)
app.add_typer(study_app, name="study")
app.command("train")(train)
app.command("pretrain")(pretrain)
app.command("review")(review)
app.command("serve")(serve)
refuse_repeats(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"deidlab {deidlab.__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and stop."),
    ] = False,
) -> None:
    """Take the identity out of clinical text: corpora in and out, models, scores, masking."""


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
