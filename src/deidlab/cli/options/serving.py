"""Where a server listens, who may ask it, and which models it holds."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

from deidlab.cli.options.declaring import without
from deidlab.cli.options.engine import settle_device
from deidlab.languages import MODELLED
from deidlab.options import COMMON, option
from deidlab.pipeline.settings import Finding
from deidlab.systems.members import SYSTEM_FIELDS


@dataclass(frozen=True, slots=True)
class ServerOptions:
    GROUP: ClassVar[str] = "Server"

    host: str = option("127.0.0.1", help="Where to listen. Any address but this machine's own needs a token.")
    port: int = option(
        8000, min=0, max=65535, help="The port to listen on; 0 takes a free one.", group=COMMON
    )
    token_file: Path | None = option(
        None,
        metavar="FILE",
        envvar="DEIDLAB_TOKEN_FILE",
        help="Reviewers and their tokens, a line 'NAME TOKEN' for each; one token can be in DEIDLAB_TOKEN "
        "instead.",
    )
    allow_host: tuple[str, ...] = option(
        (), metavar="NAME", help="Another name by which browsers may reach this server. Repeatable."
    )
    trusted_proxy: tuple[str, ...] = option(
        (),
        metavar="ADDRESS",
        help="A proxy, or a network of them, whose X-Forwarded-For names the client for limits and log. "
        "Repeatable.",
    )
    access_log: Path | None = option(
        None, metavar="FILE", help="Where the access log goes (mode 0600) [default: standard error]."
    )
    tls_cert: Path | None = option(None, metavar="FILE", help="A TLS certificate (PEM).")
    tls_key: Path | None = option(None, metavar="FILE", help="Its key (PEM).")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsOptions:
    """Models to hold, and how PHI is found with each of them."""

    model: tuple[str, ...] = option(
        (),
        metavar="|".join((*MODELLED, "FOLDER", "NAME=FOLDER")),
        help="A model to hold; repeatable. The first answers where a request names none. Rules alone are "
        f"always there, as 'rules'. [default: {MODELLED[0]} where it is embedded, else rules]",
        group=COMMON,
    )
    how: Annotated[Finding, without("model", "how", "labels", *SYSTEM_FIELDS)]

    def finding(self) -> Finding:
        """How PHI is found, whichever the model."""
        return settle_device(self.how)
