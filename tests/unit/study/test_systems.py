"""Other people's systems as rows of a study."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.detect.folder import TaggerFacts
from deidlab.errors import DeidError
from deidlab.labels import load_label_set
from deidlab.study.reading import read_spec
from deidlab.study.spec import ForeignSpec
from deidlab.study.systems import system_row
from tests.unit.study.builders import make_notes, make_spec
from tests.unit.systems.conftest import program


def make_facts(scheme: str = "i2b2-2014") -> TaggerFacts:
    return TaggerFacts(load_label_set(scheme).tags, 64, 32, "runs", "viterbi", False, 0)


def test_a_system_is_a_row_in_the_labels_of_the_study(tmp_path: Path) -> None:
    toy = program(tmp_path, "spans[:] = [{'start': 8, 'end': 12, 'label': 'PTName'}]")
    notes = {"validation": make_notes(3, 1), "test": make_notes(2, 2)}
    row = system_row(ForeignSpec("toy", toy), make_facts(), notes)
    assert (row.name, row.kind, row.note) == ("toy", "system", "")
    assert [[span.label for span in spans] for spans in row.found["validation"]] == [["PATIENT"]] * 3
    assert len(row.found["test"]) == 2


def test_what_was_not_answered_or_cannot_be_named_is_told(tmp_path: Path) -> None:
    does = "spans[:] = [{'start': 8, 'end': 12 if number else 10**6, 'label': 'WHO'}]"
    row = system_row(ForeignSpec("toy", program(tmp_path, does)), make_facts(), {"test": make_notes(3, 1)})
    # The first note is asked twice: the first time, out of bounds, is to warm up.
    assert row.note == "labels without a mapping: WHO" and len(row.found["test"]) == 3
    does = "spans[:] = [{'start': 8, 'end': 10**6, 'label': 'WHO'}]"
    row = system_row(ForeignSpec("toy", program(tmp_path, does)), make_facts(), {"test": make_notes(3, 1)})
    assert row.note == "it failed on 3 test notes, which count as empty"


def test_a_system_that_does_not_start_is_left_out_with_the_reason() -> None:
    row = system_row(ForeignSpec("gone", "command:no-such-program"), make_facts(), {"test": make_notes(2, 1)})
    assert row.found == {} and "no-such-program" in row.note


STUDY = """
[corpus]
path = "notes"
[[models]]
name = "one"
model = "bert-base-uncased"
[[system]]
name = "theirs"
system = "hf:model"
"""


def test_a_study_names_systems_and_their_folders_are_relative_to_it(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "s.toml").write_text(STUDY)
    spec = read_spec(tmp_path / "s.toml")
    assert spec.system == (ForeignSpec("theirs", f"hf:{tmp_path / 'model'}"),)
    assert spec.as_record()["system"] == [{"name": "theirs", "system": "hf:model", "python": ""}]
    assert spec.digest() != make_spec().digest()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"hf:model"', '"nothing:model"', "unknown kind of system 'nothing'"),
        ('name = "theirs"', 'name = "one"', "'one' is there twice"),
        ("system = ", "sistem = ", "did you mean 'system'"),
    ],
)
def test_what_is_wrong_with_a_system_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "s.toml").write_text(STUDY.replace(old, new))
    with pytest.raises(DeidError, match=said):
        read_spec(tmp_path / "s.toml")


def test_a_study_without_systems_keeps_its_fingerprint() -> None:
    assert make_spec().digest() == make_spec(system=[]).digest()
