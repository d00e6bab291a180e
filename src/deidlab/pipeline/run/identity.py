"""A job in, words that tell it from any other out: for the record, and to know an unfinished run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

from deidlab.errors import ConfigError
from deidlab.mask.codes import KEYED, RANDOM
from deidlab.options import left_out_of
from deidlab.pipeline.jobs import DetectJob, MaskJob
from deidlab.pipeline.run.record import versions
from deidlab.pipeline.run.sameness import pin_finding
from deidlab.pipeline.run.sealing import Seal
from deidlab.pipeline.settings import Finding
from deidlab.systems.fingerprint import shown_name

# What the lines of parts hold: an unfinished run of another form cannot be continued.
_PARTS = "rendered, codes with notes"


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
        "model": finding.own_model and Path(finding.own_model).name,
        "systems": shown_systems(finding),
        "rules": "off" if finding.together else finding.rules,
        "without_rules": list(finding.without_rules),
        "device": "cpu" if finding.rules == "only" else finding.device,
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
        "masked_columns": job.source.reading.masked_columns,
        "kept_columns": list(job.writing.columns),
        "annotations_kept": job.writing.annotations_kept,
        "codes": RANDOM if job.settings.draws else KEYED,
        "crosswalk": job.settings.crosswalk and job.settings.crosswalk.id,
        "key": seal.fingerprint(),
        "repeatable": job.repeatable,
    }


def shown_systems(finding: Finding) -> list[str]:
    """The systems that find together, as a record may show them."""
    return [shown_name(each.spec) for each in finding.find_members()] if finding.together else []


def describe_job(job: MaskJob, kind: str) -> str:
    """One line that is the same only for the same work on the same source with the same key."""
    # Only its digest is kept: the source's name may be a name.
    return _describe(job, kind, Seal(job.settings.key))


def describe_detecting(job: DetectJob, format: str) -> str:
    """One line that is the same only for the same search of the same source."""
    # The digest needs no secret: what `detect` writes beside it is the notes themselves.
    return _describe(job, format, Seal(b"detect"))


def _describe(job: MaskJob | DetectJob, kind: str, seal: Seal) -> str:
    # Pinned, it says where the model and the lists are, and what is in them.
    pinned = replace(job, finding=pin_finding(job.finding))
    whole = {"job": tell_apart(pinned), "kind": kind, "parts": _PARTS, "versions": versions()}
    return seal.digest("job", json.dumps(whole, sort_keys=True)).hex()


def tell_apart(value: object) -> Any:
    """What tells a value from others, for JSON: of a dataclass every field but those that say why not.

    So a field that is new tells runs apart until somebody decides otherwise. A table of a database says
    itself what tells it apart, since its URL may hold a password.
    """
    if (own := getattr(value, "tell_apart", None)) is not None:
        return tell_apart(own())
    if is_dataclass(value):
        return {each.name: tell_apart(told) for each in fields(value) for told in _told(each, value)}
    if isinstance(value, Mapping):
        return {str(key): tell_apart(each) for key, each in value.items()}
    if isinstance(value, tuple | list):
        return [tell_apart(each) for each in value]
    if isinstance(value, Path):
        return str(value.resolve())
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise TypeError(f"how {type(value).__name__} tells runs apart is not known")


def _told(each: Field[Any], owner: object) -> Iterator[Any]:
    """The field's value, what stands in for it, or nothing."""
    value, left = getattr(owner, each.name), left_out_of(each)
    if left is None:
        yield value
    elif left[1] is not None:
        yield left[1](value)


def _digest(path: Path | None, seal: Seal) -> str | None:
    if path is None:
        return None
    try:
        return seal.digest("file", path.read_bytes()).hex()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
