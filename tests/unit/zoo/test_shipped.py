from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.zoo.configs import known_models
from deidlab.zoo.shipped import Entry, pack_heads, unpack_head, write_packed

ROOT = Path(__file__).parents[3]
SHIPPED = ROOT / "src" / "deidlab" / "data" / "zoo" / "tensors"

shapes = st.lists(st.one_of(st.integers(1, 9), st.just("labels")), max_size=3).map(tuple)
names = st.lists(
    st.sampled_from(["layer", "encoder", "0", "1", "2", "10", "dense", "weight", "bias"]),
    min_size=1,
    max_size=6,
).map(".".join)
entries = st.lists(st.tuples(names, shapes), max_size=30)


@given(body=entries, tails=st.lists(entries, min_size=1, max_size=3))
def test_what_is_packed_unpacks_to_itself(body: list[Entry], tails: list[list[Entry]]) -> None:
    heads = {
        f"head{number}": ("m.", [(f"m.{name}", shape) for name, shape in body] + tail)
        for number, tail in enumerate(tails)
    }
    packed = json.loads(write_packed(pack_heads(heads)))
    for head, (_, full) in heads.items():
        assert unpack_head(packed, head) == full


def test_equal_layers_are_written_once() -> None:
    layers = [(f"m.layer.{number}.dense.weight", (3, 3)) for number in range(12)]
    packed = pack_heads({"none": ("m.", [("m.emb.weight", (9, 3)), *layers])})
    assert packed["body"] == [
        ["emb.weight", (9, 3)],
        {"layers": [0, 12], "tensors": [("layer.#.dense.weight", (3, 3))]},
    ]


def test_every_known_model_has_its_list_and_no_other_is_shipped() -> None:
    assert {file.stem for file in SHIPPED.glob("*.json")} == {model.name for model in known_models()}


def test_shipped_lists_are_small() -> None:
    assert sum(file.stat().st_size for file in SHIPPED.iterdir()) < 250_000


def test_shipped_lists_are_those_that_the_meta_device_gives_today() -> None:
    pytest.importorskip(
        "torch", reason="NEEDS torch and transformers: lists are regenerated on the meta device"
    )
    pytest.importorskip("transformers", reason="NEEDS transformers: lists are regenerated on the meta device")
    script = _load_script()
    for model in known_models():
        shipped = (SHIPPED / f"{model.name}.json").read_text(encoding="utf-8")
        assert script.tensor_file(model) == shipped, f"{model.name}: run scripts/write_zoo.py"


def _load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write_zoo", ROOT / "scripts" / "write_zoo.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
