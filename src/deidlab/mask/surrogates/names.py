"""Names of patients and clinicians: the patient's plan knows who is meant, and who they are now."""

from __future__ import annotations

from deidlab.mask.mention import Mention
from deidlab.mask.surrogate import Surrogate, register


def make(mention: Mention) -> str:
    return mention.plan.names.replace(mention.span.label, mention.text, mention.language)


SURROGATE = register(Surrogate(("PATIENT", "DOCTOR"), make, of_signs=True))
