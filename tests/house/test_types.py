"""Parameters say what they take: `Any` stays rare where work is trained and handed out."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src" / "deidlab"
MOST = 0.10


def _parameters(package: str) -> Iterator[bool]:
    """For every annotated parameter of a package whether `Any` is in its annotation."""
    for path in sorted((SRC / package).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                    if each.annotation is not None:
                        yield any(
                            isinstance(n, ast.Name) and n.id == "Any" for n in ast.walk(each.annotation)
                        )


@pytest.mark.parametrize("package", ["train", "execute"])
def test_any_stands_in_at_most_a_tenth_of_the_parameters(package: str) -> None:
    found = list(_parameters(package))
    assert len(found) > 100
    assert sum(found) / len(found) <= MOST
