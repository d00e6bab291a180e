"""A run's folder in, its model in torch out: as a tagger over packed rows, or as transformers has it.

An export's folder is taken too: its weights are rebuilt from what it computes with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers
from safetensors import safe_open

from deidlab.detect.folder import SHAPES_KEY, STEPS_KEY, WEIGHTS, TaggerFacts, is_export
from deidlab.detect.packed.attention import PACKED, register_attention, supports_window
from deidlab.detect.packed.fusing import fuse_layers
from deidlab.detect.packed.tagger import Tagger
from deidlab.detect.rebuilt import rebuild_tensors
from deidlab.errors import ModelError


def load_tagger(folder: Path, facts: TaggerFacts, device: Any) -> Tagger:
    """A finished run's tagger, ready to score rows: in half precision on a GPU, in full elsewhere."""
    register_attention()
    rebuilt = read_rebuilt(folder) if is_export(folder) else None
    extra = read_extra(folder, facts) if rebuilt is None else check_extra(folder, facts, rebuilt)
    model = load_classifier(folder, facts, PACKED, rebuilt)
    fuse_layers(model)
    tagger = Tagger(model, facts.shapes, facts.decoding == "crf")
    with torch.no_grad():
        for key, part in ((SHAPES_KEY, tagger.shapes and tagger.shapes.weight), (STEPS_KEY, tagger.steps)):
            if part is not None:
                part.copy_(extra[key])
    on_gpu = torch.device(device).type == "cuda"
    tagger.to(device, torch.bfloat16 if on_gpu else torch.float32)
    tagger.eval()
    return tagger


def read_extra(folder: Path, facts: TaggerFacts) -> dict[str, Any]:
    """The tensors that DeidLab adds to a transformers model; all that the folder's description speaks of."""
    path = folder / WEIGHTS
    try:
        with safe_open(path, framework="pt") as tensors:
            names = set(tensors.keys()) & {SHAPES_KEY, STEPS_KEY}
            extra = {name: tensors.get_tensor(name) for name in names}
    except Exception:
        raise ModelError(f"{path}: not a whole safetensors file") from None
    return check_extra(folder, facts, extra)


def check_extra(folder: Path, facts: TaggerFacts, tensors: dict[str, Any]) -> dict[str, Any]:
    """Those of a folder's tensors that DeidLab adds, if they are the ones that it describes."""
    extra = {name: tensors[name] for name in (SHAPES_KEY, STEPS_KEY) if name in tensors}
    if facts.shapes != (SHAPES_KEY in extra) or (facts.decoding == "crf") != (STEPS_KEY in extra):
        raise ModelError(f"{folder}: tagger.json and the weights do not go together")
    return extra


def read_rebuilt(folder: Path) -> dict[str, Any]:
    """All tensors of an export, named as in the run that it came from."""
    return {name: torch.from_numpy(tensor) for name, tensor in rebuild_tensors(folder).items()}


def load_classifier(
    folder: Path, facts: TaggerFacts, attention: str, rebuilt: dict[str, Any] | None = None
) -> Any:
    """The transformers model in fp32, with an attention of ours where it takes one from outside.

    Its tensors are the `rebuilt` ones where they are given, else the folder's.
    """
    logging = transformers.utils.logging
    level = logging.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    auto = transformers.AutoModelForTokenClassification
    try:
        config = transformers.AutoConfig.from_pretrained(folder, trust_remote_code=False)
        plain = auto._model_mapping[type(config)]
        ours = {"attn_implementation": attention} if supports_window(plain) else {}
        kind: Any = auto
        place: dict[str, Any] = {"trust_remote_code": False, "local_files_only": True}
        if rebuilt is not None:
            kind, place = plain, {"state_dict": rebuilt}
        model, info = kind.from_pretrained(
            folder if rebuilt is None else None,
            config=config,
            dtype=torch.float32,
            output_loading_info=True,
            **place,
            **ours,
        )
    except Exception:
        raise ModelError(f"{folder}: no model that transformers can load is in this folder") from None
    finally:
        logging.set_verbosity(level)
        logging.enable_progress_bar()
    if info["missing_keys"]:
        raise ModelError(f"{folder}: {len(info['missing_keys'])} of the model's tensors are missing")
    if model.config.num_labels != len(facts.tags):
        raise ModelError(
            f"{folder}: the model knows {model.config.num_labels} tags, tagger.json {len(facts.tags)}"
        )
    return model
