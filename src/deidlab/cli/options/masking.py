"""How what was found is masked, and with which secret."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, ClassVar

from deidlab import languages
from deidlab.cli.mask_secrets import find_key
from deidlab.cli.options.declaring import without
from deidlab.errors import ConfigError, UsageError
from deidlab.mask.codes import KEYED, RANDOM
from deidlab.mask.crosswalk import Crosswalk, CrosswalkPlace
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


@dataclass(frozen=True, slots=True)
class CrosswalkOption(KeyOption):
    """The secret, and where codes are kept that were drawn."""

    crosswalk: Path | None = option(
        None,
        metavar="FILE",
        help="Draw codes at random and keep them in this file, sealed with the key file; `deidlab crosswalk "
        "new` makes one. The same patient then keeps code, offset and names in later runs.",
        group="Masking",
    )
    project: str = option(
        "", metavar="NAME", help="The project that the crosswalk was made for.", group="Masking"
    )

    def open_crosswalk(self) -> Crosswalk | None:
        """The crosswalk that was named; anything wrong with it ends the command."""
        from deidlab.cli.output import tell

        place = self.place()
        found = None if place is None else place.open()
        if found and found.warning:
            tell(f"warning: {found.warning}")
        return found

    def place(self) -> CrosswalkPlace | None:
        """Where it is, with what opens it."""
        from deidlab.mask.keys import read_key

        if self.crosswalk is None:
            if self.project:
                raise UsageError("--project names that of a crosswalk: add --crosswalk FILE")
            return None
        if self.key_file is None:
            raise UsageError("a crosswalk is sealed with a key file: add --key-file FILE")
        return CrosswalkPlace(self.crosswalk, read_key(self.key_file).key, self.project)


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
    key: CrosswalkOption

    def settings(self, language: str, quiet: bool) -> tuple[MaskSettings, bool]:
        """How to mask notes of a language, and whether that can be repeated."""
        policy = load_policy(self.policy)
        crosswalk = self.key.open_crosswalk()
        key, repeatable = find_key(self.key.key_file, quiet)
        day_first = self.how.day_first or languages.of(language).day_first
        how = replace(self.how, policy=policy, key=key, day_first=day_first, language=language)
        return with_crosswalk(how, crosswalk), repeatable


def with_crosswalk(settings: MaskSettings, crosswalk: Crosswalk | None) -> MaskSettings:
    """The same with codes that are drawn into the crosswalk, whose own key is then the run's."""
    if crosswalk is None:
        return settings
    if settings.codes == KEYED:
        raise UsageError(
            "--crosswalk keeps codes that are drawn, and --codes keyed draws none: leave one out"
        )
    return replace(settings, codes=RANDOM, key=crosswalk.key, crosswalk=crosswalk)


def refuse_unkept(settings: MaskSettings, repeatable: bool, key_file: Path | None) -> None:
    """Raise where codes that are drawn would be lost to somebody who names a key file, and so counts on
    finding them again."""
    if not repeatable or not settings.draws or settings.crosswalk is not None:
        return
    why = f" ({settings.policy.codes_clause})" if settings.policy.codes_clause else ""
    raise ConfigError(
        f"random codes{why} need a file to be kept in: make one with `deidlab crosswalk new codes.xwalk "
        f"--key-file {key_file}` and add --crosswalk codes.xwalk; without --key-file they are drawn for this "
        "run alone; --codes keyed --accept-derived-codes derives them from the data"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewMaskingOptions:
    """How to mask where each request may say it otherwise, and nothing is written."""

    GROUP: ClassVar[str] = "Masking"

    how: Annotated[MaskSettings, without("redact_mark", "day_first", "codes", "accept_derived_codes")]
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedMaskingOptions(PreviewMaskingOptions):
    """The same where what is masked goes out."""

    how: Annotated[MaskSettings, without("redact_mark", "day_first")]
    key: CrosswalkOption
