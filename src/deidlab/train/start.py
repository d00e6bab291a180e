"""From a request to a run: what the command line and a script both call. Torch loads here, and not before."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from deidlab.errors import MissingExtraError
from deidlab.train.corpora import read_notes, read_run_notes
from deidlab.train.launch import Launch, Tell
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings

if TYPE_CHECKING:
    from deidlab.train.fit import Run
    from deidlab.train.pretrain import PretrainRun
    from deidlab.train.pretrain_settings import PretrainRequest, PretrainSettings


def need_torch(what: str) -> None:
    """An error with the command to install what training needs, where it is not there."""
    for name in ("torch", "transformers", "safetensors", "tokenizers"):
        if importlib.util.find_spec(name) is None:
            raise MissingExtraError(what, "train")


def start_training(
    request: RunRequest,
    settings: TrainSettings,
    launch: Launch,
    tell: Tell | None = None,
) -> Run:
    """Read the notes that the request names and fine-tune."""
    need_torch("training")
    from deidlab.train.fit import fit

    documents, validation = read_run_notes(request, settings.seed)
    return fit(documents, validation, request, settings, launch, tell)


def start_pretraining(
    request: PretrainRequest,
    settings: PretrainSettings,
    launch: Launch,
    tell: Tell | None = None,
) -> PretrainRun:
    """Read the notes that the request names and pretrain."""
    need_torch("pretraining")
    from deidlab.train.pretrain import pretrain

    documents = read_notes(request.notes, request.format)
    return pretrain(documents, request, settings, launch, tell)
