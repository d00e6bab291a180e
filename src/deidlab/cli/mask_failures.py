"""Notes that failed: told by place and pseudonym, and listed with their real ids for their owner alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import typer

from deidlab.cli.mask_request import count_of
from deidlab.cli.output import PARTLY_DONE, tell
from deidlab.pipeline.masking import MaskOutcome
from deidlab.pipeline.run.record import open_private
from deidlab.pipeline.run.sealing import Seal


def write_failures(path: Path | None, outcome: MaskOutcome, seal: Seal) -> None:
    if path is None:
        return
    with open_private(path) as file:
        for each in outcome.failures:
            name, place = json.loads(seal.open(each.sealed))
            row = {
                "number": each.number,
                "id": name,
                "file": place,
                "stage": each.stage,
                "reason": each.reason,
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def leave(failed: Sequence[tuple[int, str, str]]) -> None:
    """A note that failed ends the command with 3, whatever else went well."""
    for number, name, reason in failed[:20]:
        tell(f"failed: note {number}{f' ({name})' if name else ''}: {reason}")
    if len(failed) > 20:
        tell(f"failed: {len(failed) - 20} more, listed in the record")
    if failed:
        tell(f"{count_of(len(failed), 'note')} failed: nothing of that was written")
        raise typer.Exit(PARTLY_DONE)
