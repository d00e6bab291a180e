"""A small finished study on disk, made without training: records as `deidlab study run` leaves them."""

from __future__ import annotations

import functools
import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.scores import summarise
from deidlab.evaluate.tally import tally_pairs
from deidlab.study.predictions import write_predictions
from deidlab.study.records import cross_path, predictions_path
from deidlab.types import Document, Span

SELECTED_AT = "2026-03-01T10:00:00.000000Z"
TESTED_AT = "2026-03-01T10:05:00.000000Z"
MODELS = {"bert": "bert-base-uncased", "roberta": "roberta-base", "tiny": "own"}
_TINY = {
    "model_type": "bert", "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 64, "vocab_size": 500, "max_position_embeddings": 128, "hidden_dropout_prob": 0.1,
    "attention_probs_dropout_prob": 0.1, "hidden_act": "gelu",
}  # fmt: skip
_FIRST = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana")
_LAST = ("Moss", "Reyes-Hill", "Okafor", "Stone", "Fjord", "Lindqvist")


def made_notes(prefix: str, n: int, seed: int) -> list[Document]:
    """Invented notes with PATIENT, DATE, DOCTOR, AGE and PHONE spans."""
    draw = random.Random(seed)
    notes = []
    for number in range(n):
        parts: list[tuple[str, str]] = []
        for _ in range(draw.randint(2, 5)):
            name = f"{draw.choice(_FIRST)} {draw.choice(_LAST)}"
            parts += [
                ("Seen ", ""),
                (f"{draw.randint(1, 28)}/{draw.randint(1, 12)}/20{draw.randint(10, 24)}", "DATE"),
                (": Mr ", ""),
                (name, "PATIENT"),
                (", a ", ""),
                (str(draw.randint(20, 95)), "AGE"),
                ("-year-old with hypertension. Call ", ""),
                (f"555-{draw.randint(1000, 9999)}", "PHONE"),
                (" or Dr. ", ""),
                (draw.choice(_LAST), "DOCTOR"),
                (" if the pain is worse.\n", ""),
            ]
        text, spans = "", []
        for piece, label in parts:
            if label:
                spans.append(Span(len(text), len(text) + len(piece), label))
            text += piece
        notes.append(Document(f"{prefix}-{number:02d}", f"p{number // 2}", text, tuple(spans)))
    return notes


PARTS = {
    "train": made_notes("train", 8, 1),
    "validation": made_notes("val", 6, 2),
    "test": made_notes("test", 12, 3),
}
OTHER = made_notes("other", 5, 4)


def found_in(note: Document, error: float, seed: str) -> tuple[Span, ...]:
    """The gold with some spans missed, cut short, mistyped, and some alarms."""
    draw = random.Random(f"{seed}:{note.id}")
    spans = []
    for span in note.spans:
        roll = draw.random()
        if roll < error / 2:
            continue
        label, end = span.label, span.end
        if roll < error * 0.75:
            label = "DOCTOR" if label == "PATIENT" else "PATIENT"
        elif roll < error and span.end - span.start > 3:
            end -= 1
        spans.append(Span(span.start, end, label, round(draw.uniform(0.5, 1.0), 4)))
    if draw.random() < error:
        start = note.text.index("hypertension")
        spans.append(Span(start, start + 12, "DOCTOR", 0.51))
    return tuple(spans)


ERRORS = {"bert": 0.25, "roberta": 0.1, "tiny": 0.6, "ensemble-vote": 0.12, "roberta+rules": 0.08}


def true_pairs(name: str, part: str) -> list[Pair]:
    """What the records hold of a row, with the notes' own text: what the report must agree with."""
    notes = OTHER if part == "other" else PARTS[part]
    error = ERRORS[name] * (0.3 if part == "train" else 1.8 if part == "other" else 1.0)
    pairs = [
        Pair(note, Document(note.id, note.patient, note.text, found_in(note, error, name))) for note in notes
    ]
    return sorted(pairs, key=lambda pair: pair.gold.id)


@functools.cache
def measured(name: str, part: str) -> dict[str, float]:
    """Word and strict entity F1 of a row, as the study measures them while it has the notes."""
    summary = summarise(tally_pairs(true_pairs(name, part)))
    words, strict = summary.words.micro.f1, summary.entities["strict"].micro.f1
    assert words is not None and strict is not None
    return {"f1": words, "strict_f1": strict}


def write_study(folder: Path, *, tested: bool = True, selected: bool = True) -> Path:
    """The whole study; without `selected` its runs have ended and nothing more."""
    _write(folder / "study.json", _study())
    for model in MODELS:
        for number, settings in enumerate(_settings(model)):
            _write(folder / "completions" / f"{model}-{number}.json", _completion(model, number, settings))
    lines = [_access("train", False, "09:00:00"), _access("validation", False, "09:00:01")]
    if selected:
        choices = {model: _choice(model) for model in MODELS}
        _write(
            folder / "selection.json",
            {"time": SELECTED_AT, "measure": "word F1", "digest": "sha256:abc", "models": choices},
        )
    if selected and tested:
        lines.append(_access("test", True, "10:05:00"))
        for name in ERRORS:
            _write_test(folder, name)
    (folder / "access.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return folder


def _write(path: Path, value: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=1) + "\n", "utf-8")


def _settings(model: str) -> list[dict[str, Any]]:
    return [
        {"epochs": epochs, "batch": 8, "learning_rate": rate, "weight_decay": 0.01, "seed": 1}
        for epochs in (2, 4)
        for rate in ((1e-4, 1e-5) if model != "tiny" else (1e-3,))
    ]


def _study() -> dict[str, Any]:
    models = [
        {
            "name": name, "model": model, "tokenizer": "", "scratch": name == "tiny", "published": None,
            "config": _TINY if name == "tiny" else {}, "settings": _settings(name),
        }
        for name, model in MODELS.items()
    ]  # fmt: skip
    return {
        "name": "fixture", "title": "A small study & its <report>", "digest": "sha256:123",
        "created": "2026-03-01T08:59:00.000000Z", "models": models,
        "split": {part: [note.id for note in notes] for part, notes in PARTS.items()},
        "corpora": {"train": {"documents": 8}}, "selection_measure": "word F1", "word_style": "runs",
        "labels": ["AGE", "DATE", "DOCTOR", "PATIENT", "PHONE"], "price_per_hour": 3.0, "currency": "USD",
        "environment": {"device": "cuda", "gpu": "a GPU", "torch": "2.0"}, "spec": {"name": "fixture"},
    }  # fmt: skip


def _completion(model: str, number: int, settings: dict[str, Any]) -> dict[str, Any]:
    failed = model == "bert" and number == 3
    f1 = measured(model, "validation")["f1"] - 0.01 * abs(number - 1)
    history = [
        {
            "epoch": epoch, "learning_rate": settings["learning_rate"], "train": {"loss": 1.5 / epoch, "accuracy": 0.9},
            "seconds": 1.0, "validation": {"loss": 1.6 / epoch, "f1": f1 - 0.1 / epoch, "strict_f1": f1 - 0.2 / epoch},
        }
        for epoch in range(1, settings["epochs"] + 1)
    ]  # fmt: skip
    speed = {
        "notes_per_second": 10.0,
        "windows_per_second": 20.0,
        "pieces_per_second": 5000.0,
        "steps_per_second": 2.5,
        "seconds": 4.0,
    }
    return {
        "run": f"{model}-{number}", "model": model, "settings": settings, "seed": 1,
        "status": "failed" if failed else "done", "error": "the loss is not a number" if failed else None,
        "started": "2026-03-01T09:00:00Z", "ended": "2026-03-01T09:10:00Z", "seconds": 40.0, "gpu_seconds": 36.0,
        "attempts": 1, "shares": None, "rung": None, "final": True,
        "validation": None if failed else {"f1": f1, "precision": f1, "recall": f1, "accuracy": 0.99, "strict_f1": f1 - 0.02, "by_label": _by_label(model)},
        "train": {}, "epochs": [] if failed else history, "speed": {} if failed else {"train": speed},
        "n_parameters": None if failed else {"bert": 108_923_177, "roberta": 124_086_569, "tiny": 40_000}[model],
        "peak_memory_bytes": 2**30, "environment": {"device": "cuda", "gpu": "a GPU"},
    }  # fmt: skip


def _by_label(model: str) -> dict[str, Any]:
    counts = summarise(tally_pairs(true_pairs(model, "validation"))).words.by_type
    return {
        label: {
            "tp": each.tp, "fp": each.fp, "fn": each.fn, "precision": each.precision, "recall": each.recall, "f1": each.f1,
        }
        for label, each in counts.items()
    }  # fmt: skip


def _choice(model: str) -> dict[str, Any]:
    f1 = measured(model, "validation")["f1"]
    return {
        "run": f"{model}-1", "settings": _settings(model)[1], "f1": f1, "runner_up": f"{model}-0",
        "runner_up_f1": f1 - 0.01, "n_runs": len(_settings(model)),
    }  # fmt: skip


def _write_test(folder: Path, name: str) -> None:
    kind = "ensemble" if name.startswith("ensemble") else "hybrid" if "+" in name else "model"
    members = {"ensemble": list(MODELS), "hybrid": ["roberta"], "model": []}[kind]
    whole = {"notes": 12, "windows": 24, "pieces": 2400, "steps": 6, "seconds": 0.5}
    first = {"notes": 12, "windows": 12, "pieces": 1500, "steps": 3, "seconds": 0.25}
    _write(
        folder / "tests" / f"{name}.json",
        {
            "name": name, "kind": kind, "members": members, "run": f"{name}-1" if kind == "model" else None,
            "opened_at": TESTED_AT, "test_digest": "sha256:456", "scores": {part: measured(name, part) for part in PARTS},
            "prediction": {"all_windows": whole, "first_window_only": first} if kind == "model" else {},
            "cross": ["other"] if kind == "model" else [],
        },
    )  # fmt: skip
    for part in PARTS:
        _write_predictions(predictions_path(folder, name, part), true_pairs(name, part))
    if kind == "model":
        _write_predictions(cross_path(folder, name, "other"), true_pairs(name, "other"))


def _write_predictions(path: Path, pairs: Sequence[Pair]) -> None:
    write_predictions(path, [pair.gold for pair in pairs], [pair.system.spans for pair in pairs])


def _access(part: str, selected: bool, at: str) -> dict[str, Any]:
    return {
        "time": f"2026-03-01T{at}.000000Z", "step": "test" if selected else "run", "part": part, "what": "notes",
        "path": "notes.jsonl", "documents": 8, "selected": selected, "process": 1,
    }  # fmt: skip
