"""Documents in, a manifest of parts out: seeded, the same on every machine, whatever the order of files.

Units (patients, or single documents) are put in the order of a keyed digest and handed one by one to the
part that lacks most documents of its share.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deidlab.corpus.files import complete_file, read_text
from deidlab.errors import ConfigError, CorpusError
from deidlab.types import Document

USUAL_PARTS = {1: ("all",), 2: ("train", "test"), 3: ("train", "validation", "test")}


@dataclass(frozen=True, slots=True)
class Manifest:
    """Which document belongs to which part, and how that was decided."""

    seed: int
    by: str
    ratios: Mapping[str, float]
    parts: Mapping[str, tuple[str, ...]]
    digest: str

    def part_of(self) -> dict[str, str]:
        """The part of each document id."""
        return {document: part for part, documents in self.parts.items() for document in documents}


def read_ratios(said: str) -> dict[str, float]:
    """'50:10:40', or with names 'train=80:dev=20'; shares need not add up to 100."""
    pieces = said.split(":")
    names = [piece.partition("=")[0] for piece in pieces if "=" in piece]
    try:
        shares = [float(piece.rpartition("=")[2]) for piece in pieces]
    except ValueError:
        raise ConfigError(f"ratios '{said}': write numbers with colons between, such as 50:10:40") from None
    if not names:
        names = list(USUAL_PARTS.get(len(shares), ()))
    if len(set(names)) != len(shares):
        raise ConfigError(
            f"ratios '{said}': give each part a name of its own, such as train=60:dev=20:test=20"
        )
    if min(shares) < 0 or not sum(shares) > 0 or sum(shares) == float("inf"):
        raise ConfigError(f"ratios '{said}': shares must not be negative, nor all zero")
    return {name: share / sum(shares) for name, share in zip(names, shares, strict=True)}


def split_corpus(
    documents: Iterable[Document], ratios: Mapping[str, float], seed: int = 0, by: str = "patient"
) -> Manifest:
    """Deal the documents out; all of a patient's go to one part unless `by` is 'document'."""
    if by not in ("patient", "document"):
        raise ConfigError(f"split by '{by}': say patient or document")
    units: dict[str, list[str]] = defaultdict(list)
    seen: set[str] = set()
    digest = CorpusDigest()
    for document in documents:
        if document.id in seen:
            raise CorpusError(f"document {document.id} is there twice; `deidlab corpus check` lists such ids")
        seen.add(document.id)
        digest.add(document)
        units[document.patient if by == "patient" else document.id].append(document.id)
    lacking = {part: share * len(seen) for part, share in ratios.items()}
    parts: dict[str, list[str]] = {part: [] for part in ratios}
    for unit in sorted(units, key=lambda unit: _keyed(seed, unit)):
        part = max(lacking, key=lambda part: lacking[part])
        parts[part] += units[unit]
        lacking[part] -= len(units[unit])
    kept = {part: tuple(sorted(ids)) for part, ids in parts.items()}
    return Manifest(seed, by, dict(ratios), kept, digest.hexdigest())


def _keyed(seed: int, unit: str) -> bytes:
    return hashlib.sha256(f"{seed}\0{unit}".encode()).digest()


class CorpusDigest:
    """A digest of a corpus's content, the same whatever the order of its documents."""

    def __init__(self) -> None:
        self._sum = 0

    def add(self, document: Document) -> None:
        content = [document.id, document.patient, document.text]
        content += [f"{span.start} {span.end} {span.label}" for span in document.spans]
        # Lengths keep two different lists from running into the same bytes.
        framed = b"".join(len(part.encode()).to_bytes(8, "big") + part.encode() for part in content)
        self._sum += int.from_bytes(hashlib.sha256(framed).digest(), "big")

    def hexdigest(self) -> str:
        return f"{self._sum % (1 << 256):064x}"


def save_manifest(manifest: Manifest, path: Path, overwrite: bool = False) -> None:
    record = {
        "format": "deidlab split 1",
        "seed": manifest.seed,
        "by": manifest.by,
        "ratios": dict(manifest.ratios),
        "corpus_digest": manifest.digest,
        "parts": {part: list(ids) for part, ids in manifest.parts.items()},
    }
    with complete_file(path, overwrite) as partial:
        partial.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", "utf-8")


def load_manifest(path: Path) -> Manifest:
    try:
        record = json.loads(read_text(path))
        if record["format"] != "deidlab split 1":
            raise ValueError
        parts = {str(part): tuple(map(str, ids)) for part, ids in record["parts"].items()}
        return Manifest(record["seed"], record["by"], record["ratios"], parts, record["corpus_digest"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise CorpusError(f"{path}: not a manifest written by `deidlab corpus split`") from None
