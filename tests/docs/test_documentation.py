"""Every block of README and docs runs: ```console is typed and compared, ```python is executed.

In a console block a line `…` stands for any lines. Commands run as from the root of the repository, in a copy of
what they may read.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LANGUAGES = {"console", "python", "text", "toml", "json"}


def blocks(page: Path) -> list[tuple[str, str]]:
    return _BLOCK.findall(page.read_text("utf-8"))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    shutil.copytree(ROOT / "samples", tmp_path / "samples")
    shutil.copytree(ROOT / "tests" / "data", tmp_path / "tests" / "data")
    return tmp_path


def type_commands(block: str, workspace: Path) -> str:
    """The block as it comes out when its commands are typed."""
    typed = []
    for line in block.splitlines():
        if line.startswith("$ "):
            typed.append(line)
            typed += _run(line[2:], workspace).splitlines()
    return "\n".join(typed)


def _run(command: str, workspace: Path) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=workspace,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
    )
    return done.stdout


def matches(written: str, typed: str) -> bool:
    pattern = "\n".join(".*" if line == "…" else re.escape(line.rstrip()) for line in written.splitlines())
    return (
        re.fullmatch(pattern, "\n".join(line.rstrip() for line in typed.splitlines()), re.DOTALL) is not None
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_runs(page: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(workspace)
    n_left_out = 0
    for language, block in blocks(page):
        assert language in LANGUAGES, f"{page.name}: a block of '{language}' would not be tested"
        if language == "console" and re.search(r"\bcurl\b", block) and shutil.which("curl") is None:
            n_left_out += 1
        elif language == "console":
            typed = type_commands(block, workspace)
            assert matches(block, typed), f"{page.name} says\n{block}\nbut it is\n{typed}"
        elif language == "python":
            exec(compile(block, str(page), "exec", dont_inherit=True), {"__name__": "__main__"})
    if n_left_out:
        pytest.skip(
            f"NEEDS curl: {n_left_out} blocks of {page.name} were not run: sh scripts/install_test_tools.sh"
        )


def test_there_are_blocks_to_run() -> None:
    languages = [language for page in PAGES for language, _ in blocks(page)]
    assert languages.count("console") >= 6
    assert languages.count("python") >= 1


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_two_commands_are_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"make (\w+)", (ROOT / "README.md").read_text()):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_every_command_is_in_the_readme() -> None:
    from deidlab.cli.app import all_commands

    page = (ROOT / "README.md").read_text()
    for name in all_commands():
        assert f"deidlab {name}" in page, f"the README does not name `deidlab {name}`"


def test_the_index_of_the_docs_leads_to_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text("utf-8")
    for page in sorted((ROOT / "docs").rglob("*.md")):
        name = str(page.relative_to(ROOT / "docs"))
        assert name == "README.md" or f"]({name})" in index, f"docs/README.md does not lead to {name}"
