"""A treemap's geometry: sizes in, rectangles out, as square as they can be.

Rows are filled along the shorter side of what is left, and a row ends where one more rectangle
would make its worst one longer than it was (Bruls, Huizing and van Wijk, 2000).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from deidlab.zoo.blocks import count_parts
from deidlab.zoo.params import TensorList


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle from its upper left corner."""

    x: float
    y: float
    width: float
    height: float

    def inset(self, margin: float) -> Box:
        return Box(
            self.x + margin,
            self.y + margin,
            max(self.width - 2 * margin, 0.0),
            max(self.height - 2 * margin, 0.0),
        )


@dataclass(frozen=True, slots=True)
class Tile:
    """A part of a model and where it is drawn."""

    block: str
    part: str
    count: int
    box: Box


def lay_out_model(listed: TensorList, area: Box, margin: float) -> list[Tile]:
    """The model's parts, those of a block side by side; areas go with numbers of parameters."""
    blocks = sorted(count_parts(listed.tensors).items(), key=lambda item: -sum(item[1].values()))
    tiles: list[Tile] = []
    for (block, parts), box in zip(
        blocks, split_box([sum(p.values()) for _, p in blocks], area), strict=True
    ):
        ordered = sorted(parts.items(), key=lambda item: -item[1])
        boxes = split_box([count for _, count in ordered], box.inset(margin))
        tiles += [
            Tile(block, part, count, inner) for (part, count), inner in zip(ordered, boxes, strict=True)
        ]
    return tiles


def split_box(sizes: Sequence[float], area: Box) -> list[Box]:
    """A box for each size, in the order given; sizes fall from first to last and none is zero."""
    if not sizes or area.width <= 0 or area.height <= 0:
        return [Box(area.x, area.y, 0.0, 0.0) for _ in sizes]
    scale = area.width * area.height / sum(sizes)
    areas = [size * scale for size in sizes]
    boxes: list[Box] = []
    left = area
    while areas:
        n_row = _row_length(areas, min(left.width, left.height))
        row, areas = areas[:n_row], areas[n_row:]
        placed, left = _place_row(row, left)
        boxes += placed
    return boxes


def _row_length(areas: Sequence[float], side: float) -> int:
    count = 1
    while count < len(areas) and _worst(areas[: count + 1], side) <= _worst(areas[:count], side):
        count += 1
    return count


def _worst(row: Sequence[float], side: float) -> float:
    """The longest of the row's rectangles, as the ratio of its sides."""
    depth = sum(row) / side
    return max(max(depth * depth / area, area / (depth * depth)) for area in row)


def _place_row(row: Sequence[float], left: Box) -> tuple[list[Box], Box]:
    total = sum(row)
    boxes: list[Box] = []
    if left.width >= left.height:
        depth, offset = total / left.height, left.y
        for area in row:
            boxes.append(Box(left.x, offset, depth, area / depth))
            offset += area / depth
        return boxes, Box(left.x + depth, left.y, max(left.width - depth, 0.0), left.height)
    depth, offset = total / left.width, left.x
    for area in row:
        boxes.append(Box(offset, left.y, area / depth, depth))
        offset += area / depth
    return boxes, Box(left.x, left.y + depth, left.width, max(left.height - depth, 0.0))
