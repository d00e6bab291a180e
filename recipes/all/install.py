"""The run in, the embedded model `all` with its card out: `python recipes/all/install.py --run RUN`.

From then on it is the default: `deidlab.models` chooses it where it is there. `en` and `es` stay as they are.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import package as shared  # noqa: E402
from all_notes import read_recipe  # noqa: E402
from judge import DATA, DEVELOPMENT, judge  # noqa: E402

from deidlab.corpus import read_corpus  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--work", type=Path, default=Path("runs/all-int8"))
    parser.add_argument("--models", type=Path, default=shared.MODELS, help="where embedded models lie")
    parser.add_argument("--limit", type=int, help="first notes of each set; for trying it out")
    said = parser.parse_args()
    notes = [note for name in DEVELOPMENT for note in list(read_corpus(DATA / name, "inline"))[: said.limit]]
    record = shared.export_int8(said.run, said.work, notes, **read_recipe()["tagger"])
    story = shared.read_story(HERE / "card.toml")
    shared.install(said.work, story, judge(str(said.work), said.limit), said.run, record, said.models)


if __name__ == "__main__":
    main()
