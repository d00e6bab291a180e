"""A folder that `deidlab export` wrote for OpenVINO in, the tensors of the run that it came from out.

The model file names biases, norms and tables as torch does; a product's matrix has lost its name, and is
found by the bias that is added after it. Matrices in int8 are multiplied by their scales: what is lost is
what int8 rounded away. No runtime is needed for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from deidlab.detect.folder import OPENVINO, SHAPES_KEY, STEPS, STEPS_KEY, read_export
from deidlab.errors import ModelError

CONFIG = "config.json"
_MODEL, _SHAPES = "model.", "shapes.weight"
_TYPES = {"f32": np.float32, "f16": np.float16, "i8": np.int8}
Tensor = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Graph:
    """The layers of a model file by number, and from which layers each takes its inputs, in order."""

    layers: Mapping[str, Any]
    sources: Mapping[str, tuple[str, ...]]
    numbers: bytes

    def inputs(self, layer: str) -> list[str]:
        return list(self.sources.get(layer, ()))

    def kind(self, layer: str) -> str:
        return str(self.layers[layer].get("type"))

    def name(self, layer: str) -> str:
        return str(self.layers[layer].get("name"))


def rebuild_tensors(folder: Path) -> dict[str, Tensor]:
    """Every tensor in fp32, named as in the run's own file."""
    export = read_export(folder)
    if export.format != OPENVINO:
        raise ModelError(f"{folder}: weights can be rebuilt from an export to OpenVINO only; name the run")
    if not (folder / CONFIG).is_file():
        raise ModelError(f"{folder}: no {CONFIG} is here to rebuild weights by: export the run again")
    path = folder / export.model
    try:
        graph = _read_graph(path)
        tensors = dict(_named(graph))
        if (folder / STEPS).is_file():
            tensors[STEPS_KEY] = np.load(folder / STEPS, allow_pickle=False).astype(np.float32)
    except (OSError, ValueError, KeyError, IndexError, TypeError):
        raise ModelError(f"{path}: the weights of this model cannot be rebuilt; name the run") from None
    return {_name_in_run(name): tensor for name, tensor in tensors.items()}


def _name_in_run(name: str) -> str:
    return SHAPES_KEY if name == _SHAPES else name.removeprefix(_MODEL)


def _read_graph(path: Path) -> _Graph:
    from defusedxml.ElementTree import ParseError, parse

    try:
        root = parse(path).getroot()
    except ParseError:
        raise ValueError from None
    layers = {layer.get("id"): layer for layer in root.iter("layer")}
    edges: dict[str, dict[int, str]] = {}
    for edge in root.iter("edge"):
        edges.setdefault(edge.get("to-layer"), {})[int(edge.get("to-port"))] = edge.get("from-layer")
    sources = {layer: tuple(own[port] for port in sorted(own)) for layer, own in edges.items()}
    return _Graph(layers, sources, path.with_suffix(".bin").read_bytes())


def _named(graph: _Graph) -> Iterator[tuple[str, Tensor]]:
    for layer in graph.layers:
        kind, name = graph.kind(layer), graph.name(layer)
        if kind == "Const" and _is_parameter(name) and not name.endswith("/scale"):
            yield name, _table(graph, layer)
        elif kind == "Add":
            yield from _product_before(graph, layer)


def _is_parameter(name: str) -> bool:
    return name.startswith(_MODEL) or name == _SHAPES


def _table(graph: _Graph, constant: str) -> Tensor:
    """A named constant; one in int8 with the scales that its only use multiplies it by."""
    if _element_type(graph, constant) != "i8":
        return _constant(graph, constant)
    convert = next(layer for layer in graph.layers if constant in graph.inputs(layer))
    scaled = next(layer for layer in graph.layers if convert in graph.inputs(layer))
    return _weight(graph, scaled)


def _product_before(graph: _Graph, add: str) -> Iterator[tuple[str, Tensor]]:
    """The matrix of a product to which a named bias is added, as torch has it: [out, in]."""
    inputs = graph.inputs(add)
    bias = next((each for each in inputs if graph.name(each).endswith(".bias")), None)
    product = next((each for each in inputs if graph.kind(each) == "MatMul"), None)
    if bias is None or product is None or not _is_parameter(graph.name(bias)):
        return
    matrix = _weight(graph, graph.inputs(product)[1])
    turned = graph.layers[product].find("data").get("transpose_b") == "true"
    yield f"{graph.name(bias).removesuffix('bias')}weight", matrix if turned else matrix.T.copy()


def _weight(graph: _Graph, layer: str) -> Tensor:
    """What constants, conversions and scales come to."""
    kind = graph.kind(layer)
    if kind == "Const":
        return _constant(graph, layer)
    parts = [_weight(graph, each) for each in graph.inputs(layer)]
    if kind == "Convert":
        return parts[0]
    if kind == "Multiply":
        return parts[0] * parts[1]
    if kind == "Subtract":
        return parts[0] - parts[1]
    raise ValueError


def _constant(graph: _Graph, layer: str) -> Tensor:
    data = graph.layers[layer].find("data")
    shape = [int(size) for size in data.get("shape").split(",") if size.strip()]
    start, size = int(data.get("offset")), int(data.get("size"))
    numbers = np.frombuffer(graph.numbers[start : start + size], _TYPES[_element_type(graph, layer)])
    return numbers.reshape(shape).astype(np.float32)


def _element_type(graph: _Graph, layer: str) -> str:
    return str(graph.layers[layer].find("data").get("element_type"))
