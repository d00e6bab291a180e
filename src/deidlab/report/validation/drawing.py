"""A masking run and what is wanted in, the protocol out: strata, sizes, the order of reading, the profile."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import deidlab
from deidlab.errors import ConfigError
from deidlab.report.audit.record import RunRecord
from deidlab.report.validation.planning import draw_order, plan_sizes, planned_strata
from deidlab.report.validation.profile import build_profile
from deidlab.report.validation.protocol import Protocol, Wanted
from deidlab.report.validation.strata import OTHER, Seen, digest_run, look_at, merge_rare

STOPPING = (
    "Read the notes in the order of the protocol. The bound may be looked at as often as wanted: it counts "
    "notes read without a gap from the first, and holds at every look together. Stop when the wanted bounds "
    "are reached, when every planned note is read, or when the lower bound shows that they cannot be reached."
)
STOPPING_FIXED = (
    "Read every planned note, then look once. Whoever looks before gets the bound that holds at every look."
)


@dataclass(frozen=True, slots=True)
class PlanSettings:
    """How to plan: what share of notes is expected to leak, who reads, and how fast."""

    expect: float
    readers: int
    looks: bool
    words_per_minute: int
    by: tuple[str, ...]
    seed: int


def plan_validation(record: RunRecord, wanted: Wanted, plan: PlanSettings) -> Protocol:
    """The protocol for a run; all of its masked notes are counted for it."""
    _check(wanted, plan)
    seen = sorted(look_at(record, plan.by), key=lambda each: each.name)
    if not seen:
        raise ConfigError("the run masked no note: there is nothing to validate")
    names = merge_rare(Counter(each.stratum for each in seen))
    members: dict[str, list[int]] = defaultdict(list)
    for place, each in enumerate(seen):
        members[names[each.stratum]].append(place)
    order = sorted(members, key=lambda name: (name == OTHER, -len(members[name]), name))
    rows = [(name, len(members[name]), sum(seen[at].n_words for at in members[name])) for name in order]
    sizes = plan_sizes([row[1] for row in rows], [row[2] for row in rows], wanted, plan.expect, plan.looks)
    digest = digest_run(seen)
    drawn, planned = draw_order([members[name] for name in order], sizes, f"{plan.seed} {digest}")
    strata = planned_strata(rows, sizes, plan.readers, plan.words_per_minute)
    return Protocol(
        wanted, plan.readers, plan.looks, plan.by, strata, planned, drawn,
        run=_describe_run(record, seen, digest), profile=build_profile(seen, names),
        facts=_facts(plan),
    )  # fmt: skip


def _check(wanted: Wanted, plan: PlanSettings) -> None:
    if wanted.notes is wanted.words_per_thousand is wanted.stratum_notes is None:
        raise ConfigError("say which bound is wanted: --bound, --words or --stratum-bound")
    bounds = [each for each in (wanted.notes, wanted.stratum_notes) if each is not None]
    if any(plan.expect >= bound for bound in bounds):
        raise ConfigError(
            "--expect must lie below the bound: what leaks as often cannot be shown to leak less"
        )


def _describe_run(record: RunRecord, seen: Sequence[Seen], digest: str) -> dict[str, Any]:
    settings = record.settings
    return {
        "notes": len(seen),
        "digest": digest,
        "finished": record.facts["finished"],
        "versions": dict(record.facts["versions"]),
        "policy": settings.get("policy"),
        "style": settings.get("style"),
    }


def _facts(plan: PlanSettings) -> dict[str, Any]:
    return {
        "stopping": STOPPING if plan.looks else STOPPING_FIXED,
        "expected_share": plan.expect,
        "words_per_minute": plan.words_per_minute,
        "seed": plan.seed,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "deidlab": deidlab.__version__,
    }
