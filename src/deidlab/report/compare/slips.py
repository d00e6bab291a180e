"""A comparison of systems in, who missed what and who marked what for nothing, side by side, out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from deidlab.evaluate.privacy import Slip, list_slips
from deidlab.report.study.parts import Section
from deidlab.report.tables import Table, Value, columns_of
from deidlab.systems.comparing import Comparison

_KINDS = {"leak": "Leaks", "over-masking": "False alarms"}
_MOST_ROWS = 3000


def slip_sections(comparison: Comparison, show_text: bool) -> Iterator[Section]:
    """A section a kind of slip: by label, and every place with the systems that slipped there."""
    slips = {each.name: list_slips(each.score.tally) for each in comparison.results}
    texts = {each.id: each.text for each in comparison.documents}
    for kind, title in _KINDS.items():
        own = {name: [slip for slip in found if slip.kind == kind] for name, found in slips.items()}
        yield Section(
            kind, title, tables=(_by_label(kind, title, own), _places(kind, title, own, texts, show_text))
        )


def _by_label(kind: str, title: str, slips: dict[str, list[Slip]]) -> Table:
    counts = {name: Counter[str]() for name in slips}
    for name, found in slips.items():
        for slip in found:
            counts[name][slip.label] += slip.n_words
    labels = sorted(
        {label for each in counts.values() for label in each},
        key=lambda label: (-sum(each[label] for each in counts.values()), label),
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (label, *(counts[name][label] for name in slips)) for label in labels
    )
    columns = columns_of(("label", "Label", "text"), *((name, name, "count") for name in slips))
    whose = "the gold's label" if kind == "leak" else "the system's label"
    return Table(f"{title} by label, in words", columns, rows, f"By {whose}.", key=f"{kind}-by-label")


def _places(
    kind: str, title: str, slips: dict[str, list[Slip]], texts: dict[str, str], show_text: bool
) -> Table:
    """A row a stretch; the systems that slipped on it say yes."""
    at: dict[tuple[str, int, int], dict[str, str]] = {}
    for name, found in slips.items():
        for slip in found:
            at.setdefault((slip.document, slip.start, slip.end), {})[name] = slip.label
    # What most systems slipped on comes first: it is the hardest, or the gold is wrong there.
    order = sorted(at, key=lambda place: (-len(at[place]), place))[:_MOST_ROWS]
    rows: list[tuple[Value, ...]] = []
    for document, start, end in order:
        said = at[document, start, end]
        labels = "/".join(sorted(set(said.values())))
        words = (texts[document][start:end],) if show_text else ()
        rows.append((document, start, end, labels, *words, *(name in said for name in slips), len(said)))
    columns = columns_of(
        ("note", "Note", "text"), ("start", "Start", "count"), ("end", "End", "count"),
        ("label", "Label", "text"), *((("text", "Text", "text"),) if show_text else ()),
        *((name, name, "flag") for name in slips), ("systems", "Systems", "count"),
    )  # fmt: skip
    note = "Yes: the system leaves PHI visible there." if kind == "leak" else "Yes: the system marks it."
    note += " Systems: how many do. Start and end: characters of the note."
    note += f" The first {_MOST_ROWS:,} of {len(at):,} places." if len(at) > _MOST_ROWS else ""
    return Table(f"{title}: every place, by system", columns, tuple(rows), note, key=f"{kind}-places")
