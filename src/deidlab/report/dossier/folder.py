"""Entries and files in, the dossier's folder out, whole or not at all; and the folder in, the entries out.

FOLDER/index.html      for people
FOLDER/dossier.json    the chain
FOLDER/files/          what the entries name, each by its number and kind
FOLDER/seal.json       the digests of all these, signed by whoever wrote last
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from deidlab.corpus.files import complete_folder, names_below
from deidlab.errors import ConfigError
from deidlab.inputfile import read_input
from deidlab.report.dossier.chain import Entry, bytes_to_chain, canonical, chain_to_bytes, sha256
from deidlab.report.dossier.signing import Signer

CHAIN, PAGE, SEAL, FILES = "dossier.json", "index.html", "seal.json", "files"
SEALING = "dossier seal"


@dataclass(frozen=True, slots=True)
class Dossier:
    """What stands in a folder: the chain, and the content of the files that it names."""

    entries: tuple[Entry, ...]
    files: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    def name_file(self, what: str, ending: str) -> str:
        """A name for a file of the entry that comes next: no word of what the user calls it."""
        return f"{FILES}/{len(self.entries) + 1:04}-{what}{ending}"


def read_dossier(folder: Path) -> Dossier:
    """What is there; only after `verify` has found nothing can it be relied on."""
    entries = bytes_to_chain(read_part(folder, CHAIN))
    return Dossier(entries, {name: read_part(folder, name) for entry in entries for name in entry.files})


def read_part(folder: Path, name: str) -> bytes:
    if not {*Path(name).parts}.isdisjoint(("..", "/")):
        raise ConfigError(f"{folder}: names a file outside of the dossier")
    try:
        return read_input(folder / name)
    except OSError as error:
        raise ConfigError(f"{folder / name}: {error.strerror or 'cannot be read'}") from None


def write_dossier(folder: Path, dossier: Dossier, page: str, signer: Signer) -> None:
    """All of it anew, with a seal; what was there before goes once the new one is whole."""
    contents = {**dossier.files, CHAIN: chain_to_bytes(dossier.entries), PAGE: page.encode()}
    contents[SEAL] = seal(contents, signer)
    there = frozenset(names_below(folder)) if folder.is_dir() else frozenset()
    with complete_folder(folder, folder.is_dir(), lambda name, new: name in there) as partial:
        (partial / FILES).mkdir()
        for name, content in contents.items():
            (partial / name).write_bytes(content)


def seal(contents: Mapping[str, bytes], signer: Signer) -> bytes:
    digests = {name: sha256(content) for name, content in sorted(contents.items())}
    signature = signer.sign(SEALING, canonical(digests))
    return canonical({"files": digests, "key": signer.public, "signature": signature})


def files_of(entries: Sequence[Entry]) -> dict[str, str]:
    """Every file that the chain names, with its digest."""
    return {name: told for entry in entries for name, told in entry.files.items()}
