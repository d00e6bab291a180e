"""Which labels a run learns: those of a named set, of the model that it starts from, or of the corpus."""

from __future__ import annotations

from collections.abc import Sequence

from deidlab.encode.pieced import count_labels
from deidlab.errors import ConfigError
from deidlab.labels import AUTO, LabelSet, auto_label_set, load_label_set
from deidlab.train.models import ModelSource, read_tagger_facts
from deidlab.types import Document

CORPUS = "corpus"
"""Stands for the labels that the corpus has, whatever the model knew before."""


def choose_labels(documents: Sequence[Document], name: str, source: ModelSource) -> LabelSet:
    """The label set of a run; a label of the corpus that is not in it is an error, not a loss in silence."""
    counts = count_labels(documents)
    if not counts:
        raise ConfigError(
            "the training notes have no spans: there is nothing to learn; `deidlab corpus stats` counts them"
        )
    facts = read_tagger_facts(source.location) if source.is_folder and not source.scratch else None
    if name == CORPUS or (name == AUTO and facts is None):
        return auto_label_set(counts)
    if name == AUTO and facts is not None:
        full = LabelSet.of(facts["label_set"], facts["labels"])
        chosen = LabelSet(facts["label_set"], full.labels, tuple(facts["tags"]))
        whose = f"the model in {source.name}"
    else:
        chosen, whose = load_label_set(name, counts), f"the label set {name}"
    unknown = {label: n for label, n in counts.items() if label not in chosen}
    if unknown:
        listed = ", ".join(f"{label} ({n})" for label, n in sorted(unknown.items())[:5])
        more = f" and {len(unknown) - 5} more" if len(unknown) > 5 else ""
        raise ConfigError(
            f"{whose} has never seen {listed}{more}: map them with --map, or learn a new head for the "
            "corpus's own labels with --labels corpus"
        )
    return chosen


def unseen_labels(documents: Sequence[Document], labels: LabelSet) -> dict[str, int]:
    """Labels of the validation notes that the run cannot learn, with their spans: each counts as missed."""
    return {label: n for label, n in sorted(count_labels(documents).items()) if label not in labels}
