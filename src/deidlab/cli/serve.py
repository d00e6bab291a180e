"""`deidlab serve`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from deidlab.cli.options import option, takes_options
from deidlab.cli.options.engine import WorkersOption
from deidlab.cli.options.finding import check_finding
from deidlab.cli.options.masking import ServedMaskingOptions
from deidlab.cli.options.output import QuietOption
from deidlab.cli.options.serving import ModelsOptions, ServerOptions
from deidlab.cli.output import tell
from deidlab.web.settings import Limits

if TYPE_CHECKING:
    from deidlab.web.settings import ServeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """All that `serve` takes."""

    models: ModelsOptions
    masking: ServedMaskingOptions
    workers: WorkersOption
    server: ServerOptions
    add_reviewer: str | None = option(
        None,
        metavar="NAME",
        help="Make a token for a reviewer, add it to --token-file, print it, and stop.",
        group=ServerOptions.GROUP,
    )
    limits: Limits
    answer: QuietOption


@takes_options
def serve(options: ServeOptions) -> None:
    """Answer over HTTP: detect, mask and batch under /v1, and a page to try them on /.

    Only this machine can ask unless --host says otherwise, and then a token is needed. Models are loaded
    once, and requests of all clients share the workers. /docs describes the service. Ctrl-C, or SIGTERM,
    takes nothing new and finishes what is under way.

    Example: deidlab serve --model en --key-file site.key
    """
    _need_extra()
    from deidlab.web.app import create_app
    from deidlab.web.running import serve as run_server

    quiet = options.answer.quiet
    if options.add_reviewer is not None:
        _add_reviewer(options.server.token_file, options.add_reviewer, quiet)
        return
    settings, lasting = _settings(options)
    _warn(settings, lasting, quiet)
    run_server(create_app(settings), settings, lambda message: tell(message, quiet))


def _settings(options: ServeOptions) -> tuple[ServeSettings, bool]:
    """What the server is told, and whether its key outlives it."""
    from deidlab.cli.mask_secrets import find_key
    from deidlab.web.choosing import choose_models, read_policies
    from deidlab.web.proxies import read_proxies
    from deidlab.web.settings import ServedCodes, ServeSettings
    from deidlab.web.tokens import find_tokens

    server, masking, limits = options.server, options.masking, options.limits
    key, lasting = find_key(masking.key.key_file, quiet=True)
    masking.key.open_crosswalk()  # refused here, not in a worker
    models = choose_models(options.models.model, options.models.finding())
    check_finding(options.models.how, *(each.language for each in models))
    settings = ServeSettings(
        host=server.host,
        port=server.port,
        models=models,
        key=key,
        tokens=find_tokens(server.token_file),
        hosts=server.allow_host,
        proxies=read_proxies(server.trusted_proxy),
        style=masking.style,
        policy=masking.policy,
        policies=read_policies(masking.policy_file),
        codes=ServedCodes(masking.how.codes, masking.how.accept_derived_codes, masking.key.place()),
        workers=options.workers.count,
        limits=replace(limits, note_seconds=limits.request_seconds / 2),
        access_log=server.access_log,
        tls_certificate=server.tls_cert,
        tls_key=server.tls_key,
    )
    return settings, lasting


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
