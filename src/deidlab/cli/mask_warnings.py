"""A run's record in, warnings for the person at the terminal out."""

from __future__ import annotations

from typing import Any

from deidlab.cli.output import tell


def tell_warnings(record: dict[str, Any], has_known: bool, quiet: bool) -> None:
    """What a person should know of a run that went well."""
    if record["masked"] > 1 and not record["patients_known"]:
        tell(
            "warning: no patients are known, so each note counts as one: intervals across notes are lost, "
            "and numbers and surrogates differ from note to note (--patient-column, --patient-from)",
            quiet,
        )
    found_by = [row["source"] for row in (*record["replaced"], *record["left_by_policy"])]
    if has_known and not any(source.startswith("known") for source in found_by):
        tell(
            "warning: nothing of the --known table was found: its column 'patient' must name patients as the "
            "notes do (--patient-column, --patient-from)",
            quiet,
        )
    if record["bare_annotations"]:
        tell(
            f"warning: {record['bare_annotations']} annotations of the source stand on text that was not "
            "masked, and mark it in the output; --spans SRC masks what is annotated",
            quiet,
        )
    if (compared := record.get("compared_with_here")) is not None:
        tell(
            f"workers computed on other processors than this machine's: {compared['share']:.3%} of the spans "
            f"of {compared['notes']} notes differ from what is found here",
            quiet,
        )
