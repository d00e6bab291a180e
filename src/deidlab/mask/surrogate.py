"""What a surrogate is: a maker of other text for some labels. A file of `surrogates/` registers each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from deidlab.errors import ConfigError
from deidlab.mask.mention import Mention

Maker = Callable[[Mention], str]


@dataclass(frozen=True, slots=True)
class Surrogate:
    """One kind of surrogate; its labels are of this house's own scheme, and those of others follow them.

    `may_stay` tells that what it makes may be the same text again, such as an age that need not change;
    `of_signs` that it makes something of text without a letter or a digit too.
    """

    labels: tuple[str, ...]
    make: Maker
    may_stay: bool = False
    of_signs: bool = False


SURROGATES: dict[str, Surrogate] = {}
"""The surrogate of each label, as the files register them."""


def register(surrogate: Surrogate) -> Surrogate:
    """Make a surrogate known; a label for which another is made is refused."""
    for label in surrogate.labels:
        if label in SURROGATES:
            raise ConfigError(f"label {label}: another surrogate is made for it; a label has one")
    SURROGATES.update(dict.fromkeys(surrogate.labels, surrogate))
    return surrogate


def forget(surrogate: Surrogate) -> None:
    """Undo `register`."""
    for label in surrogate.labels:
        del SURROGATES[label]
