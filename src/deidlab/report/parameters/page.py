"""A model's tensors as one web page that needs nothing else: picture, arithmetic, a table to sort and search.

`TensorList`s come in; HTML goes out. Styles and the few lines of script are in the page itself, so it
can be mailed, archived or opened without a network.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib import resources

from deidlab.report.parameters.explain import describe_head, tensors_to_explanation
from deidlab.report.parameters.figure import COLOURS, INKS
from deidlab.report.parameters.treemap import Box, Tile, lay_out_model
from deidlab.zoo.blocks import block_of, count_blocks
from deidlab.zoo.params import Tensor, TensorList, format_bytes

_AREA = Box(0, 0, 1000, 420)


def tensors_to_html(lists: Sequence[TensorList]) -> str:
    """One page with a section a model."""
    title = ", ".join(listed.model for listed in lists)
    sections = "\n".join(_section(listed) for listed in lists)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Parameters of {escape(title)}</title>\n<style>\n{_asset('page.css')}</style>\n</head>\n"
        f"<body>\n<main>\n{sections}\n</main>\n<script>\n{_asset('page.js')}</script>\n</body>\n</html>\n"
    )


def _asset(name: str) -> str:
    return (resources.files("deidlab") / "data" / "zoo" / "html" / name).read_text(encoding="utf-8")


def _section(listed: TensorList) -> str:
    facts = (
        ("parameters", f"{listed.total:,}"),
        ("trainable", f"{listed.trainable:,}"),
        ("in fp32", format_bytes(listed.bytes)),
        ("tensors", f"{len(listed.tensors):,}"),
    )
    cards = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    return (
        f"<section>\n<h1>{escape(listed.model)}</h1>\n<p class='head'>{escape(describe_head(listed))}</p>\n"
        f"<dl class='facts'>{cards}</dl>\n{_legend(listed)}\n{_treemap(listed)}\n"
        "<details><summary>The arithmetic</summary>"
        f"<pre>{escape(tensors_to_explanation(listed))}</pre></details>\n"
        f"{_table(listed)}\n</section>"
    )


def _legend(listed: TensorList) -> str:
    items = "".join(
        f"<li><i style='background:{COLOURS[block]}'></i>{block} "
        f"<b>{100 * count / listed.total:.2f} %</b></li>"
        for block, count in count_blocks(listed.tensors).items()
    )
    return f"<ul class='legend'>{items}</ul>"


def _treemap(listed: TensorList) -> str:
    tiles = "\n".join(_tile(tile, listed.total) for tile in lay_out_model(listed, _AREA, margin=2))
    return (
        f"<svg class='map' viewBox='0 0 {_AREA.width} {_AREA.height}' role='img' "
        f"aria-label='Where the parameters of {escape(listed.model, quote=True)} sit'>\n{tiles}\n</svg>"
    )


def _tile(tile: Tile, total: int) -> str:
    box, share = tile.box, 100 * tile.count / total
    name, size = escape(tile.part), f"{tile.count:,}"
    drawn = (
        f"<rect x='{box.x:.1f}' y='{box.y:.1f}' width='{box.width:.1f}' height='{box.height:.1f}' "
        f"fill='{COLOURS[tile.block]}' stroke='white' stroke-width='1.5'/>"
    )
    if box.width > 8.5 * max(len(name), len(size)) and box.height > 40:
        x, y, ink = box.x + box.width / 2, box.y + box.height / 2, INKS.get(tile.block, "black")
        drawn += (
            f"<g text-anchor='middle' fill='{ink}'>"
            f"<text x='{x:.1f}' y='{y - 4:.1f}' font-size='14'>{name}</text>"
            f"<text x='{x:.1f}' y='{y + 14:.1f}' font-size='12'>{size}</text></g>"
        )
    return f"<g><title>{tile.block}: {name}, {size} ({share:.2f} %)</title>{drawn}</g>"


def _table(listed: TensorList) -> str:
    columns = (
        ("#", "number"),
        ("Name", "text"),
        ("Shape", "text"),
        ("Parameters", "number"),
        ("Form", "text"),
        ("Block", "text"),
    )
    heads = "".join(
        f"<th data-kind='{kind}'><button type='button'>{name}</button></th>" for name, kind in columns
    )
    rows = "\n".join(_row(number, tensor) for number, tensor in enumerate(listed.tensors, start=1))
    return (
        "<label class='search'>Search <input type='search' placeholder='attention, LayerNorm, 768 …'> "
        "<output></output></label>\n"
        f"<div class='scroll'><table>\n<thead><tr>{heads}</tr></thead>\n"
        f"<tbody>\n{rows}\n</tbody>\n</table></div>"
    )


def _row(number: int, tensor: Tensor) -> str:
    block = block_of(tensor.name)
    shape = " × ".join(map(str, tensor.shape))
    return (
        f"<tr><td>{number}</td><td class='name'>{escape(tensor.name)}</td><td>{shape}</td>"
        f"<td data-value='{tensor.count}'>{tensor.count:,}</td><td>{tensor.form}</td>"
        f"<td><i style='background:{COLOURS[block]}'></i>{block}</td></tr>"
    )
