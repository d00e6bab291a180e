"""The masking journey in this process: what stays, what comes back, what does not depend on what."""

from __future__ import annotations

import datetime
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.corpus import ReadSettings
from deidlab.errors import ConfigError
from deidlab.mask import MaskSettings, load_policy, restore_text
from deidlab.mask.apply import landings
from deidlab.pipeline.io.notes import Note
from deidlab.pipeline.jobs import MaskJob
from deidlab.pipeline.loading import load_finding
from deidlab.pipeline.masking import mask_corpus
from deidlab.pipeline.run.map_entries import unpack_entry
from deidlab.pipeline.settings import Finding, SourceSettings, Writing
from deidlab.pipeline.streaming import Streamed, StreamOutcome, mask_stream
from deidlab.types import Document
from tests.strategies import documents, texts
from tests.unit.pipeline.notes import KEY, make_note, read_jsonl, write_jsonl

RULES = Finding(None, "only")


def settings(style: str = "tag", key: bytes = KEY) -> MaskSettings:
    return MaskSettings(load_policy("i2b2"), style, key)  # type: ignore[arg-type]


def mask_given(notes: list[Document], style: str = "tag") -> list[Streamed]:
    numbered = [Note(number, note, given=True) for number, note in enumerate(notes, 1)]
    outcome = StreamOutcome()
    masked = list(mask_stream(numbered, RULES, settings(style), Writing(), outcome))
    assert not outcome.failed
    return masked


def job(source: Path, out: Path, **changes: object) -> MaskJob:
    base = MaskJob(SourceSettings(source), out, RULES, settings(), spans=SourceSettings(source))
    return replace(base, **changes)


@given(st.lists(documents(texts), min_size=1, max_size=3), st.sampled_from(["redact", "tag", "surrogate"]))
def test_outside_replacements_all_stays_and_the_way_back_is_exact(notes: list[Document], style: str) -> None:
    notes = [replace(note, id=f"{number}-{note.id}") for number, note in enumerate(notes)]
    for note, done in zip(notes, mask_given(notes, style), strict=True):
        masked = done.masked
        assert outside(note.text, [(s.start, s.end) for s, _ in masked.replacements]) == outside(
            masked.text, landings(masked.replacements)
        )
        entry = unpack_entry(done.way_back)
        assert restore_text(masked.text, entry) == note.text
        assert (entry.id, entry.patient) == (note.id, note.patient)


def outside(text: str, stretches: list[tuple[int, int]]) -> list[str]:
    edges = [0, *(edge for stretch in stretches for edge in stretch), len(text)]
    return [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def test_two_notes_of_a_patient_keep_every_interval() -> None:
    notes = [make_note(number) for number in range(6)]
    masked = [one.masked.text for one in mask_given(notes, "surrogate")]
    for patient in (slice(0, 3), slice(3, 6)):
        before = [day for note in notes[patient] for day in days(note.text)]
        after = [day for text in masked[patient] for day in days(text)]
        shifts = {new - old for old, new in zip(before, after, strict=True)}
        assert len(shifts) == 1
        weeks = shifts.pop().days / 7
        assert weeks == int(weeks) and 26 <= abs(weeks) <= 260


def days(text: str) -> list[datetime.date]:
    found = re.findall(r"(\d\d)/(\d\d)/(\d{4})", text)
    return [datetime.date(int(year), int(month), int(day)) for month, day, year in found]


def test_a_note_s_spans_do_not_depend_on_its_batch(notes_en: Path) -> None:
    from deidlab.corpus import read_corpus

    notes = list(read_corpus(notes_en))[:12]
    detector = load_finding(RULES)
    alone = {note.id: detector.detect([note], with_words=False)[0].spans for note in notes}
    chance = random.Random(7)
    for _ in range(100):
        batch = chance.sample(notes, chance.randint(1, 4))
        for note, found in zip(batch, detector.detect(batch, with_words=False), strict=True):
            assert found.spans == alone[note.id]


def test_the_order_of_rows_changes_nothing(tmp_path: Path) -> None:
    notes = [make_note(number) for number in range(30)]
    shuffled = random.Random(3).sample(notes, len(notes))
    answers = []
    for name, rows in (("a", notes), ("b", shuffled)):
        source = write_jsonl(rows, tmp_path / f"{name}.jsonl")
        mask_corpus(job(source, tmp_path / f"{name}-out.jsonl"))
        answers.append({row["id"]: row["text"] for row in read_jsonl(tmp_path / f"{name}-out.jsonl")})
    assert answers[0] == answers[1]
    assert len(answers[0]) == 30


def test_one_worker_or_two_write_the_same_bytes(tmp_path: Path) -> None:
    source = write_jsonl([make_note(number) for number in range(200)], tmp_path / "notes.jsonl")
    for style in ("tag", "surrogate"):
        written = []
        for workers in (1, 2):
            out = tmp_path / f"{style}-{workers}.jsonl"
            mask_corpus(job(source, out, workers=workers, settings=settings(style)))
            written.append(out.read_bytes())
        assert written[0] == written[1]


def test_the_same_key_gives_the_same_and_another_key_another(tmp_path: Path) -> None:
    source = write_jsonl([make_note(number) for number in range(9)], tmp_path / "notes.jsonl")
    written = {}
    for name, key in (("one", KEY), ("again", KEY), ("other", KEY[::-1])):
        mask_corpus(job(source, tmp_path / f"{name}.jsonl", settings=settings("surrogate", key)))
        written[name] = read_jsonl(tmp_path / f"{name}.jsonl")
    assert written["one"] == written["again"]
    assert not {row["id"] for row in written["one"]} & {row["id"] for row in written["other"]}
    assert written["one"][0]["text"] != written["other"][0]["text"]


def test_an_unfinished_run_with_other_settings_is_not_mixed_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_jsonl([make_note(number) for number in range(9)], tmp_path / "notes.jsonl")
    out = tmp_path / "out.jsonl"
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("deidlab.pipeline.masking.mask_all", interrupt)
        mask_corpus(job(source, out))
    assert (tmp_path / ".out.jsonl.deidlab-run" / "state.sqlite").stat().st_mode & 0o777 == 0o600
    with pytest.raises(ConfigError, match="unfinished run with other settings"):
        mask_corpus(job(source, out, settings=settings("redact")))
    mask_corpus(job(source, out))
    assert len(read_jsonl(out)) == 9
    assert not list(tmp_path.glob(".out*"))


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def test_a_state_that_was_never_finished_is_begun_again(tmp_path: Path) -> None:
    source = write_jsonl([make_note(0)], tmp_path / "notes.jsonl")
    folder = tmp_path / ".out.jsonl.deidlab-run"
    folder.mkdir()
    (folder / "state.sqlite").touch()
    mask_corpus(job(source, tmp_path / "out.jsonl"))
    assert len(read_jsonl(tmp_path / "out.jsonl")) == 1


def test_a_run_whose_key_is_lost_leaves_nothing_to_go_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_jsonl([make_note(0)], tmp_path / "notes.jsonl")
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("deidlab.pipeline.masking.mask_all", interrupt)
        mask_corpus(job(source, tmp_path / "out.jsonl", repeatable=False))
    assert [path.name for path in tmp_path.iterdir()] == ["notes.jsonl"]


def test_a_source_that_changes_between_the_passes_fails_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import deidlab.pipeline.masking as masking

    source = write_jsonl([make_note(0), make_note(1)], tmp_path / "notes.jsonl", with_spans=False)
    settle = masking.settle_patients

    def change(*arguments: object) -> None:
        settle(*arguments)  # type: ignore[arg-type]
        changed = replace(make_note(1), text="Zebulon Quillfeather came instead", spans=())
        write_jsonl([make_note(0), changed], source, with_spans=False)

    monkeypatch.setattr(masking, "settle_patients", change)
    outcome = mask_corpus(job(source, tmp_path / "out.jsonl", spans=None))
    assert [failure.number for failure in outcome.failures] == [2]
    assert "source changed" in outcome.failures[0].reason
    assert len(read_jsonl(tmp_path / "out.jsonl")) == 1


def test_a_second_note_of_an_id_fails(tmp_path: Path) -> None:
    source = write_jsonl([make_note(0), make_note(1), make_note(0)], tmp_path / "notes.jsonl")
    outcome = mask_corpus(job(source, tmp_path / "out.jsonl"))
    assert [(f.number, f.reason) for f in outcome.failures] == [(3, "a second note of this id")]
    assert outcome.record["masked"] == 2


def test_spans_of_another_text_or_of_no_text_fail(tmp_path: Path) -> None:
    notes = [make_note(number) for number in range(3)]
    source = write_jsonl(notes, tmp_path / "notes.jsonl")
    other = write_jsonl([notes[0], replace(notes[1], text=notes[1].text + "!")], tmp_path / "spans.jsonl")
    outcome = mask_corpus(job(source, tmp_path / "out.jsonl", spans=SourceSettings(other)))
    assert [failure.number for failure in outcome.failures] == [2, 3]


def test_patients_come_from_ids_where_asked(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    for name in ("smith-1", "smith-2", "odd"):
        (tmp_path / "notes" / f"{name}.txt").write_text("Seen on 03/04/2065.")
    source = SourceSettings(tmp_path / "notes", None, ReadSettings(), r"^(\w+)-\d+$")
    outcome = mask_corpus(MaskJob(source, tmp_path / "out", RULES, settings()))
    assert outcome.record["patients"] == 1 and outcome.record["patients_known"]
    assert [failure.reason for failure in outcome.failures] == ["--patient-from finds no patient in its id"]
    with pytest.raises(ConfigError, match="one group"):
        SourceSettings(tmp_path, None, ReadSettings(), r"\d+")
