"""`deidlab train`: fine-tune a model on an annotated corpus."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from deidlab.cli import train_options as opt
from deidlab.cli.output import AsJson, Quiet, print_json, tell
from deidlab.errors import UsageError

if TYPE_CHECKING:
    from deidlab.train.request import RunRequest


def train(
    corpus: opt.Corpus = None,
    model: opt.Model = "",
    out: opt.Out = None,
    validation: opt.Validation = None,
    validation_share: opt.ValidationShare = 0.0,
    format: opt.Format = "",
    map: opt.Map = "",
    labels: opt.Labels = "auto",
    tokenizer: opt.Tokenizer = "",
    from_scratch: opt.FromScratch = False,
    surrogates: opt.Surrogates = False,
    teachers: opt.Teachers = None,
    resume: opt.Resume = None,
    overwrite: opt.Overwrite = False,
    preset: opt.Preset = "",
    settings: opt.SettingsFile = None,
    epochs: opt.Epochs = None,
    batch: opt.Batch = None,
    learning_rate: opt.LearningRate = None,
    weight_decay: opt.WeightDecay = None,
    warmup: opt.Warmup = None,
    schedule: opt.Schedule = None,
    label_smoothing: opt.LabelSmoothing = None,
    dropout: opt.Dropout = None,
    class_weights: opt.ClassWeights = None,
    seed: opt.Seed = None,
    window: opt.WindowLength = None,
    stride: opt.Stride = None,
    patience: opt.Patience = None,
    accumulate: opt.Accumulate = None,
    decoding: opt.Decoding = None,
    set: opt.Set = None,
    device: opt.Device = "auto",
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Fine-tune a model to find PHI, and leave a folder with the model, its record and its card.

    Settings come from `--preset`, then `--settings`, then single options; the later one wins. Ctrl-C stops
    after the step in hand and writes a checkpoint: `deidlab train --resume RUN` goes on to the same result.
    """
    given = opt.settings_among(locals())
    from deidlab.train.request import read_request

    if resume is not None:
        request, before = read_request(resume)
        chosen = opt.gather_settings(before, "", None, None, given, set or [])
    else:
        request = _make_request(locals())
        chosen = opt.gather_settings(None, preset, model, settings, given, set or [])
    _train(request, chosen, resume or out or Path(), resume is not None, overwrite, device, quiet, as_json)


def _make_request(values: dict[str, Any]) -> RunRequest:
    from deidlab.train.request import RunRequest

    if values["corpus"] is None or not values["model"] or values["out"] is None:
        raise UsageError("say what to train on, what, and where to: deidlab train CORPUS --model M --out RUN")
    from deidlab.corpus.files import refuse_overlap

    refuse_overlap((values["out"],), (values["corpus"], values["validation"]))
    models = (Path(values["model"]), *(values["teachers"] or ()))
    refuse_overlap((values["out"],), models, inside=True)
    return RunRequest(
        model=values["model"],
        corpus=str(values["corpus"]),
        validation=str(values["validation"] or ""),
        format=values["format"],
        map=values["map"],
        labels=values["labels"],
        tokenizer=values["tokenizer"],
        scratch=values["from_scratch"],
        surrogates=values["surrogates"],
        validation_share=values["validation_share"],
        teachers=tuple(str(folder) for folder in values["teachers"] or ()),
    )


def _train(
    request: RunRequest,
    settings: Any,
    folder: Path,
    resume: bool,
    overwrite: bool,
    device: str,
    quiet: bool,
    as_json: bool,
) -> None:
    from deidlab.train.start import start_training
    from deidlab.train.stopping import Interrupted

    def tell_epoch(entry: dict[str, Any]) -> None:
        _tell_epoch(entry, quiet)

    try:
        run = start_training(request, settings, folder, resume, overwrite, device, tell_epoch)
    except Interrupted:
        tell(f"deidlab: interrupted; go on with `deidlab train --resume {folder}`")
        raise typer.Exit(130) from None
    _answer(run.folder, run.record, as_json)


def _tell_epoch(entry: dict[str, Any], quiet: bool) -> None:
    found = entry.get("validation")
    scores = f", validation F1 {found['f1'] or 0:.4f}, loss {found['loss']:.4f}" if found else ""
    tell(
        f"epoch {entry['epoch']}: loss {entry['train']['loss']:.4f}{scores} ({entry['seconds']:.1f} s)", quiet
    )


def _answer(folder: Path, record: dict[str, Any], as_json: bool) -> None:
    found = record.get("validation")
    if as_json:
        kept = ("best_epoch", "kept", "speed", "seconds", "peak_memory_bytes", "validation", "train")
        print_json({"run": str(folder)} | {key: record[key] for key in kept if key in record})
    elif found:
        ratios = ", ".join(f"{name} {found[name] or 0:.4f}" for name in ("precision", "recall", "f1"))
        typer.echo(f"{folder}: strict {ratios} on the validation notes ({record['kept']} weights)")
    else:
        typer.echo(f"{folder}: trained; no validation notes were given")
