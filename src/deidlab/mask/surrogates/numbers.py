"""Numbers that tell a person: other digits and letters in the same shape, check digits right."""

from __future__ import annotations

from deidlab.mask.mention import Mention
from deidlab.mask.shapes import new_number
from deidlab.mask.surrogate import Surrogate, register


def make(mention: Mention) -> str:
    text = mention.text
    # A plain word that was taken for a number: other letters would look like nothing at all.
    return (
        mention.tag() if text.islower() and text.isalpha() else new_number(mention.stream, text, mention.base)
    )


SURROGATE = register(
    Surrogate(
        (
            "SSN", "MEDICALRECORD", "HEALTHPLAN", "ACCOUNT", "LICENSE", "VEHICLE", "DEVICE", "BIOID", "IDNUM",
            "ROOM",
        ),
        make,
    )
)  # fmt: skip
