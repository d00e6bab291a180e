"""Whatever the OpenAPI description allows or forbids is sent: no answer is a 5xx, and each is as described."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deidlab.web.settings import Limits, ServeSettings
from deidlab.web.tokens import Tokens, digest_of
from tests.unit.web.serving import RULES, Served, serving

TOKEN = "a-token-of-good-length"
HOOKS = """
import schemathesis

@schemathesis.serializer("application/x-ndjson")
def as_lines(context, value):
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
"""
# That a span ends within its text cannot be said in a schema.
CONFIG = """
hooks = "hooks.py"

[[operations]]
include-name = "POST /v1/mask"
checks.positive_data_acceptance.expected-statuses = [200, 422]

[[operations]]
include-name = "POST /v1/fhir/$de-identify"
checks.positive_data_acceptance.expected-statuses = [200, 422]

# What is wrong with a line is told in its place in the stream; `test_every_line_has_an_answer` sees to that.
[[operations]]
include-name = "POST /v1/batch"
checks.negative_data_rejection.enabled = false
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    asked = ServeSettings(
        port=0,
        models=RULES,
        tokens=Tokens((("ada", digest_of(TOKEN)),)),
        limits=Limits(stall_seconds=5),
        access_log=tmp_path_factory.mktemp("log") / "access.log",
    )
    with serving(asked) as up:
        yield up


def test_every_answer_is_as_described(served: Served, tmp_path: Path) -> None:
    (tmp_path / "hooks.py").write_text(HOOKS)
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    command = [sys.executable, "-m", "schemathesis.cli", "run", f"{served.url}/openapi.json", "--no-color",
               "--header", f"Authorization: Bearer {TOKEN}", "--continue-on-failure",
               "--max-examples", "60", "--generation-database", "none", "--seed", "7"]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), *sys.path))}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=170)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    assert "Tested: 7" in done.stdout and "No issues found" in done.stdout
    log: Path = served.app.state.settings.access_log
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    asked = {line["route"] for line in lines}
    assert {
        "/v1/detect",
        "/v1/mask",
        "/v1/batch",
        "/v1/fhir/$de-identify",
        "/v1/models",
        "/healthz",
        "/metrics",
    } <= asked
    assert len(lines) > 300 and max(line["status"] for line in lines) < 500


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "id", "patient", "spans", "meta", "start", "end", "label", "score"]),
            inner,
            max_size=6,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(
    st.lists(JSON | st.binary(max_size=40).filter(lambda each: b"\n" not in each), max_size=6),
    st.sampled_from(["mask", "detect", "mask-given"]),
)
def test_every_line_has_an_answer(served: Served, lines: list[Any], task: str) -> None:
    body = b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    answer = served.post(f"/v1/batch?task={task}", body, authorization=f"Bearer {TOKEN}")
    assert answer.status == 200
    records = answer.lines()
    assert len(records) == sum(1 for line in body.split(b"\n") if line.strip())
    for record in records:
        assert "text" in record or {"line", "error", "message"} == set(record)
        assert "internal" not in record.get("message", "")
