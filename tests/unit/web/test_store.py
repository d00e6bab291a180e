"""The file of a review: nothing is lost, nobody overwrites anybody, and every decision can be taken back."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from deidlab.errors import ConfigError, CorpusError
from deidlab.types import Document
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import (
    Mark,
    Wish,
)
from deidlab.web.store_rows import NothingToUndoError, StaleError
from tests.unit.web.desk import TEXT, marks, note, open_store


def by_text(found: list[Mark] | tuple[Mark, ...], words: str) -> Mark:
    return next(mark for mark in found if TEXT[mark.start : mark.end] == words)


def test_only_the_owner_can_read_the_file_and_its_side_files(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        store = open_store(tmp_path)
        store.decide(1, "", 0, Wish("accept", (1,)), "anna")
        files = list(tmp_path.iterdir())
        assert {path.name for path in files} >= {"notes.review", "notes.review-wal", "notes.review-shm"}
        assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    finally:
        os.umask(old)


def test_a_file_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    (tmp_path / "notes.review").chmod(0o644)
    ReviewStore(tmp_path / "notes.review").close()
    assert stat.S_IMODE((tmp_path / "notes.review").stat().st_mode) == 0o600


def test_another_file_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Tamsin, " * 100)
    path.chmod(0o644)
    with pytest.raises(CorpusError, match="not the file of a review"):
        ReviewStore(path)
    assert path.read_text() == "Dear Tamsin, " * 100
    assert stat.S_IMODE(path.stat().st_mode) == 0o644


def test_a_database_of_another_program_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "cookies.db"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE cookie (value TEXT)")
    path.chmod(0o644)
    before = path.read_bytes()
    with pytest.raises(CorpusError, match="not the file of a review"):
        ReviewStore(path)
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (before, 0o644)


@pytest.mark.parametrize("name", ["", "missing/notes.review"])
def test_a_folder_is_refused_and_left_alone(tmp_path: Path, name: str) -> None:
    mode = tmp_path.stat().st_mode
    with pytest.raises(CorpusError, match="directory"):
        ReviewStore(tmp_path / name)
    assert tmp_path.stat().st_mode == mode


def test_a_file_of_another_release_is_refused(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.set_fact("version", "99")
    store.close()
    with pytest.raises(CorpusError, match="another release"):
        ReviewStore(tmp_path / "notes.review")


def test_decisions_change_the_note_and_last(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    foley = by_text(marks(), "Foley")
    state = store.decide(1, "", 0, Wish("reject", (foley.id,)), "anna")
    assert (state.version, state.changed_by) == (1, "anna")
    store.close()
    again = ReviewStore(tmp_path / "notes.review").read_note(1)
    assert by_text(again.marks, "Foley").status == "rejected"
    assert by_text(again.marks, "Foley").reviewer == "anna"


def test_a_decision_on_an_old_version_is_refused_and_says_by_whom(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.decide(1, "", 0, Wish("accept", (1,)), "anna")
    with pytest.raises(StaleError, match="anna changed this note"):
        store.decide(1, "", 0, Wish("reject", (1,)), "ben")
    assert store.read_note(1).marks[0].status == "accepted"


def test_of_many_at_once_one_wins_and_all_others_hear_of_it(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    outcomes: list[str] = []

    def judge(name: str) -> None:
        try:
            store.decide(1, "", 0, Wish("relabel", (1,), name.upper()), name)
            outcomes.append("kept")
        except StaleError:
            outcomes.append("stale")

    threads = [threading.Thread(target=judge, args=(f"r{i}",)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["kept"] + ["stale"] * 7
    assert store.read_note(1).version == 1


def test_what_was_answered_survives_a_kill(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    program = (
        "import sys, time; from pathlib import Path; from deidlab.web.store import ReviewStore;"
        "from deidlab.web.store_marks import Wish; store = ReviewStore(Path(sys.argv[1]));"
        "store.decide(1, '', 0, Wish('accept-all'), 'anna'); print('kept', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path / "notes.review")], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "kept"
    process.send_signal(signal.SIGKILL)
    process.wait()
    state = ReviewStore(tmp_path / "notes.review").read_note(1)
    assert [mark.status for mark in state.marks].count("accepted") == 4


def test_undo_and_redo_go_through_all_decisions(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    states = [store.read_note(1)]
    wishes = (
        Wish("accept", (1,)),
        Wish("relabel", (2,), "PATIENT"),
        Wish("draw", label="CITY", start=0, end=10),
        Wish("done"),
    )
    for wish in wishes:
        states.append(store.decide(1, "", states[-1].version, wish, "anna"))
    version = states[-1].version
    for before in reversed(states[:-1]):
        state = store.undo(1, "", version, "anna")
        version = state.version
        assert (state.marks, state.done) == (before.marks, before.done)
    with pytest.raises(NothingToUndoError):
        store.undo(1, "", version, "anna")
    for after in states[1:]:
        state = store.undo(1, "", version, "anna", redo=True)
        version = state.version
        assert (state.marks, state.done) == (after.marks, after.done)


def test_a_new_decision_closes_the_way_to_redo(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.decide(1, "", 0, Wish("accept", (1,)), "anna")
    store.undo(1, "", 1, "anna")
    store.decide(1, "", 2, Wish("accept", (2,)), "anna")
    with pytest.raises(NothingToUndoError):
        store.undo(1, "", 3, "anna", redo=True)


def test_nobody_undoes_what_another_decided(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.decide(1, "", 0, Wish("accept", (1,)), "anna")
    with pytest.raises(NothingToUndoError):
        store.undo(1, "", 1, "ben")
    store.decide(1, "", 1, Wish("relabel", (1,), "DOCTOR"), "ben")
    # Anna's own decision cannot be taken back without taking Ben's with it.
    with pytest.raises(StaleError, match="ben"):
        store.undo(1, "", 2, "anna")


def test_two_reviewers_of_one_note_do_not_meet(tmp_path: Path) -> None:
    store = open_store(tmp_path, [(note(), marks(), True)])
    assert store.layer_for(1, "anna") == "anna"
    store.decide(1, "anna", 0, Wish("reject", (1,)), "anna")
    assert store.read_note(1, "ben").marks == tuple(marks())
    store.decide(1, "ben", 0, Wish("accept", (1,)), "ben")
    assert [store.read_note(1, name).marks[0].status for name in ("anna", "ben", "")] == [
        "rejected",
        "accepted",
        "found",
    ]


def test_the_same_corpus_again_changes_nothing(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    store.decide(1, "", 0, Wish("reject", (1,)), "anna")
    before = store.read_note(1)
    assert store.add_notes([(note(), [], False), (note("n2"), marks(), False)]) == 1
    assert store.read_note(1) == before
    assert store.read_note(2).document.id == "n2"


def test_a_note_whose_text_changed_is_refused_without_a_word_of_it(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with pytest.raises(CorpusError, match="not the one under review") as caught:
        store.add_notes([(Document("n1", "p1", "Zanzibar"), [], False), (note("n3"), [], False)])
    assert "Zanzibar" not in str(caught.value)
    assert store.note_ids() == {"n1"}


def test_the_log_of_decisions_holds_no_text(tmp_path: Path) -> None:
    store = open_store(tmp_path)
    start = TEXT.index("Foley")
    store.decide(1, "", 0, Wish("draw", label="DOCTOR", start=start, end=start + 5), "anna")
    with sqlite3.connect(store.path) as db:
        rows = "".join(row[0] for row in db.execute("SELECT changes FROM decision"))
    assert rows and not any(word in rows for word in ("Foley", "Okonjo", "Verhoeven"))


@pytest.mark.parametrize(
    ("wish", "reason"),
    [
        (Wish("accept", (99,)), "no mark 99"),
        (Wish("accept"), "which marks"),
        (Wish("relabel", (1,)), "which label"),
        (Wish("draw", start=0, end=4), "which label"),
        (Wish("draw", label="DATE", start=5, end=5), "no stretch"),
        (Wish("draw", label="DATE", start=0, end=10**6), "no stretch"),
        (Wish("draw", label="DATE", start=3, end=4), "white space"),
        (Wish("done", (1,)), "takes no marks"),
        (Wish("resize", (1, 2), start=0, end=4), "one mark"),
    ],
)
def test_impossible_wishes_are_refused_in_one_line(wish: Wish, reason: str, tmp_path: Path) -> None:
    store = open_store(tmp_path)
    with pytest.raises(ConfigError, match=reason):
        store.decide(1, "", 0, wish, "anna")
    assert store.read_note(1).version == 0
