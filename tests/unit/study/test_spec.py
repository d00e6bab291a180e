"""A study's file: strict, relative to itself, and changed from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.study.reading import read_spec, spec_from
from tests.unit.study.builders import make_spec

GOOD = """
title = "T"
[corpus]
path = "notes"
[settings]
epochs = 3
[grid]
learning_rate = [1e-3]
[[models]]
name = "one"
model = "bert-base-uncased"
[[cross]]
name = "other"
"""


def write(folder: Path, text: str = GOOD) -> Path:
    path = folder / "s.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[grid]", "[gird]", "unknown key 'gird'; did you mean 'grid'?"),
        ("name = \"one\"", "name = \"one\"\ntokeniser = \"x\"", "did you mean 'tokenizer'?"),
        ("path = \"notes\"", "pth = \"notes\"", "did you mean 'path'?"),
        ("path = \"notes\"", "path = 3", "'path' must be a str, not a int"),
        ("title", "ensembles = [\"mode\"]\ntitle", "unknown value of 'ensembles'"),
        ("[grid]", "[halving]\neta = 1\n[grid]", "an eta of at least 2"),
        ("[grid]", "[split]\nratios = \"80:20\"\n[grid]", "must be 3 shares"),
        ("[grid]", "[split]\nby = \"docment\"\n[grid]", "did you mean document"),
        ("model = \"bert-base-uncased\"", "", "give either 'model'"),
        ("name = \"one\"", "name = \"o/ne\"", "letters, digits"),
        ("[[cross]]", "[[models]]\nname = \"one\"\nmodel = \"x\"\n[[cross]]", "'one' is there twice"),
        ("path = \"notes\"", "path = \"notes\"\ntrain = \"x\"", "one or the other"),
        ("epochs = 3", "epochs = ", "not a TOML file"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(ConfigError, match=None) as caught:
        read_spec(write(tmp_path, GOOD.replace(old, new, 1)))
    assert said in str(caught.value)
    assert "s.toml" in str(caught.value)


def test_paths_are_relative_to_the_file(tmp_path: Path) -> None:
    (tmp_path / "local").mkdir()
    spec = read_spec(write(tmp_path, GOOD.replace("bert-base-uncased", "local")))
    assert spec.corpus.path == str(tmp_path / "notes")
    assert spec.models[0].model == str(tmp_path / "local")
    assert read_spec(write(tmp_path)).models[0].model == "bert-base-uncased"


def test_the_command_line_changes_values(tmp_path: Path) -> None:
    sets = ["settings.epochs=7", "models.one.scratch=true", "grid.learning_rate=[1e-4, 2e-4]", "make.notes=9"]
    spec = read_spec(write(tmp_path), sets)
    assert (spec.settings["epochs"], spec.models[0].scratch) == (7, True)
    assert spec.grid["learning_rate"] == [1e-4, 2e-4]
    assert spec.make is not None and spec.make.notes == 9
    with pytest.raises(ConfigError, match="did you mean one"):
        read_spec(write(tmp_path), ["models.onn.scratch=true"])
    with pytest.raises(ConfigError, match="write KEY=VALUE"):
        read_spec(write(tmp_path), ["settings"])


def test_corpora_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path)
    assert read_spec(path, corpora=["here"]).corpus.path == str(tmp_path / "here")
    assert read_spec(path, corpora=["other=there"]).cross[0].path == str(tmp_path / "there")
    with pytest.raises(ConfigError, match="did you mean train"):
        read_spec(path, corpora=["trian=x"])


def test_the_digest_knows_settings_and_not_places(tmp_path: Path) -> None:
    spec = read_spec(write(tmp_path))
    assert read_spec(write(tmp_path), corpora=["elsewhere"]).digest() == spec.digest()
    assert read_spec(write(tmp_path), ["settings.epochs=4"]).digest() != spec.digest()
    assert str(tmp_path) not in str(spec.as_record())


def test_a_config_in_place_is_from_scratch() -> None:
    assert make_spec().models[0].scratch


def test_folders_from_before_baselines_keep_their_fingerprint() -> None:
    table = {"name": "trial", "models": [{"name": "a", "model": "bert-base-uncased"}]}
    before = "sha256:a40404a5e7c198a2cad375b7fb18b43a4027cd9c588c95f2b8a80a1bebd05351"
    assert spec_from(table, "trial").digest() == before
    assert spec_from(table | {"baselines": ["rules"]}, "trial").digest() != before


def test_baselines_are_known_and_no_model_has_their_names() -> None:
    models = [{"name": "rules", "model": "bert-base-uncased"}]
    with pytest.raises(ConfigError, match="as a baseline is"):
        spec_from({"models": models, "baselines": ["rules"]}, "trial")
    with pytest.raises(UnknownNameError, match="embedded"):
        spec_from({"models": models, "baselines": ["embeded"]}, "trial")
