"""Label sets, maps, policies and presets: wherever one is named, a TOML file of one's own will do."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deidlab.corpus import read_corpus, write_corpus
from deidlab.detect.naming import from_native
from deidlab.errors import ConfigError, UnknownNameError
from deidlab.labels import find_map, load_label_set, load_map
from deidlab.mask import load_policy
from deidlab.train.presets import load_preset
from deidlab.types import Document, Span
from tests.e2e.command import deidlab

NOTE = Document(
    "a", text="Mr. Okonjo was seen on 03/04/2065.", spans=(Span(4, 10, "PATIENT"), Span(23, 33, "DATE"))
)
SITE = """
description = "What our site marks"
[groups]
NAME = ["PERSON"]
DATE = ["DAY"]
[from.i2b2-2014]
PATIENT = "PERSON"
DOCTOR = "PERSON"
DATE = "DAY"
"""
LOADERS: dict[str, Callable[[str], object]] = {
    "label set": load_label_set,
    "label map": load_map,
    "policy": load_policy,
    "preset": lambda name: load_preset(name, "bert-base-cased"),
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    path = tmp_path / "site.toml"
    path.write_text(SITE, "utf-8")
    return path


@pytest.mark.parametrize("kind", LOADERS)
def test_a_wrong_name_is_told_alike(kind: str, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match=f"unknown {kind} 'nonesuch'; "):
        LOADERS[kind]("nonesuch")
    with pytest.raises(ConfigError, match="No such file"):
        LOADERS[kind](str(tmp_path / "none.toml"))
    (tmp_path / "bad.toml").write_text("= 3")
    with pytest.raises(ConfigError, match="not a TOML file"):
        LOADERS[kind](str(tmp_path / "bad.toml"))


def test_a_label_set_from_a_file(site: Path) -> None:
    labels = load_label_set(str(site))
    assert (labels.name, labels.labels) == ("site", ("PERSON", "DAY"))
    assert labels.tags == ("O", "B-PERSON", "I-PERSON", "B-DAY", "I-DAY")
    assert labels.group_of("DAY") == "DATE"


def test_its_file_says_how_other_labels_are_called(site: Path) -> None:
    expected = {"PATIENT": "PERSON", "DOCTOR": "PERSON", "DATE": "DAY"}
    assert find_map("i2b2-2014", str(site)) == expected == from_native(str(site))
    assert find_map("meddocan", str(site)) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("labels = 3", "labels must be a list of names in quotes"),
        ("labels = [3]", "labels must be a list of names in quotes"),
        ("groups = 3", "groups must be a table"),
        ("[groups]\nNAME = 'PERSON'", "NAME must be a list of names in quotes"),
        ("description = 'nothing'", "it has no label"),
        ("labels = ['A']\nlanguage = 3", "language must be a string"),
        ("label = ['A']", "unknown key of label set"),
    ],
)
def test_a_file_that_is_no_label_set_is_refused(text: str, said: str, site: Path) -> None:
    site.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=said):
        load_label_set(str(site))


def test_a_file_with_the_name_of_one_that_ships_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hipaa.toml").write_text(SITE, "utf-8")
    with pytest.raises(ConfigError, match="a label set that ships has this name"):
        load_label_set(str(tmp_path / "hipaa.toml"))


def test_a_policy_may_be_like_a_file_beside_it(tmp_path: Path) -> None:
    (tmp_path / "hospital.toml").write_text('like = "i2b2"\n[types]\nAGE = "keep"\n', "utf-8")
    (tmp_path / "ward.toml").write_text('like = "hospital.toml"\n[types]\nDATE = "keep"\n', "utf-8")
    policy = load_policy(str(tmp_path / "ward.toml"))
    assert {policy.row(label).action for label in ("AGE", "DATE")} == {"keep"}
    assert policy.row("PATIENT").action == "mask"


def test_policies_that_are_like_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('like = "b.toml"\n', "utf-8")
    (tmp_path / "b.toml").write_text('like = "a.toml"\n', "utf-8")
    with pytest.raises(ConfigError, match="like each other without end"):
        load_policy(str(tmp_path / "a.toml"))


def test_a_preset_from_a_file(tmp_path: Path) -> None:
    (tmp_path / "ours.toml").write_text("[settings]\nepochs = 7\n", "utf-8")
    assert load_preset(str(tmp_path / "ours.toml"), "bert-base-cased").epochs == 7
    (tmp_path / "wrong.toml").write_text("settings = 3\n", "utf-8")
    with pytest.raises(ConfigError, match="settings must be a table"):
        load_preset(str(tmp_path / "wrong.toml"), "bert-base-cased")


def test_phi_is_found_under_the_labels_of_a_file(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus([NOTE], tmp_path / "a.jsonl", "jsonl")
    done = deidlab(capsys, "detect", tmp_path / "a.jsonl", "--out", tmp_path / "b.jsonl", "--rules", "only",
                   "--labels", site, "--workers", "1")  # fmt: skip
    assert done.status == 0, done.err
    (found,) = read_corpus(tmp_path / "b.jsonl")
    assert {(span.start, span.end, span.label) for span in found.spans} == {
        (4, 10, "PERSON"),
        (23, 33, "DAY"),
    }


def test_a_corpus_is_converted_and_counted_with_files(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus([NOTE], tmp_path / "a.jsonl", "jsonl")
    (tmp_path / "map.toml").write_text('PATIENT = "PERSON"\nDATE = ""\n', "utf-8")
    done = deidlab(capsys, "corpus", "convert", tmp_path / "a.jsonl", tmp_path / "b.jsonl", "--to", "jsonl",
                   "--map", tmp_path / "map.toml")  # fmt: skip
    assert done.status == 0, done.err
    (note,) = read_corpus(tmp_path / "b.jsonl")
    assert [span.label for span in note.spans] == ["PERSON"]
    for command in ("stats", "check"):
        done = deidlab(capsys, "corpus", command, tmp_path / "b.jsonl", "--labels", site)
        assert done.status == 0, done.err
