"""Annotations of a source in, those that may stand in what is shared out.

Labels and sources are words that somebody typed: a reviewer's name (`review:ada`) or, in a file that is not
what it seems to be, a piece of a note. Masked notes, records and audits get words of a fixed set.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from deidlab.labels import is_shipped_label
from deidlab.mask.policy import Policy
from deidlab.mask.surrogate import SURROGATES
from deidlab.types import Span

_KINDS = frozenset(("rules", "model", "known", "echo", "deny", "review"))
_OTHER_KIND, _OTHER_LABEL = "other", "OTHER"


def shareable(spans: Iterable[Span], policy: Policy) -> tuple[Span, ...]:
    """The same spans, of each source only its kind; a label that nobody has vouched for becomes OTHER."""
    return tuple(_shareable(span, policy) for span in spans)


def is_foreign(label: str, policy: Policy) -> bool:
    """Whether no shipped set of labels and no row of the policy has it, and no surrogate is made for it."""
    return not (is_shipped_label(label) or label in SURROGATES or label in policy.rows)


def _shareable(span: Span, policy: Policy) -> Span:
    label = _OTHER_LABEL if is_foreign(span.label, policy) else span.label
    kind = span.source.partition(":")[0]
    kind = kind if kind in _KINDS or not kind else _OTHER_KIND
    return span if (label, kind) == (span.label, span.source) else replace(span, label=label, source=kind)
