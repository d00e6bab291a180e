"""Reports that are committed are those of the records beside them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from deidlab.report.study.files import report_to_json
from deidlab.report.study.report import build_report
from deidlab.study.records import read_study

RESULTS = Path(__file__).parents[3] / "studies" / "results"
FOLDERS = sorted(path.parents[1] for path in RESULTS.glob("*/report/report.json"))


def same(one: Any, two: Any) -> bool:
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(same(a, b) for a, b in zip(one, two, strict=True))
    if isinstance(one, float) and isinstance(two, float):
        return math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-12)
    return bool(one == two)


def test_there_are_results() -> None:
    assert FOLDERS


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_committed_report_follows_from_its_records(folder: Path) -> None:
    written = json.loads((folder / "report" / "report.json").read_text("utf-8"))
    found = json.loads(json.dumps(report_to_json(build_report(read_study(folder)))))
    assert found["missing"] == written["missing"]
    assert found["tables"].keys() == written["tables"].keys()
    for key, table in found["tables"].items():
        assert same(table, written["tables"][key]), key


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_committed_results_are_small_and_name_no_machine(folder: Path) -> None:
    files = [path for path in (folder / "report").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 2_000_000
    for path in files:
        if path.suffix != ".png":
            text = path.read_text("utf-8")
            assert not [place for place in ("/tmp/", "/home/", "/root/", "/work/") if place in text], (
                path.name
            )
