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
    from deidlab.evaluate.pairing import Pairing
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
    from deidlab.evaluate.assembly import OperatingSettings, score_pairings
    from deidlab.report.score.answer import ScoreAnswer, answer_to_json

    outputs, answering, wanted = options.outputs, options.answer, options.wants_operating
    check_outputs(outputs, len(options.systems), wanted)
    settings = _settings(options)
    asked = options.operating
    operating = OperatingSettings(asked.scores, asked.target_recall, wanted)
    scored = score_pairings(_pair(options), settings, asked.threshold, operating)
    texts = None
    if options.show_text:
        texts = {pair.gold.id: pair.gold.text for part in scored.pairs.values() for pair in part}
    answer = ScoreAnswer(
        str(options.gold), scored.systems, scored.comparisons, scored.operating, settings, texts
    )
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


def _pair(options: ScoreOptions) -> dict[str, Pairing]:
    """Each system beside the gold, under its name; what only one side has is told."""
    from deidlab.corpus import read_corpus
    from deidlab.evaluate.pairing import pair_documents

    gold, reading, quiet = options.gold, options.reading, options.answer.silent
    missing = options.counting.missing
    read = read_corpus(gold, reading.format, reading.files)
    golds = list(with_progress(read, f"reading {gold.name}", quiet=quiet))
    names = _names(options.systems)
    pairings = {}
    for name, path in zip(names, options.systems, strict=True):
        spoken = read_corpus(path, options.system_format or reading.format, reading.files)
        found = with_progress(spoken, f"reading {path.name}", quiet=quiet)
        pairing = pair_documents(golds, found, missing)
        for side, ids in (("gold", pairing.only_gold), ("system", pairing.only_system)):
            if ids:
                fate = "scored as empty" if side == "gold" and missing == "empty" else "left out"
                plural = "" if len(ids) == 1 else "s"
                tell(f"{name}: {len(ids)} document{plural} only in the {side} corpus {fate}", quiet)
        pairings[name] = pairing
    return pairings


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
