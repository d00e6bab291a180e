"""A class's name stands for one thing in its layer, and no module waits for one that waits for it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import deidlab

SOURCE = Path(deidlab.__file__).parent
PACKAGES = sorted(path.parent.name for path in SOURCE.glob("*/__init__.py"))


def classes_of(package: Path) -> dict[str, list[str]]:
    """Where the classes of a package are defined, by their names."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for module in sorted(package.rglob("*.py")):
        for node in ast.parse(module.read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module.relative_to(package).as_posix())
    return found


def imports_of(module: Path) -> Iterator[str]:
    """All that a module imports anywhere in it, for types alone too."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def name_of(module: Path, root: Path) -> str:
    parts = module.relative_to(root.parent.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def cycles_of(package: Path) -> list[tuple[str, ...]]:
    """The modules of a package that wait for each other; its front door, which others come in by, aside."""
    front = package / "__init__.py"
    modules = {name_of(each, package): each for each in package.rglob("*.py") if each != front}
    waits = {name: modules.keys() & set(imports_of(path)) - {name} for name, path in modules.items()}
    reached = {name: _reach(name, waits) for name in modules}
    rings = (tuple(sorted(each for each in reached[name] if name in reached[each])) for name in modules)
    return sorted({ring for ring in rings if ring})


def _reach(name: str, waits: dict[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = list(waits[name])
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += waits[each]
    return found


def test_names_and_cycles_are_seen(tmp_path: Path) -> None:
    package = tmp_path / "house" / "room"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "a.py").write_text("class Chair: ...\nif x:\n    from house.room.b import Table\n")
    (package / "b.py").write_text("def f():\n    from house.room import a\nclass Chair: ...\n")
    (package / "c.py").write_text("from house.room import a\n")
    assert classes_of(package) == {"Chair": ["a.py", "b.py"]}
    assert cycles_of(package) == [("house.room.a", "house.room.b")]


@pytest.mark.parametrize("package", PACKAGES)
def test_a_name_is_defined_once_in_its_layer(package: str) -> None:
    assert {name: places for name, places in classes_of(SOURCE / package).items() if len(places) > 1} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_no_module_waits_for_one_that_waits_for_it(package: str) -> None:
    assert cycles_of(SOURCE / package) == []
