from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from deidlab.detect.folder import ExportFacts, read_export, read_steps, read_tagger
from deidlab.detect.model import load_model
from deidlab.detect.runtimes import choose_threads, n_cores, open_runtime
from deidlab.errors import ConfigError, ModelError

TAGGER: dict[str, Any] = {
    "tags": ["O", "B-NAME", "I-NAME"],
    "window": 48,
    "stride": 32,
    "words": "runs",
    "decoding": "crf",
    "shapes": False,
    "first_position": 0,
}
EXPORT = {"format": "onnx", "precision": "fp32", "model": "model.onnx", "floats": "f32", "group": 0}


def write(folder: Path, **files: Any) -> Path:
    for name, value in files.items():
        (folder / f"{name}.json").write_text(value if isinstance(value, str) else json.dumps(value))
    return folder


def test_what_a_folder_says_is_read(tmp_path: Path) -> None:
    write(tmp_path, tagger=TAGGER, export=EXPORT)
    np.save(tmp_path / "steps.npy", np.ones((3, 3), np.float32))
    facts = read_tagger(tmp_path)
    assert facts.tags == ("O", "B-NAME", "I-NAME")
    assert read_export(tmp_path) == ExportFacts("onnx", "fp32", "model.onnx", fields=EXPORT)
    steps = read_steps(tmp_path, facts)
    assert steps is not None and steps.shape == (3, 3)


@pytest.mark.parametrize(
    "tagger",
    [
        "",
        "[]",
        "{",
        {},
        TAGGER | {"window": "wide"},
        TAGGER | {"decoding": "beam"},
        TAGGER | {"tags": []},
        TAGGER | {"conventions": "elsewhere"},
        TAGGER | {"own_threshold": "high"},
    ],
)
def test_a_description_that_is_none_is_one_line(tmp_path: Path, tagger: Any) -> None:
    write(tmp_path, tagger=tagger, export=EXPORT)
    with pytest.raises(ModelError, match=r"tagger\.json"):
        load_model(tmp_path)


@pytest.mark.parametrize(
    "tags",
    [
        ["O", "NAME", "DATE"],
        ["O", "LABEL_1"],
        ["O"],
        ["B-NAME", "I-NAME"],
        ["O", "B-", "I-"],
        ["O", "b-NAME", "i-NAME"],
        ["O", "NAME-B", "NAME-I"],
        ["O", "B-NAME", "L-NAME", "S-NAME"],
        ["O", "B-NAME", "B-NAME"],
    ],
)
def test_a_tagger_whose_tags_spell_no_spans_is_refused(tmp_path: Path, tags: list[str]) -> None:
    write(tmp_path, tagger=TAGGER | {"tags": tags}, export=EXPORT)
    with pytest.raises(ModelError, match=r"tagger\.json: its tags would spell no spans.*B-LABEL"):
        load_model(tmp_path)


@pytest.mark.parametrize("tags", [["O", "I-X"], ["O", "B-X"], ["B-X", "I-X", "O"], ["O", "S-X", "B-X", "E-X"],
                                  ["O", "B-X", "I-X", "L-X", "U-X"]])  # fmt: skip
def test_every_scheme_that_can_be_decoded_is_read(tmp_path: Path, tags: list[str]) -> None:
    assert read_tagger(write(tmp_path, tagger=TAGGER | {"tags": tags})).tags == tuple(tags)


@pytest.mark.parametrize(
    "export", ["", {}, EXPORT | {"format": "coreml"}, EXPORT | {"model": "../../elsewhere/model.onnx"}]
)
def test_a_record_that_is_none_is_one_line(tmp_path: Path, export: Any) -> None:
    write(tmp_path, tagger=TAGGER, export=export)
    with pytest.raises(ModelError, match=r"export\.json"):
        load_model(tmp_path)


@pytest.mark.parametrize("steps", [b"", b"not numpy", np.ones((2, 2))])
def test_steps_that_do_not_fit_are_one_line(tmp_path: Path, steps: Any) -> None:
    write(tmp_path, tagger=TAGGER, export=EXPORT)
    if isinstance(steps, bytes):
        (tmp_path / "steps.npy").write_bytes(steps)
    else:
        np.save(tmp_path / "steps.npy", steps)
    with pytest.raises(ModelError, match=r"steps\.npy"):
        load_model(tmp_path)


def test_steps_that_are_pickled_code_are_not_run(tmp_path: Path) -> None:
    np.save(tmp_path / "steps.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ModelError, match=r"steps\.npy"):
        read_steps(tmp_path, read_tagger(write(tmp_path, tagger=TAGGER)))


def test_a_folder_of_anything_else_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="neither a run"):
        load_model(tmp_path)
    with pytest.raises(ModelError, match="neither a run"):
        load_model(tmp_path / "absent")


@pytest.mark.parametrize("format", ["onnx", "openvino"])
def test_a_model_file_that_is_missing_or_broken_is_one_line(tmp_path: Path, format: str) -> None:
    pytest.importorskip("onnxruntime" if format == "onnx" else "openvino", reason=f"NEEDS .[{format}]")
    facts = ExportFacts(format, "fp32", "model.onnx" if format == "onnx" else "model.xml")
    with pytest.raises(ModelError, match="missing"):
        open_runtime(tmp_path, facts, choose_threads())
    (tmp_path / facts.model).write_bytes(b"<broken")
    with pytest.raises(ModelError, match="cannot load this model"):
        open_runtime(tmp_path, facts, choose_threads())


def test_all_cores_are_used_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert choose_threads().total == choose_threads().at_once == n_cores()
    assert choose_threads(8, 2).each == 4
    assert choose_threads(4, 3).each == 1
    for threads, at_once in ((0, None), (2, 0), (2, 3)):
        with pytest.raises(ConfigError):
            choose_threads(threads, at_once)
