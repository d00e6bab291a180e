"""`deidlab risk OUT`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.output import OUTPUT, AnswerOptions, OverwriteOption
from deidlab.cli.output import print_json, tell_written

if TYPE_CHECKING:
    from deidlab.report.audit.record import RunRecord
    from deidlab.report.risk.reading import Told
    from deidlab.report.risk.tables import Risk
    from deidlab.report.tables import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class RiskOptions:
    """All that `risk` takes."""

    GROUP: ClassVar[str] = OUTPUT

    output: str = argument(
        metavar="OUT", help="What `deidlab mask` wrote: a file, a folder, or a table's URL."
    )
    population: Path | None = option(
        None,
        metavar="FILE",
        help="Who might be meant (CSV): a row a person, with columns such as age, sex, zip, profession.",
        group=COMMON,
    )
    attribute: tuple[str, ...] = option(
        (),
        metavar="NAME",
        help="Take this attribute (age, sex, year, zip, state, profession, a kept column) and no other but "
        "those that are named so. Repeatable.",
        group=COMMON,
    )
    report: Path | None = option(None, metavar="FILE", help="Write the tables as a page (.html).")
    overwriting: OverwriteOption
    answer: AnswerOptions


@takes_options
def risk(options: RiskOptions) -> None:
    """How alone what a masked output still tells leaves its patients.

    Ages, postcodes, years, sex and professions that the policy let stay, and columns that were kept, are put
    together for each patient; patients with the same values are a class. It says what each stricter policy
    would buy, and with a table of people the share of patients whom exactly one of them fits, with an
    interval. Values are never shown.

    Example: deidlab risk masked --population register.csv --report risk.html
    """
    from deidlab.corpus.files import refuse_existing
    from deidlab.report.risk.tables import risk_tables
    from deidlab.report.tables import print_table, table_to_rows

    answer, report = options.answer, options.report
    if report is not None:
        refuse_existing(report, options.overwriting.overwrite)
    tables = list(risk_tables(_read(options)))
    if report is not None:
        _write(report, tables, options.overwriting.overwrite)
    if answer.as_json:
        print_json({table.key: table_to_rows(table) for table in tables})
    elif not (answer.quiet and report):
        for table in tables:
            print_table(table)
    tell_written([] if report is None else [report], answer.silent)


def _read(options: RiskOptions) -> Risk:
    from deidlab.cli.options.databases import is_database
    from deidlab.corpus.database_url import target_place
    from deidlab.errors import UnknownNameError
    from deidlab.report.audit.record import read_record
    from deidlab.report.risk.reading import read_population
    from deidlab.report.risk.tables import Risk

    output = options.output
    told = _tell(read_record(target_place(output) if is_database(output) else Path(output)))
    profiles = told.profiles()
    for name in options.attribute:
        if name not in profiles.attributes:
            raise UnknownNameError("attribute", name, profiles.attributes)
    if options.attribute:
        profiles = profiles.only(options.attribute)
    people = None
    if options.population is not None:
        people = read_population(options.population, profiles.attributes, told.zip_digits())
    return Risk(profiles, told.rare_words(), people)


def _tell(record: RunRecord) -> Told:
    from deidlab import languages
    from deidlab.detect import DetectorSettings
    from deidlab.report.risk.reading import read_told
    from deidlab.systems.masking import load_detector

    language = languages.of(str(record.settings.get("language", ""))).code
    return read_told(record, load_detector(None, DetectorSettings("only", language=language)))


def _write(report: Path, tables: list[Table], overwrite: bool) -> None:
    from deidlab.corpus.files import complete_file
    from deidlab.report.risk.tables import risk_to_html

    with complete_file(report, overwrite) as partial:
        partial.write_text(risk_to_html(tables), "utf-8")
