"""How what was found is masked, and with which secret."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from deidlab import languages
from deidlab.cli.mask_secrets import find_key
from deidlab.cli.options.declaring import without
from deidlab.mask.policy import load_policy
from deidlab.mask.settings import MaskSettings
from deidlab.options import COMMON, option


@dataclass(frozen=True, slots=True)
class KeyOption:
    key_file: Path | None = option(
        None,
        metavar="FILE",
        envvar="DEIDLAB_KEY_FILE",
        help="The secret that decides surrogates and pseudonyms; `deidlab key new` writes one.",
        group=COMMON,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class MaskingOptions:
    """How to mask: a policy, a style, a secret."""

    GROUP: ClassVar[str] = "Masking"

    how: MaskSettings
    policy: str = option(
        "i2b2",
        metavar="NAME|FILE",
        help="What is masked: safe-harbor, i2b2, limited-dataset, gdpr, phipa, or a TOML file of your own.",
        group=COMMON,
    )
    key: KeyOption

    def settings(self, language: str, quiet: bool) -> tuple[MaskSettings, bool]:
        """How to mask notes of a language, and whether that can be repeated."""
        policy = load_policy(self.policy)
        key, repeatable = find_key(self.key.key_file, quiet)
        day_first = self.how.day_first or languages.of(language).day_first
        settings = replace(self.how, policy=policy, key=key, day_first=day_first, language=language)
        return settings, repeatable


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedMaskingOptions:
    """How to mask where each request may say it otherwise."""

    GROUP: ClassVar[str] = "Masking"

    how: Annotated[MaskSettings, without("redact_mark", "day_first")]
    policy: str = option(
        "i2b2", metavar="NAME", help="The policy that masks, where a request names none.", group=COMMON
    )
    policy_file: tuple[Path, ...] = option(
        (), metavar="FILE.toml", help="A policy of your own that can be named. Repeatable."
    )
    key: KeyOption

    @property
    def style(self) -> str:
        return self.how.style
