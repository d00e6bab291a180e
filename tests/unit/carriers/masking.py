"""Masking of carriers in tests: one command, with the key that all of them share."""

from __future__ import annotations

from pathlib import Path

from deidlab.cli.app import run
from tests.containers import DERIVED


def mask(source: Path, out: Path, *more: str, code: int = 0) -> Path:
    """What `deidlab mask` writes by rules alone."""
    key = source.parent / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    command = ["mask", str(source), "--out", str(out), "--rules", "only", "-q", "--key-file", str(key)]
    assert run([*command, *DERIVED, *more]) == code
    return out
