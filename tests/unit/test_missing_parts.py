"""On a core install each command that misses a part names the line that gets it, before any work."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from deidlab.cli.app import run

ROOT = Path(__file__).parents[2]
NOTES = ROOT / "samples" / "notes"
PARTS = {
    "charts": ("matplotlib",),
    "parquet": ("pyarrow", "pyarrow.parquet"),
    "duplicates": ("datasketch",),
    "pdf": ("pikepdf",),
}


@pytest.mark.parametrize(
    ("extra", "command"),
    [
        ("charts", "corpus stats {notes} --chart labels.png"),
        ("charts", "params roberta-base --figure parts.svg"),
        ("charts", "score {notes} {notes} --chart types.png"),
        ("charts", "score {notes} {notes} --confusion types.pdf"),
        ("charts", "study report nowhere"),
        ("parquet", "corpus convert {notes} out.parquet --to parquet"),
        ("parquet", "corpus convert notes.parquet out --to brat"),
        ("parquet", "mask notes.parquet --out masked.parquet"),
        ("parquet", "mask notes.jsonl --known people.parquet --out masked.jsonl"),
        ("pdf", "mask letter.pdf --out masked"),
        ("duplicates", "corpus check {notes} --split split.json"),
    ],
)
def test_a_command_that_misses_a_part_names_the_line_that_gets_it(
    extra: str,
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(shlex.split(f"corpus split {NOTES} --out split.json --ratios 67:33 -q")) == 0
    Path("notes.jsonl").write_text('{"id": "a", "text": "well"}\n')
    for name in ("notes.parquet", "people.parquet"):
        Path(name).write_bytes(b"PAR1")
    Path("letter.pdf").write_bytes(b"%PDF-1.7")
    before = sorted(path.name for path in tmp_path.iterdir())
    for module in PARTS[extra]:
        monkeypatch.setitem(sys.modules, module, None)
    assert run(shlex.split(command.format(notes=NOTES))) == 1
    (said,) = [line for line in capfd.readouterr().err.splitlines() if line.startswith("deidlab: ")]
    assert f"needs the '{extra}' extra: pip install " in said
    assert [name for name in sorted(path.name for path in tmp_path.iterdir()) if name not in before] == []


def test_masking_detecting_and_scoring_load_none_of_the_parts(tmp_path: Path) -> None:
    script = (
        "import sys; from deidlab.cli.app import run\n"
        "for name in ('matplotlib', 'pyarrow', 'datasketch', 'scipy', 'pikepdf', 'pypdfium2'): sys.modules[name] = None\n"
        f"notes = {str(NOTES)!r}\n"
        "assert run(['mask', notes, '--rules', 'only', '--out', 'masked', '-q']) == 0\n"
        "assert run(['detect', notes, '--rules', 'only', '--out', 'found', '-q']) == 0\n"
        "assert run(['score', notes, notes, '--json']) == 0\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_the_laboratory_holds_every_part_but_those_for_development() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    (lab,) = extras["lab"]
    named = set(lab.removeprefix("deidlab[").removesuffix("]").split(","))
    # OpenVINO is in the core; a cluster and the makers of word lists are for few.
    assert named == set(extras) - {"lab", "dev", "openvino", "ray", "banks"}


def test_what_make_installs_has_one_version_each() -> None:
    pinned = {
        name: [
            line.partition("==")[::2]
            for line in (ROOT / "requirements" / name).read_text().splitlines()
            if not line.startswith("#")
        ]
        for name in ("core.txt", "demo.txt", "dev.txt")
    }
    core, demo, dev = (dict(lines) for lines in pinned.values())
    assert core.keys().isdisjoint(demo) and core.keys().isdisjoint(dev)
    assert demo.items() <= dev.items()
    assert {"matplotlib", "pyarrow", "datasketch", "scipy"} <= dev.keys()
