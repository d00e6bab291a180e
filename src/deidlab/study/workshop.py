"""What all runs of one process share: the notes, read once, and where runs are written.

What is made of the notes for a training is the affair of `preparing` and `train.session`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from deidlab.study.folder import RUNS, check_digest
from deidlab.study.notes import Parts, read_part
from deidlab.study.opening import write_config
from deidlab.study.spec import ModelSpec, StudySpec
from deidlab.train.models import LEARN, ModelSource
from deidlab.train.processes import Place, find_place
from deidlab.train.record import digest_corpus
from deidlab.types import Document


class Workshop:
    """The notes of a study and everything made of them that runs can share."""

    def __init__(self, spec: StudySpec, parts: Parts, folder: Path, device: str = "auto") -> None:
        self.spec, self.folder = spec, folder
        self.out = folder
        """Where runs are written: the folder of the attempt in hand, see `homing`."""
        self._parts = parts
        self.place: Place = find_place(device)
        self._notes: dict[str, list[Document]] = {}
        self._digests: dict[str, str] = {}

    def notes(self, part: str, step: str = "train") -> list[Document]:
        """A part's notes, read at the first asking."""
        if part not in self._notes:
            self._notes[part] = read_part(self._parts, part, self.folder, step, self.out)
        return self._notes[part]

    def digest(self, part: str) -> str:
        if part not in self._digests:
            self._digests[part] = digest_corpus(self.notes(part))
            check_digest(self.folder, part, self._digests[part])
        return self._digests[part]

    def describe_parts(self) -> dict[str, dict[str, Any]]:
        """Digest and size of the parts that runs see."""
        return {
            part: {"digest": self.digest(part), "documents": len(self.notes(part))}
            for part in ("train", "validation")
        }

    def find(self, name: str) -> ModelSpec:
        return next(model for model in self.spec.models if model.name == name)

    def source(self, model: ModelSpec) -> ModelSource:
        """Where a model comes from; an architecture described in the study becomes a folder of its own."""
        if not model.config:
            return ModelSource(model.model, model.scratch, model.tokenizer)
        return ModelSource(str(write_config(self.folder, model)), True, model.tokenizer or LEARN)

    def run_folder(self, run: str) -> Path:
        return self.out / RUNS / run
