"""`deidlab score GOLD SYSTEM…`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli.options import takes_options
from deidlab.cli.output import print_json, tell, tell_written, with_progress
from deidlab.cli.score_options import ScoreOptions

if TYPE_CHECKING:
    from deidlab.evaluate.operating import OperatingPoints
    from deidlab.evaluate.pairing import Pair
    from deidlab.evaluate.score import ScoreSettings


@takes_options
def score(options: ScoreOptions) -> None:
    """Score a system against gold: words, entities, the challenges' measures, leaks, intervals.

    Documents are matched by id and must have the same text. Every figure comes from one set of counts a
    document; a figure with nothing to divide by prints as – and is null in JSON. With two or more
    systems each is compared with the first. docs/scoring.md defines every measure.

    Example: deidlab score gold/ found.jsonl --all --leaks leaks.csv
    """
    from deidlab.cli.score_outputs import check_outputs, print_answer, raise_refusal, write_outputs
    from deidlab.evaluate.pairing import drop_below
    from deidlab.evaluate.score import compare_with_first, score_systems
    from deidlab.report.score.answer import ScoreAnswer, answer_to_json

    outputs, answering, wanted = options.outputs, options.answer, options.wants_operating
    check_outputs(outputs, len(options.systems), wanted)
    settings = _settings(options)
    pairs = _read_pairs(options)
    kept = {name: drop_below(part, options.operating.threshold) for name, part in pairs.items()}
    scored = score_systems(kept, settings)
    comparisons = compare_with_first(scored, settings.resample)
    operating = _operating(pairs, options, settings)
    texts = None
    if options.show_text:
        texts = {pair.gold.id: pair.gold.text for part in pairs.values() for pair in part}
    answer = ScoreAnswer(str(options.gold), scored, comparisons, operating, settings, texts)
    written = write_outputs(answer, outputs)
    if answering.as_json:
        print_json(answer_to_json(answer, options.everything))
    elif not (answering.quiet and written):
        print_answer(answer, options.everything, wanted, answering.quiet)
    tell_written(written, answering.silent)
    raise_refusal(answer)


def _settings(options: ScoreOptions) -> ScoreSettings:
    from deidlab.evaluate.score import ScoreSettings
    from deidlab.labels import AUTO, load_label_set

    counting, words = options.counting, options.words.words
    label_set = None if counting.labels == AUTO else load_label_set(counting.labels)
    return ScoreSettings(words, label_set, counting.by, options.intervals.settings())


def _read_pairs(options: ScoreOptions) -> dict[str, tuple[Pair, ...]]:
    """Each system's pairs under its name; systems that are compared keep only what all of them hold."""
    from deidlab.corpus import read_corpus
    from deidlab.evaluate.pairing import common_pairs, pair_documents

    gold, reading, quiet = options.gold, options.reading, options.answer.silent
    missing = options.counting.missing
    read = read_corpus(gold, reading.format, reading.files)
    golds = list(with_progress(read, f"reading {gold.name}", quiet=quiet))
    names = _names(options.systems)
    pairings = []
    for name, path in zip(names, options.systems, strict=True):
        spoken = read_corpus(path, options.system_format or reading.format, reading.files)
        found = with_progress(spoken, f"reading {path.name}", quiet=quiet)
        pairing = pair_documents(golds, found, missing)
        for side, ids in (("gold", pairing.only_gold), ("system", pairing.only_system)):
            if ids:
                fate = "scored as empty" if side == "gold" and missing == "empty" else "left out"
                plural = "" if len(ids) == 1 else "s"
                tell(f"{name}: {len(ids)} document{plural} only in the {side} corpus {fate}", quiet)
        pairings.append(pairing)
    return dict(zip(names, common_pairs(pairings), strict=True))


def _names(paths: Sequence[Path]) -> list[str]:
    """A short name for each system: its own, with as much of its path as tells it from the others."""
    whole = [path.resolve() for path in paths]
    for depth in range(1, max(len(path.parts) for path in whole) + 1):
        names = [
            "/".join((*path.parts[:-1], path.stem if path.is_file() else path.name)[-depth:])
            for path in whole
        ]
        if len(set(names)) == len(names):
            return names
    raise typer.BadParameter("the same system was given twice")


def _operating(
    systems: dict[str, tuple[Pair, ...]], options: ScoreOptions, settings: ScoreSettings
) -> OperatingPoints | None:
    """Curves, reliability and threshold of one system with scores; asked for without any, an error."""
    from deidlab.evaluate.operating import TargetSettings, find_operating_points, has_scores
    from deidlab.evaluate.tally import tally_pairs
    from deidlab.evaluate.wordscores import read_word_scores

    pairs, asked = next(iter(systems.values())), options.operating
    if len(systems) > 1 or not (options.wants_operating or has_scores(pairs)):
        return None
    word_scores = None if asked.scores is None else read_word_scores(asked.scores)
    target = None
    if asked.target_recall is not None:
        target = TargetSettings(asked.target_recall, settings.resample.confidence, settings.resample.unit)
    return find_operating_points(
        pairs, tally_pairs(pairs, settings.label_set, settings.style), word_scores, target
    )
