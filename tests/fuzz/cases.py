"""A number in, the case of that number done, and the rules that it broke out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.fuzz.case import Case
from tests.fuzz.databases import mask_into_table, mask_table
from tests.fuzz.local_commands import local_command
from tests.fuzz.masking import mask_files
from tests.fuzz.postgres import mask_postgres
from tests.fuzz.running import fresh_room
from tests.fuzz.service import ask_service
from tests.fuzz.streams import mask_stream

SEED = 20
FAMILIES: tuple[tuple[int, Callable[[Case], None]], ...] = (
    (46, mask_files),
    (5, mask_stream),
    (8, mask_table),
    (4, mask_into_table),
    (1, mask_postgres),
    (17, local_command),
    (20, ask_service),
)


def do_case(number: int, base: Path, seed: int = SEED) -> Case:
    """The case of that number, done in a folder of its own below `base`."""
    weights, families = zip(*FAMILIES, strict=True)
    family = Random(f"{seed}/{number}/family").choices(families, weights)[0]
    with fresh_room(base, f"case-{number}") as room:
        case = Case(number, seed, room)
        case.tell(family.__name__)
        family(case)
    return case
