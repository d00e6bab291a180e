"""What the tests of a study's tables read from a report and from the study's folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from deidlab.evaluate.intervals import Interval
from deidlab.report.study.parts import StudyReport
from deidlab.report.tables import table_to_rows

ORDER = ["roberta", "bert", "tiny", "roberta+rules", "ensemble-vote"]


def rows(report: StudyReport, key: str) -> list[dict[str, Any]]:
    return table_to_rows(report.table(key))


def completions(study: Path) -> dict[str, dict[str, Any]]:
    return {path.stem: json.loads(path.read_text()) for path in (study / "completions").glob("*.json")}


def plain(value: Interval) -> dict[str, float | None]:
    return {"value": value.value, "low": value.low, "high": value.high}
