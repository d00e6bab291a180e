"""What all figures share: a canvas without a screen, a palette, and files that come out the same."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab.errors import ConfigError, MissingExtraError, needing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe and Ito's colours: told apart with every common kind of colour vision.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
FIGURE_SUFFIXES = (".png", ".svg", ".pdf")


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
    import matplotlib

    path.parent.mkdir(parents=True, exist_ok=True)
    stamp = {"Date": None} if path.suffix.lower() == ".svg" else {}
    if path.suffix.lower() == ".pdf":
        stamp = {"CreationDate": None}
    with matplotlib.rc_context({"svg.hashsalt": "deidlab", "svg.fonttype": "none"}):
        figure.savefig(path, dpi=150, metadata=stamp)
