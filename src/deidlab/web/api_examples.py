"""The examples of the OpenAPI description: invented notes, and what the rules make of them."""

from __future__ import annotations

from typing import Any

from fastapi.openapi.models import Example

NOTE = "Seen on 3/14/2071 by Dr. Ilse Verhoeven. BP 120/80."
_DATE: dict[str, Any] = {"start": 8, "end": 17, "label": "DATE", "score": 0.97, "source": "rules:date"}
_DOCTOR: dict[str, Any] = {"start": 25, "end": 39, "label": "DOCTOR", "score": 0.95, "source": "rules:name"}

DETECT: dict[str, Example] = {
    "a note": {"value": {"text": NOTE}},
    "with the certainty of every word": {"value": {"text": NOTE, "id": "n1", "words": True}},
}
MASK: dict[str, Example] = {
    "a note": {"value": {"text": NOTE}},
    "surrogates, the same for a patient": {
        "value": {"text": NOTE, "patient": "p7", "style": "surrogate", "policy": "safe-harbor"}
    },
    "spans that people marked": {
        "value": {"text": NOTE, "spans": [{"start": 8, "end": 17, "label": "DATE"}]}
    },
}
DETECTED = {"id": "note", "patient": "note-5d1f0c2a9b7e4386", "model": "rules", "spans": [_DATE, _DOCTOR]}
MASKED = {
    "id": "note",
    "patient": "note-5d1f0c2a9b7e4386",
    "text": "Seen on [DATE-1] by Dr. [DOCTOR-1]. BP 120/80.",
    "model": "rules",
    "style": "tag",
    "policy": "i2b2",
    "replacements": [
        {**_DATE, "masked_start": 8, "masked_end": 16},
        {**_DOCTOR, "masked_start": 24, "masked_end": 34},
    ],
}
LINES_IN = '{"id": "a", "patient": "p7", "text": "Seen on 3/14/2071."}\n{"id": "b", "text": "BP 120/80."}\n'
LINES_OUT = (
    '{"id":"a","patient":"p7","text":"Seen on [DATE-1].","model":"rules","style":"tag","policy":"i2b2",'
    '"replacements":[{"start":8,"end":17,"label":"DATE","score":0.97,"source":"rules:date",'
    '"masked_start":8,"masked_end":16}]}\n'
    '{"id":"b","patient":"b","text":"BP 120/80.","model":"rules","style":"tag","policy":"i2b2",'
    '"replacements":[]}\n'
)


FHIR_EXAMPLE: dict[str, Any] = {
    "resourceType": "Observation",
    "id": "o1",
    "status": "final",
    "code": {"text": "Sleep"},
    "subject": {"reference": "Patient/p7"},
    "effectiveDateTime": "2071-03-14T08:15:00-05:00",
    "note": [{"text": "Seen by Dr. Ilse Verhoeven. BP 120/80."}],
}
FHIR_PARAMETERS: dict[str, Any] = {
    "resourceType": "Parameters",
    "parameter": [
        {"name": "resource", "resource": {"resourceType": "Patient", "id": "p7", "birthDate": "2011-03-05"}}
    ],
}
FHIR_MASKED: dict[str, Any] = {
    "resourceType": "Observation",
    "id": "q3v1m8",
    "status": "final",
    "code": {"text": "Sleep"},
    "subject": {"reference": "Patient/h5k9c2"},
    "effectiveDateTime": "2071-01-02T08:15:00-05:00",
    "note": [{"text": "Seen by Dr. Ruth Calloway. BP 120/80."}],
}


def answering(example: object) -> dict[int | str, dict[str, Any]]:
    """A 200 with that example."""
    return {200: {"content": {"application/json": {"example": example}}}}
