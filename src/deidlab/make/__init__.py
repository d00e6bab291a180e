"""Notes made for training: a grammar of our own, and text that others have masked, filled again.

`make_notes` writes new ones; `choose_source` also fills notes that hold masks or no identifiers, and
writes notes of any language that has a grammar of its own.
"""

from __future__ import annotations

from deidlab.make.notes import make_notes
from deidlab.make.sources import choose_source

__all__ = ["choose_source", "make_notes"]
