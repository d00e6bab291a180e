"""`deidlab review CORPUS`."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import typer

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.engine import WorkersOption
from deidlab.cli.options.finding import check_finding
from deidlab.cli.options.masking import ServedMaskingOptions
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.options.reading import NoteOptions
from deidlab.cli.options.serving import ModelsOptions, ServerOptions
from deidlab.cli.output import print_json, tell
from deidlab.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from deidlab.pipeline.settings import Finding
    from deidlab.web.review import ReviewDesk
    from deidlab.web.review_load import LoadSettings
    from deidlab.web.settings import ServedModel, ServeSettings
    from deidlab.web.store import ReviewStore


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What leaves the store instead of a page being served."""

    GROUP: ClassVar[str] = "Results"

    export: Path | None = option(None, metavar="DST", help="Write the reviewed notes, and stop.")
    to: str | None = option(
        None, metavar="FORMAT", help="Format of the export [default: by DST's name, else i2b2]."
    )
    part: str = option(
        "done", metavar="done|all", help="Export the notes that are done, or all as they stand."
    )
    by: str = option(
        "", metavar="NAME", help="Export notes that two people reviewed as this one marked them."
    )
    agreement: bool = option(False, help="Print how well the reviewers agree, and stop.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewOptions:
    """All that `review` takes."""

    GROUP: ClassVar[str] = COMMON

    corpus: Path = argument(
        metavar="CORPUS", help="The notes to review: a file, or a folder with its subfolders."
    )
    store: Path | None = option(
        None,
        metavar="FILE",
        help="Where decisions are kept (SQLite, mode 0600) [default: CORPUS.review].",
    )
    detect: bool | None = option(
        None,
        "--detect/--no-detect",
        help="Find PHI first, or review the spans that the corpus has "
        "[default: find it where the corpus has no span at all].",
    )
    twice: float = option(
        0.0,
        min=0.0,
        max=1.0,
        help="The share of notes that two people review independently, to measure their agreement.",
    )
    compare: tuple[str, ...] = option(
        (),
        metavar="FOLDER|NAME=FOLDER",
        help="A retrained model: the page shows what it would change; 'rules' are rules alone. Repeatable.",
    )
    load_only: bool = option(
        False, help="Read the corpus, run the models, and stop, so that the page opens at once later."
    )
    reviewer: str | None = option(
        None, metavar="NAME", help="Who is reviewing, where there are no tokens [default: your login]."
    )
    results: ExportOptions
    models: ModelsOptions
    masking: ServedMaskingOptions
    reading: NoteOptions
    server: ServerOptions
    workers: WorkersOption
    overwriting: OverwriteOption
    answer: AnswerOptions

    @property
    def place(self) -> Path:
        """Where decisions are kept."""
        return self.store or _usual_store(self.corpus)


@takes_options
def review(options: ReviewOptions) -> None:
    """Look at what was found, and correct it, in the browser.

    Decisions are kept at once, in one private file. Give the same command again to go on where you were.
    The corpus itself is never changed: `--export` writes the reviewed notes, which `deidlab train` takes.

    Example: deidlab review notes/ --key-file site.key
    """
    _check_extra()
    if options.results.export is not None:
        _export(_open_existing(options.place), options.results.export, options)
    if options.results.agreement:
        _print_agreement(_open_existing(options.place), options.answer.as_json)
    if options.results.export is not None or options.results.agreement:
        return
    settings, load, compared = _read_options(options)
    desk = _prepare(options, load, settings.models[0], compared)
    if not options.load_only:
        _serve(settings, desk, options.answer.quiet)


def _usual_store(corpus: Path) -> Path:
    if corpus == Path("-"):
        raise ConfigError("a review needs a file or folder: it is read again whenever you go on")
    whole = corpus.resolve()
    return (
        corpus.with_name(f"{corpus.name}.review") if corpus.name else whole.with_name(f"{whole.name}.review")
    )


def _read_options(
    options: ReviewOptions,
) -> tuple[ServeSettings, LoadSettings, tuple[ServedModel, ...]]:
    """What the options ask for: how to serve, what to load, and which models to compare."""
    from deidlab.cli.mask_secrets import find_key
    from deidlab.web.choosing import choose_models, read_policies
    from deidlab.web.review_load import LoadSettings
    from deidlab.web.settings import ServeSettings
    from deidlab.web.tokens import find_tokens

    server, masking, finding = options.server, options.masking, options.models.finding()
    models = choose_models(options.models.model, finding)
    check_finding(finding, *(each.language for each in models))
    settings = ServeSettings(
        host=server.host,
        port=server.port,
        models=models,
        key=find_key(masking.key.key_file, quiet=True)[0],
        tokens=find_tokens(server.token_file),
        hosts=server.allow_host,
        reviewer=_name_of(options.reviewer),
        style=masking.style,
        policy=masking.policy,
        policies=read_policies(masking.policy_file),
        access_log=server.access_log,
        tls_certificate=server.tls_cert,
        tls_key=server.tls_key,
    )
    source = options.reading.source(options.corpus)
    load = LoadSettings(source, models[0].finding, options.detect, options.twice, options.workers.count)
    return settings, load, _choose_compared(options.compare, finding)


def _check_extra() -> None:
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtraError("the review page", "serve") from None


def _choose_compared(names: Sequence[str], finding: Finding) -> tuple[ServedModel, ...]:
    """The retrained models by name; unlike a server's, rules alone are there only when asked for."""
    from deidlab.web.choosing import choose_models
    from deidlab.web.settings import RULES_ONLY

    if not names:
        return ()
    # `--rules only` is about the first marks; a model that is compared has to be run.
    rules = "on" if finding.rules == "only" else finding.rules
    chosen = choose_models(names, replace(finding, rules=rules))
    return tuple(model for model in chosen if model.name != RULES_ONLY or RULES_ONLY in names)


def _prepare(
    options: ReviewOptions, load: LoadSettings, model: ServedModel, compared: tuple[ServedModel, ...]
) -> ReviewDesk:
    """The corpus in the store, retrained models run over it: what takes time, before the page is there."""
    from deidlab.cli.mask_progress import watching
    from deidlab.pipeline.io.opening import open_source
    from deidlab.web.review import ReviewDesk
    from deidlab.web.review_changes import fingerprint_of, propose
    from deidlab.web.review_load import load_review
    from deidlab.web.store import ReviewStore

    store, quiet = ReviewStore(options.place), options.answer.quiet
    with watching(open_source(load.source), quiet) as watch:
        report = load_review(store, load, watch)
        if report.n_new or "found with" not in store.facts():
            store.set_fact("found with", model.name if report.detected else "the corpus's own spans")
        for each in compared:
            mark = fingerprint_of(each.finding, store)
            for reason in propose(store, each.name, each.finding, mark, load.workers, watch):
                tell(f"left out by {each.name}: {reason}")
    found_with = store.facts()["found with"]
    tell(f"{len(store.note_ids())} notes, {report.n_new} of them new; first marks: {found_with}", quiet)
    if report.n_overlaps:
        tell(f"{report.n_overlaps} spans overlap longer ones: they are hints until they are accepted", quiet)
    for number, reason in sorted(report.failed):
        tell(f"left out: note {number}: {reason}")
    tell(f"decisions are kept in {options.place}", quiet)
    return ReviewDesk(store, found_with, tuple(each.name for each in compared))


def _serve(settings: ServeSettings, desk: ReviewDesk, quiet: bool) -> None:
    from deidlab.web.app import create_app
    from deidlab.web.running import serve as run_server

    _warn(settings, quiet)
    app = create_app(settings)
    app.state.review = desk
    try:
        run_server(app, settings, lambda message: tell(f"{message}; the review is at /review", quiet))
    finally:
        desk.store.close()


def _warn(settings: ServeSettings, quiet: bool) -> None:
    from deidlab.web.settings import RULES_ONLY

    if settings.tokens.warning:
        tell(f"warning: {settings.tokens.warning}")
    if not settings.is_local and settings.tls_certificate is None:
        tell("warning: without TLS notes and tokens travel in the open (--tls-cert, --tls-key, or a proxy)")
    if settings.models[0].name == RULES_ONLY:
        tell("no model: rules and lists alone find less than a model does (--model FOLDER)", quiet)


def _name_of(reviewer: str | None) -> str:
    """The name given, checked, or the login where it can serve as one."""
    from deidlab.web.tokens import check_name

    if reviewer is not None:
        check_name(reviewer)
        return reviewer
    try:
        login = getpass.getuser()
        check_name(login)
    except (OSError, KeyError, ConfigError):
        return "local"
    return login


def _open_existing(path: Path) -> ReviewStore:
    from deidlab.web.store import ReviewStore

    if not path.exists():
        raise ConfigError(f"{path}: no review was begun there; `deidlab review CORPUS` begins one")
    return ReviewStore(path)


def _export(store: ReviewStore, destination: Path, options: ReviewOptions) -> None:
    from deidlab.corpus.formats import format_to_write
    from deidlab.files import private_files
    from deidlab.web.review_export import export_review

    how, quiet = options.results, options.answer.quiet
    format = format_to_write(destination, how.to, "i2b2").name
    with private_files():  # what is exported is notes, with all that stands in them
        report = export_review(store, destination, format, how.part, how.by, options.overwriting.overwrite)
    if options.answer.as_json:
        print_json(
            {"notes": report.n_notes, "spans": report.n_spans, "not_done": report.not_done,
             "not_settled": report.not_settled, "losses": dict(report.losses)}
        )  # fmt: skip
        return
    tell(f"wrote {report.n_notes} notes with {report.n_spans} spans to {destination}", quiet)
    if report.not_done:
        tell(f"left out: {report.not_done} notes that are not done (--part all takes them too)", quiet)
    if report.not_settled:
        tell(f"left out: {report.not_settled} notes of two reviewers that are not settled (--by NAME)", quiet)
    for what, n in sorted(report.losses.items()):
        tell(f"not held by {format}: {what} ({n})", quiet)


def _print_agreement(store: ReviewStore, as_json: bool) -> None:
    from itertools import combinations

    from deidlab.web.agreement import measure_agreement
    from deidlab.web.review_models import agreement_to_json
    from deidlab.web.store_notes import reviewers

    pairs = list(combinations(reviewers(store), 2)) or [("", "")]
    found = [measure_agreement(store, one, other) for one, other in pairs]
    if as_json:
        print_json([agreement_to_json(each) for each in found])
        return
    for each in found:
        figures = (each.kappa, each.kappa_phi, each.strict.f1, each.overlap.f1)
        kappa, phi, strict, overlap = ("–" if value is None else f"{value:.3f}" for value in figures)
        typer.echo(
            f"{each.one} and {each.other}, {each.n_notes} notes, {each.n_words} words: kappa {kappa} "
            f"(PHI or not: {phi}), F1 {strict} strict, {overlap} overlapping; "
            f"{len(each.differing)} notes differ"
        )
