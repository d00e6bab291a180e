"""Write the tensor lists of all known models, counted on the meta device, into the package's data.

    python scripts/write_zoo.py [FOLDER]

Run it after a configuration was added or changed, or when transformers lists tensors anew; a test
regenerates the lists and compares them with those that are shipped.
"""

from __future__ import annotations

import functools
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deidlab.errors import ModelError
from deidlab.zoo.configs import KnownModel, known_models
from deidlab.zoo.meta import build_model, list_tensors, make_config
from deidlab.zoo.params import HEADS, LABELLED_HEADS
from deidlab.zoo.shipped import LABELS, Entry, pack_heads, unpack_head, write_packed

FOLDER = Path(__file__).parents[1] / "src" / "deidlab" / "data" / "zoo" / "tensors"
# Two numbers of labels that are no size of any model: what differs between them follows the labels.
PROBES = (100_003, 100_019)


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for model in known_models():
        (folder / f"{model.name}.json").write_text(tensor_file(model), encoding="utf-8")
        print(f"{model.name}")


def tensor_file(model: KnownModel) -> str:
    """The text of one model's file."""
    return _tensor_file(model.family, json.dumps(model.config, sort_keys=True))


@functools.cache
def _tensor_file(family: str, config: str) -> str:
    """Several models share a configuration and differ in their weights alone."""
    lists = {head: head_entries(family, json.loads(config), head) for head in HEADS}
    packed = pack_heads(lists)
    for head, (_, entries) in lists.items():
        if unpack_head(packed, head) != entries:
            raise ModelError(f"a {family} model: the list of head '{head}' does not unpack to itself")
    return write_packed(packed)


def head_entries(family: str, config: Mapping[str, Any], head: str) -> tuple[str, list[Entry]]:
    """The prefix of the model's body under this head, and every tensor with its shape."""
    if head not in LABELLED_HEADS:
        return _entries(family, config, head, None)
    prefix, one = _entries(family, config, head, PROBES[0])
    _, other = _entries(family, config, head, PROBES[1])
    return prefix, [_join(left, right) for left, right in zip(one, other, strict=True)]


def _entries(
    family: str, config: Mapping[str, Any], head: str, labels: int | None
) -> tuple[str, list[Entry]]:
    built = build_model(make_config(family, config), head, labels)
    tensors = list_tensors(built)
    if not all(tensor.trainable for tensor in tensors):
        raise ModelError(f"a {family} model: a tensor is frozen, and the shipped form cannot say so")
    prefix = "" if head == "none" else f"{built.base_model_prefix}."
    return prefix, [(tensor.name, tensor.shape) for tensor in tensors]


def _join(left: Entry, right: Entry) -> Entry:
    if left[0] != right[0] or len(left[1]) != len(right[1]):
        raise ModelError(f"{left[0]}: more than a size follows the number of labels")
    sizes = (LABELS if a != b else a for a, b in zip(left[1], right[1], strict=True))
    return left[0], tuple(sizes)


if __name__ == "__main__":
    main()
