"""Masking with a model: a tiny one is trained here, in seconds, on notes whose names no rule would find."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")

from deidlab.detect import Detector, DetectorSettings, load_detector  # noqa: E402
from deidlab.easy import load  # noqa: E402
from deidlab.evaluate.threshold import units_without_miss  # noqa: E402
from deidlab.train.fit import fit  # noqa: E402
from deidlab.train.launch import Launch  # noqa: E402
from deidlab.train.request import RunRequest  # noqa: E402
from deidlab.train.settings import TrainSettings  # noqa: E402
from deidlab.types import Document, Span  # noqa: E402
from tests.e2e.command import deidlab  # noqa: E402
from tests.unit.pipeline.notes import read_jsonl, write_jsonl, write_key  # noqa: E402
from tests.unit.train.conftest import SMALL  # noqa: E402

Capture = pytest.CaptureFixture[str]
CODES = ("zorvex", "blimquat", "tarnoggle", "wexby", "ploom")
FILLER = ("pain since two weeks.", "no other findings.", "lungs clear, wound dry.", "eats and sleeps well.")


def make_notes(n_notes: int, seed: int) -> list[Document]:
    """The guest `zorvex` is PHI by where it stands; the date is one that the rules find too."""
    draw = random.Random(seed)
    notes = []
    for number in range(n_notes):
        text = "".join(draw.choice(FILLER) + " " for _ in range(draw.randint(0, 6)))
        spans = []
        for _ in range(draw.randint(1, 3)):
            name, day = draw.choice(CODES), f"3/{draw.randint(1, 28)}/2071"
            text += "the guest "
            spans.append(Span(len(text), len(text) + len(name), "PATIENT"))
            text += f"{name} came on "
            spans.append(Span(len(text), len(text) + len(day), "DATE"))
            text += f"{day}, " + draw.choice(FILLER) + "\n"
        notes.append(Document(f"m{seed}-{number}", text=text, spans=tuple(spans)))
    return notes


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """On a machine that does other things too, more threads would wait for each other."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        yield


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    (folder / "config").mkdir()
    config = {"model_type": "bert", "vocab_size": 300} | SMALL
    (folder / "config" / "config.json").write_text(json.dumps(config))
    torch.set_num_threads(1)
    request = RunRequest(model=str(folder / "config"), scratch=True, tokenizer="learn")
    settings = TrainSettings(
        epochs=14, batch=4, learning_rate=5e-3, window=48, stride=32, checkpoint_minutes=0.0
    )
    fit(make_notes(40, 1), make_notes(6, 2), request, settings, Launch(folder / "run", device="cpu"))
    return folder / "run"


@pytest.fixture(scope="module")
def detector(model: Path) -> Detector:
    return load_detector(str(model), DetectorSettings("on"))


def test_the_model_finds_what_rules_do_not_and_both_are_masked(
    model: Path, tmp_path: Path, capsys: Capture
) -> None:
    notes = make_notes(8, 3)
    source = write_jsonl(notes, tmp_path / "notes.jsonl", with_spans=False)
    key, out = write_key(tmp_path), tmp_path / "out.jsonl"
    arguments = ("mask", source, "--key-file", key, "--workers", "1")
    done = deidlab(capsys, *arguments, "--out", out, "--model", model)
    assert done.status == 0, done.err
    text = "".join(str(row["text"]) for row in read_jsonl(out))
    assert not any(name in text for name in CODES) and "2071" not in text and "[PATIENT-1]" in text
    replaced = json.loads((tmp_path / "out.jsonl.deidlab" / "record.json").read_text())["replaced"]
    assert {row["source"].partition(":")[0] for row in replaced} >= {"model", "rules"}
    without = tmp_path / "rules.jsonl"
    assert deidlab(capsys, *arguments, "--out", without, "--rules", "only").status == 0
    assert any(name in without.read_text() for name in CODES)


def test_a_note_s_spans_and_words_do_not_depend_on_its_batch(detector: Detector) -> None:
    notes = make_notes(12, 4)
    alone = {note.id: detector.detect([note])[0] for note in notes}
    chance = random.Random(7)
    for _ in range(100):
        batch = chance.sample(notes, chance.randint(1, 4))
        for note, found in zip(batch, detector.detect(batch), strict=True):
            assert found.spans == alone[note.id].spans
            assert found.words == alone[note.id].words


def test_ensembles_of_model_and_rules(detector: Detector) -> None:
    note = make_notes(1, 5)[0]
    gold = {(span.start, span.end, span.label) for span in note.spans}

    def found(how: str) -> set[tuple[int, int, str]]:
        spans = replace(detector, how=how).detect([note])[0].spans
        return {(span.start, span.end, span.label) for span in spans}

    names = {span for span in gold if span[2] == "PATIENT"}
    assert found("union") >= gold
    # A vote of two wants both: the name is the model's alone, the date stands in both.
    assert found("vote") & gold == gold - names
    assert not found("mean") & names and found("mean") & gold == gold - names


def test_a_wanted_recall_becomes_a_threshold(model: Path, tmp_path: Path, capsys: Capture) -> None:
    n_units = units_without_miss(0.9, 0.95)
    gold = write_jsonl(make_notes(2 * n_units, 6), tmp_path / "gold.jsonl")
    calibration, found = tmp_path / "calibration.json", tmp_path / "found.jsonl"
    done = deidlab(
        capsys, "detect", gold, "--out", found, "--model", model, "--write-calibration", calibration,
        "--workers", "1", "-q",
    )  # fmt: skip
    assert done.status == 0, done.err
    policy = tmp_path / "wanted.toml"
    policy.write_text('like = "i2b2"\nrecall = 0.9\n')
    key, out = write_key(tmp_path), tmp_path / "out.jsonl"
    arguments = ("mask", gold, "--out", out, "--model", model, "--policy", policy, "--key-file", key,
                 "--workers", "1")  # fmt: skip
    refused = deidlab(capsys, *arguments)
    assert refused.status == 1 and "no calibration says which threshold holds it" in refused.err
    done = deidlab(capsys, *arguments, "--calibration", calibration)
    assert done.status == 0 and "holds the wanted recall (0.9 of all PHI)" in done.err
    settings = json.loads((tmp_path / "out.jsonl.deidlab" / "record.json").read_text())["settings"]
    assert 0 < settings["threshold"] < 0.5
    other = deidlab(capsys, *arguments, "--calibration", calibration, "--rules", "only", "--overwrite")
    assert other.status == 1 and "of another detector" in other.err
    # Beside the model it is found by itself.
    (model / "calibration.json").write_bytes(calibration.read_bytes())
    try:
        assert deidlab(capsys, *arguments, "--overwrite").status == 0
    finally:
        (model / "calibration.json").unlink()


def test_in_a_few_lines_of_python(model: Path) -> None:
    note = make_notes(1, 8)[0]
    masked = load(str(model)).mask(note.text)
    assert not any(name in masked.text for name in CODES)
