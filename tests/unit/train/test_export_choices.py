"""What an export refuses, what it falls back from, and what it keeps when told to."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("onnxscript", reason="NEEDS .[export]")
pytest.importorskip("onnxruntime", reason="NEEDS .[export]")
pytest.importorskip("openvino", reason="NEEDS .[export]")
pytest.importorskip("nncf", reason="NEEDS .[export]")

from deidlab.detect.folder import read_tagger
from deidlab.detect.model import load_model
from deidlab.detect.torch_model import load_window_model
from deidlab.errors import ConfigError, DeidError, MissingExtraError, ModelError, UnknownNameError
from deidlab.train import export as exporting
from deidlab.train import export_graph
from deidlab.train.export import ExportSettings, export_run
from deidlab.train.fit import Run, fit
from deidlab.train.launch import Launch
from deidlab.train.request import RunRequest
from deidlab.train.settings import TrainSettings
from deidlab.types import Document


@pytest.fixture(scope="module")
def run(
    tmp_path_factory: pytest.TempPathFactory, notes: list[Document], make_config: Callable[[str], str]
) -> Run:
    folder = tmp_path_factory.mktemp("runs") / "bert"
    settings = TrainSettings(
        epochs=6, batch=4, learning_rate=5e-3, window=48, stride=32, checkpoint_minutes=0.0
    )
    request = RunRequest(model=make_config("bert"), scratch=True, tokenizer="learn")
    return fit(notes, [], request, settings, Launch(folder, device="cpu"))


@pytest.fixture(scope="module")
def traced(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("traced") / "traced.onnx"
    facts = read_tagger(run.folder)
    export_graph.write_onnx(load_window_model(run.folder, facts)[0], facts, path)
    return path


@pytest.fixture
def quick(traced: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tracing takes seconds and is tested elsewhere: here the run is traced once."""

    def copy(model: Any, facts: Any, path: Path) -> None:
        shutil.copyfile(traced, path)

    monkeypatch.setattr(export_graph, "write_onnx", copy)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("format", ["onnx", "openvino"])
def test_int8_that_loses_too_much_gives_way_to_fp32(
    format: str, run: Run, held_out: list[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No loss at all is then already too much.
    monkeypatch.setattr(exporting, "TOLERANCE", -0.001)
    record = export_run(run.folder, tmp_path / "out", ExportSettings(format, "int8"), held_out)
    assert (record["asked"], record["precision"]) == ("int8", "fp32")
    assert "points below fp32's" in record["fallback"]
    assert record["group"] == 0 and record["floats"] == "f32"
    assert record["fallback"] in (tmp_path / "out" / "README.md").read_text()
    files = sum(record["files"][name] for name in record["files"] if name.startswith("model."))
    assert files == pytest.approx(record["megabytes"][f"{format} fp32"] * 1e6, abs=6000)
    forced = export_run(run.folder, tmp_path / "forced", ExportSettings(format, "int8", True), held_out)
    assert (forced["precision"], forced["fallback"]) == ("int8", "")


@pytest.mark.usefixtures("quick")
def test_int8_within_the_tolerance_is_kept(
    run: Run, held_out: list[Document], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "TOLERANCE", 1.0)
    model = load_model(run.folder)
    gold = [
        replace(note, spans=spans) for note, spans in zip(held_out, model.find_spans(held_out), strict=True)
    ]
    record = export_run(run.folder, tmp_path / "out", ExportSettings("openvino", "int8"), gold)
    # Gold is the run's own finding.
    assert record["fidelity"]["models"]["openvino fp32"]["f1"] == 1.0
    assert (record["precision"], record["fallback"]) == ("int8", "")


@pytest.mark.usefixtures("quick")
def test_int8_unmeasured_is_refused_unless_forced(run: Run, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--force-int8"):
        export_run(run.folder, tmp_path / "out", ExportSettings("onnx", "int8"))
    record = export_run(run.folder, tmp_path / "out", ExportSettings("onnx", "int8", True))
    assert record["fidelity"] is None
    assert "not measured on notes" in (tmp_path / "out" / "README.md").read_text()


@pytest.mark.usefixtures("quick")
def test_a_model_traced_wrongly_is_not_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from deidlab.detect.packed.tagger import Tagger

    plain = Tagger.forward

    def shifted(self: Any, row: Any, shape: Any, ids: Any = None) -> Any:
        # What a tracer does that takes a length for a constant: right for the example, wrong for others.
        return plain(self, row, shape, ids) + (shape.n_pieces if shape.n_pieces != 16 else 0)

    original = exporting.check_traced

    def check(run_: Any, exported: Any, facts: Any, n_vocabulary: int) -> float:
        monkeypatch.setattr(Tagger, "forward", shifted)
        return original(run_, exported, facts, n_vocabulary)

    monkeypatch.setattr(exporting, "check_traced", check)
    with pytest.raises(ModelError, match="does not agree"):
        export_run(run.folder, tmp_path / "out", ExportSettings("onnx"))
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_exported_is_one_line(run: Run, held_out: list[Document], tmp_path: Path) -> None:
    bare = [Document(id=note.id, text=note.text) for note in held_out]
    cases: list[tuple[type[DeidError], str, Callable[[], Any]]] = [
        (ModelError, "no finished run", lambda: export_run(tmp_path, tmp_path / "out", ExportSettings())),
        (UnknownNameError, "onnx", lambda: ExportSettings("onxx")),
        (ConfigError, "bf16", lambda: ExportSettings("onnx", "bf16")),
        (ConfigError, "no spans", lambda: export_run(run.folder, tmp_path / "o", ExportSettings(), bare)),
        (
            ConfigError,
            "calibrate",
            lambda: export_run(run.folder, tmp_path / "o", ExportSettings("onnx", "int8"), held_out, bare),
        ),
    ]
    for kind, words, call in cases:
        with pytest.raises(kind, match=words):
            call()
    assert not (tmp_path / "o").exists()


@pytest.mark.usefixtures("quick")
def test_what_is_there_is_not_replaced_by_chance(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_run(run.folder, out, ExportSettings("onnx"))
    with pytest.raises(DeidError, match="already there"):
        export_run(run.folder, out, ExportSettings("onnx"))
    with pytest.raises(ConfigError, match="already an export"):
        export_run(out, tmp_path / "twice", ExportSettings("onnx"))
    assert export_run(run.folder, out, ExportSettings("openvino", overwrite=True))["format"] == "openvino"
    with pytest.raises(ConfigError, match="will not replace"):
        export_run(run.folder, run.folder, ExportSettings("onnx", overwrite=True))
    assert load_model(run.folder).tags


@pytest.mark.parametrize(
    ("package", "format"),
    [("onnxscript", "onnx"), ("nncf", "openvino"), ("openvino", "openvino"), ("onnxruntime", "onnx")],
)
def test_what_is_not_installed_is_named_with_the_command(
    package: str, format: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        export_run(run.folder, tmp_path / "out", ExportSettings(format, "int8", True))
    assert "needs the 'export' extra: pip install " in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("format", "package"), [("onnx", "onnxruntime"), ("openvino", "openvino")])
def test_a_missing_runtime_is_named_when_loading(
    format: str, package: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export_run(run.folder, tmp_path / "out", ExportSettings(format))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=f"needs the '{format}' extra: pip install "):
        load_model(tmp_path / "out")


def test_weights_that_do_not_fit_the_description_are_one_line(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(run.folder, broken)
    whole = (broken / "model.safetensors").read_bytes()
    (broken / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ModelError, match="not a whole safetensors file"):
        load_model(broken)
    (broken / "model.safetensors").write_bytes(whole)
    facts = (broken / "tagger.json").read_text().replace('"decoding": "viterbi"', '"decoding": "crf"')
    (broken / "tagger.json").write_text(facts)
    with pytest.raises(ModelError, match="do not go together"):
        load_model(broken)
