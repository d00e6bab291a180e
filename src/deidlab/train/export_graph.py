"""A run's model in, the same model as an ONNX file out, traced by torch for windows of any length."""

from __future__ import annotations

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from deidlab.detect.folder import TaggerFacts
from deidlab.detect.runtimes import IDS, LOGITS, SHAPES
from deidlab.detect.torch_model import WindowModel
from deidlab.errors import ModelError

# ONNX Runtime's int8 converter does not know the attention operator of later sets; this one spells it out.
OPSET = 20
# One protobuf file ends at 2 GiB; past this, weights lie in a file of their own.
_ONE_FILE_BYTES = 1_500_000_000


def write_onnx(model: WindowModel, facts: TaggerFacts, path: Path) -> None:
    """The model in fp32, its windows' length free."""
    ids = torch.full((1, min(facts.window, 16)), 1, dtype=torch.long)
    names = [IDS, SHAPES] if facts.shapes else [IDS]
    length = torch.export.Dim("length", min=2, max=facts.window)
    try:
        with silence():
            program = torch.onnx.export(
                model,
                tuple(ids.clone() for _ in names),
                dynamo=True,
                input_names=names,
                output_names=[LOGITS],
                dynamic_shapes=tuple({1: length} for _ in names),
                opset_version=OPSET,
                verbose=False,
            )
            program.save(str(path), external_data=_n_bytes(model) > _ONE_FILE_BYTES)
    except OSError:
        raise
    except Exception as error:
        kind = type(model.model).__name__
        raise ModelError(f"torch could not trace this {kind} for export ({type(error).__name__})") from None


@contextlib.contextmanager
def silence() -> Iterator[None]:
    """Keep the libraries' remarks on their own progress off the terminal."""
    before = logging.root.manager.disable
    logging.disable(logging.ERROR)
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def _n_bytes(model: Any) -> int:
    return sum(parameter.numel() * parameter.element_size() for parameter in model.parameters())
