"""What one layer keeps for the backward pass, by family.

Sizes and a `Setting` come in; rows for all layers of the model go out. Widths are those of a
window: `length` × hidden, `length` × feed-forward, heads × `length`² for attention weights.
"""

from __future__ import annotations

from collections.abc import Callable

from deidlab.zoo.activations import BOOL, FP32, Kept, Setting, activation_widths, times
from deidlab.zoo.sizes import Sizes


def layer_rows(family: str, sizes: Sizes, setting: Setting) -> list[Kept]:
    """All layers' rows; those that a batch needs only once are marked so."""
    return times(_LAYERS.get(family, _bert_layer)(family, sizes, setting), sizes.layers)


def _bert_layer(family: str, sizes: Sizes, setting: Setting) -> list[Kept]:
    value, hidden = setting.precision.value, setting.length * sizes.hidden
    # Autocast casts the same input anew for each of the three projections, and each keeps its copy.
    inputs = 3 if setting.precision.mixed else 1
    rows = [
        Kept("attention", "input", inputs * hidden, value),
        Kept("attention", "query, key, value", 3 * hidden, value),
        *_attention_rows(sizes, setting),
        Kept("attention", "output", hidden, value),
        *_norm_rows("attention", hidden, setting),
        Kept("feed-forward", "input", hidden, value),
        *_feed_forward_rows(sizes, setting),
        *_norm_rows("feed-forward", hidden, setting),
    ]
    if sizes.dropout:
        # DistilBERT drops out after the feed-forward part alone, ALBERT after attention alone.
        if family != "distilbert":
            rows.append(Kept("attention", "dropout mask", hidden, BOOL))
        if family != "albert":
            rows.append(Kept("feed-forward", "dropout mask", hidden, BOOL))
    return rows


def _attention_rows(sizes: Sizes, setting: Setting) -> list[Kept]:
    """What the weights of attention leave: nothing of their own size where a fused kernel computes them."""
    length, value = setting.length, setting.precision.value
    if setting.attention == "sdpa":
        return [
            Kept("attention", "log-sum-exp", sizes.heads * length, FP32),
            Kept("attention", "mask", length * length, value),
        ]
    weights = sizes.heads * length * length
    # Autocast computes the softmax in fp32; its copy in bf16 is what the product keeps.
    rows = [Kept("attention", "weights", weights, setting.precision.residual)]
    if sizes.attention_dropout:
        rows.append(Kept("attention", "dropout mask of weights", weights, BOOL))
    if sizes.attention_dropout or setting.precision.mixed:
        rows.append(Kept("attention", "weights for the product", weights, value))
    return rows


def _norm_rows(block: str, hidden: int, setting: Setting) -> list[Kept]:
    return [
        Kept(block, "norm input", hidden, setting.precision.residual),
        Kept(block, "norm statistics", 2 * setting.length, FP32),
    ]


def _feed_forward_rows(sizes: Sizes, setting: Setting) -> list[Kept]:
    wide = setting.length * sizes.feed_forward
    widths = activation_widths(sizes.activation, setting.precision)
    return [
        Kept("feed-forward", f"{sizes.activation}, {len(widths)} values", wide * widths.count(width), width)
        for width in sorted(set(widths))
    ]


def _modernbert_layer(family: str, sizes: Sizes, setting: Setting) -> list[Kept]:
    value, hidden = setting.precision.value, setting.length * sizes.hidden
    wide = setting.length * sizes.feed_forward
    rows = [
        *_norm_rows("attention", hidden, setting),
        Kept("attention", "input", hidden, value),
        Kept("attention", "query, key, value", 3 * hidden, value),
        Kept("attention", "query and key, turned by position", 2 * hidden, value),
        *_attention_rows(sizes, setting),
        Kept("attention", "output", hidden, value),
        *_norm_rows("feed-forward", hidden, setting),
        Kept("feed-forward", "input", hidden, value),
        Kept("feed-forward", "input and gate", 2 * wide, value),
        Kept("feed-forward", "activation", wide, value),
        Kept("feed-forward", "gated activation", wide, value),
    ]
    if sizes.dropout:
        rows.append(Kept("feed-forward", "dropout mask", hidden, BOOL))
    return rows


def _deberta_layer(family: str, sizes: Sizes, setting: Setting) -> list[Kept]:
    length, value = setting.length, setting.precision.value
    hidden, weights = length * sizes.hidden, sizes.heads * length * length
    span = 2 * (sizes.position_buckets or sizes.positions)
    rows = [
        Kept("attention", "input", hidden, value),
        Kept("attention", "query, key, value, scaled key", 4 * hidden, value),
        Kept("attention", "positions, once a window", 2 * span * sizes.hidden, value),
        Kept("attention", "weights by content and position", 2 * sizes.heads * length * span, value),
        Kept("attention", "weights", weights, value),
        Kept("attention", "mask", length * length, BOOL),
        Kept("attention", "output", hidden, value),
        *_norm_rows("attention", hidden, setting),
        Kept("attention", "places of positions", 2 * length * length, 8, once=True),
        Kept("feed-forward", "input", hidden, value),
        *_feed_forward_rows(sizes, setting),
        *_norm_rows("feed-forward", hidden, setting),
    ]
    if sizes.attention_dropout:
        rows.append(Kept("attention", "dropped weights", weights, value))
        rows.append(Kept("attention", "dropout mask of weights", weights, BOOL))
    if sizes.dropout:
        rows.append(Kept("attention", "dropout masks", hidden, BOOL))
        rows.append(Kept("feed-forward", "dropout mask", hidden, BOOL))
        rows.append(Kept("attention", "dropped positions", span * sizes.hidden, value + BOOL, once=True))
    return rows


def _xlnet_layer(family: str, sizes: Sizes, setting: Setting) -> list[Kept]:
    length, value = setting.length, setting.precision.value
    hidden, weights = length * sizes.hidden, sizes.heads * length * length
    wide = length * sizes.feed_forward
    rows = [
        Kept("attention", "input", hidden, value),
        Kept("attention", "query with two biases, key, value", 4 * hidden, value),
        Kept("attention", "keys of relative positions", 2 * hidden, value),
        Kept("attention", "weights", weights, value),
        Kept("attention", "output", hidden, value),
        *_norm_rows("attention", hidden, setting),
        Kept("attention", "output projection, turned", sizes.hidden * sizes.hidden, value, once=True),
        Kept("feed-forward", "input", hidden, value),
        Kept("feed-forward", f"{sizes.activation}, 2 values", 2 * wide, value),
        *_norm_rows("feed-forward", hidden, setting),
    ]
    if value != FP32:
        # Position vectors are made in fp32, and each layer casts them for itself.
        rows.append(Kept("attention", "position vectors, cast", 2 * hidden, value))
    if sizes.dropout:
        rows.append(Kept("attention", "dropped weights", weights, value))
        rows.append(Kept("attention", "dropout mask of weights", weights, BOOL))
        rows.append(Kept("attention", "dropout mask", hidden, BOOL))
        rows.append(Kept("feed-forward", "dropout masks", wide + hidden, BOOL))
    return rows


def _longformer_layer(family: str, sizes: Sizes, setting: Setting) -> list[Kept]:
    length, value = setting.length, setting.precision.value
    hidden, side = length * sizes.hidden, sizes.window // 2
    chunks = max(length // side - 1, 1) * sizes.window * sizes.hidden
    weights = sizes.heads * length * (sizes.window + 1)
    rows = [
        Kept("attention", "input, once for query, key, value", 3 * hidden, value),
        Kept("attention", "query and key in overlapping chunks", 2 * chunks, value),
        Kept("attention", "value in overlapping chunks", 3 * hidden, value),
        Kept("attention", "weights, always fp32", weights, FP32),
        Kept("attention", "weights, padded", sizes.heads * length * (3 * side + 2), value),
        Kept("attention", "output", hidden, value),
        *_norm_rows("attention", hidden, setting),
        Kept("feed-forward", "input", hidden, value),
        *_feed_forward_rows(sizes, setting),
        *_norm_rows("feed-forward", hidden, setting),
    ]
    if sizes.attention_dropout:
        rows.append(Kept("attention", "dropout mask of weights", weights, BOOL))
    if sizes.dropout:
        rows.append(Kept("attention", "dropout mask", hidden, BOOL))
        rows.append(Kept("feed-forward", "dropout mask", hidden, BOOL))
    return rows


_LAYERS: dict[str, Callable[[str, Sizes, Setting], list[Kept]]] = {
    "modernbert": _modernbert_layer,
    "deberta-v2": _deberta_layer,
    "xlnet": _xlnet_layer,
    "longformer": _longformer_layer,
}
