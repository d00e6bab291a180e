"""`deidlab.train`: a corpus and a model in, a run's folder out. The command's function, for a script."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.train.launch import Launch
from deidlab.train.presets import config_of, load_preset
from deidlab.train.request import RunRequest, refuse_overlaps
from deidlab.train.settings import TrainSettings, settings_from
from deidlab.train.start import start_training

if TYPE_CHECKING:
    from deidlab.train.fit import Run


def train(
    corpus: str | Path,
    model: str | Path,
    out: str | Path,
    *,
    validation: str | Path | None = None,
    validation_share: float = 0.0,
    format: str = "",
    map: str = "",
    labels: str = "auto",
    tokenizer: str = "",
    from_scratch: bool = False,
    surrogates: bool = False,
    canaries: int = 0,
    teachers: Sequence[str | Path] = (),
    preset: str = "",
    settings: Mapping[str, Any] | None = None,
    overwrite: bool = False,
    device: str = "auto",
    on_epoch: Callable[[dict[str, Any]], None] | None = None,
) -> Run:
    """Fine-tune a model on an annotated corpus; the run's `folder` is what `deidlab.load` takes.

    Options are those of `deidlab train` (docs/training.md); `settings` go over the preset's, by the names
    that the page gives them. `on_epoch` is called after each epoch with what the record will say of it.
    """
    request = RunRequest(
        model=str(model),
        corpus=str(corpus),
        validation=str(validation or ""),
        format=format,
        map=map,
        labels=labels,
        tokenizer=tokenizer,
        scratch=from_scratch,
        surrogates=surrogates,
        canaries=canaries,
        validation_share=validation_share,
        teachers=tuple(str(folder) for folder in teachers),
    )
    refuse_overlaps(request, Path(out))
    chosen = load_preset(preset, str(model), config_of(model)) if preset else TrainSettings()
    if settings:
        chosen = settings_from(chosen.as_dict() | dict(settings), "settings")
    launch = Launch(Path(out), overwrite=overwrite, device=device)
    return start_training(request, chosen, launch, on_epoch)
