"""What stands at the root for others: the container's and the service's files say what the package can do."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

import deidlab
from deidlab.cli.app import all_commands

ROOT = Path(__file__).parents[2]
DEPLOYMENT = (ROOT / "docs" / "deployment.md").read_text("utf-8")
UNIT = ROOT / "deploy" / "deidlab.service"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's, continued lines joined."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    pairs = (line.split(None, 1) for line in text.splitlines() if line.strip())
    return [(name, told) for name, told in pairs]


def said(name: str) -> list[str]:
    return [told for each, told in instructions() if each == name]


def parses(words: list[str]) -> None:
    """Have the command line take the words, without doing what they say."""
    commands = all_commands()
    names = [name for name in commands if words[: len(name.split())] == name.split()]
    assert names, f"there is no command for: {' '.join(words)}"
    rest = words[len(names[-1].split()) :]
    parser: Any = commands[names[-1]]
    parser.make_context(names[-1], rest)


def test_what_the_container_copies_is_there_and_gets_into_its_context() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    copied = [path for told in said("COPY") if "--from" not in told for path in told.split()[:-1]]
    assert "src" in copied
    for path in copied:
        assert (ROOT / path).exists(), path
        assert f"!{path.split('/')[0]}" in ignored, f"{path} is not in the build's context"
    for line in ignored:
        assert not line.startswith("!") or (ROOT / line[1:]).exists(), line


def test_what_the_container_installs_is_an_extra_with_pinned_versions() -> None:
    installs = [each for told in said("RUN") for each in told.split("&&") if "pip install" in each]
    extras = {extra for each in installs for extra in re.findall(r"\.\[([\w,]+)\]", each)}
    assert extras == {"serve"} <= set(PROJECT["optional-dependencies"])
    pinned = set()
    for each in installs:
        for path in re.findall(r"requirements/[\w.]+", each):
            lines = (ROOT / path).read_text().splitlines()
            pinned |= {
                re.split(r"[=\[ ]", line)[0].lower().replace("_", "-") for line in lines if "==" in line
            }
    wanted = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["serve"]]
    names = {re.split(r"[>=<\[]", each)[0].lower().replace("_", "-") for each in wanted}
    assert names <= pinned, names - pinned


def test_the_container_runs_as_nobody_and_starts_our_command() -> None:
    assert said("USER") and said("USER")[-1] not in ("0", "root")
    order = [name for name, _ in instructions()]
    assert order.index("USER") > max(index for index, name in enumerate(order) if name in ("RUN", "COPY"))
    (entry,) = said("ENTRYPOINT")
    assert yaml.safe_load(entry) == ["deidlab"] and "deidlab" in PROJECT["scripts"]
    assert all(re.fullmatch(r"python:3\.\d+-slim( AS \w+)?", each) for each in said("FROM"))
    assert not any(name == "ADD" or "curl" in told or "http" in told for name, told in instructions())
    done = subprocess.run(
        [sys.executable, "-m", "deidlab", *yaml.safe_load(said("CMD")[0])], capture_output=True
    )
    assert done.returncode == 0 and b"mask" in done.stdout


def test_commands_of_the_page_are_taken_by_the_command_line() -> None:
    typed = re.findall(r"^docker run .*? deidlab (.*)$", DEPLOYMENT, re.MULTILINE)
    typed += re.findall(r"^deidlab (serve .*)$", DEPLOYMENT, re.MULTILINE)
    assert len(typed) == 3
    for line in typed:
        parses(shlex.split(line))


def test_the_service_starts_a_command_that_the_command_line_takes() -> None:
    (line,) = re.findall(r"^ExecStart=(.*)$", UNIT.read_text(), re.MULTILINE)
    program, *words = shlex.split(line.replace("%d", "/run/credentials").replace("%L", "/var/log"))
    assert program == "/opt/deidlab/bin/deidlab" and program in DEPLOYMENT.replace("/bin/pip", "/bin/deidlab")
    parses(words)
    with pytest.raises(Exception, match="No such option"):
        parses([*words, "--no-such-option"])
    for name in re.findall(r"^LoadCredential=([\w.]+):", UNIT.read_text(), re.MULTILINE):
        assert f"%d/{name}" in line
    stop = re.search(r"^TimeoutStopSec=(\d+)$", UNIT.read_text(), re.MULTILINE)
    drain = next(each.default for each in all_commands()["serve"].params if "--drain-seconds" in each.opts)
    assert stop is not None and int(stop[1]) > drain


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("NEEDS systemd-analyze (of the package systemd)")
    unit = tmp_path / "deidlab.service"
    # It looks for the program, which is not installed there here.
    unit.write_text(UNIT.read_text().replace("/opt/deidlab/bin/deidlab", sys.executable))
    done = subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    unit.write_text(unit.read_text().replace("Type=exec", "Typo=exec"))
    assert "Typo" in subprocess.run([analyze, "verify", str(unit)], capture_output=True, text=True).stderr


def test_the_citation_names_this_version() -> None:
    told = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= told.keys()
    assert told["version"] == deidlab.__version__ and told["license"] == PROJECT["license"]
    assert told["title"] == "DeidLab" and told["keywords"] == PROJECT["keywords"]


@pytest.mark.parametrize("name", ["SECURITY.md", "CONTRIBUTING.md"])
def test_links_of_the_pages_at_the_root_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / name).read_text("utf-8"))
    assert links and all((ROOT / link).exists() for link in links)
