"""A tested model in, a row of it together with the rules out; and the rows that the rest is held against.

What rules find goes through the filter that masking has: `deidlab detect` with the same model finds the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from deidlab.detect.embedded import embedded_folder, language_of_labels
from deidlab.detect.folder import TAGGER, TaggerFacts, is_run, read_tagger
from deidlab.detect.naming import OWN_LABELS, labels_of, own_set
from deidlab.errors import ConfigError, DeidError
from deidlab.models import DEFAULT
from deidlab.study.answers import Answered, Found, ask, find_with
from deidlab.study.folder import RUNS, TESTS, check_digest, now
from deidlab.study.notes import Parts, read_part
from deidlab.study.records import TestRecord
from deidlab.study.rows import BASELINE, HYBRID, MODEL, Row, RowWriter
from deidlab.study.spec import StudySpec
from deidlab.train.record import digest_corpus
from deidlab.types import Document

PARTS = ("validation", "test")
RULES = "rules"


def hybrid_name(model: str, how: str = RULES) -> str:
    return f"{model}+{how}"


def hybrid_row(
    name: str, run: str | None, answers: Mapping[str, Answered], notes: Mapping[str, list[Document]]
) -> Row:
    """A model with the rules of its language; a corpus that the rules cannot serve is noted in it."""
    # Here, since the rules need libraries that a machine which only trains may lack.
    from deidlab.detect.detector import make_detector
    from deidlab.detect.settings import DetectorSettings

    facts = next(iter(answers.values())).facts

    def find() -> dict[str, Found]:
        detector = make_detector(next(iter(answers.values())), DetectorSettings(labels=OWN_LABELS))
        return {part: find_with(detector, notes[part], answers[part]) for part in answers}

    found, note = _try(find)
    return Row(hybrid_name(name), HYBRID, found, facts.words, (name, RULES), run, note=note)


def baseline_row(which: str, facts: TaggerFacts, notes: Mapping[str, list[Document]]) -> Row:
    """The rules alone, or the embedded model alone, in the labels and the language of the study's models."""
    from deidlab.detect.detector import make_detector
    from deidlab.detect.model import load_model
    from deidlab.detect.settings import DetectorSettings

    scheme, language = own_set(facts.tags), language_of_labels(sorted(labels_of(facts.tags)))

    def find() -> dict[str, Found]:
        if which == RULES:
            detector = make_detector(None, DetectorSettings("only", labels=scheme, language=language))
        else:
            model = load_model(embedded_folder(language or DEFAULT))
            own = own_set(model.tags) == scheme
            detector = make_detector(model, DetectorSettings("off", labels=OWN_LABELS if own else scheme))
        return {part: find_with(detector, notes[part]) for part in notes}

    found, note = _try(find)
    if which != RULES and not note:
        note = "it was not trained here, and may have learned from these notes: its card says from which"
    return Row(baseline_name(which, facts), BASELINE, found, facts.words, note=note)


def baseline_name(which: str, facts: TaggerFacts) -> str:
    """What the row of a baseline is called: a model's says its language."""
    language = language_of_labels(sorted(labels_of(facts.tags)))
    return which if which == RULES else f"{which}-{language or DEFAULT}"


def _try(find: Callable[[], dict[str, Found]]) -> tuple[dict[str, Found], str]:
    """What was found; or nothing, and why."""
    try:
        return find(), ""
    except (DeidError, ImportError) as error:
        why = str(error) if isinstance(error, DeidError) else "a library that the rules need is not installed"
        return {}, f"left out: {why}"


def add_late_rows(
    spec: StudySpec, parts: Parts, folder: Path, tests: Sequence[TestRecord], style: str
) -> None:
    """The rows that an earlier version, or a machine without the rules' libraries, has not written."""
    models = [each for each in tests if each.kind == MODEL]
    wanted = models if RULES in spec.hybrids else []
    hybrids = [each for each in wanted if not _is_there(folder, hybrid_name(each.name))]
    runs = [folder / RUNS / (each.run or "") for each in models]
    # A run's folder tells labels and words, whether or not its weights were kept.
    facts = [read_tagger(run) for run in runs if (run / TAGGER).is_file()][:1]
    baselines = [
        (which, own)
        for own in facts
        for which in spec.baselines
        if not _is_there(folder, baseline_name(which, own))
    ]
    if not hybrids and not baselines:
        return
    opened = now()
    notes = {part: read_part(parts, part, folder, "hybrid") for part in PARTS}
    for part in PARTS:
        tested = models[0].test_digest if part == "test" else None
        _refuse_other(folder, part, digest_corpus(notes[part]), tested)
    writer = RowWriter(folder, notes.__getitem__, models[0].test_digest, opened)
    for test in hybrids:
        writer.write(_late_row(folder, test, notes, style))
    for which, own in baselines:
        writer.write(baseline_row(which, own, notes))


def _is_there(folder: Path, row: str) -> bool:
    return (folder / TESTS / f"{row}.json").is_file()


def _late_row(folder: Path, test: TestRecord, notes: Mapping[str, list[Document]], style: str) -> Row:
    from deidlab.detect.model import load_model

    run = folder / RUNS / (test.run or "")
    if test.run is None or not is_run(run):
        why = "left out: the weights of its run are gone"
        return Row(hybrid_name(test.name), HYBRID, {}, style, (test.name, RULES), test.run, note=why)
    model = load_model(run)
    return hybrid_row(test.name, test.run, {part: ask(model, notes[part]) for part in notes}, notes)


def _refuse_other(folder: Path, part: str, digest: str, wanted: str | None) -> None:
    check_digest(folder, part, digest)
    if wanted not in (None, digest):
        raise ConfigError(f"{folder}: the {part} notes are not those that the models were tested on")
