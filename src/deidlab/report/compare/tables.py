"""A comparison of systems in, its tables of figures out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from deidlab.evaluate.compare import holm
from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.measures import figure_titles
from deidlab.report.score.tables import interval_note
from deidlab.report.tables import Table, Value, columns_of
from deidlab.systems.comparing import Comparison, SystemResult, best_by_recall

TESTED = ("privacy.word_recall", "words_binary.precision", "privacy.clean_documents", "strict.f1")
_MEGABYTE = 1_000_000


def verdict_table(comparison: Comparison) -> Table:
    """What a person asks first, a row a system."""
    keys = (
        "privacy.word_recall", "words_binary.precision", "privacy.clean_documents",
        "privacy.leaked_words_per_document", "strict.f1", "relaxed.f1",
    )  # fmt: skip
    rows: list[tuple[Value, ...]] = []
    for each in comparison.results:
        headline = each.score.figures.intervals.headline
        rows.append((each.name, *(headline[key] for key in keys), each.speed.characters_per_second))
    columns = columns_of(
        ("system", "System", "text"), ("recall", "Recall"), ("precision", "Precision"),
        ("clean_notes", "Notes without a leak"), ("leaked_words", "Leaked words per note", "rate"),
        ("strict_f1", "Strict F1"), ("relaxed_f1", "Relaxed F1"),
        ("characters_per_second", "Characters per second", "count"),
    )  # fmt: skip
    note = (
        "Recall: the share of PHI words of which nothing stays visible under spans of any label. "
        "Precision: the "
        "share of marked words that are PHI. F1: entities with their labels. "
        f"{_interval_note(comparison)} A note that a system failed on counts as one in which it found "
        f"nothing."
    )
    return Table("Which system works on these notes", columns, tuple(rows), note, key="verdict")


def masking_table(comparison: Comparison, commands: Mapping[str, str]) -> Iterator[Table]:
    """The command that masks with each system, the one that leaks least first."""
    rows = [(each.name, commands[each.name]) for each in best_by_recall(comparison) if each.name in commands]
    if rows:
        columns = columns_of(("system", "System", "text"), ("command", "Command", "text"))
        note = (
            "The highest recall first, then the highest precision. Each masks the spans that were measured "
            "here; a note that a system fails on is not written. …: a program, an address or a place, as it "
            "was given to `compare`."
        )
        yield Table("How to mask with it", columns, tuple(rows), note, key="masking")


def failure_table(comparison: Comparison) -> Iterator[Table]:
    """How many notes each system failed on, by reason."""
    rows: list[tuple[Value, ...]] = []
    for each in comparison.results:
        counts = Counter(("as given", reason) for reason in each.failures.values())
        counts.update(each.repeated)
        rows += [(each.name, copy, reason, n) for (copy, reason), n in sorted(counts.items())]
    if rows:
        columns = columns_of(
            ("system", "System", "text"), ("copy", "Notes were", "text"), ("reason", "It", "text"),
            ("notes", "Notes", "count"),
        )  # fmt: skip
        yield Table("Notes that a system failed on", columns, tuple(rows), key="failures")


def label_table(comparison: Comparison) -> Table:
    """Strict F1 of each label, a column a system."""
    return _by_label(comparison, "strict", "Strict F1 by label", "Start, end and label are all right.")


def type_tables(comparison: Comparison) -> Iterator[Table]:
    note = "Start and label are right, the end is within two characters."
    yield _by_label(comparison, "relaxed", "Relaxed F1 by label", note)
    yield _by_label(comparison, "recall", "Recall by label", "Words that spans of any label hide.")


def _by_label(comparison: Comparison, mode: str, title: str, note: str) -> Table:
    rows: list[tuple[Value, ...]] = []
    figures = comparison.results[0].score.figures
    for label in _labels(comparison):
        counts = figures.summary.entities["strict"].by_type[label]
        n = figures.privacy.by_type[label].words if mode == "recall" else counts.tp + counts.fn
        rows.append((label, n, *(each.types[mode][label] for each in comparison.results)))
    whole = ("words", "Words") if mode == "recall" else ("gold", "Gold spans")
    columns = columns_of(
        ("label", "Label", "text"), (*whole, "count"),
        *((each.name, each.name) for each in comparison.results),
    )  # fmt: skip
    key = "recall-by-label" if mode == "recall" else f"{mode}-f1-by-label"
    return Table(title, columns, tuple(rows), f"{note} {_interval_note(comparison)}", key=key)


def _labels(comparison: Comparison) -> list[str]:
    """The labels of the gold, the most frequent first."""
    by_type = comparison.results[0].score.figures.summary.entities["strict"].by_type
    gold = {label: counts.tp + counts.fn for label, counts in by_type.items()}
    return sorted((label for label in gold if gold[label]), key=lambda label: (-gold[label], label))


def naming_table(comparison: Comparison) -> Iterator[Table]:
    """Labels that no map knows, and those that are not PHI in the set: what was not compared by label."""
    rows: list[tuple[Value, ...]] = []
    for each in comparison.results:
        rows += [
            (each.name, label, n, "no mapping: wrong by label, counted otherwise")
            for label, n in each.labels.unknown.items()
        ]
        rows += [(each.name, label, n, "not PHI here: left out") for label, n in each.labels.dropped.items()]
    rows += [("gold", label, None, "no mapping: kept as it is") for label in comparison.gold.missing]
    if rows:
        columns = columns_of(
            ("system", "System", "text"), ("label", "Label", "text"), ("fate", "", "text"),
            ("spans", "Spans", "count"),
        )  # fmt: skip
        title = "Labels that could not be compared"
        ordered = tuple((name, label, fate, n) for name, label, n, fate in rows)
        yield Table(title, columns, ordered, key="labels-not-compared")


def length_table(comparison: Comparison) -> Iterator[Table]:
    """What each system would have lost by itself, since it reads no further than its limit."""
    rows = [
        (each.name, _limit(each), each.unread_notes, each.unread_spans)
        for each in comparison.results
        if each.unread_notes or each.facts.limit
    ]
    if rows:
        columns = columns_of(
            ("system", "System", "text"), ("limit", "Limit", "text"), ("notes", "Notes past it", "count"),
            ("spans", "Gold spans past it", "count"),
        )  # fmt: skip
        note = (
            "Notes were cut with overlap, so that these spans could be found all the same; hf-pipeline "
            "alone runs "
            "as it is, and does lose them."
        )
        yield Table("What a limit would have lost", columns, tuple(rows), note, key="long-notes")


def _limit(each: SystemResult) -> str:
    return f"{each.facts.limit:,} {each.facts.unit}" if each.facts.limit else "the model's window"


def robustness_table(comparison: Comparison) -> Iterator[Table]:
    """Recall and precision on the same notes in poorer shape."""
    asked = [each for each in comparison.results if each.robustness]
    if not asked:
        return
    variants = list(asked[0].robustness)
    for figure in ("recall", "precision"):
        key = {"recall": "privacy.word_recall", "precision": "words_binary.precision"}[figure]
        rows: list[tuple[Value, ...]] = [
            (
                each.name,
                each.score.figures.intervals.headline[key],
                *(each.robustness[name][figure] for name in variants),
            )
            for each in asked
        ]
        columns = columns_of(
            ("system", "System", "text"), ("as_given", "As given"),
            *((name.replace(" ", "_"), name.capitalize()) for name in variants),
        )  # fmt: skip
        note = (
            "Scanning noise: one character in fifty is taken for another. Wrapped lines: none is longer "
            "than a "
            "word past 60 characters."
        )
        yield Table(f"{figure.capitalize()} by shape", columns, tuple(rows), note, key=f"robustness-{figure}")


def fairness_tables(comparison: Comparison) -> Iterator[Table]:
    """Recall of names by their origin; the worst group of each system first."""
    asked = [each for each in comparison.results if each.fairness]
    if not asked:
        return
    worst: list[tuple[Value, ...]] = []
    for each in asked:
        known = {name: figure for name, figure in each.fairness.items() if figure.value is not None}
        low = min(known, key=lambda name: known[name].value or 0.0)
        high = max(known, key=lambda name: known[name].value or 0.0)
        worst.append((each.name, low, known[low], high, known[high]))
    columns = columns_of(
        ("system", "System", "text"), ("worst", "Worst group", "text"), ("worst_recall", "Its recall"),
        ("best", "Best group", "text"), ("best_recall", "Its recall"),
    )  # fmt: skip
    note = (
        "The names of the gold were swapped for names of one origin at a time, everything around them "
        "left as it "
        f"is; recall is of the words of names. {_interval_note(comparison)}"
    )
    yield Table("Worst and best group", columns, tuple(worst), note, key="names-worst")
    rows: list[tuple[Value, ...]] = [
        (origin, *(each.fairness[origin] for each in asked)) for origin in asked[0].fairness
    ]
    columns = columns_of(("origin", "Origin", "text"), *((each.name, each.name) for each in asked))
    yield Table("Recall of names by origin", columns, tuple(rows), note, key="names-by-origin")


def pairs_table(comparison: Comparison) -> Iterator[Table]:
    """Every pair of systems on the same notes, each measure adjusted for the number of pairs."""
    if not comparison.tests:
        return
    rows: list[tuple[Value, ...]] = []
    titles = figure_titles()
    for key in TESTED:
        gaps = [differences[key] for differences in comparison.tests.values()]
        adjusted = holm([gap.p_randomisation for gap in gaps])
        for (first, second), gap, p_holm in zip(comparison.tests, gaps, adjusted, strict=True):
            rows.append(
                (titles[key], second, first, gap.interval, gap.p_bootstrap, gap.p_randomisation, p_holm)
            )
    columns = columns_of(
        ("figure", "Figure", "text"), ("system", "System", "text"), ("less", "Minus", "text"),
        ("difference", "Difference", "signed"), ("p_bootstrap", "p, bootstrap", "p"), ("p", "p, swaps", "p"),
        ("p_holm", "p, Holm", "p"),
    )  # fmt: skip
    note = (
        f"{_interval_note(comparison)} p, swaps: approximate randomisation, two-sided; Holm: the same, "
        f"adjusted for "
        "all pairs of a figure."
    )
    yield Table("Paired differences between systems", columns, tuple(rows), note, key="paired-tests")


def speed_table(comparison: Comparison) -> Table:
    """How fast, how soon, how large."""
    rows: list[tuple[Value, ...]] = []
    for each in comparison.results:
        speed, facts = each.speed, each.facts
        rows.append(
            (
                each.name,
                speed.characters_per_second,
                speed.characters_per_cpu_second,
                speed.start_seconds,
                speed.peak_bytes / _MEGABYTE if speed.peak_bytes else None,
                facts.installed_bytes / _MEGABYTE if facts.installed_bytes else None,
                ", ".join(f"{name} {version}" for name, version in sorted(facts.versions.items())),
            )
        )
    columns = columns_of(
        ("system", "System", "text"), ("characters_per_second", "Characters per second", "count"),
        ("characters_per_cpu_second", "Per processor second", "count"), ("start_seconds", "Start", "seconds"),
        ("peak_megabytes", "Peak memory, MB", "count"), ("installed_megabytes", "Installed, MB", "count"),
        ("versions", "Versions", "text"),
    )  # fmt: skip
    cores = comparison.settings.limits.cores
    note = (
        f"On {f'{cores} core' + ('' if cores == 1 else 's') if cores else 'all cores'} of one machine, "
        f"one note at "
        "a time, after a first note; the start ends with the answer to that. Installed: the packages with "
        "all that "
        "they need, and the model."
    )
    return Table("Speed and size", columns, tuple(rows), note, key="speed")


def _interval_note(comparison: Comparison) -> str:
    settings = comparison.settings.scoring.resample
    first: Interval = comparison.results[0].score.figures.intervals.headline["privacy.word_recall"]
    if first.low is None:
        return interval_note(len(comparison.documents), settings)
    return f"Intervals: {settings.confidence:.0%}, {settings.n_resamples:,} resamples of {settings.unit}s."
