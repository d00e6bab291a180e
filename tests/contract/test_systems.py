"""One suite that every system passes, whoever wrote it and however it is reached."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deidlab.corpus import write_corpus
from deidlab.systems.asking import Answers, ask_system
from deidlab.systems.opening import make_system
from deidlab.systems.process import Limits
from deidlab.systems.specification import ADAPTED, KINDS, read_specs
from deidlab.types import Document, Span
from tests.unit.systems.conftest import NAME, classifier, libraries, program, service  # noqa: F401

TEXTS = {
    "plain": f"Seen by Dr. {NAME}.",
    "empty": "",
    "wide": f"📞 naïve 測試 {NAME}\r\nand {NAME}",
    "long": "x " * 40 + f"Seen by Dr. {NAME}. " + "x " * 40 + f"by {NAME}.",
}
NOTES = [Document(name, text=text) for name, text in TEXTS.items()]
FOLDERS = ("gliner", "hf", "hf-pipeline", "spacy")


def specification(kind: str, request: pytest.FixtureRequest, folder: Path) -> str:
    if kind in ("hf", "hf-pipeline"):
        return f"{kind}:{request.getfixturevalue('classifier')}"
    if kind == "http":
        return f"http:{request.getfixturevalue('service')}"
    if kind == "command":
        return program(folder, "pass")
    if kind == "corpus":
        marked = [Document(each.id, text=each.text, spans=tuple(gold(each.text))) for each in NOTES]
        write_corpus(marked, folder / "answers.jsonl", "jsonl")
        return f"corpus:{folder / 'answers.jsonl'}"
    request.getfixturevalue("libraries")
    return {"embedded": "embedded:en", "rules": "rules:en"}.get(
        kind, f"{kind}:model" if kind in FOLDERS else kind
    )


def gold(text: str) -> list[Span]:
    places, at = [], text.find(NAME)
    while at >= 0:
        places.append(Span(at, at + len(NAME), "NAME"))
        at = text.find(NAME, at + 1)
    return places


def ask(given: str) -> Answers:
    (spec,) = read_specs([given])
    return ask_system(make_system(spec, Limits(note=60)), NOTES)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("run", "embedded", "rules")])
def test_it_finds_every_place_of_every_note(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    answers = ask(specification(kind, request, tmp_path))
    assert answers.failures == {}
    for note, spans in zip(NOTES, answers.spans, strict=True):
        wanted = [(span.start, span.end) for span in gold(note.text)]
        if kind == "hf-pipeline":
            wanted = [place for place in wanted if place[1] <= answers.unread.get(note.id, len(note.text))]
        assert [(span.start, span.end) for span in spans] == wanted, note.id


@pytest.mark.parametrize("kind", ["rules", "embedded"])
def test_ours_answer_too(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    answers = ask(specification(kind, request, tmp_path))
    assert answers.failures == {}
    assert [(span.start, span.end) for span in answers.spans[0]] == [(12, 18)]
    assert answers.facts.scheme == "i2b2-2014" and answers.facts.versions


@pytest.mark.parametrize("kind", ["hf", "hf-pipeline", "gliner", "spacy"])
def test_what_a_limit_would_have_lost_is_known(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    answers = ask(specification(kind, request, tmp_path))
    assert set(answers.unread) == {"long"}
    assert answers.unread["long"] < TEXTS["long"].index(NAME)
    found = len(answers.spans[-1])
    assert found == (0 if kind == "hf-pipeline" else 2)


@pytest.mark.parametrize("kind", ["command", "presidio", "rules"])
def test_speed_is_measured(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    speed = ask(specification(kind, request, tmp_path)).speed
    assert speed.start_seconds and speed.seconds and speed.characters == sum(map(len, TEXTS.values()))
    if sys.platform == "linux":
        assert speed.peak_bytes > 1_000_000


def test_every_kind_with_an_adapter_has_its_file() -> None:
    folder = Path(sys.modules["deidlab.systems.opening"].__file__ or "").parent / "adapters"
    files = {path.stem.replace("_", "-") for path in folder.glob("*.py")} - {"--init--"}
    assert files == set(ADAPTED)
