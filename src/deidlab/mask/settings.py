"""What a masking run was asked to do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from deidlab.errors import ConfigError
from deidlab.mask.codes import CODES, KEYED, RANDOM
from deidlab.mask.crosswalk import Crosswalk
from deidlab.mask.keys import check_key, random_key
from deidlab.mask.policy import Policy, load_policy
from deidlab.mask.styles import find_style, known_styles
from deidlab.options import COMMON, left_out, option


@dataclass(frozen=True, slots=True)
class MaskSettings:
    """Without a key a random one is made, and the run cannot be repeated.

    `redact_mark` replaces a whole span in the redact style; None gives blocks of the span's own length.
    `day_first` reads 3/4/2064 as the third of April. `language` is that of the notes, from which new names,
    places and words are drawn: a code of `deidlab.languages`; without it the labels tell, or it is English.
    With codes of several (`en+es`) each note tells its own, and one of a language that puts the day first is
    read so.
    """

    GROUP: ClassVar[str] = "Masking"

    policy: Policy = field(default_factory=lambda: load_policy("i2b2"))
    style: str = option(
        "tag",
        choices=known_styles(),
        help="What PHI is replaced by: blocks, numbered tags, or invented names and shifted dates.",
        group=COMMON,
    )
    key: bytes = field(
        default_factory=random_key,
        repr=False,
        metadata=left_out("what tells runs apart is a digest under this key"),
    )
    redact_mark: str | None = option(
        None,
        metavar="TEXT",
        help="With --style redact: put this in place of every span, not blocks of its length.",
    )
    day_first: bool = option(False, help="Read 3/4/2064 as the third of April.")
    language: str = ""
    codes: str | None = option(
        None,
        choices=CODES,
        help="Codes, date offsets and new names from the key and the data, or drawn at random (--crosswalk "
        "keeps those) [default: as the policy says].",
    )
    accept_derived_codes: bool = option(
        False,
        help="Take keyed codes with a policy that asks for codes which are not derived from the person.",
    )
    crosswalk: Crosswalk | None = field(
        default=None, repr=False, metadata=left_out("its own key is the run's, which tells runs apart")
    )

    @property
    def draws(self) -> bool:
        """Whether codes are drawn at random, and not made from the data."""
        return (self.codes or self.policy.codes) == RANDOM

    @property
    def invents(self) -> bool:
        """Whether any label becomes something invented, for which choices are made."""
        rows = (*self.policy.rows.values(), self.policy.default)
        styles = {row.style or self.style for row in rows if row.action == "mask"}
        return any(find_style(style).is_realistic for style in styles)

    def __post_init__(self) -> None:
        find_style(self.style)
        check_key(self.key)
        if self.codes == KEYED and self.policy.codes == RANDOM and not self.accept_derived_codes:
            raise ConfigError(
                f"policy {self.policy.name} takes random codes: keyed ones are derived from information "
                f"about the individual ({self.policy.codes_clause}); leave out --codes keyed, or say "
                "--accept-derived-codes"
            )
        if self.redact_mark is not None and not self.redact_mark.strip():
            raise ConfigError("redact_mark must show something: a mark such as ___ or [REDACTED]")
