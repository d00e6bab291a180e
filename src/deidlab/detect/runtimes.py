"""Windows in, scores of tags out, computed by ONNX Runtime or OpenVINO: no torch here.

Every window is computed by itself, several at the same time: no padding is computed, and what is found in
a window cannot depend on its neighbours in a batch, even where int8 scales are taken from the data.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock, local
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from deidlab.detect.folder import ONNX, ExportFacts
from deidlab.detect.processor import has_hidden_tiles, limit_instructions
from deidlab.encode.decoding import Scores
from deidlab.errors import ConfigError, MissingExtraError, ModelError
from deidlab.machine import n_cores

Ids = npt.NDArray[np.int64]
IDS, SHAPES, LOGITS = "input_ids", "shapes", "logits"
"""The names of a model's inputs and of its output."""


@dataclass(frozen=True, slots=True)
class WindowInputs:
    """One window for a model: `arrays` by the name of the input, [1, pieces] each.

    `places` are the pieces whose scores are wanted: the first of each word that the window decides.
    """

    arrays: Mapping[str, Ids]
    places: Ids


class Runtime(Protocol):
    """Whatever computes a model."""

    def score(self, windows: Sequence[WindowInputs]) -> list[Scores]:
        """[places, tags] for each window, in order."""


@dataclass(frozen=True, slots=True)
class Threads:
    """How many threads compute, and how many windows they have in hand at the same time."""

    total: int
    at_once: int

    @property
    def each(self) -> int:
        return max(1, self.total // self.at_once)


def choose_threads(total: int | None = None, at_once: int | None = None) -> Threads:
    """All cores this process may use (OMP_NUM_THREADS where it is set), and a window a core, unless told."""
    total = _usual_threads() if total is None else total
    if total < 1 or (at_once is not None and not 1 <= at_once <= total):
        raise ConfigError(
            "threads must be at least 1, and windows at once at least 1 and at most the threads"
        )
    return Threads(total, total if at_once is None else at_once)


def _usual_threads() -> int:
    said = os.environ.get("OMP_NUM_THREADS", "")
    return min(int(said), n_cores()) if said.isdecimal() and int(said) else n_cores()


# OpenVINO's Python side sets itself up when it first fills a tensor; two threads that do so at once may wait
# for each other for ever.
_FIRST_TIME = Lock()


def open_runtime(folder: Path, facts: ExportFacts, threads: Threads) -> Runtime:
    """The exported model of a folder, ready to run."""
    path = folder / facts.model
    if not path.is_file():
        raise ModelError(f"{path}: the model file is missing")
    opening = _open_onnx if facts.format == ONNX else _open_openvino
    return ParallelRuntime(opening(path, facts, threads), threads.at_once)


class ParallelRuntime:
    """Runs `compute` on several windows at the same time, each whole on one worker."""

    def __init__(self, compute: Callable[[Mapping[str, Ids]], Scores], at_once: int) -> None:
        self._compute = compute
        self._workers = ThreadPoolExecutor(at_once, thread_name_prefix="deidlab")

    def score(self, windows: Sequence[WindowInputs]) -> list[Scores]:
        return list(self._workers.map(self._score_one, windows))

    def _score_one(self, window: WindowInputs) -> Scores:
        try:
            scores = self._compute(window.arrays)
        except Exception as error:
            # Only the kind: the runtime's own message may quote what it was given.
            raise ModelError(f"the exported model failed on a window ({type(error).__name__})") from None
        return np.asarray(scores[0, window.places], np.float32)


def _open_onnx(path: Path, facts: ExportFacts, threads: Threads) -> Callable[[Mapping[str, Ids]], Scores]:
    try:
        import onnxruntime
    except ImportError:
        raise MissingExtraError("running a model exported to ONNX", "onnx") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads.each
    options.inter_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception:
        raise ModelError(f"{path}: ONNX Runtime cannot load this model") from None

    def compute(arrays: Mapping[str, Ids]) -> Scores:
        scores: Scores = session.run([LOGITS], dict(arrays))[0]
        return scores

    return compute


def _open_openvino(path: Path, facts: ExportFacts, threads: Threads) -> Callable[[Mapping[str, Ids]], Scores]:
    core = openvino_core()
    try:
        compiled = core.compile_model(core.read_model(path), "CPU", _openvino_settings(core, facts, threads))
    except Exception:
        raise ModelError(f"{path}: OpenVINO cannot load this model") from None
    mine = local()

    def compute(arrays: Mapping[str, Ids]) -> Scores:
        # A request has buffers of its own; each worker keeps one.
        if hasattr(mine, "request"):
            scores: Scores = mine.request.infer(dict(arrays))[LOGITS]
            return scores
        with _FIRST_TIME:
            mine.request = compiled.create_infer_request()
            first: Scores = mine.request.infer(dict(arrays))[LOGITS]
        return first

    return compute


def openvino_core(what: str = "running a model exported to OpenVINO", extra: str = "openvino") -> Any:
    """OpenVINO's core; an installation without it is told so."""
    return _only_core(import_openvino(what, extra))


@functools.cache
def _only_core(openvino: Any) -> Any:
    """One for the life of the process.

    Its CPU plugin gives signals a stack of their own, and a second plugin that goes before the first may put
    back one that is gone: the next Ctrl-C would then end the process with a segmentation fault.
    """
    limit_instructions()
    return openvino.Core()


def import_openvino(what: str, extra: str) -> Any:
    """The openvino package, kept from telling its makers over the network that it was imported."""
    # Where its telemetry package cannot be imported, openvino (and nncf) put a stub in its place.
    sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
    try:
        return importlib.import_module("openvino")
    except ImportError:
        raise MissingExtraError(what, extra) from None


def _openvino_settings(core: Any, facts: ExportFacts, threads: Threads) -> dict[str, Any]:
    """Nothing is left to OpenVINO's own choice, which differs from machine to machine."""
    able = "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES") and not has_hidden_tiles()
    half = facts.floats == "bf16" and able
    return {
        "NUM_STREAMS": threads.at_once,
        "INFERENCE_NUM_THREADS": threads.total,
        "INFERENCE_PRECISION_HINT": "bf16" if half else "f32",
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": facts.group,
        # Pinned threads of several processes would share the first cores and leave the others idle.
        "ENABLE_CPU_PINNING": False,
    }
