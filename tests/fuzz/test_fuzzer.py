"""The fuzzer itself: it sees what it looks for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fuzz.case import Case
from tests.fuzz.rules import ALLOWED, is_allowed
from tests.fuzz.running import HUNG, Outcome, Room, run_command
from tests.fuzz.sentinels import Sentinels
from tests.fuzz.structures import FOLDS, fold


@pytest.mark.parametrize("how", sorted(set(FOLDS)), ids=ascii)
def test_a_word_is_seen_however_it_is_written(how: str) -> None:
    words = Sentinels("a test")
    word = words.plant("known")
    text = f"with {fold(word, how)}, who"
    for data in (text, text.encode(), text.encode("utf-16"), json.dumps(text) if "\n" not in text else text):
        assert words.found_in(data) == {"known"}
    assert words.found_in(fold(word, how)[-8:]) == {"known"}, "half a word counts"
    assert not words.found_in("with somebody, who")


def test_leaks_tracebacks_and_wrong_statuses_are_told_without_what_stood_there(tmp_path: Path) -> None:
    case = Case(1, 1, Room(tmp_path), {"mask"})
    word = case.words.plant("denied")
    case.judge("mask", Outcome(7, b"", f"Traceback (most recent call last) {word}".encode()))
    case.judge("mask", Outcome(HUNG, b"", b""))
    (case.room.out / "masked.txt").write_text(word)
    case.judge_files()
    said = "\n".join(map(str, case.breaches))
    for rule in (
        "kind denied in stderr",
        "kind denied in output",
        "no Traceback",
        "not 7",
        "no command hangs",
    ):
        assert rule in said
    assert word not in said


def test_a_command_that_waits_for_ever_is_ended(tmp_path: Path) -> None:
    import contextlib
    import time

    @contextlib.contextmanager
    def waiting():  # type: ignore[no-untyped-def]
        time.sleep(60)
        yield

    assert run_command(Room(tmp_path), ["--version"], fault=waiting(), seconds=0.2).status == HUNG


def test_each_allowance_has_a_reason_and_none_lets_a_name_into_the_record() -> None:
    assert all(len(row.reason) > 20 for row in ALLOWED)
    for kind in ("denied", "known", "marked", "id", "file", "patient", "cell", "column", "label"):
        for place in ("record", "audit", "stderr", "temp", "map"):
            assert not is_allowed(kind, place, frozenset(("mask", "mangled")))
