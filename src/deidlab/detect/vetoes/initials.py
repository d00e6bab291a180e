"""Text and a span in, what stands around it out: whether it may be initials, or a part of more."""

from __future__ import annotations

import re

from deidlab.types import Span

_SIGNED_BEFORE = re.compile(
    r"(?:\b(?:by|signed|attn|initials|from|dr|drs|mr|mrs|ms|prof|par|por|firmado|fdo|signé|dictated|typed|entered|"
    r"author|cosigned|nurse)\.?|\w*(?:name|alias|nombre|nom|last|first)\w*[:=]|//|--)[\s:.]*$",
    re.IGNORECASE,
)
_DEGREES = "MD|RN|NP|PA|DO|LPN|CNA|RT|PT|OT|PharmD|RPh|PGY"
_ENDS_LINE = re.compile(
    rf"[.)\]]?[ \t]*(?:\n|$)|[ \t]?(?:,? ?(?:{_DEGREES})\b|\d{{4}}\b)"
    r"|[/:][a-zA-Z]{2,4}\d{0,3}\s*(?:\n|$)|,? ?\d{1,2}[/-]?(?:\d|[A-Z]{3})"
)
_APART_BEFORE = re.compile(r"(?:[.!?)\]]|(?<![wcWC])/|--?|–|—|[ \t]{2}|\n|\t|\||^)[ \t]*$|:$")
_DID = re.compile(r"\b(?:\w+ed|sent|done|seen|told|spoke|met|gave|took|left),? $")
_LONGEST = 4
_CAPITALISED_BEFORE = re.compile(r"[A-ZÀ-Þ][\w.'’&-]* $")
_CAPITALISED_AFTER = re.compile(r"[ -][A-ZÀ-Þ]")


def are_initials(text: str, span: Span) -> bool:
    """Whether a few letters follow `by` or a title, or end a line apart from the rest, or have a degree."""
    before = text[max(span.start - 16, 0) : span.start]
    if _SIGNED_BEFORE.search(before):
        return True
    value = text[span.start : span.end]
    if len(value) > _LONGEST or not value.replace(".", "").isalpha():
        return False
    ends = _ENDS_LINE.match(text, span.end)
    if span.start == 0 or ends is None:
        return False
    return _APART_BEFORE.search(before) is not None or _DID.search(before) is not None


def has_capitals_beside(text: str, span: Span) -> bool:
    """Whether a capitalised word stands before or behind, of which the span may be the head or the tail."""
    before = _CAPITALISED_BEFORE.search(text[max(span.start - 24, 0) : span.start])
    return before is not None or _CAPITALISED_AFTER.match(text, span.end) is not None


def is_part(text: str, span: Span) -> bool:
    """Whether the span begins or ends inside a word."""
    return (span.start > 0 and text[span.start - 1].isalnum()) or text[span.end : span.end + 1].isalnum()
