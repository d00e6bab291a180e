"""An export's weights are those of its run, but for what int8 rounds; so it can be trained further, or run by torch."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")
pytest.importorskip("nncf", reason="nncf is not installed: pip install '.[export]'")

from safetensors.numpy import load_file  # noqa: E402

from deidlab.detect.embedded import embedded_folder  # noqa: E402
from deidlab.detect.folder import SHAPES_KEY, WEIGHTS, read_tagger  # noqa: E402
from deidlab.detect.model import TaggingModel, load_model  # noqa: E402
from deidlab.detect.packed.loading import load_tagger  # noqa: E402
from deidlab.detect.packed.runtime import open_run  # noqa: E402
from deidlab.detect.rebuilt import CONFIG, rebuild_tensors  # noqa: E402
from deidlab.detect.runtimes import choose_threads  # noqa: E402
from deidlab.encode.pieces import WordPieces  # noqa: E402
from deidlab.errors import ModelError  # noqa: E402
from deidlab.train.export import ExportSettings, export_run  # noqa: E402
from deidlab.train.fit import fit  # noqa: E402
from deidlab.train.launch import Launch  # noqa: E402
from deidlab.train.models import ModelSource, load_shapes  # noqa: E402
from deidlab.train.pretrain import pretrain  # noqa: E402
from deidlab.train.pretrain_settings import PretrainRequest, PretrainSettings  # noqa: E402
from deidlab.train.request import RunRequest  # noqa: E402
from deidlab.train.settings import TrainSettings  # noqa: E402
from deidlab.types import Document  # noqa: E402
from tests.unit.train.conftest import FAMILIES, SMALL, make_notes  # noqa: E402

SETTINGS = TrainSettings(epochs=8, batch=4, learning_rate=3e-3, window=48, stride=32, shapes=True)
KINDS = {"bert": "greedy", "roberta": "crf"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    made = {}
    for family, decoding in KINDS.items():
        place = tmp_path_factory.mktemp(family)
        (place / "config").mkdir()
        config = {"model_type": family, "vocab_size": 300} | SMALL | FAMILIES[family]
        (place / "config" / "config.json").write_text(json.dumps(config))
        request = RunRequest(str(place / "config"), scratch=True, tokenizer="learn")
        settings = SETTINGS.changed(decoding=decoding)
        run = fit(make_notes(12, 1), [], request, settings, Launch(place / "run", device="cpu")).folder
        for precision in ("fp32", "int8"):
            export_run(run, place / precision, ExportSettings("openvino", precision, force=True))
        made[family] = place
    return made


def through_torch(folder: Path) -> TaggingModel:
    """An export as a GPU would compute it, on this processor."""
    facts = read_tagger(folder)
    steps, runtime = open_run(folder, facts, choose_threads(1))
    return TaggingModel(facts, WordPieces.from_file(folder / "tokenizer.json"), runtime, steps)


@pytest.mark.parametrize("family", KINDS)
def test_an_unrounded_export_gives_back_its_run_s_weights(runs: dict[str, Path], family: str) -> None:
    place = runs[family]
    written, rebuilt = load_file(place / "run" / WEIGHTS), rebuild_tensors(place / "fp32")
    assert set(rebuilt) == set(written)
    for name, tensor in written.items():
        assert rebuilt[name].shape == tensor.shape, name
        np.testing.assert_allclose(rebuilt[name], tensor, atol=1e-6)


@pytest.mark.parametrize("family", KINDS)
def test_int8_loses_less_than_a_step_of_its_scale(runs: dict[str, Path], family: str) -> None:
    place = runs[family]
    written, rebuilt = load_file(place / "run" / WEIGHTS), rebuild_tensors(place / "int8")
    for name, tensor in written.items():
        # Half a step by rounding; at the ends also what the half precision of the scale takes.
        assert np.abs(rebuilt[name] - tensor).max() <= np.abs(tensor).max() * (1.0 / 127), name


@pytest.mark.parametrize("family", KINDS)
def test_torch_says_what_the_export_says(
    runs: dict[str, Path], family: str, held_out: list[Document]
) -> None:
    folder = runs[family] / "int8"
    export, rebuilt = (
        list(load_model(folder, 1).tag_notes(held_out)),
        list(through_torch(folder).tag_notes(held_out)),
    )
    tags = [
        (one, other)
        for a, b in zip(export, rebuilt, strict=True)
        for one, other in zip(a.tags, b.tags, strict=True)
    ]
    assert sum(one != other for one, other in tags) <= 0.005 * len(tags)
    assert any(one != "O" for one, _ in tags)


def test_a_note_s_spans_do_not_depend_on_its_batch(runs: dict[str, Path], held_out: list[Document]) -> None:
    model = through_torch(runs["bert"] / "int8")
    together = list(model.tag_notes(held_out))
    for note, found in zip(held_out, together, strict=True):
        alone = next(model.tag_notes([note]))
        assert alone.spans == found.spans and np.array_equal(alone.probabilities, found.probabilities)


@pytest.mark.parametrize("precision", ["fp32", "int8"])
def test_an_export_is_trained_further(runs: dict[str, Path], precision: str, tmp_path: Path) -> None:
    place = runs["bert"]
    settings = SETTINGS.changed(epochs=1, learning_rate=1e-6)
    run = fit(
        make_notes(12, 1),
        make_notes(6, 2),
        RunRequest(str(place / precision)),
        settings,
        Launch(tmp_path / "run", device="cpu"),
    )
    # A step this small changes nothing: what was learned before is still there.
    first = fit(
        make_notes(12, 1),
        make_notes(6, 2),
        RunRequest(str(place / "run")),
        settings,
        Launch(tmp_path / "first", device="cpu"),
    )
    assert run.f1 == pytest.approx(first.f1, abs=0.02) and run.f1 > 0.8
    assert read_tagger(run.folder).tags == read_tagger(place / "run").tags


def test_the_table_over_shapes_goes_on(runs: dict[str, Path]) -> None:
    place = runs["bert"]
    written = load_file(place / "run" / WEIGHTS)[SHAPES_KEY]
    assert np.abs(written).max() > 0
    for folder in (place / "run", place / "fp32"):
        np.testing.assert_allclose(load_shapes(ModelSource(str(folder))).numpy(), written, atol=1e-6)
    assert load_shapes(ModelSource(str(place / "config"))) is None
    assert load_shapes(ModelSource(str(place / "run"), scratch=True)) is None


def test_an_export_is_pretrained_further(runs: dict[str, Path], tmp_path: Path) -> None:
    place = runs["bert"]
    settings = PretrainSettings(epochs=1, batch=4, window=48, stride=32, validation_share=0.25)
    run = pretrain(
        make_notes(8, 3),
        PretrainRequest(str(place / "int8")),
        settings,
        Launch(tmp_path / "run", device="cpu"),
    )
    assert (run.folder / WEIGHTS).is_file()


@pytest.mark.parametrize("name", ["en", "es"])
def test_the_embedded_models_are_sources_of_training(name: str) -> None:
    source = ModelSource(name)
    assert source.is_folder and Path(source.location) == embedded_folder(name)
    tensors = rebuild_tensors(embedded_folder(name))
    config = json.loads((embedded_folder(name) / CONFIG).read_text())
    assert tensors["bert.embeddings.word_embeddings.weight"].shape == (
        config["vocab_size"],
        config["hidden_size"],
    )
    assert (
        len(config["id2label"])
        == len(read_tagger(embedded_folder(name)).tags)
        == len(tensors["classifier.bias"])
    )


def test_what_cannot_be_rebuilt_is_one_line(runs: dict[str, Path], tmp_path: Path) -> None:
    whole = runs["bert"] / "int8"
    for name, harm in (
        ("old", lambda folder: (folder / CONFIG).unlink()),
        ("torn", lambda folder: (folder / "model.bin").write_bytes(b"")),
        ("text", lambda folder: (folder / "model.xml").write_text("no xml")),
    ):
        shutil.copytree(whole, tmp_path / name)
        harm(tmp_path / name)
        with pytest.raises(ModelError, match="rebuil"):
            rebuild_tensors(tmp_path / name)


def test_an_embedded_model_has_the_layers_that_a_gpu_fuses() -> None:
    folder = embedded_folder("en")
    tagger = load_tagger(folder, read_tagger(folder), torch.device("cpu"))
    layers = [module for module in tagger.model.modules() if hasattr(module, "is_last")]
    assert len(layers) == tagger.model.config.num_hidden_layers and layers[-1].is_last
    assert tagger.packs and tagger.shapes is not None and not tagger.training
