"""The service under load, as benchmarks/serve_load.py measures it: no error, the batch command's speed, flat memory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("route", ["mask", "batch"])
def test_32_clients_for_a_minute(tmp_path: Path, route: str) -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "serve_load.py"), "--out", str(tmp_path / "load.md")]
    done = subprocess.run([*command, "--route", route, "--notes", "3000"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    measured = json.loads((tmp_path / "load.json").read_text())
    load, batches = measured["load"], measured["batch"]
    speed = load["n_notes"] / load["seconds"]
    batch_speed = sum(each["n_notes"] for each in batches) / sum(each["seconds"] for each in batches)
    assert load["seconds"] >= 60 and load["n_errors"] == 0
    assert speed >= 0.9 * batch_speed
    third = len(load["memory"]) // 3
    assert load["memory"][-2] < 1.05 * load["memory"][third]
