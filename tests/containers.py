"""A small container of every format that has its notes in containers, with a name to look for in it."""

from __future__ import annotations

from tests.unit.carriers import ccda_samples
from tests.unit.carriers.letters import letter, paragraph
from tests.unit.carriers.pdfs import pdf, text

DERIVED = ("--codes", "keyed", "--accept-derived-codes")
"""What a policy that asks for random codes needs to be repeated with a key file alone."""
NAME = "Quillfeather"
SAMPLES: dict[str, bytes] = {
    "docx": letter(paragraph(f"Seen by Dr. {NAME} on 3/14.")),
    "pdf": pdf(text(f"Seen by Dr. {NAME} on 3/14.")),
    "rtf": rf"{{\rtf1\ansi Seen by Dr. {NAME} on 3/14.}}".encode(),
    "hl7v2": (
        f"MSH|^~\\&|LAB\rPID|1||778^^^^MR||{NAME}^ZEBULON\rOBX|1|TX|X^REPORT||Seen by Dr. {NAME} on 3/14.\r"
    ).encode(),
    "fhir": f'{{"resourceType": "Patient", "id": "778", "name": [{{"family": "{NAME}"}}]}}'.encode(),
    "fhir-ndjson": f'{{"resourceType": "Patient", "id": "778", "name": [{{"family": "{NAME}"}}]}}\n'.encode(),
    "ccda": ccda_samples.document(f"<title>Seen by Dr. {NAME} on 3/14.</title>"),
    "html": f"<!DOCTYPE html><html><body><p>Seen by Dr. <b>{NAME}</b> on 3/14.</p></body></html>".encode(),
}
