"""The label and a number in place of a span: the same text of a patient has the same number."""

from __future__ import annotations

from deidlab.mask.mention import Mention
from deidlab.mask.style import Style, register
from deidlab.mask.tag import tag


def write(mention: Mention) -> str:
    return tag(mention.span.label, mention.number)


STYLE = register(Style("tag", write))
