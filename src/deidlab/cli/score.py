"""`deidlab score GOLD SYSTEM…`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli import score_options as options
from deidlab.cli.corpus.options import Encoding, IdColumn, PatientColumn, TextColumn, read_settings
from deidlab.cli.output import AsJson, Quiet, print_json, tell, tell_written, with_progress

if TYPE_CHECKING:
    from deidlab.corpus import ReadSettings
    from deidlab.evaluate.operating import OperatingPoints
    from deidlab.evaluate.pairing import Pair
    from deidlab.evaluate.score import ScoreSettings


def score(
    gold: options.Gold,
    systems: options.Systems,
    from_: options.From = None,
    system_from: options.SystemFrom = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    everything: options.Everything = False,
    show_text: options.ShowText = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
    words: options.Words = "runs",
    labels: options.Labels = "auto",
    by: options.By = None,
    unit: options.Unit = "document",
    resamples: options.Resamples = 2000,
    seed: options.Seed = 0,
    confidence: options.Confidence = 0.95,
    missing: options.Missing = "error",
    scores: options.ScoresFile = None,
    threshold: options.Threshold = 0.0,
    target_recall: options.TargetRecall = None,
    leaks: options.Leaks = None,
    confusion: options.ConfusionFile = None,
    chart: options.Chart = None,
    curves: options.CurvesFile = None,
    calibration: options.CalibrationFile = None,
    markdown: options.Markdown = None,
    csv: options.Csv = None,
) -> None:
    """Score a system against gold: words, entities, the challenges' measures, leaks, intervals.

    Documents are matched by id and must have the same text. Every figure comes from one set of counts a
    document; a figure with nothing to divide by prints as – and is null in JSON. With two or more
    systems each is compared with the first. docs/scoring.md defines every measure.
    """
    from deidlab.cli.score_outputs import Outputs, check_outputs, print_answer, raise_refusal, write_outputs
    from deidlab.evaluate.pairing import drop_below
    from deidlab.evaluate.score import compare_with_first, score_systems
    from deidlab.report.score.answer import ScoreAnswer, answer_to_json

    outputs = Outputs(leaks, confusion, chart, curves, calibration, markdown, csv)
    operating_wanted = bool(scores or target_recall is not None or curves or calibration)
    check_outputs(outputs, len(systems), operating_wanted)
    settings = _settings(words, labels, by, resamples, seed, confidence, unit)
    reading = read_settings(encoding, text_column, id_column, patient_column)
    pairs = _read_pairs(gold, systems, (from_, system_from or from_), reading, missing, quiet or as_json)
    kept = {name: drop_below(part, threshold) for name, part in pairs.items()}
    scored = score_systems(kept, settings)
    comparisons = compare_with_first(scored, settings.resample)
    operating = _operating(pairs, scores, target_recall, settings, operating_wanted)
    texts = {pair.gold.id: pair.gold.text for part in pairs.values() for pair in part} if show_text else None
    answer = ScoreAnswer(str(gold), scored, comparisons, operating, settings, texts)
    written = write_outputs(answer, outputs)
    if as_json:
        print_json(answer_to_json(answer, everything))
    elif not (quiet and written):
        print_answer(answer, everything, operating_wanted, quiet)
    tell_written(written, quiet or as_json)
    raise_refusal(answer)


def _settings(
    words: str, labels: str, by: str | None, resamples: int, seed: int, confidence: float, unit: str
) -> ScoreSettings:
    from deidlab.evaluate.resample import ResampleSettings
    from deidlab.evaluate.score import ScoreSettings
    from deidlab.labels import AUTO, load_label_set

    label_set = None if labels == AUTO else load_label_set(labels)
    return ScoreSettings(words, label_set, by, ResampleSettings(resamples, seed, confidence, unit))


def _read_pairs(
    gold: Path,
    systems: list[Path],
    formats: tuple[str | None, str | None],
    reading: ReadSettings,
    missing: str,
    quiet: bool,
) -> dict[str, tuple[Pair, ...]]:
    """Each system's pairs under its name; systems that are compared keep only what all of them hold."""
    from deidlab.corpus import read_corpus
    from deidlab.evaluate.pairing import common_pairs, pair_documents

    golds = list(with_progress(read_corpus(gold, formats[0], reading), f"reading {gold.name}", quiet=quiet))
    names = _names(systems)
    pairings = []
    for name, path in zip(names, systems, strict=True):
        spoken = read_corpus(path, formats[1], reading)
        found = with_progress(spoken, f"reading {path.name}", quiet=quiet)
        pairing = pair_documents(golds, found, missing)
        for side, ids in (("gold", pairing.only_gold), ("system", pairing.only_system)):
            if ids:
                fate = "scored as empty" if side == "gold" and missing == "empty" else "left out"
                plural = "" if len(ids) == 1 else "s"
                tell(f"{name}: {len(ids)} document{plural} only in the {side} corpus {fate}", quiet)
        pairings.append(pairing)
    return dict(zip(names, common_pairs(pairings), strict=True))


def _names(paths: list[Path]) -> list[str]:
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
    systems: dict[str, tuple[Pair, ...]],
    scores: Path | None,
    target_recall: float | None,
    settings: ScoreSettings,
    wanted: bool,
) -> OperatingPoints | None:
    """Curves, calibration and threshold of one system with scores; asked for without any, an error."""
    from deidlab.evaluate.operating import TargetSettings, find_operating_points, has_scores
    from deidlab.evaluate.tally import tally_pairs
    from deidlab.evaluate.wordscores import read_word_scores

    pairs = next(iter(systems.values()))
    if len(systems) > 1 or not (wanted or has_scores(pairs)):
        return None
    word_scores = None if scores is None else read_word_scores(scores)
    target = None
    if target_recall is not None:
        target = TargetSettings(target_recall, settings.resample.confidence, settings.resample.unit)
    return find_operating_points(
        pairs, tally_pairs(pairs, settings.label_set, settings.style), word_scores, target
    )
