"""Which embedded model serves: the one for all languages where it ships, the one that knows the labels asked for."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from deidlab import models
from deidlab.detect import embedded, load_detector
from deidlab.detect.folder import read_tagger
from deidlab.errors import ModelError
from deidlab.pipeline import settings
from deidlab.pipeline.settings import Finding


@pytest.fixture
def with_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An installation with a model for all languages: the English one under that name."""
    for name in ("en", "es"):
        shutil.copytree(models.HOME / name, tmp_path / name)
    shutil.copytree(models.HOME / "en", tmp_path / "all")
    path = tmp_path / "all" / "tagger.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"languages": ["en", "es", "fr"]}))
    names = models.list_models(tmp_path)
    for module in (embedded, settings):
        monkeypatch.setattr(module, "DEFAULT", models.choose_default(names))
    monkeypatch.setattr(embedded, "HOME", tmp_path)
    monkeypatch.setattr(embedded, "EMBEDDED", names)
    return tmp_path


def test_the_model_for_all_languages_serves_where_it_is_there(with_all: Path, tmp_path: Path) -> None:
    assert models.list_models(with_all) == ("all", "en", "es")
    assert models.choose_default(models.list_models(with_all)) == "all"
    shutil.rmtree(with_all / "all")
    assert models.list_models(with_all) == ("en", "es")
    assert models.choose_default(models.list_models(with_all)) == "en"


def test_it_says_its_languages(with_all: Path) -> None:
    assert read_tagger(with_all / "all").language == embedded.language_of("all") == "en+es+fr"
    assert [embedded.language_of(name) for name in ("en", "es")] == ["en", "es"]
    assert Finding("all").find_language() == "en+es+fr"
    assert Finding("all", language="es").find_language() == "es"


def test_labels_choose_the_model_that_learned_them(with_all: Path) -> None:
    asked = Finding("all", labels="meddocan")
    assert asked.model == "es" and asked.find_language() == "es"
    # What the default knows itself, or nobody, changes nothing; nor is a model that was named by hand changed.
    assert Finding("all", labels="i2b2-2014").model == Finding("all", labels="own").model == "all"
    assert Finding("all", labels="hipaa").model == "all"
    assert Finding("en", labels="meddocan").model == "en"


def test_each_note_has_the_rules_of_its_language(with_all: Path) -> None:
    detector = load_detector("all")
    assert detector.language == "en+es+fr"
    assert (
        detector.for_note("La paciente fue vista el lunes y refiere dolor desde hace semanas.").language
        == "es"
    )


@pytest.mark.parametrize("languages", [[], "en", [1], {"en": 1}])
def test_languages_that_are_none_are_one_line(with_all: Path, languages: object) -> None:
    path = with_all / "all" / "tagger.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"languages": languages}))
    with pytest.raises(ModelError, match="not the description of a tagger"):
        read_tagger(with_all / "all")
