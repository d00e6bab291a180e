"""What a run was asked for, kept in its folder so that it can be resumed from there alone."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from deidlab.corpus.files import refuse_overlap
from deidlab.errors import ConfigError
from deidlab.jsonfile import read_object
from deidlab.train.models import ModelSource
from deidlab.train.record import SETTINGS, write_json
from deidlab.train.settings import TrainSettings, settings_from


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Model, notes, labels and teachers of a run: everything but its settings."""

    model: str
    corpus: str = ""
    validation: str = ""
    format: str = ""
    map: str = ""
    labels: str = "auto"
    tokenizer: str = ""
    scratch: bool = False
    surrogates: bool = False
    validation_share: float = 0.0
    teachers: tuple[str, ...] = ()
    canaries: int = 0

    @property
    def source(self) -> ModelSource:
        """Where the model comes from."""
        return ModelSource(self.model, self.scratch, self.tokenizer)


def refuse_overlaps(request: RunRequest, out: Path) -> None:
    """Raise where a run would be written over, or into, what it is made of."""
    refuse_overlap((out,), (Path(request.corpus), Path(request.validation) if request.validation else None))
    refuse_overlap((out,), (Path(request.model), *map(Path, request.teachers)), inside=True)


def write_request(folder: Path, request: RunRequest, settings: TrainSettings) -> None:
    write_json(folder / SETTINGS, {"request": asdict(request), "settings": settings.as_dict()})


def read_request(folder: Path | str) -> tuple[RunRequest, TrainSettings]:
    """What the run in this folder was asked for."""
    path = Path(folder) / SETTINGS
    table = read_object(path)
    try:
        asked = dict(table["request"])
        request = RunRequest(**asked | {"teachers": tuple(asked.get("teachers", ()))})
    except (KeyError, TypeError):
        raise ConfigError(f"{path}: not the settings of a run") from None
    return request, settings_from(table["settings"], str(path))
