"""A policy is a TOML file: one of one's own is taken wherever a shipped one is, and its mistakes are named."""

from __future__ import annotations

from pathlib import Path

import pytest

import deidlab
from tests.e2e.command import deidlab as run_command

NOTE = "Seen on 3/14/2071, mail ilse@example.org."
OWN = 'like = "i2b2"\ndescription = "Dates may stay."\n[types]\nDATE = "keep"\n'


def test_it_is_taken_from_python_and_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text(OWN)
    masked = deidlab.load(None, "only").mask(NOTE, policy=str(policy))
    assert masked.text == "Seen on 3/14/2071, mail [EMAIL-1]."
    (tmp_path / "note.txt").write_text(NOTE)
    out = tmp_path / "out.txt"
    done = run_command(
        capsys, "mask", tmp_path / "note.txt", "--out", out, "--rules", "only", "--policy", policy, "-q"
    )
    assert done.status == 0, done.err
    assert out.read_text() == masked.text


def test_a_mistake_in_it_names_the_nearest_word(tmp_path: Path) -> None:
    policy = tmp_path / "ours.toml"
    policy.write_text(OWN.replace("keep", "keeep"))
    with pytest.raises(deidlab.UnknownNameError, match="keep"):
        deidlab.load(None, "only").mask(NOTE, policy=str(policy))
