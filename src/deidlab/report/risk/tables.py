"""What an output tells of patients in, tables of how alone that leaves them out: counts, and no value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from deidlab.evaluate.risk import Classes, Linkage, Profiles, count_classes, link, possible_changes
from deidlab.report.pages import Card, render_page
from deidlab.report.tables import Table, columns_of, show_value, table_to_rows


@dataclass(frozen=True, slots=True)
class Risk:
    """All that was found: profiles, rare words (of one patient, of fewer than five), and a population."""

    profiles: Profiles
    rare: tuple[tuple[int, int], tuple[int, int]]
    population: Profiles | None = None


_CLASSES = columns_of(
    ("classes", "classes", "count"), ("k", "k", "count"), ("alone", "alone", "percent"),
    ("below_5", "below 5", "percent"), ("below_11", "below 11", "percent"),
)  # fmt: skip


def risk_tables(risk: Risk) -> Iterator[Table]:
    """In reading order: all together, each attribute, rare words, linkage, and what changes would buy."""
    yield together_table(risk.profiles)
    yield attribute_table(risk.profiles)
    yield words_table(risk)
    if risk.population is not None:
        yield linkage_table(link(risk.profiles, risk.population))
    yield changes_table(risk)


def together_table(profiles: Profiles) -> Table:
    columns = (*columns_of(("patients", "patients", "count")), *_CLASSES)
    found = count_classes(profiles)
    by = ", ".join(profiles.attributes) or "nothing"
    note = (
        f"By {by}, together. Patients with the same values are a class; k is the size of the smallest one. "
        "Alone, below 5, below 11: patients in classes of one, of fewer than 5, and of fewer than 11."
    )
    return Table("All patients", columns, ((found.n_patients, *_cells(found)),), note, "together")


def attribute_table(profiles: Profiles) -> Table:
    """Each attribute for itself."""
    about = columns_of(("attribute", "attribute", "text"), ("known", "patients of whom it is known", "count"))
    columns = (*about, *_CLASSES)
    rows = []
    for at, name in enumerate(profiles.attributes):
        known = sum(bool(row[at]) for row in profiles.rows)
        rows.append((name, known, *_cells(count_classes(profiles.only((name,))))))
    return Table("Each attribute alone", columns, tuple(rows), key="attributes")


def words_table(risk: Risk) -> Table:
    columns = columns_of(
        ("words", "words of", "text"), ("n", "words", "count"), ("patients", "patients with any", "count"),
        ("share", "of all patients", "percent"),
    )  # fmt: skip
    n_patients = len(risk.profiles.rows)
    names = ("one patient alone", "fewer than 5 patients")
    rows = tuple(
        (name, n, whose, whose / n_patients if n_patients else None)
        for name, (n, whose) in zip(names, risk.rare, strict=True)
    )
    note = "Words of four letters and more outside every replacement; typing errors are among them."
    return Table("Rare words", columns, rows, note, "words")


def linkage_table(found: Linkage) -> Table:
    columns = columns_of(
        ("patients", "patients", "count"), ("people", "people", "count"), ("fit", "somebody fits", "count"),
        ("found", "exactly one fits", "count"), ("share", "share, 95% interval", "ratio"),
        ("expected", "correct guesses expected", "ratio"),
    )  # fmt: skip
    row = (
        found.n_patients,
        found.n_population,
        found.fitting,
        found.found,
        found.found_share,
        found.expected,
    )
    note = (
        f"By {', '.join(found.attributes)}. Share: of the patients whom exactly one person fits. Correct "
        "guesses expected: the share of patients, if anyone who fits is taken. The table of people is taken "
        "to hold everybody, each once."
    )
    return Table("Linkage with a population", columns, (row,), note, "linkage")


def changes_table(risk: Risk) -> Table:
    """The same patients under stricter policies."""
    with_people = risk.population is not None
    more = columns_of(("found", "found by linkage", "percent")) if with_people else ()
    columns = (*columns_of(("change", "change", "text")), *_CLASSES, *more)
    changes = {"as it is": risk.profiles, **possible_changes(risk.profiles)}
    rows = tuple((name, *_cells(count_classes(own)), *_found(own, risk)) for name, own in changes.items())
    return Table("What changes would buy", columns, rows, key="changes")


def _found(profiles: Profiles, risk: Risk) -> tuple[float | None, ...]:
    return () if risk.population is None else (link(profiles, risk.population).found_share.value,)


def _cells(found: Classes) -> tuple[int | float | None, ...]:
    shares = (found.share(n) for n in (found.alone, found.smaller, found.small))
    return found.n_classes, found.k, *shares


def risk_to_html(tables: list[Table]) -> str:
    cards = list(_cards({table.key: table for table in tables}))
    return render_page(
        "risk.html", "Residual risk of a masked output", with_script=False, cards=cards, tables=tables
    )


def _cards(tables: Mapping[str, Table]) -> Iterator[Card]:
    """What a reader wants first, from the tables."""
    (together,) = table_to_rows(tables["together"])
    yield Card("patients", show_value(together["patients"], "count"))
    yield Card("smallest class (k)", show_value(together["k"], "count"), warns=together["k"] == 1)
    alone = together["alone"]
    yield Card("alone in their class", show_value(alone, "percent"), warns=bool(alone))
    if "linkage" in tables:
        (linkage,) = table_to_rows(tables["linkage"])
        yield Card(
            "found in the population",
            f"{linkage['found']:,} of {linkage['patients']:,}",
            warns=linkage["found"] > 0,
        )
