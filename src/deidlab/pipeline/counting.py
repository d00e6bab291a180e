"""A corpus in, what masking it would do out; nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from deidlab.execute import Failed, Task, run_tasks
from deidlab.mask import MaskSettings
from deidlab.pipeline.settings import Finding, Source
from deidlab.pipeline.source import Note, cut_tasks, read_notes
from deidlab.pipeline.work import BANDS, FindPhi


@dataclass(slots=True)
class DryCounts:
    """Spans by label: found, of these masked by the policy, and candidates that were not taken, by tenth."""

    n_notes: int = 0
    found: Counter[str] = field(default_factory=Counter)
    masked: Counter[str] = field(default_factory=Counter)
    sources: Counter[str] = field(default_factory=Counter)
    weak: dict[str, list[int]] = field(default_factory=dict)
    failed: list[tuple[int, str]] = field(default_factory=list)

    def would_add(self, label: str, threshold: float, now: float) -> int:
        """How many more spans of that label a threshold would take that lies below the one of now."""
        bands = self.weak.get(label, [0] * BANDS)
        return sum(bands[round(threshold * BANDS) : round(now * BANDS)])

    def set_aside(self, label: str, now: float) -> int:
        """Candidates certain enough, and yet not taken: eponyms, allowed terms."""
        return sum(self.weak.get(label, [0] * BANDS)[round(now * BANDS) :])


def count_corpus(
    source: Source,
    finding: Finding,
    settings: MaskSettings,
    workers: int,
    given: bool,
    watch: Callable[[str, int], None],
) -> DryCounts:
    """Find, and count; `given` tells that the source's own spans are what would be masked."""
    counts = DryCounts()

    def tasks() -> Iterator[Task[Note]]:
        for task in cut_tasks(read_notes(source)):
            counts.failed += [(note.number, note.problem) for note in task.items if not note.document]
            notes = (note for note in task.items if note.document)
            yield Task(task.number, tuple(Note(n.number, n.document, given=given) for n in notes))

    for completion in run_tasks(tasks(), FindPhi(None if given else finding, settings), workers):
        for row in completion.results:
            if isinstance(row, Failed):
                counts.failed.append((0, row.reason))
                continue
            counts.n_notes += 1
            counts.found.update(span.label for span in row.spans)
            counts.sources.update(span.source or "people" for span in row.spans)
            counts.masked.update(span.label for span in row.spans if settings.policy.masks(span))
            for key, n in row.tally["weak"].items():
                label, _, band = key.rpartition(" ")
                counts.weak.setdefault(label, [0] * BANDS)[int(band)] += n
        watch("finding", len(completion.results))
    return counts
