"""`deidlab pretrain`: adapt a model to the language of notes that have no tags."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import typer

from deidlab.cli.output import AsJson, Quiet, print_json, tell
from deidlab.cli.train_options import Device, FromScratch, Model, Out, Overwrite, Tokenizer, read_pair
from deidlab.errors import UsageError
from deidlab.train.pretrain_settings import PretrainSettings

_HELP = {each.name: str(each.metadata["help"]) for each in fields(PretrainSettings)}


def _option(name: str) -> Any:
    return typer.Option(help=_HELP[name], rich_help_panel="Settings", show_default=False)


def pretrain(
    notes: Annotated[Path | None, typer.Argument(help="Notes: a file or folder of any format.")] = None,
    model: Model = "",
    out: Out = None,
    format: Annotated[str, typer.Option(help="Format of the notes; recognised unless given.")] = "",
    tokenizer: Tokenizer = "",
    from_scratch: FromScratch = False,
    resume: Annotated[Path | None, typer.Option(help="Go on with the run in this folder.")] = None,
    overwrite: Overwrite = False,
    epochs: Annotated[int | None, _option("epochs")] = None,
    batch: Annotated[int | None, _option("batch")] = None,
    learning_rate: Annotated[float | None, _option("learning_rate")] = None,
    mask_share: Annotated[float | None, _option("mask_share")] = None,
    validation_share: Annotated[float | None, _option("validation_share")] = None,
    canaries: Annotated[int | None, _option("canaries")] = None,
    seed: Annotated[int | None, _option("seed")] = None,
    set: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Any other setting: " + ", ".join(sorted(_HELP)) + ".",
            rich_help_panel="Settings",
        ),
    ] = None,
    device: Device = "auto",
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Pretrain a model further on notes without tags, by masked-language modelling.

    The run folder can be given to `deidlab train --model`. Its weights may hold what the notes say: with
    `--canaries 12` the record and the card tell how much of twelve planted secrets the model kept.
    """
    given = {key: value for key, value in locals().items() if key in _HELP and value is not None}
    from deidlab.train.pretrain_settings import PretrainRequest, pretrain_settings_from, read_pretrain_request

    given |= dict(read_pair(pair) for pair in set or [])
    if resume is not None:
        request, before = read_pretrain_request(resume)
        chosen = pretrain_settings_from(asdict(before) | given)
    elif notes is None or not model or out is None:
        raise UsageError(
            "say what to learn from, what, and where to: deidlab pretrain NOTES --model M --out RUN"
        )
    else:
        from deidlab.corpus.files import refuse_overlap

        refuse_overlap((out,), (notes,))
        refuse_overlap((out,), (Path(model),), inside=True)
        request = PretrainRequest(model, str(notes), format, tokenizer, from_scratch)
        chosen = pretrain_settings_from(given)
    _pretrain(request, chosen, resume or out or Path(), resume is not None, overwrite, device, quiet, as_json)


def _pretrain(
    request: Any,
    settings: PretrainSettings,
    folder: Path,
    resume: bool,
    overwrite: bool,
    device: str,
    quiet: bool,
    as_json: bool,
) -> None:
    from deidlab.train.start import start_pretraining
    from deidlab.train.stopping import Interrupted

    def tell_epoch(entry: dict[str, Any]) -> None:
        found = entry.get("validation")
        held_out = f", on notes held out {found['loss']:.4f}" if found else ""
        tell(f"epoch {entry['epoch']}: loss {entry['train']['loss']:.4f}{held_out}", quiet)

    try:
        run = start_pretraining(request, settings, folder, resume, overwrite, device, tell_epoch)
    except Interrupted:
        tell(f"deidlab: interrupted; go on with `deidlab pretrain --resume {folder}`")
        raise typer.Exit(130) from None
    record = run.record
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
