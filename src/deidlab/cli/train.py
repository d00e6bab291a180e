"""`deidlab train`: fine-tune a model on an annotated corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from deidlab.cli.options import takes_options
from deidlab.cli.output import print_json, tell
from deidlab.cli.train_options import TrainOptions, gather_settings
from deidlab.errors import UsageError
from deidlab.machine import n_cores

if TYPE_CHECKING:
    from deidlab.train.request import RunRequest
    from deidlab.train.settings import TrainSettings


@takes_options
def train(options: TrainOptions) -> None:
    """Fine-tune a model to find PHI, and leave a folder with the model, its record and its card.

    Settings come from `--preset`, then `--settings`, then single options; the later one wins. Ctrl-C stops
    after the step in hand and writes a checkpoint: `deidlab train --resume RUN` goes on to the same result.

    Example: deidlab train notes/ --model bert-base-cased --out run --validation-share 0.1
    """
    from deidlab.train.request import read_request

    if options.start.resume is not None:
        request, before = read_request(options.start.resume)
        _train(options, request, gather_settings(options, before))
    else:
        _train(options, _make_request(options), gather_settings(options))


def _make_request(options: TrainOptions) -> RunRequest:
    from deidlab.train.request import RunRequest, refuse_overlaps

    start = options.start
    if options.corpus is None or not start.model or start.out is None:
        raise UsageError("say what to train on, what, and where to: deidlab train CORPUS --model M --out RUN")
    request = RunRequest(
        model=start.model,
        corpus=str(options.corpus),
        validation=str(options.validation or ""),
        format=options.notes.format,
        map=options.map,
        labels=options.labels,
        tokenizer=start.tokenizer,
        scratch=start.from_scratch,
        surrogates=options.surrogates,
        canaries=options.canaries,
        validation_share=options.validation_share,
        teachers=tuple(str(folder) for folder in options.teachers),
    )
    refuse_overlaps(request, start.out)
    return request


def _train(options: TrainOptions, request: RunRequest, settings: TrainSettings) -> None:
    from deidlab.train.launch import Launch
    from deidlab.train.start import start_training
    from deidlab.train.stopping import Interrupted

    start = options.start

    def tell_epoch(entry: dict[str, Any]) -> None:
        _tell_epoch(entry, options.answer.quiet)

    try:
        run = start_training(
            request,
            settings,
            Launch(start.folder, start.resume is not None, start.overwrite, start.device, n_cores()),
            tell_epoch,
        )
    except Interrupted:
        tell(f"deidlab: interrupted; go on with `deidlab train --resume {start.folder}`")
        raise typer.Exit(130) from None
    _answer(run.folder, run.record, options.answer.as_json)


def _tell_epoch(entry: dict[str, Any], quiet: bool) -> None:
    found = entry.get("validation")
    scores = f", validation F1 {found['f1'] or 0:.4f}, loss {found['loss']:.4f}" if found else ""
    tell(
        f"epoch {entry['epoch']}: loss {entry['train']['loss']:.4f}{scores} ({entry['seconds']:.1f} s)", quiet
    )


def _answer(folder: Path, record: dict[str, Any], as_json: bool) -> None:
    found = record.get("validation")
    if as_json:
        kept = (
            "best_epoch", "kept", "speed", "seconds", "peak_memory_bytes", "validation", "train",
            "membership", "canaries",
        )  # fmt: skip
        print_json({"run": str(folder)} | {key: record[key] for key in kept if key in record})
    elif found:
        ratios = ", ".join(f"{name} {found[name] or 0:.4f}" for name in ("precision", "recall", "f1"))
        typer.echo(f"{folder}: strict {ratios} on the validation notes ({record['kept']} weights)")
    else:
        typer.echo(f"{folder}: trained; no validation notes were given")
    if "canaries" in record and not as_json:
        from deidlab.train.canary_card import show_area

        area = show_area(record["canaries"]["after"]["area"])
        typer.echo(f"canaries are told from those held out: {area}, 0.5 is chance; the card has the details")
