"""The models that come with DeidLab: small, complete, described, and quick to load without torch."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from unittest.mock import ANY

import pytest

from deidlab import languages
from deidlab.detect import DetectorSettings, load_detector
from deidlab.detect.embedded import EMBEDDED, embedded_folder
from deidlab.detect.folder import read_export, read_tagger
from deidlab.detect.runtimes import choose_threads, n_cores
from deidlab.errors import ModelError
from deidlab.types import Document

LIMIT_BYTES = 25_000_000
SECTIONS = (
    "## Use",
    "## Data and licences",
    "## Figures",
    "## int8 beside fp32",
    "## Known weaknesses",
    "## How it",
)
SPANISH = """\
Nombre: Lucía Barrachina Soler. NHC: 7781254.
Médico: Iker Montoro Iza NºCol: 28 28 70973.
Mujer de 54 años que acude el 03/03/2016 por cefalea. Correo: imontoro@clinica.example
"""
FRENCH = """\
Patiente : Aïcha Lemoine-Traoré, née le 03/03/1961, IPP 7781254, 62 ans.
Adressée par le Dr J.-M. Delacroix, tél. 04 99 58 12 34, vue le 12 mars 2024 au CHU de Nîmes.
"""
LANGUAGES = {"all": "en+es+fr"}
NOTES = {
    "en": ("Seen by Dr. Ilse Verhoeven on 3/14/2071 at Brackwater Hospital.", ("Verhoeven", "3/14/2071")),
    "es": (SPANISH, ("Lucía", "Barrachina", "7781254", "Montoro", "28 28 70973", "03/03/2016", "imontoro")),
    "fr": (
        FRENCH,
        ("Aïcha", "Lemoine-Traoré", "03/03/1961", "7781254", "62", "Delacroix", "12 mars 2024", "Nîmes"),
    ),
}


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_model_is_small_int8_and_has_its_card(name: str) -> None:
    folder = embedded_folder(name)
    sizes = {file.name: file.stat().st_size for file in folder.iterdir()}
    assert sum(sizes.values()) <= LIMIT_BYTES
    facts = read_export(folder)
    assert facts.precision == "int8"
    assert read_tagger(folder).language == LANGUAGES.get(name, name)
    card = (folder / "README.md").read_text("utf-8")
    assert all(section in card for section in SECTIONS)
    assert "Not validated on real notes" in card
    assert "95% intervals" in card


@pytest.mark.parametrize("name", EMBEDDED)
def test_int8_stays_within_two_tenths_of_a_point(name: str) -> None:
    """As the export measured it; the card shows the same table."""
    found = json.loads((embedded_folder(name) / "export.json").read_text("utf-8"))["fidelity"]
    models = found["models"]
    assert models["torch fp32"]["f1"] - models["openvino int8"]["f1"] <= 0.002


@pytest.mark.parametrize(
    ("name", "code"), [("all", "en"), ("all", "es"), ("all", "fr"), ("en", "en"), ("es", "es")]
)
def test_a_model_finds_what_anybody_would(name: str, code: str) -> None:
    text, wanted = NOTES[code]
    spans = load_detector(name).detect([Document("n", text=text)])[0].spans
    covered = " ".join(text[span.start : span.end] for span in spans)
    assert [each for each in wanted if each not in covered] == []


@pytest.mark.parametrize("name", EMBEDDED)
def test_a_model_loads_without_torch(name: str) -> None:
    program = (
        "import sys; sys.modules['torch'] = sys.modules['transformers'] = None\n"
        "from deidlab.detect.embedded import embedded_folder\n"
        "from deidlab.detect.model import load_model\n"
        f"model = load_model(embedded_folder({name!r}))\n"
        "print(len(model.find('Dr. Iker Montoro, 03/03/2016')) > 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "True", done.stderr


def test_loading_takes_little_work() -> None:
    """A second of a quiet core; in a process of its own, where no other test's threads are at work."""
    program = (
        "import time\n"
        "from deidlab.detect.embedded import embedded_folder\n"
        "from deidlab.detect.model import load_model\n"
        "load_model(embedded_folder('es'), 1)\n"
        "began = time.process_time()\n"
        "load_model(embedded_folder('es'), 1)\n"
        "print(time.process_time() - began)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert float(done.stdout) < 1.0, done.stderr


def test_own_labels_are_those_of_the_models_corpus() -> None:
    text, _ = NOTES["es"]
    document = Document("n", text=text)
    own = load_detector("es", DetectorSettings("off", labels="own")).detect([document])[0]
    assert {"NOMBRE_SUJETO_ASISTENCIA", "FECHAS"} <= {span.label for span in own.spans}
    native = load_detector("es", DetectorSettings("off")).detect([document])[0]
    assert {"PATIENT", "DATE"} <= {span.label for span in native.spans}
    certain = load_detector("es", DetectorSettings("off", labels="own", threshold=1.0)).detect([document])[0]
    assert len(certain.spans) < len(own.spans) == len(certain.candidates)
    assert load_detector("es", DetectorSettings("off", labels="meddocan")) == replace(
        load_detector("es", DetectorSettings("off", labels="own")), model=ANY
    )
    # What rules find beside the model is named as the model names it.
    beside = load_detector("es", DetectorSettings("on", labels="own")).detect([document])[0]
    assert {"NOMBRE_SUJETO_ASISTENCIA", "FECHAS"} <= {span.label for span in beside.spans}


def test_own_labels_come_with_a_threshold_of_their_own_and_masking_without() -> None:
    own = load_detector("es", DetectorSettings("off", labels="own"))
    assert own.threshold == read_tagger(embedded_folder("es")).own_threshold == 0.8
    assert load_detector("es", DetectorSettings("off", labels="own", threshold=0.0)).threshold == 0.0
    assert load_detector("es").threshold is None
    assert load_detector("en", DetectorSettings("off", labels="own")).threshold is None


def test_the_spanish_model_keeps_the_customs_of_its_corpus() -> None:
    text = SPANISH + "Su médico de familia la vio el 7-3-16 y Lucía mejoró.\n"
    found = (
        load_detector("es", DetectorSettings("off", labels="own")).detect([Document("n", text=text)])[0].spans
    )
    last = [text[span.start : span.end] for span in found if span.start > len(SPANISH)]
    assert last == ["7-3-16", "Lucía"]


def test_spanish_rules_speak_only_where_the_model_is_silent() -> None:
    detector = load_detector("es")
    assert detector.rules == languages.find("es").rules and detector.model_first
    text, _ = NOTES["es"]
    alone, both = (
        load_detector("es", DetectorSettings(rules)).detect([Document("n", text=text)])[0]
        for rules in ("off", "on")
    )
    assert set(alone.spans) <= set(both.spans)


def test_a_missing_model_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("deidlab.detect.embedded.HOME", tmp_path)
    with pytest.raises(ModelError, match="not in this installation"):
        embedded_folder("en")


def test_threads_follow_the_variable_that_people_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    assert choose_threads().total == 1
    for said in ("", "0", "many", "4096"):
        monkeypatch.setenv("OMP_NUM_THREADS", said)
        assert choose_threads().total == n_cores()
