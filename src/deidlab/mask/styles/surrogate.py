"""A realistic other text in place of a span; a plain tag where none can be made."""

from __future__ import annotations

from deidlab.mask.mention import Mention
from deidlab.mask.style import Style, register
from deidlab.mask.surrogates import new_text

STYLE = register(Style("surrogate", new_text, Mention.tag, is_realistic=True))
