"""`deidlab serve`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from deidlab.cli import language_options as tongues
from deidlab.cli import mask_options as options
from deidlab.cli.output import Quiet, tell
from deidlab.languages import MODELLED

if TYPE_CHECKING:
    from deidlab.mask.policy import Style as StyleName
    from deidlab.web.settings import ServeSettings

Host = Annotated[
    str,
    typer.Option(help="Where to listen. Anything but this machine itself needs a token."),
]
Port = Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes a free one.")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="|".join((*MODELLED, "FOLDER", "NAME=FOLDER")),
        help="A model to hold; repeatable. The first answers where a request names none. Rules alone are "
        f"always there, as 'rules'. [default: {MODELLED[0]} where it is embedded, else rules]",
    ),
]
TokenFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        envvar="DEIDLAB_TOKEN_FILE",
        help="Reviewers and their tokens, a 'NAME TOKEN' a line; one token can be in DEIDLAB_TOKEN instead.",
    ),
]
AddReviewer = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Make a token for a reviewer, add it to --token-file, print it, and stop."
    ),
]
AllowHost = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="A further name by which browsers may call this server. Repeatable."),
]
PolicyFile = Annotated[
    list[Path] | None,
    typer.Option(metavar="FILE.toml", help="A policy of your own that requests can name. Repeatable."),
]
MostBytes = Annotated[
    int, typer.Option(min=1024, help="The most bytes of a request, and of a line of a batch.")
]
Seconds = Annotated[float, typer.Option(min=0.1, help="The most seconds that a request may take.")]
Concurrency = Annotated[int, typer.Option(min=1, help="The most requests under way at once.")]
Drain = Annotated[int, typer.Option(min=1, help="Seconds for what is under way when the server is stopped.")]
Log = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where the access log goes (mode 0600) [default: standard error]."),
]
Certificate = Annotated[Path | None, typer.Option(metavar="FILE", help="A TLS certificate (PEM).")]
CertificateKey = Annotated[Path | None, typer.Option(metavar="FILE", help="Its key (PEM).")]


def serve(
    host: Host = "127.0.0.1",
    port: Port = 8000,
    model: Models = None,
    rules: options.Rules = "on",
    language: tongues.Language = None,
    without_rule: tongues.WithoutRule = None,
    style: options.Style = "tag",
    policy: Annotated[str, typer.Option(metavar="NAME", help="Where a request names none.")] = "i2b2",
    policy_file: PolicyFile = None,
    key_file: options.KeyFile = None,
    known: options.Known = None,
    allow: options.Allow = None,
    deny: options.Deny = None,
    threshold: options.Threshold = None,
    token_file: TokenFile = None,
    add_reviewer: AddReviewer = None,
    allow_host: AllowHost = None,
    workers: options.Workers = 0,
    max_bytes: MostBytes = 4 * 1024 * 1024,
    max_seconds: Seconds = 60.0,
    max_requests: Concurrency = 256,
    drain_seconds: Drain = 300,
    access_log: Log = None,
    tls_cert: Certificate = None,
    tls_key: CertificateKey = None,
    quiet: Quiet = False,
) -> None:
    """Answer over HTTP: detect, mask and batch under /v1, and a page to try them on /.

    Only this machine can ask unless --host says otherwise, and then a token is needed. Models are loaded
    once, and requests of all clients share the workers. /docs describes the service. Ctrl-C, or SIGTERM,
    takes nothing new and finishes what is under way.

    Example: deidlab serve --model en --key-file site.key
    """
    _need_extra()
    from deidlab.cli.mask_secrets import find_key
    from deidlab.pipeline.settings import Finding
    from deidlab.web.app import create_app
    from deidlab.web.choosing import choose_models, read_policies
    from deidlab.web.running import serve as run_server
    from deidlab.web.settings import Limits, ServeSettings
    from deidlab.web.tokens import find_tokens

    if add_reviewer is not None:
        _add_reviewer(token_file, add_reviewer, quiet)
        return
    key, lasting = find_key(key_file, quiet=True)
    code = tongues.check_language(language)
    finding = Finding(
        None, rules, known, allow, deny, threshold, language=code, without_rules=tuple(without_rule or ())
    )
    models = choose_models(model or [], finding)
    tongues.check_rules(without_rule, *(each.language for each in models))
    settings = ServeSettings(
        host, port, models, key,
        find_tokens(token_file), tuple(allow_host or ()), style=cast("StyleName", style), policy=policy,
        policies=read_policies(policy_file or []), workers=options.count_workers(workers),
        limits=Limits(max_bytes, max_seconds, max_seconds / 2, max_requests, drain_seconds=drain_seconds),
        access_log=access_log, tls_certificate=tls_cert, tls_key=tls_key,
    )  # fmt: skip
    _warn(settings, lasting, quiet)
    run_server(create_app(settings), settings, lambda message: tell(message, quiet))


def _need_extra() -> None:
    from importlib.util import find_spec

    from deidlab.errors import MissingExtraError

    if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "httptools", "prometheus_client")):
        raise MissingExtraError("the service", "serve")


def _add_reviewer(token_file: Path | None, name: str, quiet: bool) -> None:
    from deidlab.errors import ConfigError
    from deidlab.web.tokens import add_token

    if token_file is None:
        raise ConfigError("say where tokens are kept: --token-file FILE")
    typer.echo(add_token(token_file, name))
    tell(f"added {name} to {token_file}; the token is shown only now", quiet)


def _warn(settings: ServeSettings, lasting: bool, quiet: bool) -> None:
    """What the one who starts a server should know; secrets at stake are told even to the quiet."""
    from deidlab.web.settings import RULES_ONLY

    if settings.tokens.warning:
        tell(f"warning: {settings.tokens.warning}")
    if not settings.is_local and settings.tls_certificate is None:
        tell(
            "warning: without TLS notes and tokens travel in the open; use --tls-cert and --tls-key, or a "
            "proxy that has them"
        )
    if not lasting:
        tell("no key file: surrogates and pseudonyms will be others when the server is started again", quiet)
    if settings.models[0].name == RULES_ONLY:
        tell("no model: rules and lists alone find less than a model does (--model FOLDER)", quiet)
