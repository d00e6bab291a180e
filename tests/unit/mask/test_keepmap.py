"""The encrypted reverse table: exact, closed without its secret, and whole or refused."""

from __future__ import annotations

import stat

import pytest

from deidlab.errors import ConfigError, CorpusError
from deidlab.mask import MapReader, MapWriter, mask_notes, restore_text
from deidlab.mask.keepmap import entry_of
from tests.unit.mask.notes import note, settings

SECRET = b"correct horse battery"


def write(path, count=3):
    notes = [
        note(f"{{PATIENT:John Smith}} №{n} on {{DATE:3/{n + 1}/2064}}\r\n", f"n{n}") for n in range(count)
    ]
    masked = mask_notes(notes, settings())
    with MapWriter(path, SECRET) as writer:
        for document, result in zip(notes, masked, strict=True):
            writer.write(entry_of(document, result, "pseudo"))
    return notes, masked


def test_what_was_written_restores_every_note(tmp_path):
    notes, masked = write(tmp_path / "run.map")
    entries = list(MapReader(tmp_path / "run.map", SECRET))
    assert [restore_text(m.text, e) for m, e in zip(masked, entries, strict=True)] == [n.text for n in notes]
    assert [(e.id, e.patient, e.masked_patient) for e in entries] == [(n.id, "p1", "pseudo") for n in notes]


def test_the_file_is_its_owners_alone_and_holds_no_text(tmp_path):
    write(tmp_path / "run.map")
    assert stat.S_IMODE((tmp_path / "run.map").stat().st_mode) == 0o600
    assert b"Smith" not in (tmp_path / "run.map").read_bytes()
    entry = next(iter(MapReader(tmp_path / "run.map", SECRET)))
    assert "Smith" not in repr(entry)


def test_a_wrong_secret_opens_nothing(tmp_path):
    write(tmp_path / "run.map")
    with pytest.raises(CorpusError, match="wrong secret"):
        list(MapReader(tmp_path / "run.map", b"another secret"))


@pytest.mark.parametrize("cut", [1, 20, 60])
def test_a_file_cut_short_is_refused(tmp_path, cut):
    path = tmp_path / "run.map"
    write(path)
    path.write_bytes(path.read_bytes()[:-cut])
    with pytest.raises(CorpusError, match=r"cut short|cannot be opened"):
        list(MapReader(path, SECRET))


@pytest.mark.parametrize("at", [9, 30, 40, 200])
def test_a_changed_byte_is_noticed(tmp_path, at):
    path = tmp_path / "run.map"
    write(path)
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(CorpusError):
        list(MapReader(path, SECRET))


def test_a_run_that_stopped_leaves_a_map_that_says_so(tmp_path):
    path = tmp_path / "run.map"
    with pytest.raises(RuntimeError), MapWriter(path, SECRET):
        raise RuntimeError
    with pytest.raises(CorpusError, match="cut short"):
        list(MapReader(path, SECRET))


def test_a_map_is_never_overwritten_and_other_files_are_refused(tmp_path):
    path = tmp_path / "run.map"
    write(path)
    with pytest.raises(ConfigError, match="already exists"):
        MapWriter(path, SECRET)
    (tmp_path / "x").write_bytes(b"something else entirely, long enough to hold a header")
    with pytest.raises(CorpusError, match="not a map"):
        MapReader(tmp_path / "x", SECRET)
    with pytest.raises(ConfigError, match="at least 8 bytes"):
        MapReader(path, b"short")


def test_a_masked_text_that_changed_is_refused(tmp_path):
    _, masked = write(tmp_path / "run.map")
    entry = next(iter(MapReader(tmp_path / "run.map", SECRET)))
    with pytest.raises(CorpusError, match="changed since"):
        restore_text(masked[0].text + " ", entry)
