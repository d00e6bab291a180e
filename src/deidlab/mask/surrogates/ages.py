"""Ages: those over 89 become 90, all others may stay."""

from __future__ import annotations

from deidlab.mask.ages import cap_age, is_plain_age
from deidlab.mask.mention import Mention
from deidlab.mask.surrogate import Surrogate, register


def make(mention: Mention) -> str:
    return cap_age(mention.text, "90") if is_plain_age(mention.text) else mention.tag()


SURROGATE = register(Surrogate(("AGE",), make, may_stay=True))
