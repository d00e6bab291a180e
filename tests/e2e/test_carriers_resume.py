"""Kill -9 in the middle of a FHIR export or of documents, and go on: each once, as if nothing had happened."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_mask_resume import kill_when
from tests.unit.carriers.ccda_samples import document
from tests.unit.pipeline.notes import write_key

N_RESOURCES = 3_000
N_DOCUMENTS = 400


def _start(source: Path, out: Path, key: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "deidlab", "mask", str(source), "--out", str(out), "--rules", "only",
               "--key-file", str(key), "--workers", "1", "-q"]  # fmt: skip
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.timeout(600)
def test_an_export_whose_run_was_killed_is_masked_once(tmp_path: Path) -> None:
    key, source, out = write_key(tmp_path), tmp_path / "in.ndjson", tmp_path / "out.ndjson"
    resources = (
        {"resourceType": "Observation", "id": f"o{n}", "status": "final", "subject": {"reference": f"Patient/p{n % 50}"},
         "effectiveDateTime": "2064-03-13", "note": [{"text": "Seen by Dr. Tom Okonjo."}], "foo": n}
        for n in range(N_RESOURCES)
    )  # fmt: skip
    source.write_text("".join(json.dumps(each) + "\n" for each in resources))
    parts = tmp_path / ".out.ndjson.deidlab-run" / "parts"
    kill_when(_start(source, out, key), lambda: len(list(parts.glob("*.part"))) >= 3)
    assert not out.exists()
    for path in (path for path in parts.parent.rglob("*") if path.is_file()):
        assert b"Okonjo" not in path.read_bytes()
    for destination in (out, tmp_path / "whole.ndjson"):
        last = _start(source, destination, key)
        last.communicate()
        assert last.returncode == 0
    assert out.read_bytes() == (tmp_path / "whole.ndjson").read_bytes()
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == len({row["id"] for row in rows}) == N_RESOURCES
    record = json.loads((tmp_path / "out.ndjson.deidlab" / "record.json").read_text())
    assert record["removed"] == {"unknown elements": N_RESOURCES}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_documents_whose_run_was_killed_are_masked_once(tmp_path: Path) -> None:
    key, source, out = write_key(tmp_path), tmp_path / "in", tmp_path / "out"
    source.mkdir()
    for number in range(N_DOCUMENTS):
        more = "<title>Seen by Dr. Tom Okonjo on 3/14/2064.</title>" + "<title>Well.</title>" * 200
        (source / f"{number}.xml").write_bytes(document(more).replace(b'"p7"', f'"p{number % 50}"'.encode()))
    parts = tmp_path / ".out.deidlab-run" / "parts"
    kill_when(_start(source, out, key), lambda: len(list(parts.glob("*.part"))) >= 3)
    assert not out.exists()
    for path in (path for path in parts.parent.rglob("*") if path.is_file()):
        assert b"Okonjo" not in path.read_bytes()
    found = []
    for destination in (out, tmp_path / "whole"):
        last = _start(source, destination, key)
        last.communicate()
        assert last.returncode == 0
        found.append({path.name: path.read_bytes() for path in destination.glob("*.xml")})
    assert found[0] == found[1] and len(found[0]) == N_DOCUMENTS
    assert all(b"Okonjo" not in content and b"Well." in content for content in found[0].values())
