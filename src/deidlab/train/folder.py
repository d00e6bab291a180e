"""The run folder: settings and record from the start, model, tokenizer and card at the end."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.detect.embedded import language_of_labels
from deidlab.detect.folder import SHAPES_KEY, STEPS_KEY
from deidlab.detect.packed.tagger import Tagger, first_position
from deidlab.encode.pieced import PiecedCorpus, count_labels
from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object
from deidlab.labels import LabelSet
from deidlab.train.card import write_card
from deidlab.train.labelling import unseen_labels
from deidlab.train.material import Material
from deidlab.train.record import (
    RECORD,
    SETTINGS,
    describe_environment,
    full_disk,
    now,
    write_file,
    write_json,
)
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings
from deidlab.types import Document

if TYPE_CHECKING:
    import torch
    from torch import nn


def open_folder(folder: Path, resume: bool, overwrite: bool = False) -> Path:
    """The folder, made where there is none; one that holds a run is taken only to resume or overwrite it."""
    if resume:
        if not (folder / SETTINGS).is_file():
            raise ConfigError(f"{folder}: no run to resume is here (no {SETTINGS})")
        return folder
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        if not overwrite or not (folder / SETTINGS).is_file():
            raise ConfigError(
                f"{folder}: already there; go on with it by --resume, choose another name, or replace a run "
                "with --overwrite"
            )
        shutil.rmtree(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise full_disk(folder, error) from None
    return folder


def start_record(
    request: RunRequest, settings: TrainSettings, labels: LabelSet, device: torch.device, n_processes: int
) -> dict[str, Any]:
    """The record as it stands before the first step."""
    return {
        "record": 1,
        "started": now(),
        "model": request.model,
        "from_scratch": request.scratch,
        "tokenizer": request.tokenizer or request.model,
        "seed": settings.seed,
        "settings": settings.as_dict(),
        "label_set": labels.name,
        "labels": list(labels.labels),
        "tags": list(labels.tags),
        "surrogates": request.surrogates,
        "environment": describe_environment(device),
        "processes": n_processes,
        "epochs": [],
    }


def take_up_record(record: dict[str, Any], folder: Path, settings: TrainSettings) -> None:
    """Carry over what the record of an interrupted run says of its start, and note what is changed now."""
    path = folder / RECORD
    before = read_object(path) if path.is_file() else {}
    old = before.get("settings", {})
    changes = {key: value for key, value in settings.as_dict().items() if key in old and old[key] != value}
    record["started"] = before.get("started", record["started"])
    record["resumed"] = [*before.get("resumed", []), {"at": now(), "changes": changes}]


def refuse_finished(folder: Path, digest: str) -> None:
    """A run that is whole has nothing to resume, and one goes on only with the notes that it began with."""
    path = folder / RECORD
    before = read_object(path) if path.is_file() else {}
    if "finished" in before:
        raise ConfigError(f"{folder}: this run is finished; there is nothing to resume")
    if before.get("corpus", {}).get("digest", digest) != digest:
        raise ConfigError(f"{folder}: the training notes are not those that this run was started with")


def describe_corpus(documents: Sequence[Document], corpus: PiecedCorpus, digest: str) -> dict[str, Any]:
    """A corpus in figures; none of its text, names or ids."""
    return {
        "digest": digest,
        "documents": len(documents),
        "words": corpus.n_words,
        "pieces": corpus.n_pieces,
        "windows": corpus.n_windows,
        "spans": dict(sorted(count_labels(documents).items())),
        "misfits": corpus.n_misfits,
    }


def describe_parts(
    material: Material,
    documents: Sequence[Document],
    validation: Sequence[Document],
    digest: str,
    validation_digest: str,
) -> dict[str, Any]:
    """What a record says of the notes, of which copies are none."""
    parts: dict[str, Any] = {"corpus": describe_corpus(documents, material.notes, digest)}
    if material.held_out is not None:
        parts["validation_corpus"] = describe_corpus(validation, material.held_out, validation_digest)
    return parts | {"unseen_labels": unseen_labels(validation, material.labels)}


def save_tagger(
    folder: Path,
    tagger: Tagger,
    material: Material,
    settings: TrainSettings,
    record: dict[str, Any],
) -> None:
    """Model, tokenizer, description, card and record; the record comes last and says the run is whole."""
    extra = {}
    if tagger.shapes is not None:
        extra[SHAPES_KEY] = tagger.shapes.weight
    if tagger.steps is not None:
        extra[STEPS_KEY] = tagger.steps
    save_weights(folder, tagger.model, extra)
    write_file(folder / "tokenizer.json", material.pieces.to_json().encode())
    labels, window = material.labels, material.window
    facts = {
        "tagger": 1,
        "label_set": labels.name,
        "labels": list(labels.labels),
        "tags": list(labels.tags),
        "window": window.length,
        "stride": window.stride,
        "words": settings.words,
        "decoding": settings.decoding,
        "shapes": settings.shapes,
        "first_position": first_position(tagger.model),
    }
    if language := language_of_labels(labels.labels):
        facts["language"] = language
    write_json(folder / "tagger.json", facts)
    record["finished"] = now()
    write_file(folder / "README.md", write_card(record).encode())
    write_json(folder / RECORD, record)


def save_weights(folder: Path, model: nn.Module, extra: dict[str, Any]) -> None:
    """`model.safetensors` in fp32 and `config.json`; tensors that are shared are written once."""
    from safetensors.torch import save

    tensors: dict[str, Any] = {}
    seen: set[int] = set()
    for name, tensor in (model.state_dict() | extra).items():
        if tensor.data_ptr() in seen:
            continue
        seen.add(tensor.data_ptr())
        tensors[name] = tensor.detach().float().cpu().contiguous().clone()
    write_file(folder / "model.safetensors", save(tensors, metadata={"format": "pt"}))
    config = model.config.to_dict()
    config.pop("_name_or_path", None)
    config |= {"architectures": [type(model).__name__], "dtype": "float32"}
    write_file(
        folder / "config.json", (json.dumps(config, indent=2, sort_keys=True, default=str) + "\n").encode()
    )
