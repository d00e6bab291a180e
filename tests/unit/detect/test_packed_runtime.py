"""A run's own model: what it says of a window does not depend on what is asked beside it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: pip install '.[train]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install '.[train]'")

from deidlab.detect.committee import describe_committee, load_committee  # noqa: E402
from deidlab.detect.model import load_model  # noqa: E402
from deidlab.errors import ModelError  # noqa: E402
from deidlab.train.fit import fit  # noqa: E402
from deidlab.train.launch import Launch  # noqa: E402
from deidlab.train.request import RunRequest  # noqa: E402
from deidlab.train.settings import TrainSettings  # noqa: E402
from tests.unit.train.conftest import FAMILIES, SMALL, make_notes  # noqa: E402

SETTINGS = TrainSettings(epochs=10, batch=4, learning_rate=3e-3, window=48, stride=32, shapes=True)


@pytest.fixture(scope="module")
def run_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def make(family: str, seed: int = 1) -> Path:
        key = f"{family}-{seed}"
        if key not in made:
            place = tmp_path_factory.mktemp(key)
            (place / "config").mkdir()
            config = {"model_type": family, "vocab_size": 300} | SMALL | FAMILIES[family]
            (place / "config" / "config.json").write_text(json.dumps(config))
            request = RunRequest(str(place / "config"), scratch=True, tokenizer="learn")
            settings = SETTINGS.changed(seed=seed)
            made[key] = fit(
                make_notes(12, 1), [], request, settings, Launch(place / "run", device="cpu")
            ).folder
        return made[key]

    return make


@pytest.mark.parametrize("family", ["bert", "deberta-v2"])
def test_batches_do_not_change_a_bit(run_of: Callable[..., Path], family: str) -> None:
    model = load_model(run_of(family), threads=1)
    notes = make_notes(10, 5)
    together = list(model.tag_notes(notes))
    alone = [next(model.tag_notes([note])) for note in notes]
    turned = list(model.tag_notes(notes[::-1]))[::-1]
    for one, *others in zip(together, alone, turned, strict=True):
        for other in others:
            assert one == other and np.array_equal(one.probabilities, other.probabilities)
    assert any(found.spans for found in together)


def test_rows_of_a_gpu_have_one_size(run_of: Callable[..., Path]) -> None:
    from deidlab.detect.packed.runtime import PackedRuntime

    model = load_model(run_of("bert"), threads=1)
    runtime = model.runtime
    assert isinstance(runtime, PackedRuntime)
    runtime._on_gpu = True
    few = runtime.lay_out(model.cut(make_notes(1, 5)[0]).windows)
    many = runtime.lay_out([window for note in make_notes(200, 5) for window in model.cut(note).windows])
    assert {row.shape.n_pieces for row in (*few.rows, *many.rows)} == {16_384}
    assert len(few) == 1 and len(many) <= 3
    # The same scores come out of the rows that a GPU would have.
    scores = runtime.run(many)
    runtime._on_gpu = False
    plain = runtime.run(
        runtime.lay_out([window for note in make_notes(200, 5) for window in model.cut(note).windows])
    )
    assert np.abs(scores - plain).max() < 1e-4


def test_a_committee_is_a_folder(run_of: Callable[..., Path], tmp_path: Path) -> None:
    members = [run_of("bert"), run_of("bert", 2)]
    text = describe_committee("mean", [(str(member), member) for member in members])
    (tmp_path / "committee.json").write_bytes(text)
    notes = make_notes(6, 5)
    together = list(load_committee(tmp_path).tag_notes(notes))
    own = [list(load_model(member, 1).tag_notes(notes)) for member in members]
    for found, one, two in zip(together, *own, strict=True):
        assert np.allclose(found.probabilities, (one.probabilities + two.probabilities) / 2, atol=1e-6)
    (tmp_path / "committee.json").write_bytes(text.replace(b"sha256:", b"sha256:0"))
    with pytest.raises(ModelError, match="not those that it was made of"):
        load_committee(tmp_path)
    (tmp_path / "committee.json").write_text('{"how": "loudest", "members": []}')
    with pytest.raises(ModelError, match="does not know"):
        load_committee(tmp_path)
