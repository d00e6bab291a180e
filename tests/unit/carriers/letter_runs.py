"""Letters of any kind masked by the command, refused by it, and read by another program."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from deidlab.carriers import Carrier, Refused
from tests.unit.carriers.masking import mask


def masked(notes: Path, out: Path, *more: str, ending: str, code: int = 0) -> list[bytes]:
    """The letters that the command writes, under a key that is always the same."""
    mask(notes, out, *more, code=code)
    return [path.read_bytes() for path in sorted(out.glob(f"*.{ending}"))] if out.exists() else []


def runs_of(carrier: Carrier, content: bytes) -> list[str]:
    """A letter's own texts, as they are put back."""
    runs = []
    for piece in carrier.take_apart(content).pieces:
        ends = (*piece.cuts, len(piece.text))
        runs += [piece.text[start:end] for start, end in zip((0, *piece.cuts), ends, strict=True)]
    return runs


def check_refused(
    carrier: Carrier,
    ending: str,
    case: Sequence[bytes | str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line says why, with no word of the letter, and the command writes nothing."""
    content, said = case
    assert isinstance(content, bytes) and isinstance(said, str)
    with pytest.raises(Refused, match=said) as error:
        carrier.take_apart(content)
    assert "\n" not in str(error.value) and "Quill" not in str(error.value)
    (tmp_path / f"a.{ending}").write_bytes(content)
    assert not masked(tmp_path / f"a.{ending}", tmp_path / "out", "--from", ending, ending=ending, code=3)
    captured = capsys.readouterr()
    assert "Quill" not in captured.err + captured.out


def converted(letter: Path, to: str, folder: Path) -> Path:
    """The letter as LibreOffice writes it in another format."""
    home = f"-env:UserInstallation=file://{folder / 'profile'}"
    command = ["soffice", home, "--headless", "--convert-to", to, "--outdir", str(folder), str(letter)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return folder / f"{letter.stem}.{to.partition(':')[0]}"
