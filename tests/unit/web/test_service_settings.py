"""What a server is told: models, policies, limits, and what is refused before it starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.errors import ConfigError, DeidError
from deidlab.pipeline.settings import Finding
from deidlab.web import choosing
from deidlab.web.choosing import choose_models, read_policies
from deidlab.web.settings import Limits, ServedModel, ServeSettings, default_models


def names(models: tuple[ServedModel, ...]) -> list[str]:
    return [model.name for model in models]


def test_models_by_name_folder_and_order(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding(None, "on", threshold=0.3)
    models = choose_models(["en", "runs/best", "mine=runs/old", "es"], finding)
    assert names(models) == ["en", "best", "mine", "es", "rules"]
    assert [model.finding.model for model in models] == ["en", "runs/best", "runs/old", "es", None]
    assert [model.finding.rules for model in models] == ["on"] * 4 + ["only"]
    assert {model.finding.threshold for model in models} == {0.3}
    assert [model.day_first for model in models] == [False, False, False, True, False]
    assert names(choose_models(["rules", "en"], finding)) == ["rules", "en"]
    assert names(choose_models(["en"], Finding(None, "only"))) == ["rules"]
    for there, wanted in ((True, ["all", "rules"]), (False, ["rules"])):
        monkeypatch.setattr(choosing, "has_embedded_model", lambda there=there: there)
        assert names(choose_models([], finding)) == wanted


def test_models_without_a_name_of_their_own() -> None:
    for asked in ("rules=x", "=x"):
        with pytest.raises(ConfigError, match="a name of its own"):
            choose_models([asked], Finding())
    with pytest.raises(ConfigError, match="same name"):
        ServeSettings(models=choose_models(["a/x", "b/x"], Finding()))


def test_the_default_is_the_embedded_model_or_the_rules() -> None:
    assert names(default_models()) in (["all", "rules"], ["rules"])
    assert ServeSettings().find_model(None) == default_models()[0]


def test_a_name_never_becomes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('like = "i2b2"\n')
    settings = ServeSettings()
    for name in (str(path), "own.toml", "../own.toml"):
        with pytest.raises(DeidError) as raised:
            settings.find_policy(name)
        assert name not in str(raised.value)
    assert ServeSettings(policies=read_policies([path]), policy="own").find_policy("own").name == "own"
    shipped = tmp_path / "i2b2.toml"
    shipped.write_text('like = "i2b2"\n')
    with pytest.raises(ConfigError, match="the same name"):
        read_policies([shipped])


def test_impossible_settings() -> None:
    with pytest.raises(ConfigError, match="body_bytes must be above 0"):
        Limits(body_bytes=0)
    with pytest.raises(ConfigError, match="at least 16 bytes"):
        ServeSettings(key=b"short")
    with pytest.raises(ConfigError, match="at least one worker"):
        ServeSettings(workers=0)
    assert "key" not in repr(ServeSettings()).replace("tls_key", "")


def test_without_the_extra_the_command_to_install_it_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import importlib.util

    from deidlab.cli.app import run

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert run(["serve"]) == 1
    assert "needs the 'serve' extra: pip install " in capsys.readouterr().err
