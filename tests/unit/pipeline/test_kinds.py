"""Sources and sinks: files meet no code of a database, a new kind is one file, a note is rendered once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from deidlab.corpus import writing
from deidlab.corpus.formats import FORMATS
from deidlab.corpus.writing import write_corpus
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline import detecting, masking
from deidlab.pipeline.detecting import detect_corpus, write_files
from deidlab.pipeline.io import file_sink
from deidlab.pipeline.io.kinds import Rendering, Sink, Source
from deidlab.pipeline.io.notes import BEGINNING, Note, Start
from deidlab.pipeline.jobs import DetectJob, MaskJob
from deidlab.pipeline.masking import mask_corpus
from deidlab.pipeline.run.partial import Partial
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.types import Document
from tests.unit.pipeline.notes import KEY, make_note, read_jsonl, write_jsonl

WRITABLE = [name for name, format in FORMATS.items() if format.takes_any_note]
RULES = Finding(rules="only")
SETTINGS = MaskSettings(load_policy("i2b2"), "tag", KEY)
NOTES = tuple(make_note(number) for number in range(70))


@pytest.mark.parametrize("name", ["n.jsonl", "n.parquet", "n"])
@pytest.mark.parametrize("command", ["mask", "detect"])
def test_files_meet_no_code_of_a_database_and_rules_none_that_computes(
    command: str, name: str, tmp_path: Path
) -> None:
    format = {"": "txt"}.get(Path(name).suffix, Path(name).suffix[1:])
    write_corpus(NOTES[:3], tmp_path / name, format)
    unwanted = ("deidlab.corpus.database", "deidlab.pipeline.io.tables", "sqlalchemy", "matplotlib", "torch")
    # Parquet's library brings NumPy along; elsewhere rules alone compute nothing.
    unwanted += () if name == "n.parquet" else ("numpy", "pyarrow")
    code = (
        "import sys; from deidlab.cli.app import run; status = run(sys.argv[1:]); "
        f"print([name for name in sys.modules if name.startswith({unwanted})]); "
        "sys.exit(status)"
    )
    out = tmp_path / f"out{Path(name).suffix}"
    arguments = [command, str(tmp_path / name), "--out", str(out), "--rules", "only", "--workers", "1", "-q"]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
    assert out.exists()


@pytest.mark.parametrize("format", WRITABLE)
def test_a_note_is_rendered_once(format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = FORMATS[format].one is not None
    source, out = (tmp_path / f"{name}{FORMATS[format].suffixes[0] if one else ''}" for name in "ab")
    write_corpus(NOTES, source, format)
    rendered: Counter[str] = Counter()

    def counted(render: Any) -> Any:
        def count(*given: Any) -> Any:
            rendered.update(each.id for each in given if isinstance(each, Document))
            return render(*given)

        return count

    monkeypatch.setattr(file_sink, "render_note", counted(writing.render_note))
    monkeypatch.setattr(file_sink, "to_row", counted(file_sink.to_row))
    monkeypatch.setattr(detecting, "render_note", counted(writing.render_note))
    # All else that renders would be seen here, and is not: what was rendered is only written.
    monkeypatch.setattr(writing, "render_note", None)
    place = SourceSettings(source, format)
    mask_corpus(MaskJob(place, out, RULES, SETTINGS))
    assert set(rendered.values()) == {1} and len(rendered) == len(NOTES)
    rendered.clear()
    job = DetectJob(place, tmp_path / f"found{out.name[1:]}", RULES, format)
    detect_corpus(job, write_files(job), lambda stage, n: None)
    assert set(rendered.values()) == {1} and len(rendered) == len(NOTES)


@dataclass(frozen=True, slots=True)
class ToySource(Source):
    """Notes that stand in memory."""

    settings: SourceSettings
    format: None = None

    def check(self, kept: tuple[str, ...] = ()) -> None:
        assert not kept

    def notes(self, start: Start = BEGINNING) -> Iterator[Note]:
        return (Note(number, note, "", note.id) for number, note in enumerate(NOTES, start=1))

    def documents(self) -> Iterator[Document]:
        return iter(NOTES)


def to_letters(document: Document) -> str:
    return document.text.upper()


@dataclass(frozen=True, slots=True)
class ToySink(Sink):
    """Masked notes in capitals, in memory."""

    path: Path
    kind: str = "toy"
    held: list[str] = field(default_factory=list)

    @property
    def rendering(self) -> Rendering:
        return to_letters

    def write(self, notes: Iterator[Any], partial: Partial, annotated: bool) -> dict[str, Any]:
        self.held.extend(notes)
        return {"letters": sum(map(len, self.held))}


def test_a_kind_of_source_and_sink_is_one_class_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sink = ToySink(tmp_path / "toy")
    monkeypatch.setattr(masking, "open_source", ToySource)
    monkeypatch.setattr(masking, "open_sink", lambda settings, source: sink)
    outcome = mask_corpus(MaskJob(SourceSettings(Path("memory")), sink.path, RULES, SETTINGS, workers=2))
    assert outcome.record["settings"]["format"] == "toy" and not outcome.failures
    assert outcome.record["letters"] == sum(map(len, sink.held)) and len(sink.held) == len(NOTES)
    monkeypatch.undo()
    source = write_jsonl(NOTES, tmp_path / "n.jsonl", with_spans=False)
    mask_corpus(MaskJob(SourceSettings(source), tmp_path / "out.jsonl", RULES, SETTINGS))
    assert sink.held == [row["text"].upper() for row in read_jsonl(tmp_path / "out.jsonl")]
