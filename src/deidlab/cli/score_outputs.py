"""The files that `deidlab score` writes, and its tables on the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from deidlab.cli.output import tell
from deidlab.cli.score_options import Outputs
from deidlab.errors import ConfigError
from deidlab.evaluate.privacy import list_slips
from deidlab.evaluate.threshold import Refusal
from deidlab.report.figures import check_figure, save_figure
from deidlab.report.score.answer import ScoreAnswer, answer_tables
from deidlab.report.score.rows import SCORE_COLUMNS, SLIP_COLUMNS, score_rows, slip_rows, write_rows
from deidlab.report.score.tables import counting_notes
from deidlab.report.tables import print_table, table_to_markdown


def check_outputs(outputs: Outputs, n_systems: int, operating: bool) -> None:
    """Refuse before the work what would fail after it."""
    for path in (outputs.confusion, outputs.chart, outputs.curves, outputs.reliability):
        if path is not None:
            check_figure(path)
    if operating and n_systems > 1:
        raise ConfigError("--scores, --target-recall, --curves and --reliability take one system at a time")


def print_answer(answer: ScoreAnswer, everything: bool, operating: bool, quiet: bool) -> None:
    """The tables on stdout, and on stderr what a reader may not expect."""
    for table in answer_tables(answer, "full" if everything else "short", operating):
        print_table(table)
    for score in answer.scores:
        for note in counting_notes(score.figures.summary, score.figures.privacy):
            tell(f"{score.name}: {note}", quiet)


def raise_refusal(answer: ScoreAnswer) -> None:
    """A recall that cannot be promised ends the command with an error, once all else was shown."""
    if answer.operating is not None and isinstance(answer.operating.threshold, Refusal):
        raise ConfigError(f"no threshold: {answer.operating.threshold.reason}")


def write_outputs(answer: ScoreAnswer, outputs: Outputs) -> list[Path]:
    """Write what was asked for; the files that were written."""
    written = [path for path in (outputs.csv, outputs.leaks, outputs.markdown) if path is not None]
    if outputs.csv is not None:
        write_rows(outputs.csv, SCORE_COLUMNS, score_rows(answer.scores))
    if outputs.leaks is not None:
        columns = SLIP_COLUMNS if answer.texts is None else (*SLIP_COLUMNS, "text")
        rows = (
            row
            for score in answer.scores
            for row in slip_rows(score.name, list_slips(score.tally), answer.texts)
        )
        write_rows(outputs.leaks, columns, rows)
    if outputs.markdown is not None:
        page = "\n".join(table_to_markdown(table) for table in answer_tables(answer, "page", True))
        outputs.markdown.parent.mkdir(parents=True, exist_ok=True)
        outputs.markdown.write_text(page, "utf-8")
    return [*written, *_write_figures(answer, outputs)]


def _write_figures(answer: ScoreAnswer, outputs: Outputs) -> Iterator[Path]:
    from deidlab.report.score import figures as score_figures

    if outputs.confusion is not None:
        for score in answer.scores:
            path = _own_path(outputs.confusion, score.name, len(answer.scores))
            save_figure(score_figures.draw_confusion(score.figures.confusion, score.name), path)
            yield path
    if outputs.chart is not None:
        save_figure(score_figures.draw_type_bars(answer.scores), outputs.chart)
        yield outputs.chart
    found = answer.operating
    if found is not None and outputs.curves is not None:
        save_figure(score_figures.draw_curves(found.curves, found.origin), outputs.curves)
        yield outputs.curves
    if found is not None and outputs.reliability is not None:
        save_figure(score_figures.draw_calibration(found.calibration), outputs.reliability)
        yield outputs.reliability


def _own_path(path: Path, name: str, n_systems: int) -> Path:
    """A file of its own for each of several systems."""
    return path if n_systems == 1 else path.with_stem(f"{path.stem}-{name.replace('/', '-')}")
