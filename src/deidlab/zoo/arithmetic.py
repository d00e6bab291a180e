"""The arithmetic behind a total: `(768×768+768)×3` and so on, block by block.

Tensors come in; sections go out, equal layers as one. The products of all sections add up to the
total, which a test holds for every known model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from deidlab.zoo.blocks import block_of, group_modules
from deidlab.zoo.params import Tensor

_LAYER = re.compile(r"^(.*?)\.(\d+)\.(.*)$")


@dataclass(frozen=True, slots=True)
class Line:
    """Modules of one form, what they multiply to, and how many parameters that is."""

    what: str
    formula: str
    count: int


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the model; `repeat` equal copies of it exist."""

    title: str
    lines: tuple[Line, ...]
    repeat: int = 1

    @property
    def one(self) -> int:
        return sum(line.count for line in self.lines)

    @property
    def total(self) -> int:
        return self.one * self.repeat


def explain_tensors(tensors: Sequence[Tensor]) -> tuple[Section, ...]:
    """The sections of a model in page order."""
    sections: list[Section] = []
    firsts: list[int] = []
    for place, layer, members in _places(tensors):
        lines = _lines(members)
        last = sections[-1] if sections else None
        if (
            layer is not None
            and last is not None
            and firsts[-1] + last.repeat == layer
            and last.lines == lines
        ):
            sections[-1] = Section(_layer_title(place, firsts[-1], layer), lines, last.repeat + 1)
            continue
        sections.append(Section(place if layer is None else _layer_title(place, layer, layer), lines))
        firsts.append(-1 if layer is None else layer)
    return tuple(sections)


def _layer_title(place: str, first: int, last: int) -> str:
    return f"layer {first} of {place}" if first == last else f"layers {first}–{last} of {place}"


def _places(tensors: Sequence[Tensor]) -> list[tuple[str, int | None, list[Tensor]]]:
    """Runs of tensors in the same place: a numbered layer, the embeddings, the head or what lies between."""
    runs: list[tuple[str, int | None, list[Tensor]]] = []
    for tensor in tensors:
        match = _LAYER.match(tensor.name)
        block = block_of(tensor.name)
        if match is not None:
            place, layer = match[1], int(match[2])
            # ALBERT numbers a group and a layer in it; there is one of each, so no number is left to show.
            inner = _LAYER.match(f"x.{match[3]}")
            member = Tensor(match[3] if inner is None else inner[3], tensor.shape)
        else:
            body = "after the layers" if any(run[1] is not None for run in runs) else "embeddings"
            place, layer, member = ("head" if block == "head" else body), None, tensor
        if not runs or runs[-1][:2] != (place, layer):
            runs.append((place, layer, []))
        runs[-1][2].append(member)
    return runs


def _lines(tensors: Sequence[Tensor]) -> tuple[Line, ...]:
    lines: list[tuple[list[str], str, int]] = []
    for module, members in group_modules(tensors):
        formula, count = _formula(members), sum(tensor.count for tensor in members)
        if lines and lines[-1][1] == formula and _parent(lines[-1][0][-1]) == _parent(module):
            lines[-1][0].append(module)
        else:
            lines.append(([module], formula, count))
    return tuple(
        Line(_names(names), formula if len(names) == 1 else f"({formula})×{len(names)}", count * len(names))
        for names, formula, count in lines
    )


def _parent(module: str) -> str:
    return module.rpartition(".")[0]


def _names(modules: Sequence[str]) -> str:
    first, *others = modules
    return ", ".join([first, *(module.rpartition(".")[2] for module in others)])


def _formula(members: Sequence[Tensor]) -> str:
    shapes = [tensor.shape for tensor in members]
    if len(shapes) > 1 and len(set(shapes)) == 1:
        return f"{_product(shapes[0])}×{len(shapes)}"
    # A projection's weight is stored output first; people write input × output + output.
    name = members[0].name
    is_projection = len(shapes[0]) == 2 and name.endswith(".weight") and block_of(name) != "embeddings"
    first = tuple(reversed(shapes[0])) if is_projection or len(shapes) > 1 else shapes[0]
    return "+".join([_product(first), *(_product(shape) for shape in shapes[1:])])


def _product(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape)) or "1"
