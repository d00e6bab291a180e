"""Files appear whole or not at all, and private ones are for their owner alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from deidlab.files import appearing, open_private, private_files, write_appearing
from deidlab.machine import n_cores
from deidlab.types import Span, rows_to_spans, spans_to_rows


def test_a_file_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    path, partial = tmp_path / "a", tmp_path / ".a"
    with appearing(path, partial) as there:
        there.write_text("whole")
        assert not path.exists()
    assert (path.read_text(), partial.exists()) == ("whole", False)


def test_what_was_there_stays_where_writing_fails(tmp_path: Path) -> None:
    path, partial = tmp_path / "a", tmp_path / ".a"
    path.write_text("before")
    with pytest.raises(RuntimeError), appearing(path, partial) as there:
        there.write_text("half")
        raise RuntimeError
    assert (path.read_text(), partial.exists()) == ("before", False)


@pytest.mark.parametrize("lasting", [True, False])
def test_bytes_take_the_place_of_others(lasting: bool, tmp_path: Path) -> None:
    path = tmp_path / "a"
    for data in (b"one", b"two"):
        write_appearing(path, data, tmp_path / ".a", lasting)
        assert path.read_bytes() == data
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_private_files_are_for_their_owner(tmp_path: Path) -> None:
    path = tmp_path / "a"
    os.close(open_private(path, "new"))
    assert path.stat().st_mode & 0o777 == 0o600
    with pytest.raises(FileExistsError):
        open_private(path, "new")
    for how, wanted in (("end", b"12"), ("anew", b"2")):
        path.write_bytes(b"1")
        handle = open_private(path, how)  # type: ignore[arg-type]
        os.write(handle, b"2")
        os.close(handle)
        assert path.read_bytes() == wanted
    with private_files():
        (tmp_path / "b").write_text("x")
    assert (tmp_path / "b").stat().st_mode & 0o077 == 0


def test_spans_go_to_rows_and_back() -> None:
    spans = (Span(0, 3, "DATE"), Span(4, 9, "PATIENT", 0.5, "rules"))
    rows = spans_to_rows(spans)
    assert rows == [(0, 3, "DATE", None, ""), (4, 9, "PATIENT", 0.5, "rules")]
    assert rows_to_spans(list(map(list, rows))) == spans


def test_there_is_a_core() -> None:
    assert 1 <= n_cores() <= (os.cpu_count() or 1)
