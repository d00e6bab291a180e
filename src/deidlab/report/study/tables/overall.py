"""Table 5 and what belongs to it: intervals, published figures, significance, entities, HIPAA, privacy."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from deidlab.evaluate.compare import holm
from deidlab.report.rows import headline_cells, headline_points, measure_rows
from deidlab.report.study.published import published_note
from deidlab.report.study.registry import study_table
from deidlab.report.study.runs import published_of
from deidlab.report.study.scores import ScoredStudy, hipaa_scores
from deidlab.report.tables import Table, Value, columns_of
from deidlab.study.records import PARTS

_SHORT = {"precision": "P", "recall": "R", "f1": "F1", "accuracy": "Acc"}
_LONG = {"precision": "Precision", "recall": "Recall", "f1": "F1", "accuracy": "Accuracy"}
_WORDS = tuple(f"words.{key}" for key in _SHORT)
_MEASURE = "Words, typed: a word counts where its whole length has the right type; micro over all PHI types."


@study_table("overall", "table-5-overall")
def overall_table(study: ScoredStudy) -> Table:
    """Table 5: precision, recall, F1 and accuracy on train, validation and test."""
    rows: list[tuple[Value, ...]] = []
    for row in study.rows:
        cells: list[Value] = [row.name, row.kind]
        for part in PARTS:
            score = row.parts.get(part)
            cells += headline_points(score.figures, _WORDS) if score else [None] * 4
        rows.append(tuple(cells))
    columns = columns_of(
        ("model", "Model", "text"), ("kind", "Kind", "text"),
        *((f"{part}_{key}", _SHORT[key], "ratio", part.capitalize()) for part in PARTS for key in _SHORT),
    )  # fmt: skip
    note = f"{_MEASURE} Rows in the order of validation F1; ensembles and hybrids after the models."
    title = "Table 5: precision, recall, F1 and accuracy of the selected settings"
    marked = frozenset(place for place, row in enumerate(study.rows) if row is study.best)
    return Table(title, columns, tuple(rows), note, marked=marked)


@study_table("overall", "table-5-intervals")
def interval_tables(study: ScoredStudy) -> Iterator[Table]:
    """Table 5 again, one table for each part, each figure with its interval."""
    columns = columns_of(("model", "Model", "text"), ("kind", "Kind", "text"), *_LONG.items())
    for part in PARTS[::-1]:
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (row.name, row.kind, *headline_cells(row.parts[part].figures, *_WORDS))
            for row in study.rows
            if part in row.parts
        )
        if rows:
            note, key = f"{_MEASURE} {study.resample_note}", f"table-5-{part}-intervals"
            yield Table(f"Table 5, {part}: with intervals", columns, rows, note, key)


@study_table("overall", "table-5-published")
def published_table(study: ScoredStudy) -> Table | None:
    """Our figures beside the study's, part by part, for models of the same architecture."""
    models = {model.name: model for model in study.records.study.models}
    rows: list[tuple[Value, ...]] = []
    for row in study.models:
        published = published_of(models[row.name]) if row.name in models else None
        for part in PARTS[::-1]:
            if published is None or part not in row.parts:
                continue
            ours, theirs = headline_cells(row.parts[part].figures, *_WORDS), published["scores"][part]
            beside = (cell for pair in zip(ours, map(theirs.get, _SHORT), strict=True) for cell in pair)
            rows.append((row.name, published["title"], part, *beside))
    if not rows:
        return None
    both = (("", "ours"), ("published_", "published"))
    columns = columns_of(
        ("model", "Model", "text"), ("published_model", "Published as", "text"), ("part", "Part", "text"),
        *((f"{lead}{key}", f"{_SHORT[key]}, {whose}") for key in _SHORT for lead, whose in both),
    )  # fmt: skip
    note = (
        f"Words here are cut as `{study.records.study.word_style}`, the study's near white space. "
        f"{published_note()} {study.resample_note}"
    )
    return Table("Table 5 beside the published study", columns, tuple(rows), note)


@study_table("overall", "significance")
def significance_table(study: ScoredStudy) -> Table | None:
    """Every pair of models on the same test documents."""
    pairs = list(combinations(study.models, 2))
    if not pairs:
        return None
    gaps = [study.compare(second, first) for first, second in pairs]
    adjusted = holm([gap["words.f1"].p_randomisation for gap in gaps])
    rows: list[tuple[Value, ...]] = []
    for (first, second), gap, p in zip(pairs, gaps, adjusted, strict=True):
        words, strict, hidden = (gap[key] for key in ("words.f1", "strict.f1", "privacy.word_recall"))
        rows.append((
            first.name, second.name, words.interval, words.p_bootstrap, words.p_randomisation, p,
            strict.interval, strict.p_randomisation, hidden.interval, hidden.p_randomisation,
        ))  # fmt: skip
    columns = columns_of(
        ("first", "Model", "text"), ("second", "Against", "text"), ("f1", "F1, difference", "signed"),
        ("p_bootstrap", "p bootstrap", "p"), ("p", "p swaps", "p"), ("p_holm", "p, Holm", "p"),
        ("strict_f1", "Strict F1, difference", "signed"), ("strict_p", "p swaps (strict)", "p"),
        ("hidden", "PHI words hidden, difference", "signed"), ("hidden_p", "p swaps (hidden)", "p"),
    )  # fmt: skip
    note = (
        f"First less second on the same test notes, paired by {study.resample.unit}. p swaps: approximate "
        "randomisation, two-sided; Holm: the same, adjusted for all pairs of the table. "
        f"{study.resample_note}"
    )
    return Table("Paired differences between models on the test part", columns, tuple(rows), note)


@study_table("overall", "entities")
def entity_table(study: ScoredStudy) -> Table:
    """Every way to match words and entities, all rows."""
    rows = tuple((row.name, *cells) for row in study.rows for cells in measure_rows(row.figures))
    columns = columns_of(
        ("model", "Model", "text"), ("measure", "Measure", "text"), ("precision", "Precision"),
        ("recall", "Recall"), ("f1", "F1"),
    )  # fmt: skip
    note = (
        "Strict: same type, start and end. Relaxed: the end may be off by two characters. Overlap: same "
        f"type, a character in common. Binary: the type aside. {study.resample_note}"
    )
    return Table("Entity level and word level, test part", columns, rows, note)


@study_table("overall", "hipaa")
def hipaa_table(study: ScoredStudy) -> Table | None:
    """The same measures over the types that HIPAA names."""
    keys = (*_WORDS[:3], "strict.f1", "words_binary.recall", "privacy.word_recall")
    scores = (
        (reading, row.name, found[row.name].figures)
        for reading, found in hipaa_scores(study).items()
        for row in study.rows
    )
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, reading, figures.summary.sizes["gold_spans"], *headline_cells(figures, *keys))
        for reading, name, figures in scores
    )
    if not rows:
        return None
    columns = columns_of(
        ("model", "Model", "text"), ("reading", "HIPAA as", "text"), ("spans", "Gold spans", "count"),
        ("precision", "Words P"), ("recall", "Words R"), ("f1", "Words F1"),
        ("strict_f1", "Entities, strict F1"), ("binary_recall", "Words R, PHI or not"),
        ("hidden", "PHI words hidden, any label"),
    )  # fmt: skip
    note = (
        "challenge: the types that the i2b2 2014 program scores as HIPAA. safe harbor: the law's 18 "
        "identifiers, with all ages kept. Other schemes are mapped to the 2014 labels first; types that "
        f"the reading leaves out are neither right nor wrong. {study.resample_note}"
    )
    return Table("HIPAA measures, test part", columns, rows, note)


@study_table("overall", "privacy")
def privacy_table(study: ScoredStudy) -> Table:
    """What a privacy officer asks of each row."""
    rows: list[tuple[Value, ...]] = []
    for row in study.rows:
        hidden = headline_cells(row.figures, "privacy.word_recall", "privacy.character_recall")
        privacy, leaking = row.figures.privacy, row.figures.privacy.leaking_documents
        rows.append((
            row.name, row.kind, *hidden, privacy.leaked_words, leaking.n, leaking.share, leaking.upper,
            privacy.overmasked_words, privacy.overmasked_share,
        ))  # fmt: skip
    columns = columns_of(
        ("model", "Model", "text"), ("kind", "Kind", "text"), ("word_recall", "PHI words hidden"),
        ("character_recall", "PHI characters hidden"), ("leaked_words", "Leaked words", "count"),
        ("leaking_notes", "Notes that leak", "count"), ("leaking_share", "Share of notes"),
        ("leaking_upper", "Share at most"), ("overmasked_words", "Words masked for nothing", "count"),
        ("overmasked_share", "Share of other words"),
    )  # fmt: skip
    note = (
        "Labels aside: a PHI word is hidden when anything found covers all of it. Share at most: "
        f"one-sided Clopper–Pearson bound at {study.resample.confidence:.0%}, over notes with PHI. "
        f"{study.resample_note}"
    )
    return Table("Privacy, test part", columns, tuple(rows), note)
