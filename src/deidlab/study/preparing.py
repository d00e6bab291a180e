"""A study's model and settings in, the material of a run out; runs of one process share what they can."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from deidlab.study.spec import ModelSpec
from deidlab.study.workshop import Workshop
from deidlab.train.material import Material, Materials
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings

_SHARED: WeakKeyDictionary[Workshop, Materials] = WeakKeyDictionary()


def request_of(workshop: Workshop, model: ModelSpec) -> RunRequest:
    """What `deidlab train` would be asked for to train the same model."""
    source = workshop.source(model)
    return RunRequest(
        source.name, labels=workshop.spec.labels, tokenizer=source.tokenizer, scratch=source.scratch
    )


def prepare_run(workshop: Workshop, model: ModelSpec, settings: TrainSettings) -> Material:
    """Everything that a run needs before its first step."""
    workshop.describe_parts()
    return materials_of(workshop).prepare(request_of(workshop, model), settings)


def materials_of(workshop: Workshop) -> Materials:
    """What all runs of a process share; its notes are read at the first asking."""
    if workshop not in _SHARED:
        _SHARED[workshop] = Materials(workshop.notes("train"), workshop.notes("validation"), shared=True)
    return _SHARED[workshop]
