"""Where the parameters sit, as a picture: one model as a treemap, several as bars by block.

`TensorList`s come in; a figure file (SVG, PNG or PDF by its suffix) goes out.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.errors import ConfigError
from deidlab.report.figures import PALETTE, new_figure, patch, rectangle, save_figure
from deidlab.report.parameters.explain import describe_head
from deidlab.report.parameters.treemap import Box, Tile, lay_out_model
from deidlab.zoo.blocks import BLOCKS, count_blocks
from deidlab.zoo.params import TensorList

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {
    "embeddings": PALETTE[0],
    "attention": PALETTE[1],
    "feed-forward": PALETTE[2],
    "norms": PALETTE[5],
    "head": PALETTE[3],
    "other": "#999999",
}
# White is easier to read on the dark ones, black on the light ones.
INKS = {"embeddings": "white", "feed-forward": "white", "norms": "white"}


def write_parameter_figure(lists: Sequence[TensorList], path: Path) -> None:
    """Draw one model as a treemap or several as stacked bars, and write the file."""
    if not lists:
        raise ConfigError("a picture needs at least one model")
    save_figure(draw_treemap(lists[0]) if len(lists) == 1 else draw_bars(lists), path)


def draw_treemap(listed: TensorList) -> Figure:
    """Areas are numbers of parameters; colours are blocks, tiles what the modules are called."""
    figure = new_figure(10, 6.2)
    axes = figure.add_subplot()
    area = Box(0, 0, 100, 58)
    for tile in lay_out_model(listed, area, margin=0.25):
        _draw_tile(axes, tile, listed.total)
    axes.set_xlim(0, area.width)
    axes.set_ylim(area.height, 0)
    axes.set_aspect("equal")
    axes.axis("off")
    axes.set_title(
        f"{listed.model} ({describe_head(listed)}): {listed.total:,} parameters", loc="left", fontsize=13
    )
    _add_legend(figure, [listed])
    return figure


def _draw_tile(axes: Axes, tile: Tile, total: int) -> None:
    box = tile.box
    axes.add_patch(rectangle((box.x, box.y), box.width, box.height, COLOURS[tile.block]))
    text = f"{tile.part}\n{_millions(tile.count)} · {100 * tile.count / total:.1f} %"
    if box.width >= 0.95 * max(map(len, text.split("\n"))) and box.height >= 5:
        axes.text(
            box.x + box.width / 2,
            box.y + box.height / 2,
            text,
            ha="center",
            va="center",
            fontsize=9,
            color=INKS.get(tile.block, "black"),
        )


def _millions(count: int) -> str:
    return f"{count / 1e6:.1f} M" if count >= 100_000 else f"{count / 1e3:.1f} k"


def draw_bars(lists: Sequence[TensorList]) -> Figure:
    """One bar a model, cut by block; the total stands at its end."""
    figure = new_figure(10, 1.6 + 0.5 * len(lists))
    axes = figure.add_subplot()
    largest = max(listed.total for listed in lists)
    for row, listed in enumerate(lists):
        start = 0.0
        for block, count in count_blocks(listed.tensors).items():
            axes.barh(row, count / 1e6, left=start, color=COLOURS[block], height=0.68, edgecolor="white")
            if count >= 0.045 * largest:
                ink = INKS.get(block, "black")
                where = start + count / 2e6
                axes.text(
                    where,
                    row,
                    f"{100 * count / listed.total:.0f} %",
                    ha="center",
                    va="center",
                    fontsize=8.5,
                    color=ink,
                )
            start += count / 1e6
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        end = start + largest / 1e6 * 0.008
        axes.text(end, row, f"{listed.total / 1e6:.1f} M", va="center", fontsize=9, bbox=paper)
    axes.set_yticks(range(len(lists)), [_bar_name(listed, lists) for listed in lists])
    axes.invert_yaxis()
    axes.set_xlim(0, largest / 1e6 * 1.09)
    axes.set_xlabel("parameters, millions")
    axes.set_title(_bars_title(lists), loc="left", fontsize=13)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.xaxis.grid(True, color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    _add_legend(figure, lists)
    return figure


def _bars_title(lists: Sequence[TensorList]) -> str:
    heads = {describe_head(listed) for listed in lists}
    return "Where the parameters sit" + (f" ({heads.pop()})" if len(heads) == 1 else "")


def _bar_name(listed: TensorList, lists: Sequence[TensorList]) -> str:
    alike = {other.head for other in lists}
    return listed.model if len(alike) == 1 else f"{listed.model} ({listed.head})"


def _add_legend(figure: Figure, lists: Sequence[TensorList]) -> None:
    present = {block for listed in lists for block in count_blocks(listed.tensors)}
    # Norms and most heads are too small to see in a treemap; the legend says how small.
    shares = {
        block: f"  {100 * count / lists[0].total:.2f} %" if len(lists) == 1 else ""
        for block, count in count_blocks(lists[0].tensors).items()
    }
    patches = [
        patch(COLOURS[block], f"{block}{shares.get(block, '')}") for block in BLOCKS if block in present
    ]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(patches), frameon=False, fontsize=10)
