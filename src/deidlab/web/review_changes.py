"""What a retrained model finds in, how that differs from what stands now out: the way back from training.

A change is one of four: the model `adds` a span, `drops` one, `relabels` one, or `moves` its edges.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from deidlab.evaluate.pairing import Pair
from deidlab.evaluate.scores import summarise
from deidlab.evaluate.tally import tally_pairs
from deidlab.execute import Failed, Task, run_tasks
from deidlab.pipeline.loading import load_finding
from deidlab.pipeline.settings import Finding
from deidlab.types import Document, Span
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Mark
from deidlab.web.store_notes import as_document, read_proposal, save_proposal, spans_of, walk_layer
from deidlab.web.store_rows import NoteState, first_of

Kind = Literal["adds", "drops", "relabels", "moves"]
Watch = Callable[[str, int], None]
_NOTES_A_TASK = 32


@dataclass(frozen=True, slots=True)
class ModelChange:
    """One difference: `mark` is what stands now, `span` what the model finds instead."""

    kind: Kind
    mark: Mark | None
    span: Span | None


@dataclass(frozen=True, slots=True)
class FindSpans:
    """What a worker does: documents in, the model's spans out."""

    finding: Finding

    def __call__(self) -> Callable[[Sequence[Document]], list[tuple[Span, ...]]]:
        detector = load_finding(self.finding)

        def find(documents: Sequence[Document]) -> list[tuple[Span, ...]]:
            return [found.spans for found in detector.detect(documents, with_words=False)]

        return find


def propose(
    store: ReviewStore, model: str, finding: Finding, fingerprint: str, workers: int, watch: Watch
) -> list[str]:
    """Run the model over all notes and keep what it finds; answers the reasons of notes that failed.

    A run that was kept before is not repeated, unless the model's fingerprint is another.
    """
    if store.facts().get(f"proposal {model}") == fingerprint:
        return []
    with store.writing() as db:
        db.execute("DELETE FROM proposal WHERE model = ?", (model,))
    waiting: dict[int, list[int]] = {}
    failed = []
    for completion in run_tasks(_tasks(store, waiting), FindSpans(finding), workers):
        numbers = waiting.pop(completion.number)
        for number, spans in zip(numbers, completion.results, strict=True):
            if isinstance(spans, Failed):
                failed.append(spans.reason)
            else:
                save_proposal(store, model, number, spans)
        watch("the retrained model", len(numbers))
    store.set_fact(f"proposal {model}", fingerprint)
    return failed


def fingerprint_of(finding: Finding, store: ReviewStore) -> str:
    """What decides a proposal: the settings, the model's files, and how many notes there are."""
    parts = [repr(finding), str(len(store.note_ids()))]
    folder = Path(finding.model) if finding.model else None
    if folder and folder.is_dir():
        for path in sorted(folder.iterdir()):
            facts = path.stat()
            parts.append(f"{path.name} {facts.st_size} {facts.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _tasks(store: ReviewStore, waiting: dict[int, list[int]]) -> Iterator[Task[Document]]:
    held: list[NoteState] = []
    number = 0
    for state in walk_layer(store, only_done=False):
        held.append(state)
        if len(held) == _NOTES_A_TASK:
            waiting[number] = [each.number for each in held]
            yield Task(number, tuple(each.document for each in held))
            number, held = number + 1, []
    if held:
        waiting[number] = [each.number for each in held]
        yield Task(number, tuple(each.document for each in held))


def compare_marks(marks: Sequence[Mark], spans: Sequence[Span]) -> list[ModelChange]:
    """The differences in reading order; each mark and span is part of one at most."""
    now = [mark for mark in marks if mark.is_phi]
    same = {(mark.start, mark.end, mark.label) for mark in now}
    kept = {key for span in spans if (key := (span.start, span.end, span.label)) in same}
    left = [span for span in spans if (span.start, span.end, span.label) not in kept]
    changes = []
    for mark in (mark for mark in now if (mark.start, mark.end, mark.label) not in kept):
        partner = next((s for s in left if s.start < mark.end and mark.start < s.end), None)
        if partner is None:
            changes.append(ModelChange("drops", mark, None))
            continue
        left.remove(partner)
        same_place = (partner.start, partner.end) == (mark.start, mark.end)
        changes.append(ModelChange("relabels" if same_place else "moves", mark, partner))
    changes += [ModelChange("adds", None, span) for span in left]
    return sorted(changes, key=lambda change: (change.mark or change.span).start)  # type: ignore[union-attr]


def note_changes(store: ReviewStore, state: NoteState, model: str) -> list[ModelChange] | None:
    """What the model would change in a note; None where it was not run on it."""
    with store.reading() as db:
        spans = read_proposal(db, model, state.number)
    return None if spans is None else compare_marks(state.marks, spans)


def summarise_changes(store: ReviewStore, model: str) -> dict[str, Any]:
    """Counts over all notes, the notes with most changes first, and both models against finished notes."""
    kinds: Counter[str] = Counter()
    fixed: Counter[str] = Counter()
    rows: list[dict[str, Any]] = []
    before, after = [], []
    with store.reading() as db:
        for state in walk_layer(store, only_done=False):
            spans = read_proposal(db, model, state.number)
            if spans is None:
                continue
            changes = compare_marks(state.marks, spans)
            kinds.update(change.kind for change in changes)
            fixed.update(_lessons(state.marks, spans))
            if changes:
                rows.append(
                    {"number": state.number, "id": state.document.id, "done": state.done}
                    | {"changes": len(changes)}
                    | dict(Counter(c.kind for c in changes))
                )
            if state.done:
                gold = as_document(state)
                before.append(Pair(gold, _with(gold, spans_of(first_of(db, state.number)))))
                after.append(Pair(gold, _with(gold, spans)))
    rows.sort(key=lambda row: (-row["changes"], row["number"]))
    return {
        "model": model,
        "changes": {kind: kinds[kind] for kind in ("adds", "drops", "relabels", "moves")},
        "lessons": {key: fixed[key] for key in ("drawn", "drawn_found", "rejected", "rejected_gone")},
        "finished": len(after),
        "before": _figures(before),
        "after": _figures(after),
        "notes": rows,
    }


def _lessons(marks: Sequence[Mark], spans: Sequence[Span]) -> Iterator[str]:
    """How much of what reviewers corrected the model has learnt."""
    found = {(span.start, span.end, span.label) for span in spans}
    for mark in marks:
        if mark.status == "accepted" and mark.source.startswith("review:"):
            yield "drawn"
            if (mark.start, mark.end, mark.label) in found:
                yield "drawn_found"
        elif mark.status == "rejected" and mark.reviewer and not mark.source.startswith("review:"):
            yield "rejected"
            if not any(span.start < mark.end and mark.start < span.end for span in spans):
                yield "rejected_gone"


def _with(note: Document, spans: tuple[Span, ...]) -> Document:
    return Document(note.id, note.patient, note.text, spans)


def _figures(pairs: Sequence[Pair]) -> dict[str, float | None] | None:
    if not pairs:
        return None
    strict = summarise(tally_pairs(pairs)).entities["strict"].micro
    return {"precision": strict.precision, "recall": strict.recall, "f1": strict.f1}
