"""Parquet files as tasks that can be read anywhere: numbers, cuts, damage, and what was read before."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from deidlab.errors import ConfigError
from deidlab.execute import Local
from deidlab.mask import MaskSettings, load_policy
from deidlab.pipeline.io.notes import Note, note_numbers
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.io.parquet import ParquetReading, ParquetSource
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.masking import mask_corpus
from deidlab.pipeline.settings import Finding, SourceSettings
from deidlab.types import Document
from tests.unit.pipeline.notes import KEY, make_note


def write(path: Path, notes: list[Document], rows_a_group: int = 50, compression: str = "snappy") -> Path:
    rows = [{"id": note.id, "patient": note.patient, "text": note.text} for note in notes]
    path.parent.mkdir(parents=True, exist_ok=True)
    schema = pa.schema([(name, pa.string()) for name in ("id", "patient", "text")])
    pq.write_table(
        pa.Table.from_pylist(rows, schema), path, row_group_size=rows_a_group, compression=compression
    )
    return path


def made(first: int, end: int, characters: int = 0) -> list[Document]:
    notes = [make_note(number) for number in range(first, end)]
    return [Document(n.id, n.patient, n.text + "Well. " * (characters // 6)) for n in notes]


def reading_of(path: Path, **options: str) -> ParquetReading:
    source = open_source(SourceSettings(path, **options))  # type: ignore[arg-type]
    assert isinstance(source, ParquetSource)
    return source.reading()


def whole(reading: ParquetReading) -> list[tuple[Note, ...]]:
    return list(reading.read([number for number, _ in reading.sizes()]))


def test_every_row_has_the_number_that_reading_one_after_another_gives(tmp_path: Path) -> None:
    write(tmp_path / "in/b.parquet", made(0, 130))
    write(tmp_path / "in/a/x.parquet", made(200, 301), rows_a_group=1000)
    write(tmp_path / "in/c.parquet", [])
    source = open_source(SourceSettings(tmp_path / "in"))
    reading = reading_of(tmp_path / "in")
    notes = [note for task in whole(reading) for note in task]
    assert notes == list(source.notes()) == list(source.notes_again())
    assert [note.number for note in notes] == list(range(1, 232))


def test_a_task_is_numbered_by_its_first_row(tmp_path: Path) -> None:
    reading = reading_of(write(tmp_path / "n.parquet", made(0, 130), rows_a_group=100))
    assert list(reading.sizes()) == [(0, 64), (64, 36), (100, 30)]
    for (number, length), task in zip(reading.sizes(), whole(reading), strict=True):
        assert [note.number for note in task] == list(range(number + 1, number + 1 + length))


def test_long_notes_make_small_tasks(tmp_path: Path) -> None:
    reading = reading_of(write(tmp_path / "n.parquet", made(0, 20, 60_000), compression="none"))
    sizes = [length for _, length in reading.sizes()]
    assert max(sizes) <= 4 and sum(sizes) == 20
    huge = reading_of(write(tmp_path / "h.parquet", made(0, 3, 600_000), compression="none"))
    assert [length for _, length in huge.sizes()] == [1, 1, 1]


def test_wanted_tasks_are_read_alone_and_shared_by_group(tmp_path: Path) -> None:
    reading = reading_of(write(tmp_path / "n.parquet", made(0, 300), rows_a_group=150))
    numbers = [number for number, _ in reading.sizes()]
    assert numbers == [0, 64, 128, 150, 214, 278]
    wanted = [64, 128, 278]
    assert [list(share) for _, share in reading.shares(wanted)] == [[64, 128], [278]]
    all_tasks = dict(zip(numbers, whole(reading), strict=True))
    assert list(reading.read(wanted)) == [all_tasks[number] for number in wanted]
    for own, share in reading.shares(wanted):
        assert len(own.groups) == 1 and list(own.read(share)) == [all_tasks[number] for number in share]


def test_done_tasks_are_told_and_not_read(tmp_path: Path) -> None:
    source = open_source(SourceSettings(write(tmp_path / "n.parquet", made(0, 130))))
    passed: list[int] = []
    tasks = list(source.tasks(Local(), lambda number: number == 50, passed.append))
    assert [task.number for task in tasks] == [0, 100] and passed == [50]
    assert list(note_numbers(tasks[1])) == list(range(101, 131))


def test_patients_come_from_ids_and_bad_rows_say_why(tmp_path: Path) -> None:
    rows = [{"id": "p1-a", "text": "x"}, {"id": None, "text": "y"}, {"id": "p2-b", "text": None}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "n.parquet")
    ((good, nameless, empty),) = whole(reading_of(tmp_path / "n.parquet", patient_from=r"^(p\d)"))
    assert good.document is not None and good.document.patient == "p1"
    assert "no id in column 'id'" in nameless.problem and "no 'text' that is a string" in empty.problem


@pytest.mark.parametrize("how", ["no parquet", "no column", "gone"])
def test_a_file_that_cannot_be_read_is_one_note_that_says_so(tmp_path: Path, how: str) -> None:
    write(tmp_path / "in/a.parquet", made(0, 10))
    if how == "no column":
        pq.write_table(pa.table({"body": ["x"]}), tmp_path / "in/b.parquet")
    else:
        (tmp_path / "in/b.parquet").write_bytes(b"PAR1 nothing")
    write(tmp_path / "in/c.parquet", made(10, 20))
    notes = [note for task in whole(reading_of(tmp_path / "in")) for note in task]
    assert notes == list(open_source(SourceSettings(tmp_path / "in")).notes())
    assert len(notes) == 21 and notes[10].document is None and notes[10].problem and notes[20].document


def test_damage_within_a_file_costs_the_rows_of_its_group(tmp_path: Path) -> None:
    path = write(tmp_path / "n.parquet", made(0, 100), rows_a_group=50)
    reading = reading_of(path)
    data = bytearray(path.read_bytes())
    place = pq.read_metadata(path).row_group(0).column(2).data_page_offset
    data[place : place + 40] = b"\xff" * 40
    path.write_bytes(bytes(data))
    notes = [note for task in whole(reading) for note in task]
    assert [note.number for note in notes] == list(range(1, 101))
    assert all(note.document is None and "damaged" in note.problem for note in notes[:50])
    assert all(note.document for note in notes[50:])


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "n.parquet", made(0, 10))
    reading = reading_of(path)
    write(path, made(0, 9))
    with pytest.raises(ConfigError, match="that this run began with"):
        whole(reading)
    path.unlink()
    with pytest.raises(ConfigError, match="sees this file"):
        whole(reading)


def test_other_formats_and_the_first_notes_of_a_source_have_no_such_reading(tmp_path: Path) -> None:
    (tmp_path / "n.jsonl").write_text('{"text": "x"}\n')
    first = SourceSettings(write(tmp_path / "n.parquet", made(0, 3)), limit=2)
    for settings in (SourceSettings(tmp_path / "n.jsonl"), first):
        assert not isinstance(open_source(settings), ParquetSource)
    assert len(list(open_source(first).notes())) == 2


def test_masked_parquet_does_not_depend_on_its_row_groups(tmp_path: Path) -> None:
    settings = MaskSettings(load_policy("i2b2"), "surrogate", KEY)
    outputs = set()
    for rows_a_group in (7, 64, 1000):
        source = write(tmp_path / f"{rows_a_group}/n.parquet", made(0, 150), rows_a_group)
        out = tmp_path / f"{rows_a_group}/out.parquet"
        outcome = mask_corpus(MaskJob(SourceSettings(source), out, Finding(rules="only"), settings))
        assert outcome.record["masked"] == 150
        outputs.add(out.read_bytes())
    assert len(outputs) == 1


def test_a_row_that_cannot_be_written_again_fails_alone(tmp_path: Path) -> None:
    notes = [*made(0, 3), Document("nul", text="Seen on 03/04/2065.\0")]
    settings = MaskSettings(load_policy("i2b2"), "tag", KEY)
    source, out = write(tmp_path / "n.parquet", notes), tmp_path / "out.parquet"
    outcome = mask_corpus(MaskJob(SourceSettings(source), out, Finding(rules="only"), settings))
    assert [(each.number, each.stage) for each in outcome.failures] == [(4, "mask")]
    assert "a NUL at character" in outcome.failures[0].reason
    assert pq.read_table(out).num_rows == 3
