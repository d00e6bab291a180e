"""What all figures share: a canvas without a screen, a palette, intervals, and the same bytes each time.

Nothing else loads matplotlib.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deidlab.errors import ConfigError, MissingExtraError, needing
from deidlab.evaluate.intervals import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch, Rectangle
    from matplotlib.ticker import MaxNLocator

    from deidlab.evaluate.layout import Floats

# Okabe and Ito's colours: told apart with every common kind of colour vision.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
FIGURE_SUFFIXES = (".png", ".svg", ".pdf")
_HATCHES = ("", "//", "..", "xx")
_N_COLOURS = len(PALETTE) - 1


def check_figure(path: Path | None = None) -> None:
    """Raise, before any work, where a chart could not be drawn, or could not be written under that name."""
    if path is not None and path.suffix.lower() not in FIGURE_SUFFIXES:
        raise ConfigError(f"{path}: a figure ends in {', '.join(FIGURE_SUFFIXES)}")
    if find_spec("matplotlib") is None:
        raise MissingExtraError("a chart", "charts")


def new_figure(width: float, height: float) -> Figure:
    """An empty figure, in inches; no window and no global state are involved."""
    with needing("a chart", "charts"):
        from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save_figure(figure: Figure, path: Path) -> None:
    """Write the figure as its suffix says; the same figure gives the same bytes."""
    check_figure(path)
    kind = path.suffix.lower()
    path.parent.mkdir(parents=True, exist_ok=True)
    stamp: dict[str, Any] = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(kind, {})
    _save(figure, path, dpi=150, metadata=stamp)


def figure_to_svg(figure: Figure) -> str:
    """The figure as Matplotlib writes it, the same bytes each time."""
    buffer = io.StringIO()
    _save(figure, buffer, format="svg", metadata={"Date": None})
    return buffer.getvalue()


def _save(figure: Figure, where: Any, **how: Any) -> None:
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "deidlab", "svg.fonttype": "none"}):
        figure.savefig(where, **how)


def colour(place: int) -> str:
    return PALETTE[place % _N_COLOURS]


def bar_style(place: int) -> dict[str, Any]:
    """What tells the bars of many models apart: a colour, and a hatch once colours come again."""
    return {
        "color": colour(place),
        "hatch": _HATCHES[place // _N_COLOURS % len(_HATCHES)],
        "edgecolor": "white",
    }


def values_and_reach(intervals: Sequence[Interval]) -> tuple[Floats, Floats]:
    """What is drawn for each figure, and how far its interval reaches down and up from there."""
    import numpy as np

    values = np.array([part.value or 0.0 for part in intervals])
    low, high = (
        np.array([value if end is None else end for end, value in zip(ends, values, strict=True)])
        for ends in ([part.low for part in intervals], [part.high for part in intervals])
    )
    return values, np.maximum(np.stack([values - low, high - values]), 0)


def plain_axes(axes: Axes, grid: str) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis=grid, color="#dddddd", linewidth=0.6)  # type: ignore[arg-type]
    axes.set_axisbelow(True)


def legend_below(figure: Figure, handles: Sequence[Any], names: Sequence[str], n_columns: int) -> None:
    figure.legend(
        list(handles), list(names), fontsize=8, frameon=False, ncols=n_columns, loc="outside lower center"
    )


def patch(colour: str, label: str) -> Patch:
    """A legend's mark for areas of that colour."""
    from matplotlib.patches import Patch

    return Patch(color=colour, label=label)


def rectangle(corner: tuple[float, float], width: float, height: float, colour: str) -> Rectangle:
    """A tile with a white edge."""
    from matplotlib.patches import Rectangle

    return Rectangle(corner, width, height, facecolor=colour, edgecolor="white", linewidth=1.2)


def whole_numbers() -> MaxNLocator:
    """Marks an axis at whole numbers alone."""
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(integer=True)
