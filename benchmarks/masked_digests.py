"""Whether a change of the code changed what is masked: a digest of every style and policy over fixed notes.

    python benchmarks/masked_digests.py before.json           # on the commit before
    python benchmarks/masked_digests.py after.json before.json  # on the commit after: what differs is listed

Notes, key and models are the same each time, so two commits that mask alike print nothing. What was found is
digested too, since a difference there explains all the others. Digests are by note: where one commit failed a
note that the other wrote, that note is counted apart and the rest is still compared.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
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


def main() -> int:
    wanted = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as scratch:
        digests = _digest_all(Path(scratch))
    wanted.write_text(json.dumps(digests, indent=1) + "\n")
    if len(sys.argv) == 2:
        return 0
    before = json.loads(Path(sys.argv[2]).read_text())
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


def _digest_all(scratch: Path) -> dict[str, dict[str, str]]:
    key = scratch / "key"
    key.write_text("00112233445566778899aabbccddeeff" * 2 + "\n")
    key.chmod(0o600)
    digests = {}
    for notes, detectors in _sources(scratch):
        for name in detectors:
            found = scratch / f"{notes.stem}-{name}.jsonl"
            _deidlab("detect", notes, "--out", found, *DETECTORS[name])
            digests[f"{notes.stem} found by {name}"] = _digest(found)
            for style in STYLES:
                for policy in POLICIES:
                    masked = scratch / f"{found.stem}-{style}-{policy}.jsonl"
                    _deidlab("mask", notes, "--out", masked, "--spans", found, "--style", style,
                             "--policy", policy, "--key-file", key, *DETECTORS[name])  # fmt: skip
                    digests[f"{notes.stem} by {name}, {style}, {policy}"] = _digest(masked)
            whole = scratch / f"{found.stem}-whole.jsonl"
            _deidlab("mask", notes, "--out", whole, "--style", "surrogate", "--key-file", key,
                     *DETECTORS[name])  # fmt: skip
            digests[f"{notes.stem} by {name}, in one command"] = _digest(whole)
    return digests


def _sources(scratch: Path) -> list[tuple[Path, tuple[str, ...]]]:
    english, spanish = scratch / "made-en.jsonl", scratch / "made-es.jsonl"
    _deidlab("corpus", "make", english, "--notes", str(N_MADE), "--seed", "3")
    _deidlab("corpus", "make", spanish, "--notes", str(N_MADE), "--seed", "3", "--labels", "meddocan")
    samples = [(ROOT / "samples" / "notes", ("rules", "en", "es")),
               (ROOT / "samples" / "plain", ("rules", "en", "es")),
               (ROOT / "tests" / "data" / "notes-en", ("rules", "en")),
               (ROOT / "tests" / "data" / "notes-es-fresh", ("rules", "es"))]  # fmt: skip
    plain = []
    for source, detectors in [*samples, (english, ("rules", "en")), (spanish, ("rules", "es"))]:
        # As JSON lines and without annotations, so that only what is found decides.
        bare = scratch / f"{source.name if source.is_dir() else source.stem}-bare.jsonl"
        _deidlab("corpus", "convert", source, bare, "--to", "jsonl")
        rows = [json.loads(line) for line in bare.read_text("utf-8").splitlines()]
        bare.write_text("".join(json.dumps({**row, "spans": []}) + "\n" for row in rows))
        plain.append((bare, detectors))
    return plain


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
