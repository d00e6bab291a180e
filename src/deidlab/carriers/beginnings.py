"""The first bytes of a file in; whether it may be of a kind that has a carrier.

Every file of notes is asked, so no carrier is loaded to tell.
"""

from __future__ import annotations

import re

_FHIR = re.compile(rb'"resourceType"\s*:\s*"[A-Z]')
_CCDA = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?ClinicalDocument[\s>]")
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]", re.I)


def is_fhir(head: bytes) -> bool:
    return head.startswith(b"{") and _FHIR.search(head) is not None


def is_ccda(head: bytes) -> bool:
    """In whatever encoding."""
    plain = head.replace(b"\0", b"")
    return _CCDA.search(plain) is not None and b"urn:hl7-org:v3" in plain


def is_html(head: bytes) -> bool:
    return _HTML.search(head.replace(b"\0", b"")[:1024]) is not None


def is_docx(head: bytes) -> bool:
    """A zip whose first entry is of an office package."""
    return head.startswith(b"PK\x03\x04") and (b"[Content_Types].xml" in head or b"word/" in head)


def is_hl7v2(head: bytes) -> bool:
    return (
        head.lstrip(b"\x0b")[:3] in (b"MSH", b"FHS", b"BHS")
        and head[3:4].isascii()
        and not head[3:4].isalnum()
    )


def is_rtf(head: bytes) -> bool:
    return head.startswith(b"{\\rtf")
