"""Whatever can be compared can mask; a classifier of somebody else with our windows and with its own
pipeline."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from deidlab.cli.app import run
from deidlab.detect import DetectorSettings
from deidlab.errors import ConfigError, ModelError, UnknownNameError
from deidlab.systems.masking import folder_of, is_system, language_of, load_detector, plain_name
from deidlab.systems.together import native_names
from deidlab.types import Document
from tests.unit.systems.conftest import NAME, program

LONG = "x " * 30 + f"Seen by Dr. {NAME}. "


def note(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "note.txt"
    path.write_text(text)
    return path


def test_a_classifier_masks_past_its_own_window(tmp_path: Path, classifier: Path) -> None:
    source = note(tmp_path, LONG)
    said = ["mask", str(source), "--model", f"hf:{classifier}", "--rules", "off", "--quiet"]
    assert run([*said, "--out", str(tmp_path / "out.txt")]) == 0
    assert (tmp_path / "out.txt").read_text() == LONG.replace(NAME, "[PATIENT-1]")
    # By its own pipeline it reads no further than its tokenizer's limit.
    (found,) = load_detector(f"hf-pipeline:{classifier}", DetectorSettings("off")).detect(
        [Document("n", text=LONG)]
    )
    assert found.spans == ()


def test_a_program_masks_and_a_note_it_fails_on_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "good.txt").write_text(f"Seen by {NAME}.")
    (folder / "bad.txt").write_text(f"Bad: {NAME}.")
    model = program(tmp_path, "if 'Bad' in text: table['spans'] = 3")
    said = ["mask", str(folder), "--model", model, "--rules", "off", "--quiet"]
    assert run([*said, "--ids", "keep", "--out", str(tmp_path / "out")]) == 3
    written = [path.read_text() for path in (tmp_path / "out").rglob("*.txt")]
    assert written == ["Seen by [PATIENT-1]."]


def test_rules_stand_beside_a_system(tmp_path: Path) -> None:
    detector = load_detector(program(tmp_path, "pass"))
    (found,) = detector.detect([Document("n", text=f"Seen by {NAME} on 3/14/2070.")])
    assert [(span.label, span.source) for span in found.spans] == [
        ("PATIENT", "model"),
        ("DATE", "rules:date"),
    ]


def test_a_label_that_nobody_knows_is_masked_as_other() -> None:
    assert native_names(["STAFF", "HOSP", "PHONE"]) == {
        "STAFF": "PATIENT", "HOSP": "LOCATION-OTHER", "PHONE": "PHONE",
    }  # fmt: skip
    assert native_names(["NAME", "SHOE_SIZE"])["SHOE_SIZE"] == "OTHER"


def test_names_of_our_own_models_are_those_of_detect(tmp_path: Path) -> None:
    assert plain_name("embedded:es") == "es" and plain_name("run:/a/b") == "/a/b" and plain_name("en") == "en"
    assert (
        language_of("embedded:es") == "es"
        and language_of("rules:es") == "es"
        and language_of("presidio") == ""
    )
    assert not is_system("en") and not is_system(None) and is_system("presidio") and is_system("hf:x")
    assert folder_of(f"hf:{tmp_path}") == tmp_path and folder_of("hf:owner/name") is None
    spans = load_detector("rules:en").detect([Document("n", text="on 3/14/2070")])[0].spans
    assert [span.label for span in spans] == ["DATE"]


def test_what_cannot_mask_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="masks nothing"):
        load_detector(f"corpus:{tmp_path}")
    with pytest.raises(ConfigError, match="processors"):
        load_detector("presidio", device="cuda")
    with pytest.raises(ModelError, match="no such model folder"):
        load_detector("presido:x")
    with pytest.raises(UnknownNameError):
        load_detector("rules:xx")


def change_config(folder: Path, classifier: Path, **fields: object) -> Path:
    copy = folder / "model"
    shutil.copytree(classifier, copy)
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps(config | fields))
    return copy


def test_labels_without_prefixes_are_tags_of_words_inside(tmp_path: Path, classifier: Path) -> None:
    from deidlab.systems.classifier import load_classifier_folder

    names = {"0": "O", "1": "HCW", "2": "VENDOR"}
    found = load_classifier_folder(str(change_config(tmp_path, classifier, id2label=names)))
    assert found.labels == ("HCW", "VENDOR") and found.model.tags == ("O", "I-HCW", "I-VENDOR")
    text = f"Dr {NAME} seen"
    assert [text[span.start : span.end] for span in found.model.find(text)] == [NAME]


@pytest.mark.parametrize(
    ("names", "why"),
    [
        ({"0": "LABEL_0", "1": "LABEL_1", "2": "LABEL_2"}, "not the tags"),
        ({"0": "O", "1": "B-X"}, "no model that transformers"),
    ],
)
def test_a_model_without_tags_that_can_be_read_is_refused(
    tmp_path: Path, classifier: Path, names: dict[str, str], why: str
) -> None:
    from deidlab.systems.classifier import load_classifier_folder

    with pytest.raises(ModelError, match=why):
        load_classifier_folder(str(change_config(tmp_path, classifier, id2label=names)))


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    from deidlab.systems.classifier import load_classifier_folder

    for name, why in ((str(tmp_path), "transformers can load"), (str(tmp_path / "x"), "no such folder")):
        with pytest.raises(ModelError, match=why):
            load_classifier_folder(name)


def test_nothing_of_other_people_is_imported_by_name_alone() -> None:
    import subprocess

    code = (
        "import sys, deidlab.systems.masking as it; it.is_system('presidio'); "
        "print([name for name in ('torch', 'transformers', 'spacy', 'openvino') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
