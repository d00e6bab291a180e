"""A run's record in, warnings for the person at the terminal out."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.cli.output import tell

if TYPE_CHECKING:
    from deidlab.cli.mask_request import MaskRequest
    from deidlab.corpus.database_url import TablePlace
    from deidlab.pipeline.io.notes import Note
    from deidlab.report.validation.protocol import Protocol


def known_warnings(known: Path | None, sources: Iterable[str], n_notes: int) -> list[str]:
    """Of a table of known identifiers that found nothing at all."""
    if known is None or not n_notes or any(source.startswith("known") for source in sources):
        return []
    from deidlab.detect import KnownTable

    n_patients = len(KnownTable.read(known))
    said = (
        f"nothing of the --known table was found (patients in it: {n_patients}; notes: {n_notes}): its "
        "column 'patient' must name patients as the notes do (--patient-column, --patient-from)"
    )
    return [said]


def find_warnings(record: dict[str, Any], known: Path | None) -> list[str]:
    """What a person should know of a run that went well."""
    found = []
    if record["masked"] > 1 and not record["patients_known"]:
        found.append(
            "no patients are known, so each note counts as one: intervals across notes are lost, "
            "and numbers and surrogates differ from note to note (--patient-column, --patient-from)"
        )
    found_by = [row["source"] for row in (*record["replaced"], *record["left_by_policy"])]
    found += known_warnings(known, found_by, record["masked"])
    found += annotation_warnings(record["annotations"])
    if (compared := record.get("compared_with_here")) is not None:
        found.append(
            f"workers computed on other processors than this machine's: {compared['share']:.3%} of the spans "
            f"of {compared['notes']} notes differ from what is found here"
        )
    return found


def annotation_warnings(counts: dict[str, int]) -> list[str]:
    """Of annotations on text that was not masked and of unknown labels; `counts` as the record has them."""
    found = []
    if counts["kept"]:
        found.append(
            f"{counts['kept']} annotations of the source stand on text that was not masked, and mark it in "
            f"the output ({counts['hidden']} of types that the policy masks); --spans SRC masks what is "
            "annotated"
        )
    elif counts["hidden"]:
        found.append(
            f"{counts['hidden']} annotations of the source stand on text that was not masked, though the "
            "policy masks their types: the text is still in the output, the annotations are not; "
            "--spans SRC masks what is annotated"
        )
    if counts["renamed"]:
        found.append(
            f"{counts['renamed']} annotations of the source have a label that no shipped set has and "
            "no surrogate is made for: they are treated and written as OTHER (`deidlab corpus merge --map` "
            "maps labels)"
        )
    return found


def open_validated(path: Path | None, in_place: bool) -> Protocol | None:
    """The protocol of what was validated, before any work; `in_place` says that a record will be kept."""
    if path is None:
        return None
    from deidlab.errors import UsageError
    from deidlab.report.validation.protocol import read_protocol

    if not in_place:
        raise UsageError("--validated compares the record of a run: name files for SRC and DST instead of -")
    return read_protocol(path)


def drift_warnings(protocol: Protocol | None, output: Path | TablePlace) -> list[str]:
    """Of notes that no longer look like those that were validated."""
    if protocol is None:
        return []
    from deidlab.report.audit.record import read_record
    from deidlab.report.validation.drift import measure_drift, say_drift

    found = measure_drift(protocol, read_record(output))
    return say_drift(found) if found["read_again"] else []


def tell_warnings(warnings: Iterable[str]) -> None:
    """Told even to those who asked for quiet: notes may be at stake."""
    for warning in warnings:
        tell(f"warning: {warning}")


def look_at_kept(request: MaskRequest, notes: Iterable[Note]) -> list[str]:
    """Warn, before anything is written, of columns to keep that look like what is masked."""
    if not request.options.writing.columns:
        return []
    from deidlab.pipeline.keeping import SAMPLE, look_at_columns

    warnings = look_at_columns(request.options.writing.columns, islice(notes, SAMPLE))
    tell_warnings(warnings)
    return warnings
