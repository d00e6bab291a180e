"""A language or a corpus is named in its own folder, in data, and in the table that lists what ships."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import deidlab
from deidlab import conventions, languages

SOURCE = Path(deidlab.__file__).parent
TABLES = {SOURCE / "languages" / "__init__.py", SOURCE / "conventions" / "__init__.py"}
MODULES = sorted(SOURCE.rglob("*.py"))


def modules_outside(*folders: Path) -> list[Path]:
    own = [*TABLES, *(module for folder in folders for module in folder.rglob("*.py"))]
    assert len(own) > len(TABLES), "the folder has moved"
    return [module for module in MODULES if module not in own]


def strings_of(module: Path) -> set[str]:
    """Strings that stand for themselves: in a list of words a language's code may be a word of another."""
    tree = ast.parse(module.read_text("utf-8"))
    lists = [node for node in ast.walk(tree) if isinstance(node, (ast.Tuple, ast.List, ast.Set, ast.Dict))]
    compared = {
        id(side) for node in ast.walk(tree) if isinstance(node, ast.Compare) for side in node.comparators
    }
    words = {
        id(child)
        for node in lists
        if id(node) not in compared
        for child in ast.iter_child_nodes(node)
        if isinstance(child, ast.Constant)
    }
    return {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in words
    }


def test_codes_in_comparisons_are_seen_and_words_in_lists_are_not(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "if code == 'aa' or code in ('bb', 'cc') or find('dd'):\n    WORDS = ('ee', 'ff')\n", "utf-8"
    )
    assert strings_of(module) == {"aa", "bb", "cc", "dd"}


@pytest.mark.parametrize("code", languages.SHIPPED)
def test_no_module_compares_codes_of_languages(code: str) -> None:
    outside = modules_outside(SOURCE / "languages" / code)
    assert [module.relative_to(SOURCE) for module in outside if code in strings_of(module)] == []


@pytest.mark.parametrize("code", [code for code in languages.SHIPPED if code != languages.FIRST])
def test_a_language_is_named_in_its_folder_alone(code: str) -> None:
    # A corpus may say in words in which language its notes are.
    outside = modules_outside(SOURCE / "languages" / code, SOURCE / "conventions")
    name = re.compile(re.escape(languages.find(code).name), re.IGNORECASE)
    assert [module.relative_to(SOURCE) for module in outside if name.search(module.read_text("utf-8"))] == []


@pytest.mark.parametrize("name", conventions.SHIPPED)
def test_a_corpus_with_conventions_is_named_in_its_folder_alone(name: str) -> None:
    outside = modules_outside(SOURCE / "conventions" / name)
    word = re.compile(re.escape(name), re.IGNORECASE)
    assert [module.relative_to(SOURCE) for module in outside if word.search(module.read_text("utf-8"))] == []


def test_every_folder_is_listed() -> None:
    for package, listed in ((languages, languages.SHIPPED), (conventions, conventions.SHIPPED)):
        folders = {path.parent.name for path in Path(str(package.__file__)).parent.glob("*/__init__.py")}
        assert folders == set(listed)
