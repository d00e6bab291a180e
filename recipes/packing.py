"""A run's folder in, a few small files out, for machines that give back only such; and the way back."""

from __future__ import annotations

import zipfile
from pathlib import Path

PART = 15 * 2**20


def pack_run(run: Path, folder: Path) -> None:
    """The run in small files: weights in half precision, cut into parts; everything else in one archive."""
    from safetensors.torch import load_file, save

    folder.mkdir(parents=True, exist_ok=True)
    weights = save({name: tensor.half() for name, tensor in load_file(run / "model.safetensors").items()})
    for number, start in enumerate(range(0, len(weights), PART)):
        (folder / f"weights.{number:02d}").write_bytes(weights[start : start + PART])
    with zipfile.ZipFile(folder / "rest.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(run.iterdir()):
            if path.name != "model.safetensors":
                archive.write(path, path.name)


def unpack_run(folder: Path, run: Path) -> None:
    """The mirror of `pack_run`."""
    from safetensors.torch import load, save_file

    run.mkdir(parents=True, exist_ok=True)
    weights = b"".join(path.read_bytes() for path in sorted(folder.glob("weights.*")))
    tensors = {name: tensor.float() for name, tensor in load(weights).items()}
    save_file(tensors, run / "model.safetensors", metadata={"format": "pt"})
    with zipfile.ZipFile(folder / "rest.zip") as archive:
        archive.extractall(run)
