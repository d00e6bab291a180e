"""A corpus in, what masking it would do out; nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial as bind

from deidlab.execute import Executor, Failed
from deidlab.mask import MaskSettings
from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.run.find import BANDS, FindPhi, Unread
from deidlab.pipeline.run.one_pass import OnePass, Watch
from deidlab.pipeline.run.sameness import pin_finding
from deidlab.pipeline.settings import Finding, SourceSettings


@dataclass(slots=True)
class DryCounts:
    """Spans by label: found, masked by the policy (wholly or in part), and candidates not taken, by tenth."""

    n_notes: int = 0
    found: Counter[str] = field(default_factory=Counter)
    masked: Counter[str] = field(default_factory=Counter)
    in_part: Counter[str] = field(default_factory=Counter)
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
    source: SourceSettings,
    finding: Finding,
    settings: MaskSettings,
    execute: Executor,
    given: bool,
    watch: Watch,
) -> DryCounts:
    """Find, and count; `given` tells that the source's own spans are what would be masked."""
    counts = DryCounts()
    work = FindPhi(None if given else pin_finding(finding), settings)
    attach = _as_given if given else None
    for done in OnePass(open_source(source), execute, bind(watch, "finding"), attach=attach).run(work):
        for number, row in zip(done.numbers, done.results, strict=True):
            if isinstance(row, Failed | Unread):
                counts.failed.append((number, row.reason if isinstance(row, Failed) else row.problem))
                continue
            counts.n_notes += 1
            counts.found.update(span.label for span in row.spans)
            counts.sources.update(span.source or "people" for span in row.spans)
            masked = [span.label for span in row.spans if settings.policy.masks(span)]
            counts.masked.update(masked)
            counts.in_part.update(each for each in masked if settings.policy.row(each).action != "mask")
            for key, n in row.tally["weak"].items():
                label, _, band = key.rpartition(" ")
                counts.weak.setdefault(label, [0] * BANDS)[int(band)] += n
    return counts


def _as_given(notes: Sequence[Note]) -> Sequence[Note]:
    return [replace(note, given=True) for note in notes]
