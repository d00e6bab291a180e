"""Exports of tiny taggers of each family: the same answers as the run, alone or in company, without torch."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("onnxscript", reason="NEEDS .[export]")
pytest.importorskip("onnxruntime", reason="NEEDS .[export]")
pytest.importorskip("openvino", reason="NEEDS .[export]")
pytest.importorskip("nncf", reason="NEEDS .[export]")

import torch

from deidlab.detect.folder import SHAPES_KEY, STEPS_KEY, read_tagger
from deidlab.detect.model import TaggingModel, load_model
from deidlab.detect.packed.scoring import WordScorer
from deidlab.detect.packed.tagger import Tagger
from deidlab.detect.runtimes import choose_threads, open_runtime
from deidlab.detect.torch_model import load_window_model
from deidlab.encode.decoding import TagGrammar
from deidlab.encode.pieced import Cutting, piece_corpus
from deidlab.encode.pieces import WordPieces
from deidlab.encode.windows import WindowShape
from deidlab.labels import LabelSet
from deidlab.train.export import RUN, ExportSettings, export_run
from deidlab.train.export_convert import Conversion, convert
from deidlab.train.export_graph import write_onnx
from deidlab.train.fit import fit
from deidlab.train.launch import Launch
from deidlab.train.models import ModelSource, build_model, load_config
from deidlab.train.predicting import choose_tags, split_by_note
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings
from deidlab.types import Document

FORMATS = ("onnx", "openvino")
# Family, and what DeidLab adds to its model.
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "bert": ("bert", {}),
    "bert-crf-shapes": ("bert", {"decoding": "crf", "shapes": True}),
    "roberta-shapes": ("roberta", {"shapes": True, "decoding": "greedy"}),
    "albert": ("albert", {}),
    "deberta": ("deberta-v2", {}),
}
ODD_NOTES = [
    Document(id="empty", text=""),
    Document(id="spaces", text=" \n\t "),
    Document(id="controls", text="\x07 \ufe0f Ana Lopez \u200d"),
    Document(id="long", text="Patient Wei Li was seen on 3/4/2015. Pain. " * 60),
]
WITHOUT_TORCH = """
import sys, time
for name in ("torch", "transformers", "safetensors", "onnx", "onnxscript", "nncf"):
    sys.modules[name] = None
began = time.perf_counter()
from deidlab.detect.model import load_model
model = load_model(sys.argv[1])
seconds = time.perf_counter() - began
spans = model.find(sys.argv[2])
telemetry = sys.modules.get("openvino_telemetry")
print([(span.start, span.end, span.label) for span in spans], telemetry is None, seconds < 3.0)
"""


@pytest.fixture(scope="module")
def runs(
    tmp_path_factory: pytest.TempPathFactory, notes: list[Document], make_config: Callable[[str], str]
) -> dict[str, Path]:
    """A small run of each kind; it has learned something, so that tags other than O are compared."""
    folders = {}
    for kind, (family, changes) in KINDS.items():
        folders[kind] = tmp_path_factory.mktemp("runs") / kind
        settings = TrainSettings(
            epochs=6, batch=4, learning_rate=5e-3, window=48, stride=32, checkpoint_minutes=0.0, **changes
        )
        request = RunRequest(model=make_config(family), scratch=True, tokenizer="learn")
        fit(notes, [], request, settings, Launch(folders[kind], device="cpu"))
    return folders


@pytest.fixture(scope="module")
def exported(
    runs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, str, str], TaggingModel]:
    """An exported model by kind, format and precision; each run is traced once."""
    traces: dict[str, Path] = {}

    def get(kind: str, format: str, precision: str) -> TaggingModel:
        facts = read_tagger(runs[kind])
        model, steps = load_window_model(runs[kind], facts)
        if kind not in traces:
            traces[kind] = tmp_path_factory.mktemp("traces") / "traced.onnx"
            write_onnx(model, facts, traces[kind])
        folder = tmp_path_factory.mktemp("exports")
        made = convert(traces[kind], folder, Conversion(format, precision, model.model.config.hidden_size))
        pieces = WordPieces.from_file(runs[kind] / "tokenizer.json")
        return TaggingModel(facts, pieces, open_runtime(folder, made, choose_threads(2)), steps)

    return get


def scores_of_run(folder: Path, documents: list[Document]) -> tuple[list[np.ndarray], list[list[str]]]:
    """Scores and tags of each note's words by the training engine's own packed prediction."""
    from safetensors.torch import load_file

    facts = json.loads((folder / "tagger.json").read_text())
    source = ModelSource(str(folder))
    pieces = WordPieces.from_file(folder / "tokenizer.json")
    model = build_model(source, load_config(source), "TokenClassification", pieces, None)
    tagger = Tagger(model, facts["shapes"], facts["decoding"] == "crf")
    tensors = load_file(folder / "model.safetensors")
    with torch.no_grad():
        if tagger.shapes is not None:
            tagger.shapes.weight.copy_(tensors[SHAPES_KEY])
        if tagger.steps is not None:
            tagger.steps.copy_(tensors[STEPS_KEY])
        labels = LabelSet("run", tuple(facts["labels"]), tuple(facts["tags"]))
        shape = WindowShape(facts["window"], facts["stride"], pieces.prefix, pieces.suffix)
        corpus = piece_corpus(documents, Cutting(pieces, shape, facts["words"]), labels, as_gold=False)
        scorer = WordScorer(tagger, corpus, torch.device("cpu"))
        scores = split_by_note(scorer.score(), corpus)
    chosen = choose_tags(scores, TagGrammar.of(labels.tags), facts["decoding"], scorer.steps())
    return scores, [[labels.tags[tag] for tag in note] for note in chosen]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_an_export_says_what_the_run_says(
    kind: str,
    format: str,
    runs: dict[str, Path],
    held_out: list[Document],
    exported: Callable[[str, str, str], TaggingModel],
) -> None:
    documents = [*held_out, ODD_NOTES[-1]]
    scores, tags = scores_of_run(runs[kind], documents)
    model = exported(kind, format, "fp32")
    found = list(model.tag_notes(documents))
    assert [list(note.tags) for note in found] == tags
    assert {tag for note in tags for tag in note} > {"O"}
    for note, wanted in zip(documents, scores, strict=True):
        parts = model.runtime.score(model.cut(note).windows)
        assert np.allclose(np.concatenate(parts), wanted, atol=2e-4)
    with_torch = list(load_model(runs[kind]).tag_notes(documents))
    assert [note.tags for note in with_torch] == [note.tags for note in found]


@pytest.mark.parametrize("precision", ["fp32", "int8"])
@pytest.mark.parametrize("format", FORMATS)
def test_a_note_is_tagged_the_same_alone_and_in_any_company(
    format: str, precision: str, held_out: list[Document], exported: Callable[[str, str, str], TaggingModel]
) -> None:
    model = exported("roberta-shapes", format, precision)
    documents = [*held_out, *ODD_NOTES]
    alone = {note.id: next(iter(model.tag_notes([note]))) for note in documents}
    draw = random.Random(3)
    for _ in range(4):
        company = draw.sample(documents, draw.randint(2, len(documents)))
        for found in model.tag_notes(company):
            assert found == alone[found.id]
            assert np.array_equal(found.probabilities, alone[found.id].probabilities)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("kind", KINDS)
def test_int8_stays_near(
    kind: str, format: str, held_out: list[Document], exported: Callable[[str, str, str], TaggingModel]
) -> None:
    exact = list(exported(kind, format, "fp32").tag_notes(held_out))
    small = list(exported(kind, format, "int8").tag_notes(held_out))
    gaps = [np.abs(a.probabilities - b.probabilities).max() for a, b in zip(exact, small, strict=True)]
    assert 0 < max(gaps) < 0.35
    same = [
        a == b
        for left, right in zip(exact, small, strict=True)
        for a, b in zip(left.tags, right.tags, strict=True)
    ]
    assert np.mean(same) > 0.98


@pytest.mark.parametrize("format", FORMATS)
def test_every_word_gets_a_tag_and_a_span_its_certainty(
    format: str, exported: Callable[[str, str, str], TaggingModel]
) -> None:
    model = exported("bert-crf-shapes", format, "fp32")
    for note, found in zip(ODD_NOTES, model.tag_notes(ODD_NOTES), strict=True):
        assert len(found.words) == len(found.tags) == len(found.probabilities) == len(found.phi)
        assert np.allclose(found.probabilities.sum(axis=1), 1, atol=1e-4) or not found.words
        covered = "".join(note.text[start:end] for start, end in found.words)
        assert covered == "".join(note.text.split())
        assert all(0 <= (span.score or 0) <= 1 and span.source == "model" for span in found.spans)
    spans, words = model.predict([ODD_NOTES[-1]])[0]
    assert spans and all(0 <= sure <= 1 for _, _, sure in words)
    assert model.find(ODD_NOTES[-1].text) == spans


@pytest.mark.parametrize("format", FORMATS)
def test_an_export_runs_where_torch_is_not(
    format: str, runs: dict[str, Path], held_out: list[Document], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export_run(runs["bert-crf-shapes"], out, ExportSettings(format, "int8"), held_out)
    text = held_out[0].text
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(out), text], capture_output=True, text=True, timeout=60
    )
    wanted = [(span.start, span.end, span.label) for span in load_model(out).find(text)]
    assert (done.stdout.strip(), done.stderr) == (f"{wanted} True True", "")


def test_threads_change_nothing(runs: dict[str, Path], held_out: list[Document], tmp_path: Path) -> None:
    export_run(runs["albert"], tmp_path / "out", ExportSettings("openvino", "bf16"), held_out)
    many = list(load_model(tmp_path / "out", threads=2, at_once=2).tag_notes(held_out))
    one = list(load_model(tmp_path / "out", threads=1).tag_notes(held_out))
    assert [note.tags for note in many] == [note.tags for note in one]


def test_calibrated_int8_has_fixed_ranges(
    runs: dict[str, Path], notes: list[Document], held_out: list[Document], tmp_path: Path
) -> None:
    settings = ExportSettings("openvino", "int8", force=True)
    record = export_run(runs["bert"], tmp_path / "out", settings, held_out, notes)
    assert record["group"] == 0
    assert record["calibration"]["windows"] > 3
    assert "FakeQuantize" in (tmp_path / "out" / "model.xml").read_text()
    model = load_model(tmp_path / "out")
    together = list(model.tag_notes(held_out))
    assert together == [next(iter(model.tag_notes([note]))) for note in held_out]


@pytest.mark.parametrize("format", FORMATS)
def test_the_record_and_the_card_tell_what_was_measured(
    format: str, runs: dict[str, Path], held_out: list[Document], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    record = export_run(runs["bert"], out, ExportSettings(format, "int8", force=True), held_out)
    assert json.loads((out / "export.json").read_text()) == record
    models = record["fidelity"]["models"]
    assert list(models) == [RUN, f"{format} fp32", f"{format} int8"]
    assert models[RUN]["tags_changed"] == models[f"{format} fp32"]["tags_changed"] == 0
    assert models[RUN]["f1"] == models[f"{format} fp32"]["f1"]
    assert record["megabytes"][f"{format} int8"] < record["megabytes"][f"{format} fp32"]
    assert record["files"] == {
        file.name: file.stat().st_size for file in sorted(out.iterdir()) if file.name != "export.json"
    }
    card = (out / "README.md").read_text()
    assert card.startswith((runs["bert"] / "README.md").read_text().partition("\n## Use\n")[0])
    assert f"| {format} int8 | {models[f'{format} int8']['f1']:.4f} |" in card
    assert f"its `{format}` extra" in card
    whole = "".join(file.read_text("utf-8", "ignore") for file in out.iterdir())
    assert not any(note.id in whole or note.text in whole for note in held_out)
