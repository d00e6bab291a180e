"""A job in, words that tell it from any other out: for the record, and to know an unfinished run."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.errors import ConfigError
from deidlab.pipeline.run.record import versions
from deidlab.pipeline.run.sameness import mark_files
from deidlab.pipeline.run.sealing import Seal

if TYPE_CHECKING:
    from deidlab.pipeline.detecting import DetectJob
    from deidlab.pipeline.masking import MaskJob

# What the lines of parts hold: an unfinished run of another form cannot be gone on with.
_PARTS = "rendered"


def describe_settings(job: MaskJob, kind: str) -> dict[str, Any]:
    """The settings as the record shows them: no path, since people name folders after patients too."""
    finding, seal = job.finding, Seal(job.settings.key)
    return {
        "style": job.settings.style,
        "redact_mark": job.settings.redact_mark,
        "day_first": job.settings.day_first,
        "language": job.settings.language,
        "policy": job.settings.policy.name,
        "actions": {label: row.action for label, row in sorted(job.settings.policy.rows.items())},
        "format": kind,
        "found_by": "given spans" if job.spans is not None else "detector",
        "model": None if finding.rules == "only" else finding.model and Path(finding.model).name,
        "rules": finding.rules,
        "without_rules": list(finding.without_rules),
        "device": finding.device,
        "threshold": finding.threshold,
        "ensemble": finding.how,
        "known": _digest(finding.known, seal),
        "allow": _digest(finding.allow, seal),
        "deny": _digest(finding.deny, seal),
        "ids": "keep" if job.writing.ids_kept else "pseudonyms",
        "columns": {
            "text": job.source.reading.text_column,
            "id": job.source.reading.id_column,
            "patient": job.source.reading.patient_column,
        },
        "kept_columns": list(job.writing.columns),
        "annotations_kept": job.writing.annotations_kept,
        "key": seal.fingerprint(),
        "repeatable": job.repeatable,
    }


def describe_job(job: MaskJob, kind: str) -> str:
    """One line that is the same only for the same work on the same source with the same key."""
    policy = job.settings.policy
    rows = {label: asdict(row) for label, row in sorted(policy.rows.items())}
    whole = {
        **describe_settings(job, kind),
        "parts": _PARTS,
        "versions": versions(),
        "source": str(job.source.path.resolve()),
        "table": None if job.source.table is None else job.source.table.tell_apart(),
        "limit": job.source.limit,
        "reading": asdict(job.source.reading),
        "patient_from": job.source.patient_from,
        "spans": None if job.spans is None else str(job.spans.path.resolve()),
        "policy_rows": [rows, asdict(policy.default)],
        "keeps_map": job.map_file is not None,
        "model_folder": job.finding.model and str(Path(job.finding.model).resolve()),
        "found_with": None if job.spans is not None else mark_files(job.finding),
    }
    # Only its digest is kept: the source's name may be a name.
    return Seal(job.settings.key).digest("job", json.dumps(whole, sort_keys=True)).hex()


def describe_detecting(job: DetectJob, format: str) -> str:
    """One line that is the same only for the same search of the same source."""
    finding = job.finding
    # The digests need no secret: what `detect` writes beside them is the notes themselves.
    seal = Seal(b"detect")
    whole = {
        "kind": "detect",
        "format": format,
        "words": job.wants_words,
        "finding": asdict(finding),
        "files": [_digest(path, seal) for path in (finding.known, finding.allow, finding.deny)],
        "model": finding.model and str(Path(finding.model).resolve()),
        "found_with": mark_files(finding),
        "source": str(job.source.path.resolve()),
        "reading": asdict(job.source.reading),
        "patient_from": job.source.patient_from,
        "versions": versions(),
    }
    return seal.digest("job", json.dumps(whole, sort_keys=True, default=str)).hex()


def _digest(path: Path | None, seal: Seal) -> str | None:
    if path is None:
        return None
    try:
        return seal.digest("file", path.read_bytes()).hex()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
