"""Functions with many parameters: there may only be fewer of them, never more."""

from __future__ import annotations

import ast
from pathlib import Path

SRC = Path(__file__).parents[2] / "src"
MOST_PARAMETERS = 6
CEILING = 23  # lower it when there are fewer
HANDED_IN_WHOLE = ("cli", "pipeline")  # where a dataclass takes their place


def long_ones() -> list[tuple[str, str, int]]:
    """Every function with more than six parameters, `self` and `cls` aside: its file, its name, how many."""
    found = []
    for path in sorted(SRC.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                n = sum(each.arg not in ("self", "cls") for each in given)
                if n > MOST_PARAMETERS:
                    found.append((path.relative_to(SRC / "deidlab").as_posix(), node.name, n))
    return found


def test_functions_with_many_parameters_become_fewer() -> None:
    found = long_ones()
    assert len(found) <= CEILING, (
        f"{len(found)} functions have more than {MOST_PARAMETERS} parameters: {found}"
    )


def test_commands_and_journeys_take_dataclasses() -> None:
    assert [each for each in long_ones() if each[0].startswith(HANDED_IN_WHOLE)] == []
