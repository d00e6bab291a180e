"""`deidlab pretrain`: adapt a model to the language of notes that have no tags."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from deidlab.cli.options import argument, only_given, option, takes_options
from deidlab.cli.options.output import AnswerOptions
from deidlab.cli.options.training import NotesOption, StartOptions, read_pair, setting_names
from deidlab.cli.output import print_json, tell
from deidlab.errors import UsageError
from deidlab.train.pretrain_settings import (
    PretrainRequest,
    PretrainSettings,
    pretrain_settings_from,
    read_pretrain_request,
)

_SHOWN = ("epochs", "batch", "learning_rate", "mask_share", "validation_share", "canaries", "seed")


@dataclass(frozen=True, slots=True, kw_only=True)
class PretrainOptions:
    """All that `pretrain` takes."""

    notes: Path | None = argument(None, help="Notes: a file or folder of any format.")
    start: StartOptions
    reading: NotesOption
    given: Annotated[dict[str, Any], only_given(PretrainSettings, *_SHOWN)]
    set: tuple[str, ...] = option(
        (),
        metavar="KEY=VALUE",
        help=f"Any other setting, as often as needed: {setting_names(PretrainSettings)}.",
        group=PretrainSettings.GROUP,
    )
    answer: AnswerOptions


@takes_options
def pretrain(options: PretrainOptions) -> None:
    """Pretrain a model further on notes without tags, by masked-language modelling.

    The run folder can be given to `deidlab train --model`. Its weights may hold what the notes say: with
    `--canaries 12` the record and the card tell how much of twelve planted secrets the model kept.

    Example: deidlab pretrain notes/ --model bert-base-cased --out adapted --epochs 2
    """
    start = options.start
    given = options.given | dict(read_pair(pair) for pair in options.set)
    if start.resume is not None:
        request, before = read_pretrain_request(start.resume)
        _pretrain(options, request, pretrain_settings_from(asdict(before) | given))
    elif options.notes is None or not start.model or start.out is None:
        raise UsageError(
            "say what to learn from, what, and where to: deidlab pretrain NOTES --model M --out RUN"
        )
    else:
        from deidlab.corpus.files import refuse_overlap

        refuse_overlap((start.out,), (options.notes,))
        refuse_overlap((start.out,), (Path(start.model),), inside=True)
        request = PretrainRequest(
            model=start.model,
            notes=str(options.notes),
            format=options.reading.format,
            tokenizer=start.tokenizer,
            scratch=start.from_scratch,
        )
        _pretrain(options, request, pretrain_settings_from(given))


def _pretrain(options: PretrainOptions, request: PretrainRequest, settings: PretrainSettings) -> None:
    from deidlab.train.launch import Launch
    from deidlab.train.start import start_pretraining
    from deidlab.train.stopping import Interrupted

    start = options.start

    def tell_epoch(entry: dict[str, Any]) -> None:
        found = entry.get("validation")
        held_out = f", on notes held out {found['loss']:.4f}" if found else ""
        tell(f"epoch {entry['epoch']}: loss {entry['train']['loss']:.4f}{held_out}", options.answer.quiet)

    try:
        run = start_pretraining(
            request,
            settings,
            Launch(start.folder, start.resume is not None, start.overwrite, start.device),
            tell_epoch,
        )
    except Interrupted:
        tell(f"deidlab: interrupted; go on with `deidlab pretrain --resume {start.folder}`")
        raise typer.Exit(130) from None
    _answer(start.folder, run.record, options.answer.as_json)


def _answer(folder: Path, record: dict[str, Any], as_json: bool) -> None:
    if as_json:
        kept = ("validation_before", "epochs", "canaries", "speed", "seconds")
        print_json({"run": str(folder)} | {key: record[key] for key in kept if key in record})
        return
    typer.echo(f"{folder}: pretrained; give it to `deidlab train --model {folder}`")
    if "canaries" in record:
        after = record["canaries"]["after"]
        typer.echo(
            f"memorised {after['memorised']} of {after['canaries']} canaries; the card has the details"
        )
