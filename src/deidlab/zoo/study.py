"""The study's six models: what its tables say of them, beside what is counted here.

Nothing comes in; `STUDY_MODELS` goes out in the order of the study's Table 1. The file sizes are
those of the published weights, batch sizes those of Table 2 on a card of 32 GB.
"""

from __future__ import annotations

from dataclasses import dataclass

STUDY_LABELS = 41


@dataclass(frozen=True, slots=True)
class StudyModel:
    """One of the six: its name in the study and here, its appendix, file size in Gb and batch size."""

    title: str
    model: str
    appendix: str
    file_gb: str
    batch: int


STUDY_MODELS = (
    StudyModel("Bert-Base", "bert-base-uncased", "B", "0.42", 35),
    StudyModel("Roberta-Base", "roberta-base", "D", "0.47", 35),
    StudyModel("Albert-Base", "albert-base-v2", "F", "0.04", 35),
    StudyModel("Bert-Large", "bert-large-uncased", "C", "1.24", 12),
    StudyModel("Roberta-Large", "roberta-large", "E", "1.32", 12),
    StudyModel("Albert-XXLarge", "albert-xxlarge-v2", "G", "0.79", 6),
)


def find_study_model(name: str) -> StudyModel | None:
    """The study's model of that name here; None for a model that it did not train."""
    return next((study for study in STUDY_MODELS if study.model == name), None)
