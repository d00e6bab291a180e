"""From what a person typed to a model: a known name, a local folder or config.json, or a hub id.

A text comes in; its tensors (`open_tensors`) or its sizes (`open_sizes`) go out. Known names need
nothing else; local configurations are built on the meta device; hub ids are asked for only their
configuration, never with remote code. Weights are never read: where transformers does not know an
architecture, the shapes in the headers of safetensors files are listed instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deidlab.errors import ModelError
from deidlab.jsonfile import read_object
from deidlab.zoo import meta
from deidlab.zoo.checking import check_sizes
from deidlab.zoo.configs import find_model, unknown_model
from deidlab.zoo.hub import hub_answers, keep_quiet
from deidlab.zoo.params import DEFAULT_HEAD, TensorList, check_head
from deidlab.zoo.safetensors import read_stored_tensors
from deidlab.zoo.shipped import load_tensors
from deidlab.zoo.sizes import Sizes, read_sizes

_FAMILY = re.compile(r"[\w.-]{1,64}")


@dataclass(frozen=True, slots=True)
class ModelSizes:
    """A model's name, family and sizes: what the memory model needs beside the tensors."""

    name: str
    family: str
    sizes: Sizes


def open_tensors(source: str, head: str = DEFAULT_HEAD, labels: int | None = None) -> TensorList:
    """The tensors of a model with this head.

    A folder whose architecture transformers does not know is listed as its safetensors files
    store it, with the head 'stored'.
    """
    n_labels = check_head(head, labels)
    if find_model(source) is not None:
        return load_tensors(source, head, labels)
    path = Path(source)
    if path.is_dir() and (stored := _tensors_of_unknown_folder(path)) is not None:
        return stored
    config = _open_config(source)
    model = meta.build_model(config, head, n_labels)
    return TensorList(_title(source), head, n_labels, meta.list_tensors(model))


def open_sizes(source: str) -> ModelSizes:
    """The sizes of a model, whichever way it is named."""
    known = find_model(source)
    if known is not None:
        return ModelSizes(known.name, known.family, read_sizes(known.family, known.config))
    config = _open_config(source).to_dict()
    family = config["model_type"]
    return ModelSizes(_title(source), family, read_sizes(family, config))


def _title(source: str) -> str:
    path = Path(source)
    if path.is_file():
        return path.resolve().parent.name if path.name == "config.json" else path.stem
    return path.resolve().name if path.is_dir() else source


def _open_config(source: str) -> Any:
    path = Path(source)
    if path.exists():
        return _local_config(path)
    if source.count("/") == 1 and all(source.split("/")):
        return _hub_config(source)
    if path.suffix == ".json" or "/" in source:
        raise ModelError(f"{source}: no such file or folder")
    raise unknown_model(source)


def _local_config(path: Path) -> Any:
    config = _read_config_json(path)
    check_sizes(config, str(path))
    transformers = meta.import_transformers()
    family = config["model_type"]
    if family not in transformers.models.auto.configuration_auto.CONFIG_MAPPING:
        raise ModelError(
            f"{path}: transformers does not know the model type '{family}', and remote code is never run"
        )
    try:
        return transformers.AutoConfig.from_pretrained(path, trust_remote_code=False, local_files_only=True)
    except Exception as error:
        # A field may be wrong in as many ways as there are fields; transformers has no one error for it.
        raise ModelError(
            f"{path}: not a configuration of a '{family}' model ({type(error).__name__})"
        ) from None


def _read_config_json(path: Path) -> dict[str, Any]:
    file = path / "config.json" if path.is_dir() else path
    if not file.exists():
        raise ModelError(f"{path}: the folder has no config.json")
    config = read_object(file, ModelError)
    family = config.get("model_type")
    if not isinstance(family, str) or not _FAMILY.fullmatch(family):
        raise ModelError(f"{file}: a model's configuration is an object with a 'model_type'")
    return config


def _tensors_of_unknown_folder(folder: Path) -> TensorList | None:
    """What the folder's safetensors hold, where transformers does not know its architecture."""
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        return None
    if (folder / "config.json").exists():
        transformers = meta.import_transformers()
        family = _read_config_json(folder).get("model_type")
        if family in transformers.models.auto.configuration_auto.CONFIG_MAPPING:
            return None
    tensors = meta.order_tensors(tensor for file in files for tensor in read_stored_tensors(file))
    return TensorList(_title(str(folder)), "stored", None, tensors)


def _hub_config(source: str) -> Any:
    """The configuration of a model on the hub: from the local cache, or from the network if it answers."""
    transformers = meta.import_transformers()
    keep_quiet()
    load = transformers.AutoConfig.from_pretrained
    try:
        config = load(source, trust_remote_code=False, local_files_only=True)
    except Exception:
        if not hub_answers():
            raise _unreachable(source) from None
        try:
            config = load(source, trust_remote_code=False)
        except Exception:
            raise ModelError(
                f"'{source}': the hub has no configuration of that name that works without remote code"
            ) from None
    check_sizes(config.to_dict(), f"'{source}'")
    return config


def _unreachable(source: str) -> ModelError:
    near = ", ".join(unknown_model(source.split("/")[1]).nearest)
    return ModelError(
        f"'{source}' is not among the shipped models, and the hub cannot be reached for its configuration"
        + (f"; shipped are {near}" if near else "")
    )
