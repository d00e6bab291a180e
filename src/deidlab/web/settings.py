"""What a server is told: where it listens, which models it holds, who may ask, and how much."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import ClassVar

from deidlab import languages
from deidlab.errors import ConfigError
from deidlab.mask import MaskSettings, Policy, known_policies, load_policy
from deidlab.mask.codes import KEYED, RANDOM
from deidlab.mask.crosswalk import CrosswalkPlace
from deidlab.mask.keys import check_key, random_key
from deidlab.mask.styles import find_style
from deidlab.models import DEFAULT, HOME
from deidlab.options import option
from deidlab.pipeline.settings import Finding
from deidlab.web.proxies import NO_PROXIES, Proxies
from deidlab.web.tokens import Tokens

RULES_ONLY = "rules"
EMBEDDED = DEFAULT
LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A way of finding PHI under the name by which requests ask for it.

    `language` is that of its notes, where it has one; it tells how dates are written, for requests that do
    not say.
    """

    name: str
    finding: Finding
    description: str = ""
    language: str = ""

    @property
    def day_first(self) -> bool:
        return languages.of(self.language).day_first


@dataclass(frozen=True, slots=True)
class Limits:
    """What one client, and all together, may ask for.

    `body_bytes` bounds a request, and a line of a batch; `request_seconds` the time from its first byte to
    its answer; `note_seconds` what a worker may take over one note; `requests` those under way at once, and
    `batches` those of them that are streams. A stream that does not move for `stall_seconds` is closed, and
    holds at most `batch_bytes` in memory. Whoever has shown no token may have `strangers` connections and
    requests at once, half of them from one address, and each must be over in `stranger_seconds` and have at
    most `stranger_bytes`; none of them counts among the `requests`.
    """

    GROUP: ClassVar[str] = "Limits"

    body_bytes: int = option(
        4 * 1024 * 1024,
        "--max-bytes",
        min=1024,
        help="The largest request, and the longest line of a batch, in bytes.",
    )
    request_seconds: float = option(
        60.0, "--max-seconds", min=0.1, help="The longest time that a request may take."
    )
    note_seconds: float = 30.0
    requests: int = option(
        256, "--max-requests", min=1, help="The most requests that may be in progress at once."
    )
    batches: int = 64
    stall_seconds: float = 60.0
    batch_bytes: int = 8 * 1024 * 1024
    drain_seconds: int = option(
        300,
        min=1,
        help="How many seconds requests in progress may take to finish when the server is stopped.",
    )
    strangers: int = 512
    stranger_seconds: float = 10.0
    stranger_bytes: int = 8 * 1024

    def __post_init__(self) -> None:
        for each in fields(self):
            if getattr(self, each.name) <= 0:
                raise ConfigError(f"the limit {each.name} must be above 0")


@dataclass(frozen=True, slots=True)
class ServedCodes:
    """How codes are made: as was said, else as the policy of a request says.

    Without a `crosswalk`, codes that are drawn hold for one request.
    """

    said: str | None = None
    accepted: bool = False
    crosswalk: CrosswalkPlace | None = None

    def check(self, policy: Policy) -> None:
        """Raise where the policy that masks by default does not go with what was said."""
        MaskSettings(policy, codes=self.said, accept_derived_codes=self.accepted)
        if self.said == KEYED and self.crosswalk is not None:
            raise ConfigError("a crosswalk keeps codes that are drawn, and --codes keyed draws none")

    def chosen(self, policy: Policy) -> str | None:
        """The kind of codes for a request with that policy; derived ones only where they are accepted."""
        if self.crosswalk is not None:
            return RANDOM
        refused = self.said == KEYED and policy.codes == RANDOM and not self.accepted
        return None if refused else self.said


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """All that decides a server. The first of `models` answers where a request names none.

    Without tokens anyone on this machine may ask, and nobody else: listening elsewhere needs `tokens`.
    `reviewer` is who is asking where there are no tokens. `hosts` are further names by which browsers may
    call this server. `policies` are those of your own, by name, beside the shipped ones. `proxies` let other
    machines in, and are believed when they say for whom they ask.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    models: tuple[ServedModel, ...] = ()
    key: bytes = field(default_factory=random_key, repr=False)
    tokens: Tokens = field(default_factory=Tokens, repr=False)
    hosts: tuple[str, ...] = ()
    proxies: Proxies = NO_PROXIES
    reviewer: str = "local"
    style: str = "tag"
    policy: str = "i2b2"
    policies: tuple[Policy, ...] = ()
    codes: ServedCodes = field(default_factory=ServedCodes)
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    access_log: Path | None = None
    tls_certificate: Path | None = None
    tls_key: Path | None = None

    def __post_init__(self) -> None:
        check_key(self.key)
        if not self.models:
            object.__setattr__(self, "models", default_models())
        names = [model.name for model in self.models]
        if len(set(names)) < len(names):
            raise ConfigError("two models have the same name; write --model NAME=FOLDER")
        find_style(self.style)
        self.codes.check(self.find_policy(self.policy))
        if self.workers < 1:
            raise ConfigError("at least one worker is needed")
        if not self.is_local and not self.tokens:
            raise ConfigError(
                f"listening on {self.host} lets other machines in, which needs a token: write one with "
                "--token-file FILE --add-reviewer NAME, or set DEIDLAB_TOKEN"
            )
        if self.proxies and not self.tokens:
            raise ConfigError(
                "a proxy lets other machines in, which needs a token: write one with --token-file FILE "
                "--add-reviewer NAME, or set DEIDLAB_TOKEN"
            )
        if (self.tls_certificate is None) != (self.tls_key is None):
            raise ConfigError("TLS needs both a certificate and its key")

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_loopback(self.host)

    def find_model(self, name: str | None) -> ServedModel:
        """The model of that name, or the first."""
        if name is None:
            return self.models[0]
        for model in self.models:
            if model.name == name:
                return model
        # The name is not repeated: it comes from outside, and may be anything.
        raise ConfigError(f"unknown model; known: {', '.join(model.name for model in self.models)}")

    def find_policy(self, name: str) -> Policy:
        """A policy of your own, or a shipped one; never a file, whatever the name."""
        for policy in self.policies:
            if policy.name == name:
                return policy
        if name in known_policies():
            return load_policy(name)
        raise ConfigError(f"unknown policy; known: {', '.join(self.policy_names())}")

    def policy_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*(policy.name for policy in self.policies), *known_policies())))


def is_loopback(host: str) -> bool:
    """Whether an address to listen on is reached from this machine alone."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def has_embedded_model(name: str = EMBEDDED) -> bool:
    """Whether the package carries the model of that name."""
    return (HOME / name / "export.json").is_file()


def rules_only() -> ServedModel:
    """The rules and lists without a model."""
    return ServedModel(RULES_ONLY, Finding(None, "only"), "rules and lists alone, without a model")


def default_models() -> tuple[ServedModel, ...]:
    """The embedded model where there is one, and the rules alone."""
    if not has_embedded_model():
        return (rules_only(),)
    finding = Finding(EMBEDDED)
    language = finding.find_language()
    said = f"the embedded {languages.of(language).name} model, with rules"
    embedded = ServedModel(EMBEDDED, finding, said, language)
    return (embedded, rules_only())
