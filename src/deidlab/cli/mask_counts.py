"""`deidlab mask --dry-run`: what would be masked, and what a stricter threshold would add."""

from __future__ import annotations

from typing import Any

from deidlab.cli.mask_failures import leave
from deidlab.cli.mask_progress import watching
from deidlab.cli.mask_request import MaskRequest
from deidlab.cli.mask_warnings import known_warnings, tell_warnings
from deidlab.cli.output import print_json
from deidlab.pipeline.counting import DryCounts, count_corpus
from deidlab.pipeline.io.opening import open_source

DEFAULT_THRESHOLD = 0.5
_STEPS = (0.4, 0.3, 0.2, 0.1)


def count_notes(request: MaskRequest) -> None:
    """`--dry-run`: what would be masked, and what a stricter threshold would add."""
    settings, _ = request.settings()
    with (
        request.options.engine.running() as execute,
        watching(open_source(request.source), request.silent) as watch,
    ):
        source = request.source if request.spans is None else request.spans
        counts = count_corpus(source, request.finding, settings, execute, request.spans is not None, watch)
    tell_warnings(known_warnings(request.finding.known, counts.sources, counts.n_notes))
    now = DEFAULT_THRESHOLD if request.finding.threshold is None else request.finding.threshold
    if request.options.answer.as_json:
        print_json(_counts_to_json(counts, now))
    else:
        from deidlab.report.audit.tables import dry_table
        from deidlab.report.tables import print_table

        print_table(dry_table(_counts_to_json(counts, now)))
    leave([(number, "", reason) for number, reason in counts.failed])


def _counts_to_json(counts: DryCounts, now: float) -> dict[str, Any]:
    steps = [step for step in _STEPS if step < now]
    labels = sorted({*counts.found, *counts.weak})
    return {
        "notes": counts.n_notes,
        "threshold": now,
        "sources": dict(sorted(counts.sources.items())),
        "types": [
            {
                "label": label,
                "found": counts.found[label],
                "masked": counts.masked[label],
                "in_part": counts.in_part[label],
                "stays": counts.found[label] - counts.masked[label],
                "would_add": {f"{step:.1f}": counts.would_add(label, step, now) for step in steps},
                "set_aside": counts.set_aside(label, now),
            }
            for label in labels
        ],
    }
