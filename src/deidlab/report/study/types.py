"""What a scored study says of each PHI type: how many words the gold has of it, and what became of them."""

from __future__ import annotations

from deidlab.evaluate.confusion import OUTSIDE, PARTLY
from deidlab.evaluate.score import SystemScore
from deidlab.evaluate.scores import Summary
from deidlab.report.study.scores import ScoredStudy
from deidlab.study.records import PARTS

ERRORS = ("missed", "wrong_type", "in_part")


def corpus_parts(study: ScoredStudy) -> dict[str, Summary]:
    """The size of each part, from whichever row has its predictions: the gold is the same in all."""
    found: dict[str, Summary] = {}
    for part in PARTS:
        for row in study.rows:
            if part in row.parts:
                found[part] = row.parts[part].figures.summary
                break
    return found


def words_by_type(summary: Summary) -> dict[str, int]:
    counts = {label: each.tp + each.fn for label, each in summary.words.by_type.items()}
    return {label: n for label, n in counts.items() if n}


def gold_words(study: ScoredStudy) -> dict[str, int]:
    """Gold words of each type in the test part, the commonest first."""
    if not study.rows:
        return {}
    support = words_by_type(study.rows[0].figures.summary)
    return dict(sorted(support.items(), key=lambda item: (-item[1], item[0])))


def types_in_order(study: ScoredStudy) -> list[str]:
    """The types of the test gold, the commonest first."""
    return list(gold_words(study))


def error_counts(score: SystemScore) -> dict[str, dict[str, int]]:
    """What became of the gold words of each type, and the false alarms."""
    confusion = score.figures.confusion
    names = list(confusion.system)
    outside, partly = names.index(OUTSIDE), names.index(PARTLY)
    alarms = score.figures.summary.words.by_type
    counted: dict[str, dict[str, int]] = {}
    for place, label in enumerate(confusion.gold[:-1]):
        row = confusion.cells[place]
        total, right = int(row.sum()), int(row[place])
        missed, part = int(row[outside]), int(row[partly])
        counted[label] = {
            "words": total,
            "right": right,
            "missed": missed,
            "wrong_type": total - right - missed - part,
            "in_part": part,
            "false_alarms": alarms[label].fp,
        }
    return counted
