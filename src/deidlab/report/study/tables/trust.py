"""Why the test figures may be believed: what was read when, and whether records and report agree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deidlab.report.study.registry import study_table
from deidlab.report.study.runs import selected_runs
from deidlab.report.study.scores import ScoredStudy
from deidlab.report.tables import Table, Value, columns_of
from deidlab.study.records import StudyRecords

# Two ways to the same ratio of integers may differ in the last digits.
_SAME = 1e-9


@study_table("trust", "access")
def access_table(study: ScoredStudy) -> Table | None:
    """Every reading of a part of the corpus, summed up by step, with the moment of selection between."""
    records = study.records
    if not records.access:
        return None
    groups: dict[tuple[str, str, str, bool], list[Mapping[str, Any]]] = {}
    for line in records.access:
        key = (str(line["part"]), str(line["what"]), str(line["step"]), bool(line["selected"]))
        groups.setdefault(key, []).append(line)
    rows: list[tuple[Value, ...]] = []
    for (part, what, step, selected), lines in groups.items():
        times = sorted(str(line["time"]) for line in lines)
        rows.append((part, what, step, "after" if selected else "before", len(lines), times[0], times[-1]))
    rows.sort(key=lambda row: str(row[5]))
    columns = columns_of(
        ("part", "Part", "text"), ("what", "What was read", "text"), ("step", "By", "text"),
        ("selection", "Selection", "text"), ("times", "Times", "count"), ("first", "First", "text"),
        ("last", "Last", "text"),
    )  # fmt: skip
    when = "not made yet" if records.selection is None else f"made {records.selection.time}"
    note = f"From the study's own append-only record of reads. Selection: {when}."
    return Table("What was read, and when", columns, tuple(rows), note)


@study_table("trust", "checks")
def check_table(study: ScoredStudy) -> Table:
    """Checks of the records against each other and against what is computed here."""
    rows = tuple(_checks(study))
    columns = columns_of(("check", "Check", "text"), ("holds", "Holds", "flag"), ("detail", "Detail", "text"))
    return Table("Checks", columns, rows, "A check that does not hold is a reason not to trust the tables.")


def _checks(study: ScoredStudy) -> list[tuple[Value, ...]]:
    records = study.records
    rows: list[tuple[Value, ...]] = []
    early = [
        line
        for line in records.access
        if line["part"] == "test" and line["what"] == "notes" and not line["selected"]
    ]
    if records.access:
        said = f"{len(early)} readings of test notes before selection"
        rows.append(("no test note was read before selection", not early, said))
    if records.selection is not None:
        moment = records.selection.time
        late = all(test.opened_at > moment for test in records.tests)
        rows.append(("every test came after selection", late, f"selection at {moment}"))
        rows.append(_selection_check(records))
    digests = {test.test_digest for test in records.tests}
    if digests:
        rows.append(("all rows were tested on the same notes", len(digests) == 1, ", ".join(sorted(digests))))
    if study.rows:
        rows.append(_score_check(study))
    overlap = _overlap(records)
    rows.append(("no document is in two parts", not overlap, f"{overlap} documents in two parts"))
    return rows


def _selection_check(records: StudyRecords) -> tuple[Value, ...]:
    """Whether no run of a model beats the one that was selected for it."""
    beaten = []
    for name, run in selected_runs(records).items():
        rivals = [each.f1 for each in records.completions_of(name) if each.is_done and each.final and each.f1]
        if run.f1 is None or max(rivals, default=0.0) > run.f1 + _SAME:
            beaten.append(name)
    return (
        "the selected run of each model has its best validation F1",
        not beaten,
        ", ".join(beaten) or "all models",
    )


def _score_check(study: ScoredStudy) -> tuple[Value, ...]:
    """Whether the figures of the tables are those that the tests recorded when they read the notes."""
    apart = []
    n_compared = 0
    for row in study.rows:
        recorded = row.test.scores.get("test") or {}
        summary = row.figures.summary
        for name, ours in (
            ("f1", summary.words.micro.f1),
            ("strict_f1", summary.entities["strict"].micro.f1),
        ):
            theirs = recorded.get(name)
            if theirs is not None and ours is not None:
                n_compared += 1
                if abs(theirs - ours) > 1e-4:
                    apart.append(f"{row.name} {name}: recorded {theirs:.4f}, here {ours:.4f}")
    said = "; ".join(apart) or f"{n_compared} figures compared"
    return ("figures computed here equal those recorded when the notes were read", not apart, said)


def _overlap(records: StudyRecords) -> int:
    seen: set[str] = set()
    twice = 0
    for ids in records.study.split.values():
        twice += len(seen.intersection(ids))
        seen.update(ids)
    return twice
