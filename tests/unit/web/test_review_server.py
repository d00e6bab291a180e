"""`deidlab review` as a person runs it: the page is there, a decision lasts, and a signal ends it cleanly."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from deidlab.web.store import ReviewStore

PROGRAM = """
import sys, typer
from deidlab.cli.review import review
app = typer.Typer(); app.command()(review); app(args=sys.argv[1:])
"""


def test_a_review_is_served_kept_and_ended(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    notes.mkdir()
    (notes / "a.txt").write_text("Seen on 3/14/2071 by Dr. Ilse Verhoeven.")
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(notes), "--port", "0", "--rules", "only", "--reviewer", "anna", "--workers", "1"],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        said = []
        while not (found := re.search(r"http://127\.0\.0\.1:\d+", line := process.stderr.readline())):
            assert line, said
            said.append(line)
        with urllib.request.urlopen(f"{found[0]}/review", timeout=20) as answer:
            assert b"<title>Review" in answer.read()
        body = json.dumps({"version": 0, "kind": "accept-all"}).encode()
        headers = {"Content-Type": "application/json"}
        asked = urllib.request.Request(f"{found[0]}/review/api/notes/1/decisions", body, headers)
        with urllib.request.urlopen(asked, timeout=20) as answer:
            assert json.load(answer)["version"] == 1
        process.send_signal(signal.SIGTERM)
        said += process.stderr.readlines()
        assert process.wait(30) in (0, -signal.SIGTERM, 128 + signal.SIGTERM)
    finally:
        process.kill()
    assert "Verhoeven" not in "".join(said)
    state = ReviewStore(tmp_path / "notes.review").read_note(1)
    assert [(mark.label, mark.status) for mark in state.marks] == [
        ("DATE", "accepted"),
        ("DOCTOR", "accepted"),
    ]
