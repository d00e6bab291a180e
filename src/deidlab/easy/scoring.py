"""Gold and systems in, as paths or as documents; the figures of `deidlab score --json` out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from deidlab.types import Document

Corpus = str | Path | Iterable[Document]


def score(
    gold: Corpus,
    system: Corpus | Mapping[str, Corpus],
    *,
    labels: str = "auto",
    words: str = "runs",
    by: str | None = None,
    unit: str = "document",
    resamples: int = 2000,
    seed: int = 0,
    confidence: float = 0.95,
    missing: str = "error",
    threshold: float = 0.0,
    word_scores: str | Path | None = None,
    target_recall: float | None = None,
    everything: bool = False,
) -> Mapping[str, Any]:
    """How well a system agrees with gold: what `deidlab score GOLD SYSTEM --json` prints, as a dictionary.

    Corpora are files, folders or documents; several systems, by name, are compared with the first. Options
    are those of the command, which docs/scoring.md explains; `everything` adds what `--all` adds there.
    """
    from deidlab.evaluate.assembly import OperatingSettings, score_pairings
    from deidlab.evaluate.pairing import pair_documents
    from deidlab.evaluate.resample import ResampleSettings
    from deidlab.evaluate.score import ScoreSettings
    from deidlab.labels import AUTO, load_label_set
    from deidlab.report.score.answer import ScoreAnswer, answer_to_json

    golds = list(_documents(gold))
    named = system if isinstance(system, Mapping) else {_system_name(system): system}
    pairings = {name: pair_documents(golds, _documents(each), missing) for name, each in named.items()}
    label_set = None if labels == AUTO else load_label_set(labels)
    settings = ScoreSettings(words, label_set, by, ResampleSettings(resamples, seed, confidence, unit))
    wanted = OperatingSettings(None if word_scores is None else Path(word_scores), target_recall)
    found = score_pairings(pairings, settings, threshold, wanted)
    answer = ScoreAnswer(
        str(gold) if isinstance(gold, str | Path) else "gold",
        found.systems,
        found.comparisons,
        found.operating,
        settings,
        None,
    )
    return answer_to_json(answer, everything)


def _documents(corpus: Corpus) -> Iterable[Document]:
    if not isinstance(corpus, str | Path):
        return corpus
    from deidlab.corpus import read_corpus

    return read_corpus(corpus)


def _system_name(system: Corpus) -> str:
    """As the command names it: the file without its ending, or the folder."""
    if not isinstance(system, str | Path):
        return "system"
    path = Path(system).resolve()
    return path.stem if path.is_file() else path.name
