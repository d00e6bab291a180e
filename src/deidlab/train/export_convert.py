"""An fp32 ONNX file in, the model files of an export out: ONNX or OpenVINO, in fp32, bf16 or int8.

int8 weights have a scale for each output channel. Activations get theirs while the model runs, from the
window (ONNX Runtime) or from each piece (OpenVINO), or, with OpenVINO, beforehand from notes to calibrate on.
"""

from __future__ import annotations

import importlib.util
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidlab.detect.folder import ONNX, ExportFacts
from deidlab.detect.runtimes import Ids, import_openvino, openvino_core
from deidlab.errors import MissingExtraError, ModelError
from deidlab.train.export_graph import silence

FP32, BF16, INT8 = "fp32", "bf16", "int8"
PRECISIONS = (FP32, BF16, INT8)
# More windows than this changed no scale that mattered, and each costs a pass through the model.
CALIBRATION_WINDOWS = 100
# Values of a piece that share a scale: a fifth nearer to fp32 than one scale a piece, and no slower.
_GROUP = 128


@dataclass(frozen=True, slots=True)
class Conversion:
    """What to make of the traced model; `width` is the model's hidden size.

    `calibration` holds windows as the model takes them, or nothing where scales are found while it runs.
    """

    format: str
    precision: str
    width: int
    calibration: Sequence[Mapping[str, Ids]] = ()


def convert(traced: Path, folder: Path, wanted: Conversion) -> ExportFacts:
    """Write the model's files into the folder; how they are to be run."""
    if wanted.format == ONNX:
        return _to_onnx(traced, folder, wanted)
    return _to_openvino(traced, folder, wanted)


def need_packages(format: str, precision: str) -> None:
    """An error with the command to install what exporting needs, where some of it is not there."""
    needed = {"onnx", "onnxscript", "onnxruntime" if format == ONNX else "openvino"}
    if precision == INT8 and format != ONNX:
        needed.add("nncf")
    if any(importlib.util.find_spec(name) is None for name in needed):
        raise MissingExtraError("exporting a model", "export")


def describe_scales(facts: ExportFacts) -> str:
    """How the numbers of a model are held, in words."""
    if facts.precision == FP32:
        return "weights and sums in fp32"
    if facts.precision == BF16:
        return "weights in fp32, sums in bf16 where the processor has it, else in fp32"
    if facts.format == ONNX:
        return "weights in int8 by channel, activations in int8 by the range of each window"
    rest = "the rest in bf16 where the processor has it, else in fp32"
    if facts.group:
        return f"weights in int8 by channel, activations in int8 by {facts.group} values of a piece, {rest}"
    return f"weights in int8 by channel, activations in int8 by ranges fixed on the calibration notes, {rest}"


def _to_onnx(traced: Path, folder: Path, wanted: Conversion) -> ExportFacts:
    path = folder / "model.onnx"
    if wanted.precision == FP32:
        for file in traced.parent.glob(f"{traced.name}*"):
            shutil.copyfile(file, folder / file.name.replace(traced.name, path.name))
        if (folder / f"{path.name}.data").exists():
            _rename_data(path)
    else:
        _quantise_onnx(traced, path)
    return ExportFacts(ONNX, wanted.precision, path.name)


def _rename_data(path: Path) -> None:
    """Point a model at its data file's new name."""
    import onnx

    model = onnx.load(str(path), load_external_data=False)
    for tensor in model.graph.initializer:
        for entry in tensor.external_data:
            if entry.key == "location":
                entry.value = f"{path.name}.data"
    path.write_bytes(model.SerializeToString())


def _quantise_onnx(traced: Path, path: Path) -> None:
    from onnxruntime.quantization import QuantType, quantize_dynamic

    try:
        with silence():
            quantize_dynamic(
                str(traced),
                str(path),
                per_channel=True,
                weight_type=QuantType.QInt8,
                nodes_to_exclude=_stacked_products(traced),
            )
    except OSError:
        raise
    except Exception as error:
        raise ModelError(
            f"ONNX Runtime could not bring this model to int8 ({type(error).__name__})"
        ) from None


def _stacked_products(traced: Path) -> list[str]:
    """Products with a constant stack of matrices, which ONNX Runtime cannot compute in int8 by channel."""
    import onnx

    graph = onnx.load(str(traced), load_external_data=False).graph
    ranks = {tensor.name: len(tensor.dims) for tensor in graph.initializer}
    return [node.name for node in graph.node if node.op_type == "MatMul" and ranks.get(node.input[1], 2) != 2]


def _to_openvino(traced: Path, folder: Path, wanted: Conversion) -> ExportFacts:
    openvino = import_openvino("exporting to OpenVINO", "export")
    path = folder / "model.xml"
    model = openvino_core().read_model(traced)
    floats, group = "f32" if wanted.precision == FP32 else "bf16", 0
    if wanted.precision == INT8:
        model = _quantise_openvino(model, wanted)
        group = 0 if wanted.calibration else _GROUP if wanted.width % _GROUP == 0 else wanted.width
    openvino.save_model(model, path, compress_to_fp16=False)
    return ExportFacts(wanted.format, wanted.precision, path.name, floats, group)


def _quantise_openvino(model: Any, wanted: Conversion) -> Any:
    import nncf

    try:
        with silence():
            if not wanted.calibration:
                return nncf.compress_weights(model, mode=nncf.CompressWeightsMode.INT8_SYM)
            return nncf.quantize(
                model,
                nncf.Dataset([dict(window) for window in wanted.calibration]),
                preset=nncf.QuantizationPreset.MIXED,
                model_type=nncf.ModelType.TRANSFORMER,
                subset_size=len(wanted.calibration),
            )
    except Exception as error:
        raise ModelError(f"NNCF could not bring this model to int8 ({type(error).__name__})") from None
