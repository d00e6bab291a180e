"""A small container of every format that has its notes in containers, with a name to look for in it."""

from __future__ import annotations

from tests.unit.carriers.letters import letter, paragraph

DERIVED = ("--codes", "keyed", "--accept-derived-codes")
"""What a policy that asks for random codes needs to be repeated with a key file alone."""
NAME = "Quillfeather"
SAMPLES: dict[str, bytes] = {
    "docx": letter(paragraph(f"Seen by Dr. {NAME} on 3/14.")),
    "hl7v2": (
        f"MSH|^~\\&|LAB\rPID|1||778^^^^MR||{NAME}^ZEBULON\rOBX|1|TX|X^REPORT||Seen by Dr. {NAME} on 3/14.\r"
    ).encode(),
    "fhir": f'{{"resourceType": "Patient", "id": "778", "name": [{{"family": "{NAME}"}}]}}'.encode(),
    "fhir-ndjson": f'{{"resourceType": "Patient", "id": "778", "name": [{{"family": "{NAME}"}}]}}\n'.encode(),
}
