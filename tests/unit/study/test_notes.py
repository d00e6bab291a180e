"""Parts of a corpus: dealt out by ids alone, read only when it is their turn, and every reading written down."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.corpus import read_corpus, write_corpus
from deidlab.errors import ConfigError, CorpusError
from deidlab.study.folder import ACCESS, SELECTION, STUDY
from deidlab.study.notes import deal_parts, parts_from, read_part
from deidlab.study.opening import open_study
from deidlab.study.spec import CorpusSpec, SplitSpec, StudySpec
from tests.unit.study.builders import finish, make_notes, make_spec, write_notes


def spec_for(path: Path | str, format: str = "", by: str = "document", ratios: str = "50:25:25") -> StudySpec:
    corpus = CorpusSpec(path=str(path), format=format)
    return replace(make_spec(), corpus=corpus, split=SplitSpec(ratios, by))


def access(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / ACCESS).read_text("utf-8").splitlines()]


@pytest.mark.parametrize("format", ["i2b2", "inline", "brat", "jsonl"])
@pytest.mark.parametrize("by", ["document", "patient"])
def test_parts_are_the_same_for_every_format(tmp_path: Path, format: str, by: str) -> None:
    path = write_notes(tmp_path, 24, format)
    parts = deal_parts(spec_for(path, format, by), tmp_path)
    plain = deal_parts(spec_for(write_notes(tmp_path, 24), "jsonl", by), tmp_path)
    assert parts.ids() == plain.ids()
    assert {name: len(ids) for name, ids in parts.ids().items()} == {"train": 12, "validation": 6, "test": 6}
    (tmp_path / SELECTION).write_text("{}")
    everything = {each.id: each.text for each in read_corpus(path, format)}
    for name, ids in parts.ids().items():
        notes = read_part(parts, name, tmp_path, "try")
        assert {note.id: note.text for note in notes} == {id: everything[id] for id in ids}


def test_no_patient_is_in_two_parts(tmp_path: Path) -> None:
    ids = deal_parts(spec_for(write_notes(tmp_path), by="patient"), tmp_path).ids()
    patients = [{id.partition("-")[0] for id in part} for part in ids.values()]
    assert not (patients[0] & patients[1] or patients[0] & patients[2] or patients[1] & patients[2])


def test_test_files_are_not_opened_before_selection(tmp_path: Path) -> None:
    path = write_notes(tmp_path, 24, "i2b2")
    spec = spec_for(path, "i2b2")
    # Parts follow from names: whatever is in the files, they come out the same.
    test_ids = deal_parts(spec, tmp_path).ids()["test"]
    for id in test_ids:
        (path / f"{id}.xml").write_text("this is no XML: whoever opens it fails")
    parts = deal_parts(spec, tmp_path)
    assert len(read_part(parts, "train", tmp_path, "train")) == 12
    assert len(read_part(parts, "validation", tmp_path, "train")) == 6
    with pytest.raises(ConfigError, match="stay shut"):
        read_part(parts, "test", tmp_path, "test")
    assert not any(line["part"] == "test" for line in access(tmp_path))
    assert [line["what"] for line in access(tmp_path)].count("file names") == 2
    (tmp_path / SELECTION).write_text("{}")
    with pytest.raises(CorpusError):
        read_part(parts, "test", tmp_path, "test")
    assert access(tmp_path)[-1]["part"] == "test"
    assert access(tmp_path)[-1]["selected"] is True


def test_a_given_test_part_need_not_even_exist(tmp_path: Path) -> None:
    path = write_notes(tmp_path)
    corpus = CorpusSpec(train=str(path), test=str(tmp_path / "later.jsonl"))
    spec = replace(make_spec(), corpus=corpus, split=SplitSpec("75:25", "document"))
    parts = deal_parts(spec, tmp_path)
    assert [len(read_part(parts, name, tmp_path, "train")) for name in ("train", "validation")] == [18, 6]
    assert parts_from(spec, parts.ids()) == parts
    (tmp_path / SELECTION).write_text("{}")
    with pytest.raises(CorpusError, match="no such file"):
        read_part(parts, "test", tmp_path, "test")


def test_one_large_file_is_gone_through_and_the_record_says_so(tmp_path: Path) -> None:
    deal_parts(spec_for(write_notes(tmp_path)), tmp_path)
    assert access(tmp_path)[0]["what"] == "ids and patients; the text was dropped"
    assert str(tmp_path) not in (tmp_path / ACCESS).read_text("utf-8")


def test_a_study_goes_on_only_with_its_notes(tmp_path: Path) -> None:
    path = write_notes(tmp_path)
    spec = spec_for(path)
    study = open_study(spec, tmp_path)
    assert open_study(spec, tmp_path).parts == study.parts
    write_corpus(make_notes(20, 1), path, "jsonl", overwrite=True)
    with pytest.raises(CorpusError, match="no longer there"):
        read_part(open_study(spec, tmp_path).parts, "train", tmp_path, "train")


def test_runs_may_be_added_but_notes_not_exchanged(tmp_path: Path) -> None:
    spec = spec_for(write_notes(tmp_path))
    study = open_study(spec, tmp_path)
    finish(tmp_path, study.runs["tiny1"][0], 0.5)
    open_study(replace(spec, grid={"seed": [1, 2]}), tmp_path)
    with pytest.raises(ConfigError, match="'split' of the study has changed"):
        open_study(replace(spec, split=SplitSpec("60:20:20")), tmp_path)
    (tmp_path / SELECTION).write_text("{}")
    with pytest.raises(ConfigError, match="its runs are selected"):
        open_study(spec, tmp_path)


def test_no_notes_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--corpus PATH"):
        open_study(make_spec(), tmp_path)
    assert not (tmp_path / STUDY).exists()


def test_a_reading_names_no_number_that_is_not_known_yet(tmp_path: Path) -> None:
    train, test = write_notes(tmp_path, 24), tmp_path / "test.jsonl"
    write_corpus(make_notes(5, 2), test, "jsonl")
    corpus = CorpusSpec(train=str(train), test=str(test))
    parts = deal_parts(replace(make_spec(), corpus=corpus, split=SplitSpec("75:25", "document")), tmp_path)
    (tmp_path / SELECTION).write_text("{}")
    assert [len(read_part(parts, part, tmp_path, "try")) for part in ("train", "test")] == [18, 5]
    told = {line["part"]: line["documents"] for line in access(tmp_path) if line["what"] == "notes"}
    assert told == {"train": 18, "test": None}
