"""`deidlab review CORPUS`."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli.options import takes_options
from deidlab.cli.options.finding import check_finding
from deidlab.cli.output import print_json, tell
from deidlab.cli.review_options import ReviewOptions
from deidlab.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from deidlab.pipeline.settings import Finding
    from deidlab.web.review import ReviewDesk
    from deidlab.web.review_load import LoadSettings
    from deidlab.web.settings import ServedModel, ServeSettings
    from deidlab.web.store import ReviewStore


@takes_options
def review(options: ReviewOptions) -> None:
    """Look at what was found, and correct it, in the browser.

    Decisions are kept at once, in one private file. Give the same command again to go on where you were.
    The corpus itself is never changed: `--export` writes the reviewed notes, which `deidlab train` takes.

    Example: deidlab review notes/ --key-file site.key
    """
    check_extra()
    if options.results.export is not None:
        _export(_open_existing(options.place), options.results.export, options)
    if options.results.agreement:
        _print_agreement(_open_existing(options.place), options.answer.as_json)
    if options.results.export is not None or options.results.agreement:
        return
    settings, load, compared = _read_options(options)
    desk = _prepare(options, load, settings.models[0], compared)
    if not options.load_only:
        serve_desk(settings, desk, options.answer.quiet)


def _read_options(
    options: ReviewOptions,
) -> tuple[ServeSettings, LoadSettings, tuple[ServedModel, ...]]:
    """What the options ask for: how to serve, what to load, and which models to compare."""
    from deidlab.cli.mask_secrets import find_key
    from deidlab.web.choosing import choose_models, read_policies
    from deidlab.web.proxies import read_proxies
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
        reviewer=name_reviewer(options.reviewer),
        proxies=read_proxies(server.trusted_proxy),
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


def check_extra() -> None:
    """Raise where the page cannot be served, before any work."""
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


def serve_desk(settings: ServeSettings, desk: ReviewDesk, quiet: bool) -> None:
    """Offer the review until it is stopped."""
    from deidlab.web.app import create_app
    from deidlab.web.running import serve as run_server

    _warn(settings, desk, quiet)
    app = create_app(settings)
    app.state.review = desk
    try:
        run_server(app, settings, lambda message: tell(f"{message}; the review is at /review", quiet))
    finally:
        desk.store.close()


def _warn(settings: ServeSettings, desk: ReviewDesk, quiet: bool) -> None:
    from deidlab.web.settings import RULES_ONLY

    if settings.tokens.warning:
        tell(f"warning: {settings.tokens.warning}")
    if not settings.is_local and settings.tls_certificate is None:
        tell("warning: without TLS notes and tokens travel in the open (--tls-cert, --tls-key, or a proxy)")
    if desk.reasons is None and settings.models[0].name == RULES_ONLY:
        tell("no model: rules and lists alone find less than a model does (--model FOLDER)", quiet)


def name_reviewer(reviewer: str | None) -> str:
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
