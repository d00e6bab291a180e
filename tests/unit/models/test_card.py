"""The card of an embedded model: every figure comes from a record or a measurement."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.types import Document, Span

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT / "recipes"))

import package  # noqa: E402

TEXT = "Dr. Odell Finch, 3/14/2071"
GOLD = [Document(f"n{n}", text=TEXT, spans=(Span(4, 15, "DOCTOR"), Span(17, 26, "DATE"))) for n in range(4)]
RUN: dict[str, Any] = {
    "corpus": {
        "documents": 12,
        "words": 3456,
        "spans": {"DATE": 7},
        "digest": "sha256:0123456789abcdef01234567",
    },
    "environment": {"gpu": "a GPU", "torch": "2.0", "transformers": "5.0", "deidlab": "0.1"},
    "precision": "bf16",
    "seconds": 67.5,
    "finished": "2026-01-01T00:00:00Z",
    "settings": {"epochs": 24, "seed": 41},
    "refined": [{"minutes": 13, "seed": 501}],
}
ONE = {"f1": 0.97123, "tags_changed": 3, "words": 1000, "characters_per_second": 5000}
EXPORT: dict[str, Any] = {
    "fidelity": {"notes": 60, "tolerance": 0.002, "models": {"torch fp32": ONE, "openvino int8": ONE}},
    "megabytes": {"openvino int8": 16.0},
    "numbers": "weights in int8 by channel",
    "vocabulary": (30522, 12184),
}


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_card_tells_what_was_measured(language: str) -> None:
    half = [GOLD[0], *(replace(note, spans=note.spans[:1]) for note in GOLD[1:])]
    figures = package.measure(GOLD, half)
    assert figures["headline"]["strict.recall"][0] == pytest.approx(5 / 8)
    assert figures["by_type"] == {"DATE": [1, 0, 3], "DOCTOR": [4, 0, 0]}
    story = package.read_story(ROOT / "recipes" / language / "card.toml")
    card = package.write_card(story, [package.Measured("Notes", "Made up.", figures, True)], RUN, EXPORT)
    assert "| entities, strict: recall | 0.6250 |" in card
    assert "| DATE | 4 | 1.0000 | 0.2500 | 0.4000 |" in card
    assert "MEDDOCAN's own ner" in card
    assert "| openvino int8 | 0.9712 | 0.300 % | 16.0 | 5,000 |" in card
    assert "30,522 to 12,184 pieces" in card
    assert "| seed | 41 |" in card and "refined afterwards: minutes 13, seed 501" in card
    assert all(weakness in card for weakness in story.weaknesses)
    assert f"language: {language}\n" in card


def test_the_spanish_recipe_is_one_that_training_takes() -> None:
    sys.path.insert(0, str(ROOT / "recipes" / "es"))
    import build

    from deidlab.train.presets import load_preset

    plan = build.read_plan()
    changes = {key: value for key, value in plan["train"].items() if key != "preset"}
    settings = load_preset(plan["train"]["preset"], "any").changed(**changes)
    assert settings.swaps == 3 and settings.seed == 41
    banks = ROOT / "src" / "deidlab" / "data" / "banks"
    assert all((banks / name).is_file() for name in plan["vocabulary"]["banks"])
