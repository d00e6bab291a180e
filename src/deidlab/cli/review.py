"""`deidlab review CORPUS`."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from deidlab.cli import language_options as tongues
from deidlab.cli import mask_options as options
from deidlab.cli import review_options as own
from deidlab.cli import serve as serving
from deidlab.cli.corpus.options import (
    Encoding,
    From,
    IdColumn,
    Overwrite,
    PatientColumn,
    TextColumn,
    read_settings,
)
from deidlab.cli.output import AsJson, Quiet, print_json, tell
from deidlab.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from deidlab.pipeline.settings import Finding
    from deidlab.web.review import ReviewDesk
    from deidlab.web.review_load import LoadSettings
    from deidlab.web.settings import ServedModel, ServeSettings
    from deidlab.web.store import ReviewStore


def review(
    corpus: own.Corpus,
    store: own.Store = None,
    detect: own.Detect = None,
    twice: own.Twice = 0.0,
    compare: own.Compare = None,
    load_only: own.LoadOnly = False,
    reviewer: own.Reviewer = None,
    export: own.Export = None,
    to: own.To = None,
    part: own.Part = "done",
    by: own.By = "",
    overwrite: Overwrite = False,
    agreement: own.Agree = False,
    model: serving.Models = None,
    rules: options.Rules = "on",
    language: tongues.Language = None,
    without_rule: tongues.WithoutRule = None,
    threshold: options.Threshold = None,
    known: options.Known = None,
    allow: options.Allow = None,
    deny: options.Deny = None,
    style: options.Style = "tag",
    policy: Annotated[str, typer.Option(metavar="NAME", help="Policy of the masked text.")] = "i2b2",
    policy_file: serving.PolicyFile = None,
    key_file: options.KeyFile = None,
    patient_from: options.PatientFrom = None,
    from_: From = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    host: serving.Host = "127.0.0.1",
    port: serving.Port = 8000,
    token_file: serving.TokenFile = None,
    allow_host: serving.AllowHost = None,
    access_log: serving.Log = None,
    tls_cert: serving.Certificate = None,
    tls_key: serving.CertificateKey = None,
    workers: options.Workers = 0,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Look at what was found, and correct it, in the browser.

    Decisions are kept at once, in one private file. Give the same command again to go on where you were.
    The corpus itself is never changed: `--export` writes the reviewed notes, which `deidlab train` takes.

    Example: deidlab review notes/ --key-file site.key
    """
    given = dict(locals())
    _check_extra()
    path = store or _usual_store(corpus)
    if export is not None or agreement:
        _answer_from_store(path, given)
        return
    settings, load, compared = _read_options(given)
    desk = _prepare(path, load, settings.models[0], compared, quiet)
    if not load_only:
        _serve(settings, desk, quiet)


def _answer_from_store(path: Path, given: dict[str, Any]) -> None:
    """What `--export` and `--agreement` ask of a store that is there."""
    if given["export"] is not None:
        how = (given[name] for name in ("export", "to", "part", "by", "overwrite", "as_json", "quiet"))
        _export(_open_existing(path), *how)
    if given["agreement"]:
        _print_agreement(_open_existing(path), given["as_json"])


def _usual_store(corpus: Path) -> Path:
    if corpus == options.DASH:
        raise ConfigError("a review needs a file or folder: it is read again whenever you go on")
    whole = corpus.resolve()
    return (
        corpus.with_name(f"{corpus.name}.review") if corpus.name else whole.with_name(f"{whole.name}.review")
    )


def _read_options(given: dict[str, Any]) -> tuple[ServeSettings, LoadSettings, tuple[ServedModel, ...]]:
    """What the options ask for: how to serve, what to load, and which models to compare."""
    from deidlab.cli.mask_secrets import find_key
    from deidlab.pipeline.settings import Finding, SourceSettings
    from deidlab.web.choosing import choose_models, read_policies
    from deidlab.web.review_load import LoadSettings
    from deidlab.web.settings import ServeSettings
    from deidlab.web.tokens import find_tokens

    finding = Finding(
        model=None,
        **{name: given[name] for name in ("rules", "known", "allow", "deny", "threshold")},
        language=tongues.check_language(given["language"]),
        without_rules=tuple(given["without_rule"] or ()),
    )
    models = choose_models(given["model"] or [], finding)
    tongues.check_rules(given["without_rule"], *(each.language for each in models))
    settings = ServeSettings(
        models=models,
        key=find_key(given["key_file"], quiet=True)[0],
        tokens=find_tokens(given["token_file"]),
        hosts=tuple(given["allow_host"] or ()),
        reviewer=_name_of(given["reviewer"]),
        policies=read_policies(given["policy_file"] or []),
        tls_certificate=given["tls_cert"],
        **{name: given[name] for name in ("host", "port", "style", "policy", "access_log", "tls_key")},
    )
    reading = read_settings(
        *(given[name] for name in ("encoding", "text_column", "id_column", "patient_column"))
    )
    source = SourceSettings(given["corpus"], given["from_"], reading, given["patient_from"])
    workers = options.count_workers(given["workers"])
    load = LoadSettings(source, models[0].finding, given["detect"], given["twice"], workers)
    return settings, load, _choose_compared(given["compare"] or [], finding)


def _check_extra() -> None:
    try:
        import fastapi  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError:
        raise MissingExtraError("the review page", "serve") from None


def _choose_compared(asked: list[str], finding: Finding) -> tuple[ServedModel, ...]:
    """The retrained models by name; unlike a server's, rules alone are there only when asked for."""
    from dataclasses import replace

    from deidlab.web.choosing import choose_models
    from deidlab.web.settings import RULES_ONLY

    if not asked:
        return ()
    # `--rules only` is about the first marks; a model that is compared has to be run.
    rules = "on" if finding.rules == "only" else finding.rules
    chosen = choose_models(asked, replace(finding, rules=rules))
    return tuple(model for model in chosen if model.name != RULES_ONLY or RULES_ONLY in asked)


def _prepare(
    path: Path, load: LoadSettings, model: ServedModel, compared: tuple[ServedModel, ...], quiet: bool
) -> ReviewDesk:
    """The corpus in the store, retrained models run over it: what takes time, before the page is there."""
    from deidlab.cli.mask_progress import watching
    from deidlab.pipeline.io.opening import open_source
    from deidlab.web.review import ReviewDesk
    from deidlab.web.review_changes import fingerprint_of, propose
    from deidlab.web.review_load import load_review
    from deidlab.web.store import ReviewStore

    store = ReviewStore(path)
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
    tell(f"decisions are kept in {path}", quiet)
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


def _export(
    store: ReviewStore,
    destination: Path,
    to: str | None,
    part: str,
    by: str,
    overwrite: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    from deidlab.corpus.files import private_files
    from deidlab.corpus.formats import format_to_write
    from deidlab.web.review_export import export_review

    format = format_to_write(destination, to, "i2b2").name
    with private_files():  # what is exported is notes, with all that stands in them
        report = export_review(store, destination, format, part, by, overwrite)
    if as_json:
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
