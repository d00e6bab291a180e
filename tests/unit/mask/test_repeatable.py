"""The same key gives the same result whatever the process."""

from __future__ import annotations

import os
import subprocess
import sys

SCRIPT = """
from tests.unit.mask.notes import masked
note = ("{PATIENT:SMITH, John A.} {DOCTOR:Dr. Lee Wong} {DATE:3/14/2064} {CITY:Boston}, {STATE:MA} {ZIP:02139} "
        "{PHONE:617-253-1000} {EMAIL:jsmith@a.org} {HOSPITAL:Mercy Hospital} {IDNUM:12345678Z} {PROFESSION:baker}")
print(masked(note, "{PATIENT:J.S.} {PATIENT:Kim}"))
"""


def test_the_seed_of_hashes_does_not_matter():
    results = set()
    for seed in ("0", "1", "77"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(["src", "."])}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        results.add(done.stdout)
    assert len(results) == 1
