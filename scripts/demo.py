"""What `make demo` shows: sample notes converted, checked, split, counted, charted and masked, offline.

Every step is a command that a person could type; it is printed before it runs.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from deidlab.cli.app import run

OUT = Path("demo-out")
STEPS = (
    ("Inline tags become i2b2 XML, and XML becomes brat: every offset is kept.", (
        "corpus convert samples/notes demo-out/i2b2 --to i2b2",
        "corpus convert demo-out/i2b2 demo-out/brat --to brat",
    )),
    ("Nothing is out of place.", ("corpus check demo-out/brat",)),
    ("A split by patient, the same on every machine.", (
        "corpus split demo-out/brat --out demo-out/split.json --ratios 67:33 --seed 4",
    )),
    ("What is in it, as a table and a chart.", (
        "corpus stats demo-out/brat --split demo-out/split.json --chart demo-out/labels.png",
    )),
    ("Notes that can be shared: an English letter with tags, a Spanish report with invented names.", (
        "mask samples/plain/clinic-letter.txt --model en --out demo-out/letter.txt -q",
        "mask samples/plain/consulta.txt --model es --style surrogate --out demo-out/consulta.txt -q",
    )),
)  # fmt: skip


def main() -> int:
    shutil.rmtree(OUT, ignore_errors=True)
    for what, commands in STEPS:
        print(f"\n# {what}")
        for command in commands:
            print(f"$ deidlab {command}", flush=True)
            status = run(shlex.split(command))
            if status:
                return status
    print("\n# The same note, as brat keeps it")
    print("\n".join((OUT / "brat" / "consulta.ann").read_text("utf-8").splitlines()[:4]))
    for name in ("letter.txt", "consulta.txt"):
        print(f"\n# {OUT / name}\n{(OUT / name).read_text('utf-8').rstrip()}")
    print(f"\nThe chart is {OUT / 'labels.png'}; the README shows where to go next.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
