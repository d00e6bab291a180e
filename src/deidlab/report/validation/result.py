"""A protocol and its readers' verdicts in, the result out: bounds, what was found, agreement, what lacks.

Two kinds of bound stand side by side. The one of fixed size (Clopper and Pearson's, by stratum) holds for the
whole planned sample, looked at once. The sequential one holds at every look. Which of them counts is said.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import deidlab
from deidlab.evaluate.kappa import cohen_kappa
from deidlab.evaluate.sequential import ReadSample, prior_for
from deidlab.evaluate.stratified import Counted, believable_count, believable_total
from deidlab.report.validation.protocol import Protocol, digest_of
from deidlab.report.validation.verdicts import Leak, NoteVerdict, counted_prefix, cross_table

KIND, LAYOUT = "deidlab validation result", 1


def assess(protocol: Protocol, verdicts: Sequence[NoteVerdict], looks: Sequence[int] = ()) -> dict[str, Any]:
    """The whole result as JSON has it; `looks` are how many notes counted when somebody looked before."""
    counted = counted_prefix(verdicts, protocol.readers)
    n_read = sum(each.is_read(protocol.readers) for each in verdicts)
    fixed = len(counted) == protocol.planned and all(look == protocol.planned for look in looks)
    overall = _bound_notes(protocol, counted, None, protocol.wanted.notes, fixed)
    strata = [
        {"stratum": each.name, "planned": each.sample}
        | _bound_notes(protocol, counted, number, protocol.wanted.stratum_notes, fixed)
        for number, each in enumerate(protocol.strata)
    ]
    words = _bound_words(protocol, counted)
    answers = [part["reached"] for part in (overall, words, *strata) if part["wanted"] is not None]
    table = {
        "kind": KIND,
        "layout": LAYOUT,
        "protocol": protocol.digest,
        "run": dict(protocol.run),
        "wanted": asdict(protocol.wanted),
        "planned": protocol.planned,
        "counted": len(counted),
        "out_of_turn": n_read - len(counted),
        "looks_before": len(looks),
        "bound": "fixed" if fixed else "sequential",
        "reached": all(answers),
        "overall": overall,
        "words": words,
        "strata": strata,
        "found": _found(counted),
        "agreement": _agreement(counted),
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "deidlab": deidlab.__version__,
    }
    return {**table, "digest": digest_of(table)}


def _bound_notes(
    protocol: Protocol, counted: Sequence[NoteVerdict], stratum: int | None, wanted: float | None, fixed: bool
) -> dict[str, Any]:
    """Bounds on the share of notes with a leak, in a stratum or, with None, in all."""
    chosen = range(len(protocol.strata)) if stratum is None else [stratum]
    mine = [each for each in counted if each.stratum in chosen]
    sizes = [protocol.strata[number].notes for number in chosen]
    confidence, whole = protocol.wanted.confidence, sum(sizes)
    read = [(chosen.index(each.stratum), float(bool(each.final))) for each in mine]
    sample = ReadSample(tuple(sizes), read, prior_for(wanted or protocol.wanted.prior_share))
    at_most = math.floor(sample.highest_total(confidence) + 1e-9)
    at_least = math.ceil(sample.lowest_total(confidence) - 1e-9)
    table = [
        Counted(
            sum(bool(each.final) for each in mine if each.stratum == number),
            sum(each.stratum == number for each in mine),
            protocol.strata[number].notes,
        )
        for number in chosen
    ]
    by_count = believable_total if stratum is None else _of_one
    fixed_upper = min(by_count(table, confidence) / whole, 1.0) if fixed else None
    upper = at_most / whole if fixed_upper is None else fixed_upper
    reached = None if wanted is None else upper <= wanted
    leaking = sum(each.leaking for each in table)
    return {
        "notes": whole,
        "read": len(mine),
        "leaking": leaking,
        "share": leaking / len(mine) if mine else None,
        "fixed_upper": fixed_upper,
        "sequential_upper": at_most / whole,
        "sequential_lower": at_least / whole,
        "upper": upper,
        "wanted": wanted,
        "reached": reached,
        "more": _missing(sample, confidence, wanted, at_least) if reached is False else 0,
    }


def _of_one(table: Sequence[Counted], confidence: float) -> float:
    return float(believable_count(table[0], confidence))


def _missing(sample: ReadSample, confidence: float, wanted: float | None, at_least: float) -> int | None:
    """How many more notes would do if none of them leaks; None where no number would."""
    whole = sum(sample.sizes)
    if wanted is None or at_least > wanted * whole:
        return None
    read = Counter(stratum for stratum, _ in sample.read)

    def does(more: int) -> bool:
        rest = sum(size - read[number] for number, size in enumerate(sample.sizes))
        extra = [
            (number, 0.0)
            for number, size in enumerate(sample.sizes)
            for _ in range(min(math.ceil(more * (size - read[number]) / max(rest, 1)), size - read[number]))
        ]
        longer = ReadSample(sample.sizes, [*sample.read, *extra], sample.prior)
        return math.floor(longer.highest_total(confidence) + 1e-9) <= wanted * whole

    low, high = 0, 1
    while not does(high):
        if high > whole:
            return None
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if does(middle) else (middle, high)
    return high


def _bound_words(protocol: Protocol, counted: Sequence[NoteVerdict]) -> dict[str, Any]:
    """The bound on leaked words per thousand: notes count their leaked words, up to so many each."""
    wanted, a_note = protocol.wanted, protocol.words_a_note
    sizes = tuple(each.notes for each in protocol.strata)
    read = [(each.stratum, min(each.final.n_words / wanted.most_words, 1.0)) for each in counted]
    share = wanted.word_share(a_note)
    sample = ReadSample(sizes, read, prior_for(share))
    scale = 1000 * wanted.most_words / max(a_note, 1e-9) / sum(sizes)
    upper = min(sample.highest_total(wanted.confidence) * scale, 1000.0)
    asked = wanted.words_per_thousand
    reached = None if asked is None else upper <= asked
    at_least = sample.lowest_total(wanted.confidence)
    return {
        "leaked": sum(each.final.n_words for each in counted),
        "words_a_note": a_note,
        "most_words": wanted.most_words,
        "above_most": sum(each.final.n_words > wanted.most_words for each in counted),
        "upper": upper,
        "wanted": asked,
        "reached": reached,
        "more": _missing(sample, wanted.confidence, share, at_least) if reached is False else 0,
    }


def _found(counted: Sequence[NoteVerdict]) -> dict[str, Any]:
    """What leaked, by type and by reason."""
    words: Counter[str] = Counter()
    spans: Counter[str] = Counter()
    notes: Counter[str] = Counter()
    for each in counted:
        words.update(each.final.words)
        spans.update(each.final.spans)
        notes.update(each.final.spans.keys())
    reasons = Counter(each.final.reason or "not said" for each in counted if each.final)
    return {
        "by_type": [
            {"label": label, "notes": notes[label], "places": spans[label], "words": words[label]}
            for label in sorted(spans, key=lambda label: (-words[label], label))
        ],
        "by_reason": [{"reason": name, "notes": n} for name, n in reasons.most_common()],
    }


def _agreement(counted: Sequence[NoteVerdict]) -> dict[str, Any] | None:
    """How often two readers gave a note the same verdict; None where one read alone."""
    found = cross_table([each for each in counted if len(each.readings) > 1])
    if found is None:
        return None
    (one, other), table = found
    both = sum(table.values())
    same = sum(n for (left, right), n in table.items() if left == right)
    return {
        "one": one,
        "other": other,
        "notes": both,
        "same": same,
        "raw": same / both,
        "kappa": cohen_kappa(table),
        "only_one": table["leak", "no leak"],
        "only_other": table["no leak", "leak"],
        "both": table["leak", "leak"],
        "settled": sum(each.settled is not None for each in counted),
        "open": sum(each.open for each in counted),
    }


def as_leak(spans: Sequence[tuple[str, int]], reason: str = "") -> Leak:
    """A verdict of leaked spans, each with its type and how many words it has."""
    words: Counter[str] = Counter()
    for label, n_words in spans:
        words[label] += n_words
    return Leak(dict(words), dict(Counter(label for label, _ in spans)), reason)
