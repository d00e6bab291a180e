"""Only a format's own file knows its name and its endings: the rest of the house asks the format."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import deidlab
from deidlab.corpus.format import ALIASES, FORMATS

SOURCE = Path(deidlab.__file__).parent
OWN = SOURCE / "corpus" / "formats"
# These are words for other things too: a label set, a key of a record, any JSON, a tagger of somebody else.
WORDS = {*FORMATS, *ALIASES, *(suffix for each in FORMATS.values() for suffix in each.all_suffixes)} - {
    "text",
    "i2b2-2014",
    ".json",
    "spacy",
}
# These speak of other files than a corpus's: tables of known identifiers, of people, of a database; reports in
# several forms; evidence that was given. What is enclosed in a record is named by its kind.
OTHERS = {
    SOURCE / "detect" / "known.py",
    SOURCE / "report" / "figures.py",
    SOURCE / "report" / "study" / "files.py",
    SOURCE / "cli" / "params.py",
    SOURCE / "cli" / "output.py",
    SOURCE / "cli" / "utility.py",
    SOURCE / "carriers" / "enclosed.py",
    SOURCE / "corpus" / "tables" / "folder.py",
    SOURCE / "report" / "dossier" / "evidence.py",
    SOURCE / "report" / "dossier" / "page.py",
    SOURCE / "report" / "risk" / "reading.py",
}


def compared(module: Path) -> Iterator[tuple[int, str]]:
    """Names and endings that something is compared with, asked to end in, or looked up by."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        sides: list[ast.AST] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            sides = list(node.args) if node.func.attr in ("endswith", "removesuffix") else []
        elif isinstance(node, ast.Dict):
            sides = [key for key in node.keys if key is not None]
        for side in sides:
            for leaf in ast.walk(side):
                if isinstance(leaf, ast.Constant) and leaf.value in WORDS:
                    yield leaf.lineno, str(leaf.value)


def test_comparisons_are_seen(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("a == 'csv'\nb in ('x', '.ann')\nc.endswith('.txt')\nd = {'brat': 1}\ne('jsonl')\n")
    assert [word for _, word in compared(module)] == ["csv", ".ann", ".txt", "brat"]


def test_no_module_compares_names_or_endings_of_formats() -> None:
    modules = [each for each in SOURCE.rglob("*.py") if OWN not in each.parents and each not in OTHERS]
    assert len(modules) > 400, "the folder has moved"
    found = [f"{module.relative_to(SOURCE)}:{line}: {word}" for module in modules
             for line, word in compared(module)]  # fmt: skip
    assert found == []
