"""Settings and presets: nothing unknown, impossible or silently ignored."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.options import option_of
from deidlab.train.presets import describe_preset, known_presets, load_preset, preset_grid
from deidlab.train.settings import TrainSettings, read_settings, settings_from

# Table 4 of the study: batch, epochs, learning rate, weight decay.
BEST = {
    "roberta-large": (12, 75, 1e-5, 0.01),
    "albert-xxlarge": (6, 20, 1e-4, 0.0),
    "roberta-base": (35, 50, 1e-4, 0.01),
    "bert-large": (12, 40, 1e-4, 0.025),
    "albert-base": (35, 40, 1e-4, 0.01),
    "bert-base": (35, 50, 1e-4, 0.01),
}


@pytest.mark.parametrize("model", BEST)
def test_the_study_preset_is_its_table_4(model: str) -> None:
    settings = load_preset("meaney-2022", model)
    found = (settings.batch, settings.epochs, settings.learning_rate, settings.weight_decay)
    assert found == BEST[model]


@pytest.mark.parametrize(
    ("model", "size"), [("bert-base", 30), ("roberta-large", 105), ("albert-xxlarge", 30)]
)
def test_the_study_grid_is_its_table_2(model: str, size: int) -> None:
    grid = preset_grid("meaney-2022", model)
    assert len(grid) == size
    assert len({(each.epochs, each.learning_rate, each.weight_decay) for each in grid}) == size
    assert {each.batch for each in grid} == {BEST[model][0]}


def test_a_folder_is_known_by_its_sizes() -> None:
    config = {
        "model_type": "roberta", "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16,
        "intermediate_size": 4096,
    }  # fmt: skip
    assert load_preset("meaney-2022", "/models/ours", config).epochs == 75
    assert load_preset("meaney-2022", "bert-base-cased").epochs == 50
    with pytest.raises(ConfigError, match="none of them"):
        load_preset("meaney-2022", "/models/ours", config | {"hidden_size": 1000})


def test_every_shipped_preset_is_valid() -> None:
    assert {"meaney-2022", "meddocan-minilm"} <= set(known_presets())
    for name in known_presets():
        assert describe_preset(name)
        load_preset(name, "bert-base")
    with pytest.raises(UnknownNameError, match="meaney-2022"):
        load_preset("meaney-2021", "bert-base")


def test_an_unknown_key_names_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("learning-rate = 1e-5\n")
    with pytest.raises(ConfigError, match="did you mean 'learning_rate'"):
        read_settings(tmp_path / "s.toml")
    with pytest.raises(ConfigError, match="unknown setting 'zzz'; known: "):
        settings_from({"zzz": 1})


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"epochs": 0}, "'epochs' is 0"),
        ({"epochs": 1.5}, "must be a int"),
        ({"learning_rate": 0}, "more than 0"),
        ({"warmup": 0.95}, "'warmup'"),
        ({"schedule": "liner"}, "did you mean linear"),
        ({"shapes": 1}, "must be a bool"),
        ({"stride": 600}, "larger than the window"),
        ({"decoding": "crf", "label_smoothing": 0.1}, "does not go with"),
    ],
)
def test_impossible_values_are_refused(table: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        settings_from(table)


def test_a_file_that_is_no_toml_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("epochs = = 3")
    with pytest.raises(ConfigError, match="not a TOML file"):
        read_settings(tmp_path / "s.toml")
    with pytest.raises(ConfigError):
        read_settings(tmp_path / "none.toml")


def test_every_setting_has_help_and_is_used_by_the_code() -> None:
    folder = Path(__file__).parents[3] / "src" / "deidlab" / "train"
    code = "".join(path.read_text("utf-8") for path in folder.rglob("*.py") if path.name != "settings.py")
    for each in fields(TrainSettings):
        said = option_of(each)
        assert said is not None and said.help.endswith("."), each.name
        assert f"settings.{each.name}" in code, each.name


def test_whole_numbers_do_for_shares() -> None:
    assert settings_from({"warmup": 0, "dropout": 0}).dropout == 0.0
    assert TrainSettings().changed(epochs=None, batch=3).batch == 3
