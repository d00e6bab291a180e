"""A policy in; a table of what it does to each label out, with examples that were really masked by it."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib import resources

from deidlab.labels import load_label_set
from deidlab.mask import MaskSettings, Policy, Row, mask_notes
from deidlab.mask.codes import KEYED, RANDOM
from deidlab.mask.policy import Action
from deidlab.report.tables import Table, text_table
from deidlab.types import Document, Span

DEFAULT_ROW = "any other"
DERIVED = "codes, dates and names: derived from the data"
_NATIVE = "i2b2-2014"
_DOES: dict[Action, str] = {
    "mask": "masked",
    "keep": "stays",
    "year": "only the year stays",
    "over-89": "stays; over 89 it becomes 90+",
    "age-band": "becomes a band of years",
    "zip3": "the first three digits stay",
    "fsa": "the first three characters stay",
}
# Examples are the same each time: no secret depends on this key.
_KEY = b"what a policy does, by example.."


@dataclass(frozen=True, slots=True)
class Treatment:
    """What a policy does to one label."""

    label: str
    row: Row
    examples: tuple[tuple[str, str], ...]
    """What stood in a note, and what stands there afterwards."""

    @property
    def does(self) -> str:
        """In words."""
        parts = [_DOES[self.row.action]]
        if self.row.style:
            parts.append(f"always in the style {self.row.style}")
        if self.row.threshold is not None:
            parts.append(f"where at least {self.row.threshold:g} sure")
        elif self.row.recall is not None:
            parts.append(f"at the threshold that finds {self.row.recall:g} of it")
        return ", ".join(parts)


def treatments(policy: Policy, style: str) -> tuple[Treatment, ...]:
    """Every label of the i2b2 scheme, every other that the policy names, then all others."""
    labels = dict.fromkeys((*load_label_set(_NATIVE).labels, *policy.rows))
    found = [Treatment(label, policy.row(label), tuple(_masked(policy, style, label))) for label in labels]
    return (*found, Treatment(DEFAULT_ROW, policy.default, ()))


def _codes_row(policy: Policy) -> tuple[str, str, str, str, str]:
    does = {RANDOM: "drawn at random", KEYED: "made from the data with the key"}
    return "codes", does[policy.codes], "", "", policy.codes_clause


def _masked(policy: Policy, style: str, label: str) -> Iterator[tuple[str, str]]:
    settings = MaskSettings(policy, style, _KEY, codes=KEYED, accept_derived_codes=True)
    for number, example in enumerate(_examples().get(label, ()), 1):
        note = Document(f"{label} {number}", "", example, (Span(0, len(example), label),))
        yield example, mask_notes([note], settings)[0].text


@functools.cache
def _examples() -> dict[str, list[str]]:
    return tomllib.loads(resources.files("deidlab").joinpath("data", "examples.toml").read_text("utf-8"))


def policy_table(policy: Policy, style: str) -> Table:
    """A row a label: what happens, an example before and after, and the clause that asks for it."""
    rows = tuple(
        (
            each.label,
            each.does,
            " · ".join(before for before, _ in each.examples),
            " · ".join(after for _, after in each.examples),
            "; ".join(filter(None, (each.row.clause, each.row.note))),
        )
        for each in treatments(policy, style)
    )
    rows = (*rows, _codes_row(policy))
    columns = ("label", "what happens", "for example", f"becomes ({style})", "clause, and why")
    return text_table(f"{policy.name}: {policy.description}".rstrip(": "), columns, rows, len(columns))


def policies_table(policies: Iterable[Policy]) -> Table:
    """A row a policy: how many labels it masks, leaves in part, and leaves as they are."""
    rows = [(each.name, each.description, *_counts(each)) for each in policies]
    return text_table("", ("policy", "what for", "masks", "leaves in part", "leaves"), rows, 2)


def _counts(policy: Policy) -> tuple[int, int, int]:
    actions = [policy.row(label).action for label in load_label_set(_NATIVE).labels]
    masks, leaves = actions.count("mask"), actions.count("keep")
    return masks, len(actions) - masks - leaves, leaves


def policy_to_json(policy: Policy, style: str) -> dict[str, object]:
    """The same as `policy_table`, for programs."""
    return {
        "name": policy.name,
        "description": policy.description,
        "style": style,
        "codes": {"take": policy.codes, "clause": policy.codes_clause},
        "labels": [
            {
                "label": each.label,
                "action": each.row.action,
                "style": each.row.style,
                "threshold": each.row.threshold,
                "recall": each.row.recall,
                "examples": [{"before": before, "after": after} for before, after in each.examples],
                "clause": each.row.clause,
                "note": each.row.note,
            }
            for each in treatments(policy, style)
        ],
    }


def loosened(policy: Policy, parent: Policy) -> tuple[str, ...]:
    """Labels of which the policy leaves more than the other: all that a reader of a policy must look at."""
    labels = dict.fromkeys((*load_label_set(_NATIVE).labels, *parent.rows, *policy.rows))
    more = tuple(label for label in labels if _leaves(policy.row(label)) > _leaves(parent.row(label)))
    return (*more, DERIVED) if (parent.codes, policy.codes) == (RANDOM, KEYED) else more


def _leaves(row: Row) -> tuple[int, float]:
    """How much a row leaves: by what it does, then by how sure a span must be."""
    much = {"mask": 0, "keep": 2}.get(row.action, 1)
    return much, row.threshold or 0.0
