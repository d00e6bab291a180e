"""A time as HL7 writes it (20640314093000-0500) as a piece: the day alone, as notes write dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from deidlab.carriers.carrier import Piece, Removed, Slot

_DATE = re.compile(r"(\d{4})(\d{2})?(\d{2})?((?:\d{2}){0,3}(?:\.\d{1,6})?)([+-]\d{4})?")
_NEW_DATE = re.compile(r"\d{4}(?:-\d{2}){0,2}")


def hl7_date_slots(
    old: str, put: Callable[[str], None], removed: Removed, caption: str = ""
) -> Iterator[Slot]:
    """Its time of day and zone go with the day, or not at all; nothing is put where no date stands."""
    match = _DATE.fullmatch(old)
    if match is None:
        removed["dates that are none"] += 1
        put("")
        return
    year, month, day, time, zone = match.groups(default="")
    written = "-".join(filter(None, (year, month, day)))

    def put_date(new: str) -> None:
        if new == written:
            return
        whole = len(new) == len(written) == len("2064-03-14")
        put((new.replace("-", "") + (time + zone if whole else "")) if _NEW_DATE.fullmatch(new) else "")

    yield Slot(Piece(written, "DATE", caption), put_date)
