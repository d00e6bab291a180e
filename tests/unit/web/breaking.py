"""A `sitecustomize` for a server's processes: a note with `~stage~` in it breaks that stage."""

from __future__ import annotations

import os
from pathlib import Path

BREAK = """
import os, sys, time

def texts_of(arguments):
    for each in arguments:
        if hasattr(each, "text"):
            yield each.text
        elif hasattr(each, "documents"):
            yield from texts_of(each.documents)
        elif isinstance(each, (list, tuple)):
            yield from texts_of(each)

def spoil(owner, name, **stages):
    whole = getattr(owner, name)
    def spoiled(*arguments, **options):
        for text in texts_of((*arguments, *options.values())):
            for stage, how in stages.items():
                if f"~{stage}~" in text:
                    how(text)
        return whole(*arguments, **options)
    setattr(owner, name, spoiled)

def quote(text):
    print(text)
    print(text, file=sys.stderr)
    raise_quoting(text)

def raise_quoting(text):
    try:
        int(text)
    except ValueError as cause:
        raise RuntimeError(text) from cause

def die(text):
    os._exit(9)

def dawdle(text):
    time.sleep(float(os.environ.get("DAWDLE_SECONDS", "60")))

def exhaust(text):
    raise MemoryError(text)

command = getattr(sys, "orig_argv", [])
if "deidlab.web.worker" in command:
    import deidlab.detect.detector as detector, deidlab.mask.masker as masker
    spoil(detector.Detector, "detect", detect=quote, crash=die, slow=dawdle)
    spoil(masker.Masker, "facts", facts=quote)
    spoil(masker.Masker, "mask", mask=quote, memory=exhaust)
elif "serve" in command:
    import deidlab.web.batching as batching
    spoil(batching.Batcher, "run", server=raise_quoting)
"""


def breaking(folder: Path) -> dict[str, str]:
    """An environment for processes whose stages can be broken."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sitecustomize.py").write_text(BREAK)
    return {"PYTHONPATH": os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))}
