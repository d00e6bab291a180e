"""A protocol or a result in, its tables and what they say out: for the terminal and the page alike."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deidlab.report.tables import Table, columns_of, counted
from deidlab.report.validation.protocol import Protocol
from deidlab.report.validation.verdicts import REASONS

ALL = "all"


def plan_table(protocol: Protocol) -> Table:
    """What is to be read."""
    columns = columns_of(
        ("stratum", "stratum", "text"), ("notes", "notes", "count"), ("words", "words", "count"),
        ("sample", "to read", "count"), ("hours", "hours", "rate"),
    )  # fmt: skip
    rows = [(each.name, each.notes, each.words, each.sample, each.hours) for each in protocol.strata]
    if len(rows) > 1:
        sums = [sum(float(row[at]) for row in rows) for at in range(1, 5)]
        rows.append((ALL, int(sums[0]), int(sums[1]), int(sums[2]), sums[3]))
    return Table("What to read", columns, tuple(rows))


def say_wanted(wanted: Mapping[str, Any]) -> str:
    """The wanted bounds as a sentence has them."""
    said = []
    if wanted["notes"] is not None:
        said.append(f"at most {100 * wanted['notes']:.4g} % of all notes leak")
    if wanted["stratum_notes"] is not None:
        said.append(f"at most {100 * wanted['stratum_notes']:.4g} % of the notes of each stratum leak")
    if wanted["words_per_thousand"] is not None:
        words = wanted["words_per_thousand"]
        said.append(f"at most {words:.4g} {'word' if words == 1 else 'words'} in a thousand leak")
    together = ", and ".join(filter(None, (", ".join(said[:-1]), *said[-1:])))
    return f"{together} ({100 * wanted['confidence']:.4g} % sure)"


def result_tables(result: Mapping[str, Any]) -> list[Table]:
    """Bounds, what was found, and agreement; tables of nothing are left out."""
    tables = [bound_table(result), *_found_tables(result["found"])]
    if result["agreement"] is not None:
        tables.append(agreement_table(result["agreement"]))
    return [table for table in tables if table.rows]


def bound_table(result: Mapping[str, Any]) -> Table:
    """How many notes leak at most, by stratum and in all."""
    columns = columns_of(
        ("stratum", "stratum", "text"), ("notes", "notes", "count"), ("read", "read", "count"),
        ("leaking", "with a leak", "count"), ("share", "share"),
        ("fixed", "one look", "ratio", "at most"), ("sequential", "any look", "ratio", "at most"),
        ("wanted", "wanted"), ("reached", "reached", "flag"), ("more", "more to read", "count"),
    )  # fmt: skip
    parts = [(each["stratum"], each) for each in result["strata"]]
    rows = [
        *(parts if len(parts) > 1 or result["overall"]["wanted"] is None else []),
        (ALL, result["overall"]),
    ]
    return Table("Notes with a leak", columns, tuple(_bound_row(name, each) for name, each in rows))


def _bound_row(name: str, part: Mapping[str, Any]) -> tuple[Any, ...]:
    more = part["more"] if part["reached"] is False else None
    return (
        name, part["notes"], part["read"], part["leaking"], part["share"], part["fixed_upper"],
        part["sequential_upper"], part["wanted"], part["reached"], more,
    )  # fmt: skip


def _found_tables(found: Mapping[str, Any]) -> list[Table]:
    columns = columns_of(
        ("label", "type", "text"), ("notes", "notes", "count"), ("places", "places", "count"),
        ("words", "words", "count"),
    )  # fmt: skip
    rows = [(row["label"], row["notes"], row["places"], row["words"]) for row in found["by_type"]]
    why = columns_of(("reason", "why", "text"), ("notes", "notes", "count"))
    reasons = [(REASONS.get(row["reason"], row["reason"]), row["notes"]) for row in found["by_reason"]]
    return [Table("What leaked", columns, tuple(rows)), Table("Why it leaked", why, tuple(reasons))]


def agreement_table(agreement: Mapping[str, Any]) -> Table:
    """How far two readers agree on which notes leak."""
    columns = columns_of(
        ("readers", "readers", "text"), ("notes", "notes", "count"), ("raw", "the same verdict"),
        ("kappa", "kappa"), ("both", "leak to both", "count"), ("one", "to the first", "count", "leak only"),
        ("other", "to the second", "count", "leak only"), ("settled", "settled", "count"),
        ("open", "to settle", "count"),
    )  # fmt: skip
    row = (
        f"{agreement['one']} and {agreement['other']}", agreement["notes"], agreement["raw"],
        agreement["kappa"], agreement["both"], agreement["only_one"], agreement["only_other"],
        agreement["settled"], agreement["open"],
    )  # fmt: skip
    return Table("Agreement of the readers", columns, (row,))


def say_verdict(result: Mapping[str, Any]) -> str:
    """Whether what was wanted is shown, in a sentence."""
    wanted = say_wanted(result["wanted"])
    return f"Shown: {wanted}." if result["reached"] else f"Not shown: {wanted}."


def say_result(result: Mapping[str, Any]) -> list[str]:
    """What a reader of the tables must know, a line each."""
    lines = [say_verdict(result), _say_reading(result), _say_words(result) if result["counted"] else ""]
    left = max(result["planned"] - result["counted"], 0)
    parts = [("all notes", result["overall"], left), ("words", result["words"], left)]
    # The table says how many more a stratum needs; words say where no number would do.
    parts += [(each["stratum"], each, 0) for each in result["strata"] if each["more"] is None]
    lines += [f"{name}: {_say_missing(part, rest)}" for name, part, rest in parts if part["reached"] is False]
    if result["agreement"] and result["agreement"]["open"]:
        n = result["agreement"]["open"]
        lines.append(
            f"Readers differ on {counted(n, 'note')}: to be settled, and counted as leaking until then."
        )
    return [line for line in lines if line]


def _say_reading(result: Mapping[str, Any]) -> str:
    said = f"Read: {result['counted']:,} of {result['planned']:,} planned notes."
    if result["out_of_turn"]:
        said += (
            f" {result['out_of_turn']:,} more were read before their turn, and count once the gap is closed."
        )
    if result["bound"] == "fixed":
        return f"{said} The whole sample was read before anybody looked: the bound of one look counts."
    return f"{said} The bound that holds at every look counts."


def _say_words(result: Mapping[str, Any]) -> str:
    words = result["words"]
    sure = f"{100 * result['wanted']['confidence']:.4g} % sure"
    said = (
        f"Leaked words: {words['leaked']:,}; at most {words['upper']:.3g} in a thousand ({sure}), where a "
        f"note counts {words['most_words']} at most"
    )
    above = words["above_most"]
    return f"{said} ({counted(above, 'note')} had more)." if above else f"{said}."


def _say_missing(part: Mapping[str, Any], left: int) -> str:
    """What would reach the bound; `left` are the planned notes that are still to be read."""
    if part["more"] is None:
        return "so many leaks were found that this bound cannot be reached."
    said = f"{counted(part['more'], 'more note')} without a leak would reach the bound"
    beyond = part["more"] - left
    if beyond <= 0:
        return f"{said}; {left:,} planned ones are left."
    rest = (
        f"the {left:,} planned that are left, and {beyond:,} beyond these" if left else "beyond those planned"
    )
    return f"{said}: {rest} (validate read --more)."
