"""The surrogates, a file a kind: a span's text in, a realistic other one out.

Every module of this package is loaded, and registers what it holds for its labels: a new kind is a new file.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from deidlab.mask.mention import Mention
from deidlab.mask.shapes import new_number
from deidlab.mask.surrogate import SURROGATES, Surrogate

for _module in sorted(each.name for each in pkgutil.iter_modules(__path__)):
    import_module(f"{__name__}.{_module}")


def new_text(mention: Mention) -> str:
    """Another text for a span; the same one only where its kind says that it may stay."""
    surrogate = SURROGATES.get(mention.base, _OTHER)
    if not surrogate.of_signs and not any(c.isalnum() for c in mention.text):
        new = mention.tag()
    else:
        new = surrogate.make(mention)
    digest = mention.plan.mention
    return new if surrogate.may_stay or digest(new) != digest(mention.text) else mention.tag()


def _make_other(mention: Mention) -> str:
    """For a label that has no surrogate of its own: digits are drawn anew, and words alone become a tag."""
    has_digits = any(c.isdecimal() for c in mention.text)
    return new_number(mention.stream, mention.text) if has_digits else mention.tag()


_OTHER = Surrogate((), _make_other)
