"""What `deidlab tables plan` and `tables mask` do with their options."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab import languages
from deidlab.carriers import KEY
from deidlab.cli.mask_failures import leave
from deidlab.cli.mask_progress import KEPT, NO_KEY, ending_well, watching
from deidlab.cli.mask_request import count_of
from deidlab.cli.mask_secrets import find_key
from deidlab.cli.options.databases import is_database, warn_of_password
from deidlab.cli.options.engine import settle_device
from deidlab.cli.options.finding import check_finding
from deidlab.cli.options.masking import refuse_unkept, with_crosswalk
from deidlab.cli.output import print_json, tell
from deidlab.corpus.files import refuse_existing, refuse_overlap
from deidlab.errors import ConfigError, UsageError
from deidlab.files import write_appearing
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.masking import MaskOutcome, mask_corpus
from deidlab.pipeline.run.record import record_folder
from deidlab.pipeline.settings import SchemaSettings, SourceSettings

if TYPE_CHECKING:
    from deidlab.cli.tables_options import TablesMaskOptions, TablesPlanOptions
    from deidlab.corpus.tables.plan import TablesPlan


def run_plan(options: TablesPlanOptions) -> None:
    from deidlab.corpus.tables.opening import open_store
    from deidlab.corpus.tables.plan import write_plan
    from deidlab.corpus.tables.propose import propose_plan

    out = options.out
    refuse_existing(out, options.overwriting.overwrite)
    store = open_store(options.source)
    refuse_overlap((out,), (store.files,))
    plan = propose_plan(store, _without_password(options.source))
    write_appearing(out, write_plan(plan).encode(), out.with_name(f".{out.name}.writing"))
    _tell_plan(plan, options)


def _without_password(source: str) -> str:
    """The source as the plan may say it."""
    if not is_database(source):
        return source
    from deidlab.corpus.database_url import parse_place

    if parse_place(source).has_password:
        raise UsageError("the plan would hold the URL's password: use PGPASSWORD, PGPASSFILE or ~/.pgpass")
    return source


def _tell_plan(plan: TablesPlan, options: TablesPlanOptions) -> None:
    kinds = Counter(column.kind for _, column in plan.columns())
    n_open = len(plan.unclassified())
    if options.answer.as_json:
        print_json(
            {
                "plan": str(options.out),
                "tables": len(plan.tables),
                "columns": dict(kinds),
                "unclassified": n_open,
            }
        )
        return
    from deidlab.corpus.tables.classes import CLASSES
    from deidlab.report.tables import print_table, text_table

    rows = [(name, each.about, kinds[name]) for name, each in CLASSES.items() if kinds[name]]
    n_columns = sum(kinds.values())
    if not options.answer.silent:
        title = f"{count_of(len(plan.tables), 'table')}, {count_of(n_columns, 'column')}"
        print_table(text_table(title, ("Class", "What becomes of it", "Columns"), rows, 2))
    tell(f"wrote {options.out}", options.answer.silent)
    if n_open:
        tell(f"{count_of(n_open, 'column')} unclassified: decide in the plan, then run `deidlab tables mask`")


def run_mask(options: TablesMaskOptions) -> None:
    from deidlab.corpus.database_url import parse_place
    from deidlab.corpus.tables.opening import open_store, open_target
    from deidlab.corpus.tables.plan import read_plan

    if not options.out:
        raise UsageError("say where to write with --out: a database's URL or a folder")
    check_finding(options.finding)
    for url in filter(is_database, (options.source, options.out)):
        warn_of_password(parse_place(url))
    plan = read_plan(options.plan)
    store, target = open_store(options.source or plan.source), open_target(options.out, options.to)
    secrets = (options.key.key_file, options.key.crosswalk)
    refuse_overlap((target.files,), (options.plan, *secrets, store.files))
    settings, repeatable = _settings(options)
    if not settings.draws:
        # Of codes that are derived short ones would come twice.
        plan = plan.without_widths()
    source = SourceSettings(store.path, schema=SchemaSettings(store, plan))
    job = MaskJob(
        source=source, destination=target.path, target=target, finding=settle_device(options.finding),
        settings=settings, repeatable=repeatable, workers=options.workers.count,
        overwrite=options.overwriting.overwrite,
    )  # fmt: skip
    opened = open_source(source)
    opened.check()
    rest = KEPT if repeatable else NO_KEY
    with ending_well(target.path, rest), watching(opened, options.answer.silent) as watch:
        outcome = mask_corpus(job, watch)
    _tell_outcome(options, outcome)
    leave([(each.number, each.document, each.reason) for each in outcome.failures])


def _settings(options: TablesMaskOptions) -> tuple[MaskSettings, bool]:
    """How to mask: with surrogates, since a column of dates has no place for a tag."""
    policy = load_policy(options.policy)
    if policy.row(KEY).action != "mask":
        raise ConfigError(
            "the policy keeps what it does not name, and so keys of tables: give it default = 'mask'"
        )
    language = options.finding.find_language()
    crosswalk = options.key.open_crosswalk()
    key, repeatable = find_key(options.key.key_file, options.answer.silent)
    day_first = options.how.day_first or languages.of(language).day_first
    how = replace(
        options.how, policy=policy, style="surrogate", key=key, day_first=day_first, language=language
    )
    settings = with_crosswalk(how, crosswalk)
    refuse_unkept(settings, repeatable, options.key.key_file)
    return settings, repeatable


def _tell_outcome(options: TablesMaskOptions, outcome: MaskOutcome) -> None:
    record, quiet = outcome.record, options.answer.silent
    warnings = _warnings(record)
    if options.answer.as_json:
        print_json({**record, "warnings": warnings})
    for warning in warnings:
        tell(f"warning: {warning}")
    replaced = sum(row["n"] for row in record["replaced"])
    n_tables = len(record["tables"])
    done = f"masked {count_of(record['masked'], 'row')} of {count_of(n_tables, 'table')}"
    tell(f"{done}: {count_of(replaced, 'replacement')}; written to {outcome.destination}", quiet)
    tell(f"record of the run in {record_folder(Path(outcome.destination))} (keep it to yourself)", quiet)


def _warnings(record: dict[str, Any]) -> list[str]:
    """What a person should know of a run that went well."""
    found = []
    emptied = sum(sum(table["emptied"].values()) for table in record["tables"].values())
    if emptied:
        found.append(
            f"{count_of(emptied, 'cell')} left empty: nothing of them may stay, or their type cannot hold it"
        )
    if record["findings_unplaced"]:
        found.append(
            f"{count_of(record['findings_unplaced'], 'finding')} without a place in a note: words left out"
        )
    n_left = sum(record["constraints_left_out"].values())
    if n_left or record["constraints_broken"]:
        said = n_left or record["constraints_broken"]
        found.append(
            f"{count_of(said, 'constraint')} of the source does not hold in the output (see the record)"
        )
    found += [f"{n} {what}" for what, n in record["removed"].items()]
    return found
