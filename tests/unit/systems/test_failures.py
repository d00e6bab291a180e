"""A system that crashes, hangs, answers out of bounds or about another text fails for that note, and the rest
goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from deidlab.errors import ConfigError
from deidlab.systems.asking import Answers, ask_system
from deidlab.systems.opening import make_system
from deidlab.systems.process import Limits
from deidlab.systems.specification import read_specs
from deidlab.types import Document
from tests.unit.systems.conftest import NAME, program

# The second of three notes is the bad one; the program knows it by its text.
NOTES = [Document(f"n{number}", text=f"Seen by {NAME}, {number}.") for number in range(3)]
BAD = "if ', 1.' in text: "
CASES = {
    "os._exit(3)": "crashed",
    "raise ValueError(text)": "crashed",
    "time.sleep(60)": "took longer than 1 seconds",
    "table['spans'][0]['end'] = 99": "gave a span out of bounds",
    "table['spans'][0].update(start=5, end=5)": "gave a span out of bounds",
    "table['text'] = text.upper()": "answered about another text than it was given",
    "table['spans'][0]['text'] = 'Zebulon'": "quoted other text than stands at a span's place",
    "table['id'] = '0'": "answered another question than was asked",
    "table = [1]": "answered with JSON that is not an object",
    "print('Brandt says'); table = 3": "answered with what is not JSON",
    "del table['spans']": "gave no list of spans",
    "table['spans'] = [3]": "gave spans that cannot be read",
    "table['spans'][0]['start'] = -1": "gave spans that cannot be read",
    "table['spans'][0]['start'] = True": "gave spans that cannot be read",
    "table['spans'][0]['score'] = 'high'": "gave spans that cannot be read",
    "table = {'id': note['id'], 'error': 'Brandt is too much'}": "said that it failed",
    "table['spans'][0]['label'] = chr(0xd800)": "gave a label that is too long, or cannot be shown",
    "table['spans'][0]['label'] = chr(27) + '[31m'": "gave a label that is too long, or cannot be shown",
    "table['spans'][0]['label'] = 'Brandt ' * 20": "gave a label that is too long, or cannot be shown",
}


def ask(given: str, limits: Limits, notes: list[Document] = NOTES) -> Answers:
    (spec,) = read_specs([given])
    return ask_system(make_system(spec, limits), notes, warm=False)


@pytest.mark.parametrize(("does", "reason"), CASES.items(), ids=list(CASES.values()))
def test_the_note_fails_and_the_rest_goes_on(tmp_path: Path, does: str, reason: str) -> None:
    answers = ask(program(tmp_path, BAD + does), Limits(note=1 if "sleep" in does else 30))
    assert answers.failures == {"n1": reason}
    assert [len(spans) for spans in answers.spans] == [1, 0, 1]
    assert NAME not in str(answers.failures)


def test_a_system_that_keeps_failing_is_given_up(tmp_path: Path) -> None:
    notes = [Document(f"n{number}", text=NAME) for number in range(8)]
    answers = ask(program(tmp_path, "os._exit(1)"), Limits(note=30), notes)
    assert [answers.failures[f"n{number}"] for number in (0, 4, 5, 7)] == [
        "crashed", "crashed", "given up after 5 failures in a row", "given up after 5 failures in a row",
    ]  # fmt: skip


def test_what_a_hanging_system_started_is_ended_with_it(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    child = f"import time; time.sleep(3); open({str(mark)!r}, 'w')"
    does = f"import subprocess; subprocess.Popen([sys.executable, '-c', {child!r}]); time.sleep(60)"
    ask(program(tmp_path, does), Limits(start=0, note=0.5), NOTES[:1])
    import time

    time.sleep(3.5)
    assert not mark.exists()


def test_a_long_question_does_not_wait_for_a_program_that_reads_nothing(tmp_path: Path) -> None:
    answers = ask(
        f'command:{sys.executable} -c "import time; time.sleep(30)"',
        Limits(start=0, note=0.5),
        [Document("n", text="x" * 1_000_000)],
    )
    assert answers.failures == {"n": "took longer than 0.5 seconds"}


def test_a_program_that_is_not_there_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no-such-program"):
        ask("command:no-such-program", Limits())


def test_a_library_that_is_not_there_is_an_error_that_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scrubadub.py").write_text("raise ImportError('Brandt')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(
        ConfigError, match=r"pip install scrubadub; or name a Python.*--python scrubadub=PATH"
    ) as raised:
        ask("scrubadub", Limits())
    assert NAME not in str(raised.value)


def test_a_library_that_fails_at_its_start_is_told_by_kind_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scrubadub.py").write_text("raise ValueError('Brandt')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(ConfigError, match="ended with ValueError"):
        ask("scrubadub", Limits())


def test_a_library_that_fails_on_a_note_is_told_by_kind_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scrubadub.py").write_text(
        "class Scrubber:\n    def __init__(self, locale): pass\n    def iter_filth(self, text): raise LookupError(text)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert set(ask("scrubadub", Limits()).failures.values()) == {"said that it failed (LookupError)"}


def test_a_program_may_start_slowly_and_is_waited_for(tmp_path: Path) -> None:
    given = program(tmp_path, "time.sleep(1.0 if number == 0 else 0)")
    assert ask(given, Limits(start=30, note=0.5)).failures == {}
    assert len(ask(given, Limits(start=0, note=0.5)).failures) == 3


@pytest.mark.parametrize("fails", [False, True], ids=["cuts it off", "fails"])
def test_a_limit_that_is_told_with_the_first_answer_counts_for_the_first_note(
    tmp_path: Path, fails: bool
) -> None:
    too_much = "{'id': note['id'], 'error': 'too long'}" if fails else "{'id': note['id'], 'spans': []}"
    greets = "if number == 0: print(json.dumps({'ready': True, 'limit': 40}), flush=True)\n"
    does = f"{greets}    if len(text) > 40: table = {too_much}"
    note = Document("n", text="x " * 50 + f"Seen by {NAME}.")
    answers = ask(program(tmp_path, does), Limits(), [note])
    assert answers.failures == {} and [len(spans) for spans in answers.spans] == [1]
    assert answers.unread == {"n": 40}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_that_of_all_that_a_program_starts(tmp_path: Path) -> None:
    body = "keep = b'x' * 50_000_000 if number == 0 else keep"
    command = program(tmp_path, body).removeprefix("command:")
    (tmp_path / "run.sh").write_text(f"#!/bin/sh\n{command}\nexit 0\n")
    answers = ask(f"command:sh {tmp_path / 'run.sh'}", Limits())
    assert answers.failures == {} and answers.speed.peak_bytes > 50_000_000


def test_our_own_errors_keep_their_words() -> None:
    with pytest.raises(ConfigError, match="nowhere"):
        ask("rules:nowhere", Limits())


def test_notes_that_a_corpus_does_not_answer_fail(tmp_path: Path) -> None:
    from deidlab.corpus import write_corpus

    path = tmp_path / "answers.jsonl"
    write_corpus([NOTES[0], Document("n1", text="Other text.")], path, "jsonl")
    answers = ask(f"corpus:{path}", Limits())
    assert answers.failures == {
        "n1": "answered about another text than it was given", "n2": "has no answer to this note",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http:http://example.org/x", "leave this machine for example.org: say --allow-host example.org"),
        ("https://example.org/x", "leave this machine for example.org"),
        ("http:ftp://127.0.0.1/", "http:http://HOST"),
        ("http:http://me:secret@127.0.0.1/", "do not belong"),
    ],
)
def test_notes_go_nowhere_but_to_hosts_that_were_named(url: str, why: str) -> None:
    (spec,) = read_specs([url])
    with pytest.raises(ConfigError, match=why) as raised:
        make_system(spec, Limits())
    assert "secret" not in str(raised.value)


def test_a_named_host_is_allowed_and_redirects_are_not_followed(service: str) -> None:
    (spec,) = read_specs(["https://example.org/x"])
    make_system(spec, Limits(), ("example.org",))
    answers = ask(f"http:{service}moved", Limits(note=10), NOTES[:1])
    assert answers.failures == {"n0": "answered with status 302"}


def test_a_service_that_is_not_there_fails_for_every_note_and_is_given_up() -> None:
    notes = [Document(f"n{number}", text=NAME) for number in range(7)]
    answers = ask("http:http://127.0.0.1:9/", Limits(note=5), notes)
    assert [answers.failures[f"n{number}"] for number in (0, 4, 5, 6)] == [
        "could not be reached", "could not be reached", "given up after 5 failures in a row",
        "given up after 5 failures in a row",
    ]  # fmt: skip


@pytest.mark.parametrize("part", ["body", "head"])
def test_a_service_that_sends_a_byte_now_and_then_is_too_slow(service: str, part: str) -> None:
    answers = ask(f"http:{service}drip-{part}", Limits(note=0.6), NOTES[:1])
    assert answers.failures == {"n0": "took longer than 0.6 seconds"}


def test_a_service_tells_of_its_limit_with_its_answers(service: str) -> None:
    note = Document("n", text="x " * 50 + f"Seen by {NAME}.")
    answers = ask(f"http:{service}limited", Limits(note=10), [note])
    assert answers.failures == {} and [len(spans) for spans in answers.spans] == [1]
    assert answers.facts.limit == 40 and answers.unread == {"n": 40}
