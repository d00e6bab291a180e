from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.corpus.files import (
    complete_file,
    complete_folder,
    id_to_name,
    list_files,
    name_to_id,
    patient_of_name,
    read_sidecar,
)
from deidlab.errors import CorpusError


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_any_id_makes_a_name_and_comes_back(document_id: str) -> None:
    name = id_to_name(document_id)
    assert name_to_id(name) == document_id
    assert "/" not in name
    assert "\\" not in name
    assert "\0" not in name
    assert not name.startswith(".")
    assert name.isascii()


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20))
def test_any_name_is_an_id(name: str) -> None:
    """Names that others made are ids too, and keep their identity when written again."""
    assert name_to_id(id_to_name(name_to_id(name))) == name_to_id(name)


def test_names_stay_inside_their_folder() -> None:
    assert id_to_name("../../etc/passwd") == "%2E.%2F..%2Fetc%2Fpasswd"
    assert id_to_name("..") == "%2E%2E"
    with pytest.raises(CorpusError, match="too long for a file name"):
        id_to_name("x" * 300)


def test_patient_and_record() -> None:
    assert patient_of_name("220-03") == "220"
    assert patient_of_name("a220-03") == "a220-03"


def test_files_are_listed_in_one_order(tmp_path: Path) -> None:
    for name in ("b/2.txt", "a/1.txt", "c.txt", "a/.hidden.txt", ".git/x.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    listed = [path.relative_to(tmp_path).as_posix() for path in list_files(tmp_path, (".txt",))]
    assert listed == ["c.txt", "a/1.txt", "b/2.txt"]


def test_half_a_file_never_shows(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), complete_file(tmp_path / "x.jsonl") as partial:
        partial.write_text("half")
        assert not (tmp_path / "x.jsonl").exists()
        raise RuntimeError
    with pytest.raises(RuntimeError), complete_folder(tmp_path / "x") as folder:
        (folder / "a").touch()
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_broken_sidecar_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.meta.json").write_text("[1]")
    with pytest.raises(CorpusError, match=r"a\.txt: its \.meta\.json file is not the JSON object"):
        read_sidecar(tmp_path / "a.txt", "a")
