"""Whether a change of the code changed what is masked: a digest of every style and policy over fixed notes.

    python benchmarks/masked_digests.py before.json --notes FOLDER        # on the commit before
    python benchmarks/masked_digests.py after.json before.json --notes FOLDER  # after: what differs is listed

Notes, key and models are the same each time, so two commits that mask alike print nothing. The notes are
written to the folder by the first run and read from it by the next: a commit may also have changed how notes
are made. What was found and written is kept there too, in a folder named for the digests, so that a
difference can be looked at. Digests are by note: where one commit failed a note that the other wrote, that
note is counted apart and the rest is still compared.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
from pathlib import Path

from deidlab.cli.app import run

ROOT = Path(__file__).parents[1]
STYLES = ("redact", "tag", "surrogate")
POLICIES = ("safe-harbor", "i2b2", "limited-dataset", "gdpr", "phipa")
DETECTORS = {
    "rules": ("--rules", "only"),
    "en": ("--model", "en"),
    "es": ("--model", "es"),
}
N_MADE = 100
FAILED_NOTES = 3
HIDERS = (
    lambda word: word[:2] + "\u200b" + word[2:],
    lambda word: word[:2] + "\xad" + word[2:],
    lambda word: word[:2] + "-\n" + word[2:],
    lambda word: word + "\xa0",
    lambda word: "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in word),
)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("wanted", type=Path)
    parser.add_argument("before", type=Path, nargs="?")
    parser.add_argument("--notes", type=Path, required=True)
    settings = parser.parse_args()
    outputs = settings.notes / settings.wanted.stem
    outputs.mkdir(parents=True)
    digests = _digest_all(settings.notes, outputs)
    settings.wanted.write_text(json.dumps(digests, indent=1) + "\n")
    return 0 if settings.before is None else _compare(json.loads(settings.before.read_text()), digests)


def _compare(before: dict[str, dict[str, str]], digests: dict[str, dict[str, str]]) -> int:
    changed = False
    print(f"{len(digests)} outputs, {sum(map(len, digests.values()))} notes")
    for name in {**before, **digests}:
        old, new = before.get(name, {}), digests.get(name, {})
        differ = [note for note in old.keys() & new.keys() if old[note] != new[note]]
        alone = len(old.keys() ^ new.keys())
        changed |= bool(differ or alone)
        if differ or alone:
            print(f"- {name}: {len(differ)} notes differ, {alone} written by one commit alone")
    return 1 if changed else 0


def _digest_all(notes_folder: Path, outputs: Path) -> dict[str, dict[str, str]]:
    key = outputs / "key"
    key.write_text("00112233445566778899aabbccddeeff" * 2 + "\n")
    key.chmod(0o600)
    digests = {}
    for notes, detectors in _sources(notes_folder):
        for name in detectors:
            found = outputs / f"{notes.stem}-{name}.jsonl"
            _deidlab("detect", notes, "--out", found, *DETECTORS[name])
            digests[f"{notes.stem} found by {name}"] = _digest(found)
            for style in STYLES:
                for policy in POLICIES:
                    masked = outputs / f"{found.stem}-{style}-{policy}.jsonl"
                    _deidlab("mask", notes, "--out", masked, "--spans", found, "--style", style,
                             "--policy", policy, "--key-file", key, "--codes", "keyed",
                             "--accept-derived-codes", *DETECTORS[name])  # fmt: skip
                    digests[f"{notes.stem} by {name}, {style}, {policy}"] = _digest(masked)
            whole = outputs / f"{found.stem}-whole.jsonl"
            _deidlab("mask", notes, "--out", whole, "--style", "surrogate", "--key-file", key,
                     *DETECTORS[name])  # fmt: skip
            digests[f"{notes.stem} by {name}, in one command"] = _digest(whole)
    return digests


def _sources(folder: Path) -> list[tuple[Path, tuple[str, ...]]]:
    """Notes as JSON lines and without annotations, so that only what is found decides."""
    names = {
        "notes": ("rules", "en", "es"), "plain": ("rules", "en", "es"),
        "notes-en": ("rules", "en"), "notes-es-fresh": ("rules", "es"),
        "made-en": ("rules", "en"), "made-es": ("rules", "es"), "hidden": ("rules", "en"),
    }  # fmt: skip
    if not (folder / "hidden.jsonl").exists():
        _write_sources(folder)
    return [(folder / f"{name}.jsonl", detectors) for name, detectors in names.items()]


def _write_sources(folder: Path) -> None:
    made = {"made-en": (), "made-es": ("--labels", "meddocan")}
    for name, options in made.items():
        _deidlab(
            "corpus", "make", folder / f"{name}-spans.jsonl", "--notes", str(N_MADE), "--seed", "3", *options
        )
    kept = [ROOT / "samples" / "notes", ROOT / "samples" / "plain",
            *(ROOT / "tests" / "data" / name for name in ("notes-en", "notes-es-fresh"))]  # fmt: skip
    for source in (*kept, *(folder / f"{name}-spans.jsonl" for name in made)):
        bare = folder / f"{source.stem.removesuffix('-spans')}.jsonl"
        _deidlab("corpus", "convert", source, folder / "converted.jsonl", "--to", "jsonl", "--overwrite")
        rows = [json.loads(line) for line in (folder / "converted.jsonl").read_text("utf-8").splitlines()]
        bare.write_text("".join(json.dumps({**row, "spans": []}) + "\n" for row in rows))
    _write_hidden(folder)


def _write_hidden(folder: Path) -> None:
    """Made notes; one word of twelve has characters that nobody sees, or that look like others."""
    chance = random.Random(4)
    rows = [json.loads(line) for line in (folder / "made-en.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        words = row["text"].split(" ")
        for place in range(len(words)):
            if chance.random() < 1 / 12 and len(words[place]) > 2:
                words[place] = chance.choice(HIDERS)(words[place])
        row["text"] = " ".join(words)
    (folder / "hidden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))


def _deidlab(*arguments: str | Path) -> None:
    status = run([*map(str, arguments), "-q"])
    if status not in (0, FAILED_NOTES):
        raise SystemExit(f"deidlab {' '.join(map(str, arguments[:2]))} … ended with status {status}")


def _digest(file: Path) -> dict[str, str]:
    """Of each note by its id."""
    lines = file.read_bytes().splitlines()
    return {json.loads(line)["id"]: hashlib.sha256(line).hexdigest() for line in lines}


if __name__ == "__main__":
    sys.exit(main())
