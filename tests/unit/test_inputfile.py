"""Only regular files are read, and only up to a limit."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from deidlab.detect.known import KnownTable
from deidlab.detect.lexicon import read_terms
from deidlab.errors import ConfigError
from deidlab.inputfile import open_input, read_input, require_regular
from deidlab.jsonfile import read_object
from deidlab.labels import load_map
from deidlab.mask.policy import load_policy
from deidlab.pipeline.calibrating import read_calibration
from deidlab.study.reading import read_spec
from deidlab.train.settings import read_settings

pytestmark = pytest.mark.timeout(20)


def test_a_file_and_a_link_to_it_are_read(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "b"
    path.write_bytes(b"x" * 100_000)
    link.symlink_to(path)
    for each in (path, link):
        assert read_input(each) == b"x" * 100_000
        require_regular(each)
        with open_input(each) as stream:
            assert stream.read(3) == b"xxx"


def test_what_has_no_end_is_refused_before_it_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    (tmp_path / "tty").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as unix:
        unix.bind(os.path.relpath(tmp_path / "socket"))
        for name in ("pipe", "zero", "tty", "socket"):
            for reading in (read_input, open_input, require_regular):
                with pytest.raises(OSError, match="not a regular file"):
                    reading(tmp_path / name)
    with pytest.raises(IsADirectoryError):
        read_input(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_input(tmp_path / "nowhere")


def test_whoever_writes_to_a_pipe_is_not_woken(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    written: list[int] = []
    writer = threading.Thread(target=lambda: written.append(pipe.write_bytes(b"mine")))
    writer.start()
    with pytest.raises(OSError, match="not a regular file"):
        read_input(pipe)
    assert pipe.open("rb").read() == b"mine"
    writer.join()


def test_a_file_that_is_too_large_or_says_a_wrong_size(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 2**20)
    assert len(read_input(path, 2**20)) == 2**20
    path.write_bytes(b"x" * (2**20 + 1))
    with pytest.raises(OSError, match="more than 1 MiB"):
        read_input(path, 2**20)
    # A file of the kernel's says 0, and has more.
    assert read_input(Path("/proc/self/status"))


def test_a_stream_that_was_handed_in_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from a shell")
    os.close(writing)
    with open_input(Path(f"/dev/fd/{reading}")) as stream:
        assert stream.read() == b"from a shell"
    os.close(reading)


@pytest.mark.parametrize("content", [b"[" * 200_000, b'{"a":' * 200_000, b"\xff", b"{", b"[]"])
def test_json_that_is_no_object_takes_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"a\.json: not"):
        read_object(path)


@pytest.mark.parametrize("content", [b"a = " + b"[" * 200_000, b"\xff", b"a ="])
def test_a_label_map_that_is_no_toml_takes_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match="not a TOML file"):
        load_map(str(path))
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="not a regular file"):
        load_map(str(path))


@pytest.mark.parametrize(
    "read",
    [load_policy, read_settings, read_spec, load_map, read_terms, KnownTable.read, read_calibration],
    ids=["policy", "training", "study", "map", "terms", "known", "calibration"],
)
def test_what_options_name_is_never_waited_on(read: Callable[[Any], object], tmp_path: Path) -> None:
    path = tmp_path / ("given.csv" if read == KnownTable.read else "given.toml")
    os.mkfifo(path)
    with pytest.raises(ConfigError, match="not a regular file"):
        read(path if read is read_calibration else str(path))
