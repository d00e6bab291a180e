"""A tested model's predictions and the rules in, one more row of the tests out; no model is needed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError, DeidError
from deidlab.jsonfile import read_object
from deidlab.study.combining import add_rules, find_by_rules
from deidlab.study.folder import TESTS, check_digest, now
from deidlab.study.measuring import measure_found
from deidlab.study.notes import Parts, read_part
from deidlab.study.predictions import write_predictions
from deidlab.study.records import TestRecord, predictions_path, read_predictions
from deidlab.study.spec import StudySpec
from deidlab.study.testrecords import write_test
from deidlab.train.record import digest_corpus
from deidlab.types import Document, Span

PARTS = ("validation", "test")


def hybrid_name(model: str, how: str = "rules") -> str:
    return f"{model}+{how}"


def add_hybrids(spec: StudySpec, parts: Parts, folder: Path, tests: list[TestRecord], style: str) -> None:
    """A row for each tested model that has none yet; a corpus that the rules cannot serve is noted in it."""
    missing = [
        each
        for each in tests
        if each.kind == "model" and not (folder / TESTS / f"{hybrid_name(each.name)}.json").is_file()
    ]
    if not missing or "rules" not in spec.hybrids:
        return
    opened = now()
    notes = {part: read_part(parts, part, folder, "hybrid") for part in PARTS}
    for part in PARTS:
        wanted = missing[0].test_digest if part == "test" else None
        _refuse_other(folder, part, digest_corpus(notes[part]), wanted)
    counted = Counter(span.label for note in notes["validation"] for span in note.spans)
    labels = [label for label, _ in counted.most_common()]
    try:
        by_rules = {part: find_by_rules(notes[part], labels) for part in PARTS}
    except (DeidError, ImportError) as error:
        why = str(error) if isinstance(error, DeidError) else "a library that the rules need is not installed"
        for test in missing:
            _write(folder, test, opened, {}, f"left out: {why}")
        return
    for test in missing:
        scores = {}
        for part in PARTS:
            found = _with_rules(folder, test.name, part, notes[part], by_rules[part])
            path = predictions_path(folder, hybrid_name(test.name), part)
            write_predictions(path, notes[part], found, style)
            scores[part] = measure_found(notes[part], found, style)
        _write(folder, test, opened, scores)


def _refuse_other(folder: Path, part: str, digest: str, wanted: str | None) -> None:
    check_digest(folder, part, digest)
    if wanted not in (None, digest):
        raise ConfigError(f"{folder}: the {part} notes are not those that the models were tested on")


def _with_rules(
    folder: Path, name: str, part: str, notes: list[Document], by_rules: list[tuple[Span, ...]]
) -> list[tuple[Span, ...]]:
    found = {each.id: each.found for each in read_predictions(predictions_path(folder, name, part))}
    return [add_rules(found[note.id], rules) for note, rules in zip(notes, by_rules, strict=True)]


def _write(folder: Path, test: TestRecord, opened: str, scores: dict[str, Any], note: str = "") -> None:
    member = read_object(folder / TESTS / f"{test.name}.json")
    write_test(
        folder,
        hybrid_name(test.name),
        {
            "kind": "hybrid",
            "members": [test.name, "rules"],
            "run": test.run,
            "opened_at": opened,
            "test_digest": member["test_digest"],
            "scores": scores,
            "prediction": {},
            "cross": [],
            "note": note,
        },
    )
