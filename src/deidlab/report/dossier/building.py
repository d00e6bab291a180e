"""What is to be added in, the dossier with it out; one that is not as it was sealed is not added to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

from deidlab.corpus.files import refuse_existing
from deidlab.errors import ConfigError
from deidlab.report.dossier.chain import APPROVAL, OPENED, RUN, Hand, append, canonical, chain_to_bytes, now
from deidlab.report.dossier.evidence import Kind, ending_of, read_evidence
from deidlab.report.dossier.folder import CHAIN, Dossier, read_dossier, read_part, write_dossier
from deidlab.report.dossier.page import dossier_to_html, read_facts
from deidlab.report.dossier.runs import find_card, read_run
from deidlab.report.dossier.software import list_software
from deidlab.report.dossier.verify import Asked, verify_dossier


def open_dossier(folder: Path, title: str, hand: Hand) -> None:
    """A new folder with nothing in it but its title."""
    refuse_existing(folder, overwrite=False)
    _write(folder, None, Dossier(append((), OPENED, {"title": title}, {}, hand)), hand)


def find_dossier(folder: Path) -> Dossier:
    """What is there, if it is as it was sealed."""
    problems = verify_dossier(folder, Asked(date.today(), approved=False)).problems
    if problems:
        more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
        raise ConfigError(f"{folder}: is not as it was sealed ({problems[0]}{more}); nothing was added")
    return read_dossier(folder)


def add_to(folder: Path, runs: Iterable[Path], evidence: Iterable[tuple[Kind, Path]], hand: Hand) -> Dossier:
    """The folder with these runs and files, an entry each; all of them or none."""
    before = dossier = find_dossier(folder)
    for output in runs:
        dossier = _add_run(dossier, output, hand)
    for kind, path in evidence:
        dossier = _add_file(dossier, path, kind, hand)
    _write(folder, before, dossier, hand)
    return dossier


def approve(folder: Path, who: tuple[str, str], until: date, hand: Hand) -> Dossier:
    """The folder with an approval of all that is in it, by name and role."""
    before = find_dossier(folder)
    name, role = who
    says = {"name": name, "role": role, "until": until.isoformat()}
    entries = append(before.entries, APPROVAL, says, {}, hand)
    dossier = replace(before, entries=entries)
    _write(folder, before, dossier, hand)
    return dossier


def _add_run(dossier: Dossier, output: Path, hand: Hand) -> Dossier:
    run = read_run(output)
    if any(facts["record"] == run.facts["record"] for facts in read_facts(dossier).values()):
        raise ConfigError(f"{output}: this run is in the dossier already")
    contents = {"facts": (".json", run.to_bytes()), "outputs": (".sha256", run.manifest)}
    contents["software"] = (".cdx.json", canonical(list_software(now())))
    if (card := find_card(run.facts)) is not None:
        contents["card"] = (".md", card)
    says = {use: dossier.name_file(use, ending) for use, (ending, _) in contents.items()}
    return _append(dossier, RUN, says, {says[use]: content for use, (_, content) in contents.items()}, hand)


def _add_file(dossier: Dossier, path: Path, kind: Kind, hand: Hand) -> Dossier:
    name = dossier.name_file(kind.name, ending_of(path))
    return _append(dossier, kind.name, {"file": name}, {name: read_evidence(path, kind)}, hand)


def _append(
    dossier: Dossier, kind: str, says: dict[str, str], files: dict[str, bytes], hand: Hand
) -> Dossier:
    entries = append(dossier.entries, kind, says, files, hand)
    return Dossier(entries, {**dossier.files, **files})


def _write(folder: Path, before: Dossier | None, dossier: Dossier, hand: Hand) -> None:
    page = dossier_to_html(dossier)
    # What somebody else added meanwhile would be gone, and nothing would show it.
    if before is not None and read_part(folder, CHAIN) != chain_to_bytes(before.entries):
        raise ConfigError(f"{folder}: somebody added to it meanwhile; nothing was added, run this again")
    write_dossier(folder, dossier, page, hand.signer)
