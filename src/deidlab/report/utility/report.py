"""What each style costs and hides in, a report out: what is kept, what can still be learned, what an attack
tells, and one picture of both."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal

from deidlab.evaluate.intervals import Interval
from deidlab.evaluate.resample import ResampleSettings
from deidlab.report.figures import colour, new_figure, plain_axes, values_and_reach
from deidlab.report.pages import Card
from deidlab.report.score.tables import interval_note
from deidlab.report.study.parts import Picture, Section, StudyReport
from deidlab.report.tables import Table, Value, columns_of, show_value
from deidlab.utility.measuring import Utility
from deidlab.utility.sampling import Judged

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FOOTER = (
    "No word of a note is on this page. Figures are of these notes alone; they are evidence for "
    "whoever decides, "
    "not a claim of compliance."
)


def build_utility_report(
    utility: Utility,
    title: str,
    settings: ResampleSettings,
    provenance: Mapping[str, Any],
    judged: Judged | None = None,
) -> StudyReport:
    """Everything that was measured, without a word of the notes."""
    note = interval_note(utility.notes, settings)
    drawable = find_spec("matplotlib") is not None
    pictures = (_picture(utility),) if utility.attack and drawable else ()
    sections = (
        Section(
            "picture", "Risk and utility", pictures=pictures, tables=tuple(_summary_table(utility, note))
        ),
        Section("kept", "What is kept", tables=(*_kept_tables(utility, note), *_judged_table(judged))),
        Section("learned", "What can still be learned", tables=tuple(_task_table(utility, note))),
        Section("attack", "Originals in plain sight", tables=tuple(_attack_table(utility, note))),
    )
    return StudyReport(
        name="utility",
        title=title,
        said=(
            f"{utility.notes:,} notes, masked in each style with the same findings and one key. "
            "Clinical figures are "
            "found by rule in the original and in the copy."
        ),
        cards=tuple(_cards(utility)),
        lacking=(),
        not_asked=tuple(_not_asked(utility, drawable)),
        sections=tuple(each for each in sections if each.tables or each.pictures),
        provenance=provenance,
        footer=_FOOTER,
    )


def _cards(utility: Utility) -> Iterator[Card]:
    yield Card("notes", f"{utility.notes:,}")
    for name, style in utility.styles.items():
        yield Card(f"figures kept by {name}", show_value(style.overall.value, "ratio"))
    if utility.attack:
        area = show_value(utility.attack["all"].area.value, "ratio")
        yield Card("area under the attack's curve", area, "0.5 is chance")


def _not_asked(utility: Utility, drawable: bool) -> Iterator[str]:
    if utility.untested:
        yield f"The attack ({utility.untested})."
    if utility.task is None:
        yield "What can still be learned (--task COLUMN names a column with a label for each note)."
    if utility.attack and not drawable:
        yield "The picture (it needs pip install 'deidlab[charts]')."


def risk_of(utility: Utility, style: str) -> Interval:
    """The share of originals that were left which an attacker picks out: all of them, where all else is
    marks."""
    return utility.attack["all"].picked if style == "surrogate" else Interval(1.0)


def _summary_table(utility: Utility, note: str) -> Iterator[Table]:
    if not utility.attack:
        return
    rows: list[tuple[Value, ...]] = [
        (name, risk_of(utility, name), style.overall, utility.task.f1[name] if utility.task else None)
        for name, style in utility.styles.items()
    ]
    columns = columns_of(
        ("style", "Style", "text"), ("risk", "Originals picked out"), ("kept", "Clinical figures kept"),
        ("f1", "F1 of a classifier"),
    )  # fmt: skip
    said = (
        "Originals picked out: an attacker names as many suspicious mentions as were left unmasked, and this "
        "share of them is right. Between marks or numbered tags whatever is left is an original, so that is "
        "all of them. "
    )
    if utility.task:
        said += "F1: of a classifier that learned from notes in this style, on originals. "
    width = len(columns) if utility.task else len(columns) - 1
    cut = tuple(row[:width] for row in rows)
    yield Table("Risk and utility by style", columns[:width], cut, said + note, key="risk-utility")


def _kept_tables(utility: Utility, note: str) -> Iterator[Table]:
    styles = utility.styles
    rows: list[tuple[Value, ...]] = [
        (kind, n, *(each.kept[kind] for each in styles.values())) for kind, n in utility.there.items()
    ]
    rows.append(("all", sum(utility.there.values()), *(each.overall for each in styles.values())))
    columns = columns_of(
        ("kind", "Figures", "text"), ("there", "In the originals", "count"),
        *((name, name.capitalize()) for name in styles),
    )  # fmt: skip
    said = (
        "Values: laboratory and vital signs. Intervals: days between two whole dates in a row that were "
        f"replaced. Kept: the copy has the same figure as often. {note}"
    )
    yield Table("Clinical figures kept", columns, tuple(rows), said, key="kept")
    last = list(styles)[-1]
    apart: list[tuple[Value, ...]] = [
        (name, None if name == last else each.more, each.new) for name, each in styles.items()
    ]
    columns = columns_of(
        ("style", "Style", "text"), ("more", f"Difference from {last}", "signed"),
        ("new", "New figures", "count"),
    )  # fmt: skip
    said = (
        f"Difference: in the share that is kept of all figures together, on the same notes; {last} has none "
        "from itself. New figures stand in the copy alone: what took the place of PHI looks like one. "
        f"{note}"
    )
    yield Table("Styles against each other", columns, tuple(apart), said, key="styles")


def _judged_table(judged: Judged | None) -> Iterator[Table]:
    if judged is None or not judged.judged:
        return
    row = (judged.sampled, judged.judged, judged.wrong, judged.share, judged.upper)
    columns = columns_of(
        ("sampled", "Sampled", "count"), ("judged", "Judged", "count"), ("wrong", "Rule was wrong", "count"),
        ("share", "Share"), ("upper", "Share at most"),
    )  # fmt: skip
    said = (
        "What a person said of figures that were drawn by chance. Share at most: Clopper–Pearson, one-sided, "
        f"{judged.confidence:.0%}."
    )
    yield Table("Looked at by hand", columns, (row,), said, key="judged")


def _task_table(utility: Utility, note: str) -> Iterator[Table]:
    task = utility.task
    if task is None:
        return
    rows: list[tuple[Value, ...]] = [
        (name, task.f1[name], task.more[name], task.alike[name], task.alike_more[name])
        if place
        else (name, task.f1[name], None, task.alike[name], None)
        for place, name in enumerate(task.f1)
    ]
    columns = columns_of(
        ("learned", "Learned from", "text"), ("f1", "F1 on originals"),
        ("more", "Difference", "signed"), ("alike", "F1 on notes masked alike"),
        ("alike_more", "Its difference", "signed"),
    )  # fmt: skip
    said = (
        f"A logistic regression on words tells {len(task.labels)} labels apart in {task.notes:,} notes; each "
        "note is judged by a model that learned from other patients' notes alone. F1: the mean over labels. "
        "Difference: from originals judged by what learned from originals, on the same draws. "
        f"{note}"
    )
    yield Table("A classifier that learned from each", columns, tuple(rows), said, key="learned")


def _attack_table(utility: Utility, note: str) -> Iterator[Table]:
    if not utility.attack:
        return
    rows: list[tuple[Value, ...]] = []
    for kind, found in utility.attack.items():
        rows.append(
            (kind, found.originals, found.surrogates, found.area, found.p, found.picked, found.chance)
        )
    columns = columns_of(
        ("kind", "Mentions", "text"), ("originals", "Originals left", "count"),
        ("surrogates", "Surrogates", "count"), ("area", "Area"), ("p", "p", "p"),
        ("picked", "Picked out"), ("chance", "By guessing"),
    )  # fmt: skip
    said = (
        "A share of the gold's mentions was left unmasked among surrogates, and a classifier that learned "
        "from other patients' notes, with the truth at hand, says which these are. Area: under its curve, "
        "one half is chance; p: the share of trainings on shuffled truths that did as well. Picked out: "
        "the share of originals among as many of the most suspicious mentions; by guessing: what chance "
        f"would make that. {note}"
    )
    yield Table("Originals told from surrogates", columns, tuple(rows), said, key="attack")


def _picture(utility: Utility) -> Picture:
    points = {name: (risk_of(utility, name), style.overall) for name, style in utility.styles.items()}
    caption = "; ".join(
        f"{name}: {show_value(risk.value, 'ratio')} of the originals picked out, "
        f"{show_value(kept.value, 'ratio')} of the figures kept"
        for name, (risk, kept) in points.items()
    )
    return Picture("risk-utility", "Risk and utility by style", f"{caption}.", lambda: _draw(points))


def _draw(points: Mapping[str, tuple[Interval, Interval]]) -> Figure:
    """Each style as a point; those in one place share their label. What is kept is drawn from below the
    least of it, since styles differ little in it."""
    figure = new_figure(5.2, 3.6)
    axes = figure.subplots()
    plain_axes(axes, "both")
    labels: dict[tuple[float, float], list[str]] = {}
    least = 1.0
    for place, (name, (risk, kept)) in enumerate(points.items()):
        (x,), x_reach = values_and_reach([risk])
        (y,), y_reach = values_and_reach([kept])
        axes.errorbar([x], [y], xerr=x_reach, yerr=y_reach, fmt="o", color=colour(place), capsize=3)
        labels.setdefault((round(x, 2), round(y, 3)), []).append(name)
        least = min(least, y - y_reach[0][0])
    for (x, y), names in labels.items():
        side: Literal["left", "right"] = "right" if x > 0.5 else "left"
        shift = (-8 if side == "right" else 8, 7)
        axes.annotate(", ".join(names), (x, y), textcoords="offset points", xytext=shift, ha=side)
    floor = max(math.floor(10 * (least - 0.02)) / 10, 0.0)
    axes.set_xlabel("originals left in plain sight that an attacker picks out")
    axes.set_ylabel("clinical figures kept")
    axes.set_xlim(0, 1.05)
    axes.set_ylim(floor, 1 + 0.12 * (1 - floor))
    return figure
