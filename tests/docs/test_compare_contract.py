"""The ten lines of docs/compare.md are a system: they take part in a comparison, and keep to the contract
there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from deidlab.cli.app import run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "compare.md").read_text("utf-8")


def write_example(folder: Path) -> Path:
    (block,) = re.findall(r"^```text\n(import json.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 10
    path = folder / "dates.py"
    path.write_text(block)
    return path


def test_the_example_takes_part(tmp_path: Path) -> None:
    out = tmp_path / "out"
    toy = f"Dates=command:{sys.executable} {write_example(tmp_path)}"
    said = [
        "compare",
        str(ROOT / "samples" / "notes"),
        "--system",
        toy,
        "--system",
        "rules:en",
        "--resamples",
        "0",
    ]
    assert run([*said, "--out", str(out), "--quiet"]) == 0
    tables = json.loads((out / "report.json").read_text())["tables"]
    figures = {row["system"]: row for row in tables["verdict"]["rows"]}
    assert 0 < figures["Dates"]["recall"]["value"] < figures["rules:en"]["recall"]["value"]
    assert "failures" not in tables and "labels-not-compared" not in tables


def test_questions_and_answers_look_as_the_page_says(tmp_path: Path) -> None:
    question, answer = re.findall(r'^    (\{"id": "1", .*"(?:text|spans)".*\})$', PAGE, re.MULTILINE)
    done = subprocess.run(
        [sys.executable, str(write_example(tmp_path))], input=question + "\n", capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert json.loads(done.stdout) == {"id": "1", "spans": [{"start": 22, "end": 26, "label": "DATE"}]}
    from deidlab.systems.contract import read_answer

    read = read_answer(json.loads(answer), 1, json.loads(question)["text"])
    assert [(span.start, span.end, span.label, span.score) for span in read.spans] == [(12, 18, "NAME", 0.97)]
