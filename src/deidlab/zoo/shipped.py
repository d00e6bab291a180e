"""Tensor lists as package data: `data/zoo/tensors/MODEL.json`, one file a model, small and readable.

The body is written once and without its prefix; equal layers are written once, with `#` for their
number; a size that follows the number of labels is written "labels". `pack_heads` makes the data
from full lists, `unpack_head` is its mirror, `load_tensors` reads what is shipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any

from deidlab.errors import ModelError
from deidlab.zoo.configs import load_model_facts
from deidlab.zoo.params import Tensor, TensorList, check_head

LABELS = "labels"
Shape = tuple[int | str, ...]
Entry = tuple[str, Shape]
"""A tensor's name and its shape, in which "labels" may stand for a size."""

_LAYER = re.compile(r"^(.*?\.)(\d+)(\..*)$")


def load_tensors(name: str, head: str, labels: int | None = None) -> TensorList:
    """The tensors of a known model with this head."""
    model = load_model_facts(name)
    n_labels = check_head(head, labels)
    file = resources.files("deidlab") / "data" / "zoo" / "tensors" / f"{model.name}.json"
    try:
        packed = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(
            f"the tensor list of {model.name} is not in this package: reinstall deidlab"
        ) from None
    tensors = tuple(
        Tensor(tensor, tuple(_size(size, n_labels) for size in shape))
        for tensor, shape in unpack_head(packed, head)
    )
    return TensorList(model.name, head, n_labels, tensors)


def _size(size: int | str, n_labels: int | None) -> int:
    if isinstance(size, int):
        return size
    if n_labels is None:
        raise ModelError(
            "a head without labels has a tensor that is sized by them: the shipped list is damaged"
        )
    return n_labels


def pack_heads(lists: Mapping[str, tuple[str, Sequence[Entry]]]) -> dict[str, Any]:
    """One model's heads, each as (prefix of its body, entries), put into the shipped form."""
    n_body = _common_start(list(lists.values()))
    prefix, entries = next(iter(lists.values()))
    body = [(name.removeprefix(prefix), shape) for name, shape in entries[:n_body]]
    return {
        "body": _pack_layers(body),
        "heads": {
            head: {"prefix": prefix, "tail": _pack_layers(entries[n_body:])}
            for head, (prefix, entries) in lists.items()
        },
    }


def unpack_head(packed: Mapping[str, Any], head: str) -> list[Entry]:
    """One head's entries again: the body under its prefix, then the head's own tensors."""
    facts = packed["heads"][head]
    body = _unpack_layers(packed["body"])
    return [(facts["prefix"] + name, shape) for name, shape in body] + _unpack_layers(facts["tail"])


def write_packed(packed: Mapping[str, Any]) -> str:
    """The shipped form as JSON, a line a tensor."""
    lines = ["{", '  "body": [', *_lines(packed["body"], 4), "  ],", '  "heads": {']
    heads = list(packed["heads"].items())
    for index, (head, facts) in enumerate(heads):
        lines.append(f'    "{head}": {{"prefix": {json.dumps(facts["prefix"])}, "tail": [')
        lines += _lines(facts["tail"], 6)
        lines.append("    ]}" + ("," if index < len(heads) - 1 else ""))
    return "\n".join([*lines, "  }", "}"]) + "\n"


def _lines(items: Sequence[Any], indent: int) -> list[str]:
    lines: list[str] = []
    for index, item in enumerate(items):
        comma = "," if index < len(items) - 1 else ""
        if isinstance(item, dict):
            lines.append(" " * indent + f'{{"layers": {json.dumps(item["layers"])}, "tensors": [')
            lines += _lines(item["tensors"], indent + 2)
            lines.append(" " * indent + "]}" + comma)
        else:
            lines.append(" " * indent + json.dumps(item) + comma)
    return lines


def _common_start(lists: Sequence[tuple[str, Sequence[Entry]]]) -> int:
    """How many entries all lists begin with, once each is rid of its prefix."""
    count = 0
    for group in zip(*(entries for _, entries in lists), strict=False):
        bare = set()
        for (prefix, _), (name, shape) in zip(lists, group, strict=True):
            if not name.startswith(prefix):
                return count
            bare.add((name.removeprefix(prefix), shape))
        if len(bare) > 1:
            return count
        count += 1
    return count


def _pack_layers(entries: Sequence[Entry]) -> list[Any]:
    packed: list[Any] = []
    for layer, tensors in _layers(entries):
        last = packed[-1] if packed else None
        if layer is None:
            packed += [list(entry) for entry in tensors]
        elif isinstance(last, dict) and last["layers"][1] == layer and last["tensors"] == tensors:
            last["layers"][1] = layer + 1
        else:
            packed.append({"layers": [layer, layer + 1], "tensors": tensors})
    return packed


def _layers(entries: Sequence[Entry]) -> list[tuple[int | None, list[Entry]]]:
    """Runs of entries that stand in the same numbered layer, their names with `#` for the number."""
    runs: list[tuple[int | None, list[Entry]]] = []
    place: tuple[str, int] | None = None
    for name, shape in entries:
        match = _LAYER.match(name)
        here = (match[1], int(match[2])) if match else None
        template = f"{match[1]}#{match[3]}" if match else name
        if not runs or here != place:
            runs.append((None if here is None else here[1], []))
        runs[-1][1].append((template, shape))
        place = here
    return runs


def _unpack_layers(packed: Sequence[Any]) -> list[Entry]:
    entries: list[Entry] = []
    for item in packed:
        if isinstance(item, dict):
            first, end = item["layers"]
            for layer in range(first, end):
                entries += [
                    (name.replace("#", str(layer), 1), tuple(shape)) for name, shape in item["tensors"]
                ]
        else:
            entries.append((item[0], tuple(item[1])))
    return entries
