"""What a run leaves behind to be read: its record, and a model card written from it. No note text, ever."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import deidlab
from deidlab.errors import ModelError
from deidlab.types import Document

if TYPE_CHECKING:
    import torch

RECORD = "record.json"
SETTINGS = "settings.json"


def digest_corpus(documents: Iterable[Document]) -> str:
    """A fingerprint of ids, texts and spans, in order: whether two corpora are the same, and no more."""
    digest = hashlib.sha256()
    for document in documents:
        spans = [(span.start, span.end, span.label) for span in document.spans]
        line = json.dumps([document.id, document.text, spans], ensure_ascii=False)
        digest.update(line.encode() + b"\n")
    return f"sha256:{digest.hexdigest()}"


def describe_environment(device: torch.device) -> dict[str, Any]:
    """The machine and the versions that a result depends on."""
    import torch

    packages = ("numpy", "torch", "transformers", "tokenizers", "safetensors")
    found: dict[str, Any] = {"deidlab": deidlab.__version__, "python": sys.version.split()[0]}
    for name in packages:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    found |= {"system": f"{platform.system()} {platform.machine()}", "device": str(device)}
    if device.type == "cuda":
        found |= {"gpu": torch.cuda.get_device_name(device), "cuda": torch.version.cuda}
    else:
        found |= {"threads": torch.get_num_threads(), "cores": os.cpu_count()}
    return found


def peak_memory_bytes(device: torch.device) -> int:
    """The most memory that the run held: the GPU's where there is one, else the process's."""
    import torch

    if device.type == "cuda":
        return int(torch.cuda.max_memory_allocated(device))
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) * (1 if sys.platform == "darwin" else 1024)


def write_json(path: Path, value: object) -> None:
    """JSON under its name only when it is complete."""
    write_file(path, (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


def write_file(path: Path, data: bytes) -> None:
    partial = path.with_name(f".{path.name}.partial")
    try:
        partial.write_bytes(data)
        partial.replace(path)
    except OSError as error:
        raise full_disk(path, error) from None
    finally:
        partial.unlink(missing_ok=True)


def full_disk(path: Path, error: OSError) -> ModelError:
    """The line for a file that could not be written; the run goes on from its last checkpoint."""
    reason = error.strerror or type(error).__name__
    return ModelError(f"{path}: {reason}; make room, then go on with --resume {path.parent}")


def now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
