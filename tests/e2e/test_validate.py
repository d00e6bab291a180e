"""`deidlab validate` as a person types it: the sealed protocol, what is refused, the bounds, and drift."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from deidlab.report.validation.protocol import digest_of
from deidlab.web.reading_store import Remark, read_verdicts, write_remark
from deidlab.web.store import ReviewStore
from deidlab.web.store_marks import Wish
from tests.e2e.command import Outcome, deidlab
from tests.unit.pipeline.notes import NAMES, make_note, write_jsonl, write_key

Capture = pytest.CaptureFixture[str]
N_NOTES = 120


class Site:
    """A folder with notes that were masked but for the name in every twelfth."""

    def __init__(self, folder: Path, capsys: Capture) -> None:
        self.folder, self.capsys = folder, capsys
        self.notes = [make_note(number, 2) for number in range(N_NOTES)]
        self.gold, self.key = write_jsonl(self.notes, folder / "gold.jsonl"), write_key(folder)
        self.out = self.mask(
            "out", [replace(n, spans=n.spans[i % 12 == 7 :]) for i, n in enumerate(self.notes)]
        )
        self.protocol = folder / "protocol.json"

    def mask(self, name: str, seen: list[Any], *more: str | Path) -> Path:
        source = write_jsonl(seen, self.folder / f"{name}-source.jsonl", with_spans=False)
        spans, out = write_jsonl(seen, self.folder / f"{name}-seen.jsonl"), self.folder / f"{name}.jsonl"
        done = self.type("mask", source, "--spans", spans, "--out", out, "--key-file", self.key, *more)
        assert done.status == 0, done.err
        self.said = done.err
        return out

    def type(self, *words: str | Path) -> Outcome:
        return deidlab(self.capsys, *words)

    def plan(self, *more: str) -> dict[str, Any]:
        done = self.type("validate", "plan", self.out, "--protocol", self.protocol, "--json", *more)
        assert done.status == 0, done.err
        return dict(json.loads(done.out))

    def load(self, *more: str | Path) -> Outcome:
        originals = ("--original", self.gold, "--key-file", self.key, "--load-only")
        return self.type("validate", "read", self.protocol, self.out, *originals, *more)

    def report(self, *more: str | Path) -> dict[str, Any]:
        done = self.type("validate", "report", self.protocol, "--json", *more)
        assert done.status == 0, done.err
        return dict(json.loads(done.out))


@pytest.fixture
def site(tmp_path: Path, capsys: Capture) -> Site:
    return Site(tmp_path, capsys)


def read_notes(store: ReviewStore, numbers: range, reader: str, layer: str, overlook: bool = False) -> int:
    """A reader who marks every name that is left, or none; how many there were."""
    n_leaks = 0
    for number in numbers:
        state = store.read_note(number, layer)
        name = next((name for name in NAMES if name in state.document.text), None)
        n_leaks += name is not None
        version = state.version
        if name is not None and not overlook:
            start = state.document.text.index(name)
            wish = Wish("draw", label="PATIENT", start=start, end=start + len(name))
            version = store.decide(number, layer, version, wish, reader).version
            write_remark(store, number, layer, Remark("missed", f"{name} is left"))
        store.decide(number, layer, version, Wish("done"), reader)
    return n_leaks


def test_one_reader_looks_twice_and_the_bound_of_every_look_counts(site: Site) -> None:
    protocol = site.plan("--bound", "0.1", "--by", "certainty")
    assert protocol["digest"] == digest_of(protocol)
    assert site.load().status == 0
    planned = protocol["reading"]["planned"]
    assert 20 < planned < N_NOTES
    store = ReviewStore(site.protocol.with_suffix(".review"))
    read_notes(store, range(1, 11), "anna", "")
    first = site.report()
    assert (first["counted"], first["bound"], first["reached"]) == (10, "sequential", False)
    assert 0 < first["overall"]["more"] <= N_NOTES
    n_leaks = read_notes(store, range(11, planned + 1), "anna", "")
    last = site.report()
    assert (
        last["looks_before"] == 1 and last["bound"] == "sequential" and last["overall"]["fixed_upper"] is None
    )
    assert last["overall"]["leaking"] >= n_leaks and last["overall"]["upper"] < first["overall"]["upper"]
    assert last["protocol"] == protocol["digest"] and last["digest"] == digest_of(last)
    store.close()


def test_a_note_left_out_holds_up_those_after_it(site: Site) -> None:
    planned = site.plan("--bound", "0.1")["reading"]["planned"]
    site.load()
    store = ReviewStore(site.protocol.with_suffix(".review"))
    read_notes(store, range(1, 6), "anna", "")
    read_notes(store, range(7, planned + 1), "anna", "")
    found = site.report()
    assert (found["counted"], found["out_of_turn"]) == (5, planned - 6)
    store.close()


def test_two_readers_who_differ_count_as_a_leak_until_it_is_settled(site: Site) -> None:
    planned = site.plan("--bound", "0.2", "--readers", "2", "--one-look")["reading"]["planned"]
    site.load()
    store = ReviewStore(site.protocol.with_suffix(".review"))
    n_leaks = read_notes(store, range(1, planned + 1), "anna", "anna")
    assert site.report()["counted"] == 0, "one of two has read"
    read_notes(store, range(1, planned + 1), "ben", "ben", overlook=True)
    found = site.report()
    assert found["overall"]["leaking"] == n_leaks == found["agreement"]["open"] > 0
    assert found["agreement"]["only_one"] == n_leaks and found["words"]["leaked"] == n_leaks
    assert [row["reason"] for row in found["found"]["by_reason"]] == ["missed"]
    assert {each.settled for each in read_verdicts(store)} == {None}
    done = site.type("validate", "report", site.protocol, "--report", site.folder / "page.html")
    assert done.status == 0 and "to be settled" in done.out
    files = [site.folder / f"page.{kind}" for kind in ("html", "json")]
    shown = done.out + done.err + "".join(path.read_text("utf-8") for path in (*files, site.protocol))
    assert not any(name in shown for name in NAMES) and "n00001" not in shown
    assert not re.search(r"(src|href)\s*=|@import|url\(|<script|https?:", files[0].read_text("utf-8"))
    store.close()


def test_a_protocol_is_not_changed_and_fits_its_run_alone(site: Site) -> None:
    site.plan("--bound", "0.1")
    again = site.type("validate", "plan", site.out, "--protocol", site.protocol, "--bound", "0.5")
    assert again.status == 1 and "there already" in again.err
    site.load()
    table = json.loads(site.protocol.read_text("utf-8"))
    table["wanted"]["notes"] = 0.5
    site.protocol.write_text(json.dumps(table), "utf-8")
    for done in (
        site.load(),
        site.type("validate", "report", site.protocol),
        site.type("validate", "drift", site.protocol, site.out),
    ):
        assert done.status == 1 and "changed since it was written" in done.err
    # Sealed anew it is another protocol, under which nothing was read.
    table["digest"] = digest_of(table)
    site.protocol.write_text(json.dumps(table), "utf-8")
    done = site.type("validate", "report", site.protocol)
    assert done.status == 1 and "belongs to another protocol" in done.err
    other = site.mask("other", site.notes)
    done = site.type(
        "validate", "read", site.protocol, other, "--load-only", "--store", site.folder / "x.review"
    )
    assert done.status == 1 and "not the masked notes that the protocol was written for" in done.err


def test_bad_input_takes_one_line(site: Site) -> None:
    plan = ("validate", "plan", site.out, "--protocol", site.protocol)
    for words, status, said in (
        ((), 1, "which bound is wanted"),
        (("--bound", "1.5"), 2, "between 0 and 1"),
        (("--bound", "0.01", "--expect", "0.02"), 1, "--expect must lie below"),
        (("--bound", "0.1", "--by", "Okonjo"), 1, "strata are made by"),
        (("--bound", "0.1", "--by", "column:Okonjo"), 1, "no such column"),
    ):
        done = site.type(*plan, *words)
        assert (done.status, said in done.err, "Okonjo" in done.err) == (status, True, False), done.err
        assert not site.protocol.exists()
    site.plan("--bound", "0.1")
    done = site.load("--more", "100000")
    assert done.status == 1 and "beyond those planned" in done.err
    wrong = site.folder / "wrong.json"
    wrong.write_text("[]", "utf-8")
    assert site.type("validate", "report", wrong).status == 1
    assert site.type("validate", "read", site.protocol, site.out, "--original", site.gold).status == 1


def test_strata_are_named_only_where_enough_notes_are_in_them(site: Site, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in site.gold.read_text("utf-8").splitlines()]
    for number, row in enumerate(rows):
        row["meta"] = {"ward": "rare name" if number < 3 else ("north", "south")[number % 2]}
    source = tmp_path / "wards.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    site.out = tmp_path / "wards-out.jsonl"
    done = site.type("mask", source, "--spans", site.gold, "--out", site.out, "--key-file", site.key, "--keep-column", "ward")  # fmt: skip
    assert done.status == 0, done.err
    protocol = site.plan("--stratum-bound", "0.3", "--by", "column:ward")
    assert [each["name"] for each in protocol["strata"]] == ["south", "north", "other"]
    assert "rare name" not in site.protocol.read_text("utf-8")


def test_drift_is_told_where_notes_change_and_only_there(site: Site) -> None:
    site.plan("--bound", "0.1")
    same = site.type("validate", "drift", site.protocol, site.out, "--json")
    assert same.status == 0 and json.loads(same.out)["same_notes"]
    more = [make_note(number, 2) for number in range(N_NOTES, 2 * N_NOTES)]
    alike = site.type("validate", "drift", site.protocol, site.mask("alike", more))
    assert alike.status == 0 and "look like those that were validated" in alike.out, alike.out
    text = "Ultrasound of the liver without focal lesion; gallbladder normal. "
    changed = [replace(note, text=note.text + text * 3) for note in more]
    site.mask("changed", changed, "--validated", site.protocol)
    assert "no longer look like those that were validated" in site.said
    found = site.type("validate", "drift", site.protocol, site.folder / "changed.jsonl", "--json")
    assert found.status == 3
    answer = json.loads(found.out)
    assert {row["kind"] for row in answer["compared"] if row["drifted"]} >= {"words"}
    assert answer["read_again"][0]["notes"] > 0
    less = [replace(note, spans=note.spans[:1]) for note in more]
    found = site.type("validate", "drift", site.protocol, site.mask("less", less), "--json")
    assert {row["kind"] for row in json.loads(found.out)["compared"] if row["drifted"]} >= {"labels"}
