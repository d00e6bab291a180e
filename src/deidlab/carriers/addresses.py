"""An address of any kind (tel:, mailto:, a page) as a piece, by what it is an address of."""

from __future__ import annotations

import re
from collections.abc import Callable

from deidlab.carriers.carrier import Piece, Slot

_LABELS = {
    "mailto": "EMAIL", "fax": "FAX", "x-text-fax": "FAX", "tel": "PHONE", "sms": "PHONE", "modem": "PHONE",
    "callto": "PHONE",
}  # fmt: skip
_SKIPPED = re.compile(r"[\x00-\x1f]")
_FITTING = re.compile(r"[!#-;=?-Z_a-z~ ]+")


def address_slot(value: str, otherwise: str, put: Callable[[str], None]) -> Slot:
    """The address behind its scheme; nothing is put where no address stands.

    `otherwise` is the PHI type of one without a scheme. What stands behind a ? goes, such as the subject of
    a mail.
    """
    # As browsers read it, who skip these.
    value = _SKIPPED.sub("", value).strip()
    scheme, colon, rest = value.partition(":")
    label = _LABELS.get(scheme.lower(), "URL" if "//" in rest else otherwise)
    before, old = (f"{scheme}:", rest) if colon and scheme.lower() in _LABELS else ("", value)
    shown = old.split("?", 1)[0]

    def put_address(new: str) -> None:
        if new == shown == old:
            return
        put(f"{before}{new}" if _FITTING.fullmatch(new) else "")

    return Slot(Piece(shown, label), put_address)
