"""Somebody else's classifiers, whatever their architecture and tokenizer: with our windows, and as their own
pipeline runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from deidlab.systems.contract import Answer
from deidlab.systems.opening import make_system
from deidlab.systems.process import Limits
from deidlab.systems.recorded import RecordedSystem
from deidlab.systems.specification import read_specs
from tests.unit.systems.conftest import ARCHITECTURES, NAME, make_classifier

pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")

SHORT = f"Seen by Dr. {NAME}, x ({NAME})"
LONG = "x " * 30 + SHORT


def in_this_process(kind: str, folder: Path, text: str) -> Answer:
    """What the adapter answers, without the seconds that a process with torch takes to start."""
    import importlib

    from deidlab.systems.contract import read_answer

    adapter = importlib.import_module(f"deidlab.systems.adapters.{kind.replace('-', '_')}")
    answer = adapter.open_system({"argument": str(folder)})["find"](text)
    return read_answer({"id": "1", **answer}, 1, text)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_our_windows_read_on_where_its_own_pipeline_stops(architecture: str, tmp_path: Path) -> None:
    folder = make_classifier(tmp_path, architecture)
    names = [(at, at + len(NAME)) for at in range(len(SHORT)) if SHORT.startswith(NAME, at)]
    for kind in ("hf", "hf-pipeline"):
        short = in_this_process(kind, folder, SHORT)
        assert [(span.start, span.end, span.label) for span in short.spans] == [
            (*place, "PATIENT") for place in names
        ], kind
        assert short.read == len(SHORT)
    ours, theirs = (in_this_process(kind, folder, LONG) for kind in ("hf", "hf-pipeline"))
    assert [(span.start, span.end) for span in ours.spans] == [(start + 60, end + 60) for start, end in names]
    assert theirs.spans == ()
    # What truncation loses is told with each answer: all that stands past the pieces that fit.
    assert ours.read <= 60 and theirs.read <= 60


def test_one_of_them_in_a_process_of_its_own(tmp_path: Path) -> None:
    (spec,) = read_specs([f"hf:{make_classifier(tmp_path, 'deberta-v2')}"])
    system = make_system(spec, Limits(note=60))
    assert not isinstance(system, RecordedSystem)
    try:
        system.open()
        assert len(system.find(LONG).spans) == 2
        assert system.facts.installed_bytes > 1_000_000 and "transformers" in system.facts.versions
    finally:
        system.close()
