"""A masking job in; refused, before any work, is what would remove files that no run of ours wrote."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.corpus.files import SIDECAR, id_to_name, refuse_existing, refuse_foreign, refuse_overlap
from deidlab.corpus.format import FORMATS
from deidlab.corpus.tables import ENDINGS
from deidlab.errors import CorpusError
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.run.record import NOTES, OUTPUTS, RECORD, record_folder

if TYPE_CHECKING:
    from deidlab.pipeline.io.kinds import Source


def check_places(job: MaskJob, sources: Iterable[Source], output: Path | None) -> None:
    """Raise where writing would touch what is read or there, or remove from a folder what is not ours."""
    finding, beside = job.finding, record_folder(job.destination)
    if output is not None:
        refuse_existing(output, job.overwrite)
    inputs = [finding.known, finding.allow, finding.deny, *(source.files for source in sources)]
    refuse_overlap((output, beside), inputs)
    if beside.is_dir():
        refuse_foreign(beside, (RECORD, NOTES, OUTPUTS).__contains__)
    if output is not None and output.is_dir() and any(output.iterdir()):
        refuse_foreign(output, frozenset(_written(beside)).__contains__)


def _written(beside: Path) -> Iterator[str]:
    """The files that the run before wrote, by its record; none where there is no record to tell."""
    try:
        record = json.loads((beside / RECORD).read_text("utf-8"))
        for name in record.get("tables", ()):
            yield from (f"{name}{ending}" for ending in ENDINGS)
        format = FORMATS[record["settings"]["format"]]
        with (beside / NOTES).open("rb") as lines:
            for line in lines:
                name = id_to_name(str(json.loads(line)["document"]))
                yield from (f"{name}{suffix}" for suffix in (*format.all_suffixes, SIDECAR))
    except (OSError, ValueError, KeyError, TypeError, RecursionError, CorpusError):
        return
