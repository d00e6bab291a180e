"""What tests of carriers share: one command, with one key; and a container put together as it was."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from deidlab.carriers import Carrier
from deidlab.cli.app import run
from tests.containers import DERIVED


def unchanged(carrier: Carrier, content: bytes) -> bytes:
    """A container taken apart and put together again with its own texts."""
    pieces = carrier.take_apart(content).pieces
    texts = [piece.text[a:b] for piece in pieces for a, b in pairwise((0, *piece.cuts, len(piece.text)))]
    return carrier.put_together(content, texts)


def mask(source: Path, out: Path, *more: str, code: int = 0) -> Path:
    """What `deidlab mask` writes by rules alone."""
    key = source.parent / "key"
    key.write_bytes(bytes(range(32)))
    key.chmod(0o600)
    command = ["mask", str(source), "--out", str(out), "--rules", "only", "-q", "--key-file", str(key)]
    assert run([*command, *DERIVED, *more]) == code
    return out
