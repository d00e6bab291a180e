from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.errors import ConfigError
from deidlab.report.parameters.figure import write_parameter_figure
from deidlab.report.parameters.treemap import Box, lay_out_model, split_box
from deidlab.zoo.shipped import load_tensors


@given(
    sizes=st.lists(st.integers(1, 10**9), min_size=1, max_size=25).map(
        lambda found: sorted(found, reverse=True)
    ),
    width=st.floats(1, 500),
    height=st.floats(1, 500),
)
def test_areas_go_with_sizes_and_boxes_stay_inside(sizes: list[int], width: float, height: float) -> None:
    boxes = split_box(sizes, Box(3, 5, width, height))
    scale = width * height / sum(sizes)
    for size, box in zip(sizes, boxes, strict=True):
        assert box.width * box.height == pytest.approx(size * scale, rel=1e-6, abs=1e-6)
        assert box.x >= 3 - 1e-6
        assert box.y >= 5 - 1e-6
        assert box.x + box.width <= 3 + width + 1e-6 * width
        assert box.y + box.height <= 5 + height + 1e-6 * height


def test_boxes_do_not_overlap() -> None:
    boxes = split_box([50, 30, 20, 10, 5, 5, 1], Box(0, 0, 100, 60))
    for i, one in enumerate(boxes):
        for other in boxes[i + 1 :]:
            wide = min(one.x + one.width, other.x + other.width) - max(one.x, other.x)
            high = min(one.y + one.height, other.y + other.height) - max(one.y, other.y)
            assert min(wide, high) <= 1e-9


def test_all_parameters_are_on_the_map() -> None:
    listed = load_tensors("xlnet-base", "sequence")
    assert sum(tile.count for tile in lay_out_model(listed, Box(0, 0, 100, 58), 0.25)) == listed.total


@pytest.mark.parametrize("names", [["bert-base"], ["bert-base", "albert-base", "xlm-r-base"]])
def test_a_figure_is_the_same_each_time(tmp_path: Path, names: list[str]) -> None:
    lists = [load_tensors(name, "token", 41) for name in names]
    for name in ("one.svg", "two.svg"):
        write_parameter_figure(lists, tmp_path / name)
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert text == (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert "feed-forward" in text
    assert "bert-base-uncased" in text


def test_a_figure_can_be_a_bitmap(tmp_path: Path) -> None:
    write_parameter_figure([load_tensors("albert-base", "none")], tmp_path / "deep" / "figure.png")
    assert (tmp_path / "deep" / "figure.png").read_bytes().startswith(b"\x89PNG")


def test_a_figure_needs_a_model_and_a_known_suffix(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="at least one model"):
        write_parameter_figure([], tmp_path / "a.svg")
    with pytest.raises(ConfigError, match=r"\.svg"):
        write_parameter_figure([load_tensors("albert-base", "none")], tmp_path / "a.gif")
