"""A result as JSON has it in, one web page out that needs nothing else and holds no word of a note."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from deidlab.report.pages import Card, render_page, show_minute
from deidlab.report.tables import Table, show_value, text_table
from deidlab.report.validation.tables import (
    agreement_table,
    bound_table,
    result_tables,
    say_result,
    say_verdict,
)


def result_to_html(result: Mapping[str, Any]) -> str:
    """The whole page."""
    return render_page(
        "validation.html",
        "Validation of masked notes",
        with_script=False,
        verdict=say_verdict(result),
        reached=result["reached"],
        cards=list(_cards(result)),
        sections=list(_sections(result)),
    )


def _cards(result: Mapping[str, Any]) -> Iterator[Card]:
    overall, agreement = result["overall"], result["agreement"]
    yield Card("notes read", f"{result['counted']:,}", f"of {result['planned']:,} planned")
    yield Card("with a leak", f"{overall['leaking']:,}", warns=overall["leaking"] > 0)
    yield Card(
        "notes with a leak, at most", show_value(overall["upper"], "ratio"), warns=overall["reached"] is False
    )
    words = result["words"]
    yield Card(
        "leaked words in a thousand, at most", f"{words['upper']:.3g}", warns=words["reached"] is False
    )
    if agreement is not None:
        kappa = show_value(agreement["kappa"], "ratio")
        yield Card("readers agree", f"{agreement['raw']:.1%}", f"kappa {kappa}", warns=agreement["open"] > 0)


def _sections(result: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"title": "Bounds", "said": say_result(result)[1:], "tables": [bound_table(result)], "nothing": ""}
    own = {bound_table(result).title, "Agreement of the readers"}
    found = [table for table in result_tables(result) if table.title not in own]
    none = "No leak." if result["counted"] else "No note has been read yet."
    yield {"title": "What was found", "said": [], "tables": found, "nothing": "" if found else none}
    if result["agreement"] is not None:
        said = [
            "Kappa is agreement beyond chance on whether a note leaks; – where chance explains all of it."
        ]
        tables = [agreement_table(result["agreement"])]
        yield {"title": "Agreement", "said": said, "tables": tables, "nothing": ""}
    yield {"title": "How to check this page", "said": [_how()], "tables": [_seals(result)], "nothing": ""}


def _how() -> str:
    return (
        "A seal is the SHA-256 of a file's JSON without its member 'digest', keys sorted, without spaces. "
        "The protocol was sealed before the first note was read."
    )


def _seals(result: Mapping[str, Any]) -> Table:
    run = result["run"]
    rows = [
        ("seal of the protocol", result["protocol"]),
        ("seal of this result", result["digest"]),
        ("digest of the masked notes", run["digest"]),
        ("masking finished", show_minute(run["finished"])),
        ("this result written", show_minute(result["written"])),
        ("DeidLab", result["deidlab"]),
    ]
    return text_table("Seals", ("what", "value"), rows, 2)
