"""Every case file: what must be found, what must stay, and what is known to go wrong, asserted exactly.

A folder of a language's code has the cases of that language's rules; those of the first stand here. A case is
marked text. `labels` names the labels that a file is about (all, where it is missing). A known failure has
what is wanted and what is found today: when a change repairs it, or breaks it otherwise, the test says so.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from deidlab import languages
from deidlab.detect import Detector, DetectorSettings, load_detector
from deidlab.types import Document
from tests.golden.marked import Marks, read_marks, write_marks

FOLDER = Path(__file__).parent
FILES = sorted((*FOLDER.glob("*.json"), *FOLDER.glob("*/*.json")))


@cache
def detector(language: str) -> Detector:
    return load_detector(None, DetectorSettings("only", language=language))


def language_of(path: Path) -> str:
    return languages.FIRST if path.parent == FOLDER else path.parent.name


def name_of(path: Path) -> str:
    return str(path.relative_to(FOLDER).with_suffix(""))


def load(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return content


def found_in(language: str, text: str, labels: list[str] | None) -> Marks:
    spans = detector(language).detect([Document(id="case", text=text)])[0].spans
    return tuple((span.start, span.end, span.label) for span in spans if not labels or span.label in labels)


def cases(kind: str) -> list[Any]:
    return [
        pytest.param(language_of(path), content.get("labels"), case, id=f"{name_of(path)}-{number}")
        for path in FILES
        for content in [load(path)]
        for number, case in enumerate(content[kind], 1)
    ]


@pytest.mark.parametrize(("language", "labels", "marked"), [*cases("positive"), *cases("negative")])
def test_found_exactly(language: str, labels: list[str] | None, marked: str) -> None:
    text, wanted = read_marks(marked)
    assert write_marks(text, found_in(language, text, labels)) == write_marks(text, wanted)


@pytest.mark.parametrize(("language", "labels", "case"), cases("known_failures"))
def test_known_failure_fails_as_known(language: str, labels: list[str] | None, case: dict[str, str]) -> None:
    text, wanted = read_marks(case["wanted"])
    found = found_in(language, text, labels)
    assert write_marks(text, found) == case["found"]
    assert found != wanted, "repaired: move it to the cases"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_file_shows_both_sides(path: Path) -> None:
    content = load(path)
    assert content["positive"] or path.stem == "clinical_values"
    assert content["negative"]
    assert not any(read_marks(marked)[1] for marked in content["negative"])


@pytest.mark.parametrize("language", languages.SHIPPED)
def test_there_is_a_file_for_every_rule(language: str) -> None:
    covered = {rule for path in FILES if language_of(path) == language for rule in load(path)["rules"]}
    assert {rule.name for rule in languages.find(language).rules} <= covered
