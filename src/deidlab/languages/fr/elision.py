"""What stands before a surrogate in, what should stand there out: de Paul, d'Isabelle; qu'Isabelle."""

from __future__ import annotations

import re

from deidlab.banks import fold

_SHORT = re.compile(r"(?<![\w'’])(d|qu|lorsqu|puisqu|quoiqu|jusqu)(['’])$", re.IGNORECASE)
_LONG = re.compile(r"(?<![\w'’-])(d|qu|lorsqu|puisqu|quoiqu)e $", re.IGNORECASE)
# A written h is silent in these; before others in h nothing is mended.
_SILENT = re.compile(r"h(?:el|en|erve|ermi|ub|onor|ort|ipp|yac|ila|ect|ippo|yeres|uguette)")


def join(before: str, new: str) -> tuple[int, str]:
    """How many characters before a surrogate go, and what stands there instead."""
    start = fold(new[:8])
    voiced = start[:1] in "aeiou" or _SILENT.match(start) is not None
    if (short := _SHORT.search(before)) is not None:
        if voiced or start[:1] == "h":
            return 0, ""
        e = "E" if short[1].isupper() and len(short[1]) > 1 else "e"
        return len(short[0]), f"{short[1]}{e} "
    long = _LONG.search(before) if voiced else None
    return (len(long[0]), f"{long[1]}'") if long is not None else (0, "")
