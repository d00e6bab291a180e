"""The recipe of the model for all languages, small: notes of every language, a run, a smaller student, its files."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")

from deidlab.detect.folder import read_tagger  # noqa: E402
from deidlab.types import Document, Span  # noqa: E402
from tests.unit.train.conftest import SMALL  # noqa: E402

RECIPES = Path(__file__).parents[3] / "recipes"
SHARE = 0.0001
CHANGES = {"epochs": 1, "batch": 8, "window": 64, "stride": 48, "validate_every": 1}
NAMES = ("all_notes", "train", "packing", "corpus", "judge")


@pytest.fixture(scope="module")
def recipe() -> Iterator[dict[str, ModuleType]]:
    """The recipe's modules; other recipes have some of the same names."""
    before = list(sys.path)
    sys.path[:0] = [str(RECIPES / "all"), str(RECIPES)]
    kept = {name: sys.modules.pop(name) for name in NAMES if name in sys.modules}
    yield {name: importlib.import_module(name) for name in NAMES}
    for name in NAMES:
        sys.modules.pop(name, None)
    sys.modules.update(kept)
    sys.path[:] = before


@pytest.fixture(scope="module")
def notes(recipe: dict[str, ModuleType], tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("notes")
    written = recipe["all_notes"].write_notes(
        recipe["all_notes"].read_recipe(), 1, None, None, out / "notes", SHARE
    )
    assert written == 11 + 9 + 7
    return out / "notes"


@pytest.fixture(scope="module")
def run(recipe: dict[str, ModuleType], notes: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    from deidlab.train.folder import save_weights
    from deidlab.train.models import ModelSource, load_config, new_model
    from deidlab.train.vocabulary import learn_pieces

    encoder = tmp_path_factory.mktemp("encoder")
    texts = recipe["train"].read_notes(notes / "train")
    pieces = learn_pieces(texts, "bert", 300)
    (encoder / "tokenizer.json").write_text(pieces.to_json())
    config = {"model_type": "bert", "vocab_size": pieces.n_vocabulary} | SMALL | {"num_hidden_layers": 4}
    (encoder / "config.json").write_text(json.dumps(config))
    save_weights(encoder, new_model(load_config(ModelSource(str(encoder))), "MaskedLM"), {})
    out = tmp_path_factory.mktemp("run") / "run"
    recipe["train"].train(notes, str(encoder), out, CHANGES)
    return out


def test_sizes_come_to_what_the_readme_says(recipe: dict[str, ModuleType]) -> None:
    sizes = recipe["all_notes"].read_recipe()["notes"]
    made = sum(sizes[kind] for kind in ("en", "base", "es", "fr"))
    assert made + 500 * (1 + sizes["swaps"]) == 316_000
    assert "316,000" in (RECIPES / "all" / "README.md").read_text("utf-8")


def test_the_notes_are_in_three_languages_and_the_same_again(
    recipe: dict[str, ModuleType], notes: Path, tmp_path: Path
) -> None:
    found = recipe["train"].read_notes(notes / "train")
    assert len(found) == len({note.id for note in found}) == 27
    assert {path.name[:2] for path in (notes / "train").iterdir()} == {"en", "es", "fr", "me"}
    recipe["all_notes"].write_notes(
        recipe["all_notes"].read_recipe(), 1, None, None, tmp_path / "again", SHARE
    )
    for path in sorted(notes.rglob("*.jsonl")):
        assert (tmp_path / "again" / path.relative_to(notes)).read_bytes() == path.read_bytes()


def test_meddocan_s_labels_are_brought_to_those_of_made_notes(recipe: dict[str, ModuleType]) -> None:
    text = "Juan, 40 años, 28046, Madrid, varón"
    labels = (("Juan", "NOMBRE_SUJETO_ASISTENCIA"), ("40 años", "EDAD_SUJETO_ASISTENCIA"), ("28046", "TERRITORIO"),
              ("Madrid", "TERRITORIO"), ("varón", "SEXO_SUJETO_ASISTENCIA"))  # fmt: skip
    spans = tuple(Span(text.index(part), text.index(part) + len(part), label) for part, label in labels)
    found = recipe["all_notes"].to_made_labels(Document("n", text=text, spans=spans)).spans
    assert [(text[span.start : span.end], span.label) for span in found] == [
        ("Juan", "PATIENT"), ("40", "AGE"), ("28046", "ZIP"), ("Madrid", "CITY"), ("varón", "SEX")
    ]  # fmt: skip


def test_the_run_says_that_it_serves_three_languages(run: Path) -> None:
    facts = read_tagger(run)
    assert facts.language == "en+es+fr" and facts.phi_minimum == 0.07 and "B-KIN" in facts.tags


def test_a_student_has_fewer_layers_and_learns_from_the_run(
    recipe: dict[str, ModuleType], notes: Path, run: Path, tmp_path: Path
) -> None:
    start = recipe["train"].cut_layers(run, 2, tmp_path / "start")
    record = recipe["train"].train(
        notes,
        str(start),
        tmp_path / "student",
        CHANGES | recipe["all_notes"].read_recipe()["shrink"],
        str(run),
    )
    assert len(record["teachers"]) == 1
    assert json.loads((tmp_path / "student" / "config.json").read_text())["num_hidden_layers"] == 2
    assert read_tagger(tmp_path / "student").tags == read_tagger(run).tags
    with pytest.raises(SystemExit, match="less than the teacher's 4"):
        recipe["train"].cut_layers(run, 4, tmp_path / "none")


def test_a_second_training_goes_on_from_the_weights_of_the_first(
    recipe: dict[str, ModuleType], notes: Path, run: Path, tmp_path: Path
) -> None:
    # Of so few steps an average would be the weights at the start.
    changes = CHANGES | {"average": 0.0}
    further = recipe["all_notes"].read_recipe()["rounds"][1] | changes
    first = recipe["train"].train(notes, str(run), tmp_path / "first", changes)
    second = recipe["train"].train(notes, str(tmp_path / "first"), tmp_path / "second", further)
    begun, gone_on = (each["epochs"][0]["train"]["accuracy"] for each in (first, second))
    assert gone_on > begun + 0.1
    assert read_tagger(tmp_path / "second").tags == read_tagger(run).tags


def test_epochs_that_do_not_fit_are_fewer(
    recipe: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    train = recipe["train"]
    monkeypatch.setattr(train.time, "perf_counter", lambda: 100.0)
    first = {"epoch": 1, "seconds": 40.0}
    train.watch(10, 0.0, 0.0)(first)
    train.watch(10, 0.0, 510.0)(first)
    with pytest.raises(train.TooLong) as error:
        train.watch(10, 0.0, 500.0)(first)
    assert error.value.epochs == 8
    with pytest.raises(SystemExit, match="not one more fits"):
        train.watch(10, 0.0, 150.0)(first)


def test_a_run_is_split_and_joined(
    recipe: dict[str, ModuleType], run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from safetensors.numpy import load_file

    monkeypatch.setattr(recipe["packing"], "PART", 20_000)
    recipe["packing"].pack_run(run, tmp_path / "small")
    assert len(list((tmp_path / "small").glob("weights.*"))) > 1
    assert max(path.stat().st_size for path in (tmp_path / "small").glob("weights.*")) <= 20_000
    recipe["packing"].unpack_run(tmp_path / "small", tmp_path / "joined")
    before, after = (load_file(folder / "model.safetensors") for folder in (run, tmp_path / "joined"))
    assert set(before) == set(after) and all(abs(before[name] - after[name]).max() < 1e-2 for name in before)
    assert read_tagger(tmp_path / "joined") == read_tagger(run)


@pytest.mark.parametrize("script", ["pack.sh", "run.sh"])
def test_the_shell_can_read_its_scripts(script: str) -> None:
    assert subprocess.run(["sh", "-n", str(RECIPES / "all" / script)], check=False).returncode == 0


def test_a_folder_of_notes_in_several_languages_is_masked_note_by_note(run: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from deidlab.cli.app import app
    from deidlab.detect import load_detector

    texts = {
        "a": "The patient was seen on 13/4/2064 by Dr. Harlan Voss and denies any pain since his discharge.",
        "b": "La paciente fue vista el 13/4/2064 por la Dra. Lucía Barrachina y refiere dolor desde hace días.",
    }
    notes = tmp_path / "notes"
    notes.mkdir()
    for name, text in texts.items():
        (notes / f"{name}.txt").write_text(text, "utf-8")
    detector = load_detector(str(run))
    assert [detector.for_note(text).language for text in texts.values()] == ["en", "es"]
    options = [
        "--model",
        str(run),
        "--style",
        "surrogate",
        "--ids",
        "keep",
        "--out",
        str(tmp_path / "out"),
        "-q",
    ]
    found = CliRunner().invoke(app, ["mask", str(notes), *options])
    assert found.exit_code == 0, found.output
    record = json.loads((tmp_path / "out.deidlab" / "record.json").read_text("utf-8"))
    assert record["settings"]["language"] == "en+es+fr"
    masked = [(tmp_path / "out" / f"{name}.txt").read_text("utf-8") for name in texts]
    assert "13/4/2064" not in "".join(masked) and "Barrachina" not in masked[1] and "Voss" not in masked[0]
