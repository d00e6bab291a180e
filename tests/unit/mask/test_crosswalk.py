"""The sealed crosswalk: what was drawn is found again, by this project alone, whatever happens to the file."""

from __future__ import annotations

import pickle
import signal
import stat
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from deidlab.errors import ConfigError, CorpusError
from deidlab.mask import Crosswalk, MaskSettings, load_policy, mask_notes
from deidlab.mask.codes import InMemory, RandomCodes, name_of
from deidlab.mask.crosswalk_file import read_records
from tests.unit.mask.notes import KEY, note, settings

SECRET = b"a key file's thirty-two bytes ..."


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = Crosswalk.new(tmp_path / "s.xwalk", SECRET, "study")
    found.draw(names(0, 3))
    found.draw(names(3, 5))
    return tmp_path / "s.xwalk"


def names(first: int, last: int, kind: str = "patient") -> list[tuple[str, bytes]]:
    return [name_of(KEY, kind, f"p{number}") for number in range(first, last)]


def test_what_was_drawn_is_found_again_and_what_is_new_is_drawn(path: Path) -> None:
    one, other = (Crosswalk.open(path, SECRET, "study") for _ in range(2))
    drawn = one.draw(names(0, 8))
    assert len(set(drawn.values())) == 8
    assert other.draw(names(0, 8)) == drawn == Crosswalk.open(path, SECRET, "study").draw(names(0, 8))
    assert one.key == other.key != SECRET
    assert one.counts() == {"patient": 8}


def test_two_crosswalks_draw_otherwise_for_the_same_people(path: Path, tmp_path: Path) -> None:
    another = Crosswalk.new(tmp_path / "o.xwalk", SECRET, "study")
    drawn = Crosswalk.open(path, SECRET, "study").draw(names(0, 5))
    assert not set(another.draw(names(0, 5)).values()) & set(drawn.values())


def test_the_file_is_its_owners_alone_and_names_nobody(path: Path) -> None:
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    assert b"study" not in before
    assert "study" not in repr(Crosswalk.open(path, SECRET, "study").key)
    path.chmod(0o644)
    assert "chmod 600" in (Crosswalk.open(path, SECRET, "study").warning or "")
    with pytest.raises(ConfigError, match="never overwritten"):
        Crosswalk.new(path, SECRET)
    assert path.read_bytes() == before


def test_it_is_refused_where_it_is_missing_or_somebody_elses(path: Path) -> None:
    with pytest.raises(ConfigError, match=r"crosswalk new .* restore its backup"):
        Crosswalk.open(path.with_name("none"), SECRET)
    for project in ("", "another"):
        with pytest.raises(ConfigError, match="another project"):
            Crosswalk.open(path, SECRET, project)
    with pytest.raises(CorpusError, match="another key file"):
        Crosswalk.open(path, b"another secret of some length", "study")
    path.write_bytes(b"id,code\n1,2\n" * 20)
    with pytest.raises(CorpusError, match="not a crosswalk"):
        Crosswalk.open(path, SECRET, "study")


def test_every_cut_and_every_changed_byte_is_noticed(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = path.read_bytes()
    # Each look derives a key anew; the derivation itself is not what is looked at.
    monkeypatch.setattr("deidlab.mask.crosswalk.head_cipher", _quick_cipher)
    path.unlink()
    Crosswalk.new(path, SECRET, "study").draw(names(0, 3))
    Crosswalk.open(path, SECRET, "study").draw(names(3, 5))
    whole = path.read_bytes()
    for size in range(0, len(whole), 3):
        path.write_bytes(whole[:size])
        with pytest.raises(CorpusError):
            Crosswalk.open(path, SECRET, "study")
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        with pytest.raises(CorpusError):
            Crosswalk.open(path, SECRET, "study")


def _quick_cipher(secret: bytes, head: bytes) -> object:
    import hashlib

    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(hashlib.sha256(secret + head).digest())


def test_records_that_were_swapped_or_left_out_are_noticed(path: Path) -> None:
    with path.open("rb") as file:
        ends = [reached.end for _, reached in read_records(file)]
    data = path.read_bytes()
    first, second = data[ends[0] : ends[1]], data[ends[1] : ends[2]]
    for other in (second + first, second, first, first + first):
        path.write_bytes(data[: ends[0]] + other)
        with pytest.raises(CorpusError):
            Crosswalk.open(path, SECRET, "study")


def test_one_that_went_back_under_an_open_run_is_noticed(path: Path) -> None:
    before = path.read_bytes()
    found = Crosswalk.open(path, SECRET, "study")
    found.draw(names(5, 6))
    path.write_bytes(before)
    with pytest.raises(CorpusError, match="cut short"):
        found.draw(names(6, 7))


@pytest.mark.parametrize("torn", [1, 3, 4, 30, 5000])
def test_what_a_kill_left_behind_the_last_record_is_dropped(path: Path, torn: int) -> None:
    drawn = Crosswalk.open(path, SECRET, "study").draw(names(0, 5))
    with path.open("ab") as file:
        file.write((10_000).to_bytes(4, "big")[:torn] + b"x" * (torn - 4))
    found = Crosswalk.open(path, SECRET, "study")
    assert found.draw(names(0, 5)) == drawn
    more = found.draw(names(0, 9))
    assert Crosswalk.open(path, SECRET, "study").draw(names(0, 9)) == more


def test_a_record_whose_writer_was_killed_before_it_said_so_counts(path: Path) -> None:
    before = path.read_bytes()
    drawn = Crosswalk.open(path, SECRET, "study").draw(names(0, 7))
    after = path.read_bytes()
    tip = slice(41, 41 + 60)
    path.write_bytes(after[: tip.start] + before[tip] + after[tip.stop :])
    assert Crosswalk.open(path, SECRET, "study").draw(names(0, 7)) == drawn


def test_writers_at_once_lose_nothing_and_agree(path: Path) -> None:
    def draw(number: int) -> dict[tuple[str, bytes], bytes]:
        own = Crosswalk.open(path, SECRET, "study")
        for start in range(0, 60, 5):
            found = own.draw(names(start + number, start + number + 5))
        return {**found, **own.draw(names(number, 60))}

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(draw, range(4)))
    kept = Crosswalk.open(path, SECRET, "study")
    for result in results:
        assert kept.draw(result) == result


_WRITER = """
import sys
from pathlib import Path
from deidlab.mask import Crosswalk
from deidlab.mask.codes import name_of
found = Crosswalk.open(Path(sys.argv[1]), sys.argv[2].encode(), "study")
for number in range(100_000):
    names = [name_of(b"k" * 32, "document", f"{sys.argv[3]} {number} {each}") for each in range(300)]
    drawn = found.draw(names)
    print(number, drawn[names[0]].hex(), drawn[names[-1]].hex(), flush=True)
"""


def test_two_processes_that_are_killed_while_they_write_lose_nothing(path: Path) -> None:
    told: dict[tuple[str, int], tuple[str, str]] = {}
    for turn in range(3):
        command = [sys.executable, "-c", _WRITER, str(path), SECRET.decode()]
        writers = {
            name: subprocess.Popen([*command, name], stdout=subprocess.PIPE, text=True)
            for name in (f"a{turn}", f"b{turn}")
        }
        for process in writers.values():
            assert process.stdout is not None and process.stdout.readline()
        time.sleep(0.05 * turn)
        for name, process in writers.items():
            process.send_signal(signal.SIGKILL)
            out, _ = process.communicate()
            for line in out.splitlines():
                # The last line may itself be torn.
                if len(parts := line.split()) == 3 and len(parts[2]) == 64:
                    told[name, int(parts[0])] = (parts[1], parts[2])
        found = Crosswalk.open(path, SECRET, "study")
        assert found.draw(names(0, 5))
        for (name, number), secrets in told.items():
            keys = [name_of(b"k" * 32, "document", f"{name} {number} {each}") for each in (0, 299)]
            assert all(key in found._drawn for key in keys)
            drawn = found.draw(keys)
            assert tuple(drawn[key].hex() for key in keys) == secrets


def test_sealed_anew_it_opens_with_the_new_secret_alone_and_keeps_all(path: Path) -> None:
    found = Crosswalk.open(path, SECRET, "study")
    drawn, key = found.draw(names(0, 5)), found.key
    stale = Crosswalk.open(path, SECRET, "study")
    found.rekey(b"the new secret of the project")
    with pytest.raises(CorpusError, match="another key file"):
        Crosswalk.open(path, SECRET, "study")
    anew = Crosswalk.open(path, b"the new secret of the project", "study")
    assert (anew.draw(names(0, 5)), anew.key, anew.id) == (drawn, key, found.id)
    with pytest.raises(CorpusError, match="sealed anew"):
        stale.draw(names(5, 6))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_it_stays_where_it_was_opened(path: Path) -> None:
    found = Crosswalk.open(path, SECRET, "study")
    sent = pickle.loads(pickle.dumps(replace(settings(), codes="random", crosswalk=found)))
    assert sent.crosswalk is None and sent.draws
    assert SECRET.hex() not in repr(found) and found.key.hex() not in repr(sent)


def test_two_runs_with_one_crosswalk_agree_and_no_key_gives_them_away(path: Path) -> None:
    def masked(*texts: str, key: bytes = KEY) -> list[str]:
        found = Crosswalk.open(path, SECRET, "study")
        notes = [note(text, f"n{n}") for n, text in enumerate(texts)]
        chosen = MaskSettings(load_policy("i2b2"), "surrogate", key, codes="random", crosswalk=found)
        return [each.text for each in mask_notes(notes, replace(chosen, key=found.key))]

    text = "{PATIENT:Grace Okafor} on {DATE:3/14/2064}, MRN {MEDICALRECORD:5521904}"
    first = masked(text)
    later = masked(text, "{PATIENT:Grace Okafor} again on {DATE:3/14/2065}")
    assert later[0] == first[0]
    assert later[1].startswith(first[0].split(" on ")[0])
    keyed = mask_notes([note(text)], settings(key=Crosswalk.open(path, SECRET, "study").key))[0].text
    assert keyed != first[0]


def test_nobody_is_not_kept(path: Path) -> None:
    from deidlab.mask import own_patient

    found = Crosswalk.open(path, SECRET, "study")
    codes = RandomCodes(found.key, found)
    stranger = own_patient()
    assert codes.code("patient", stranger) == codes.code("patient", stranger)
    codes.expect([("patient", stranger)])
    assert found.counts() == {"patient": 5}


def test_a_code_is_no_digest_of_the_id_and_tells_no_secret() -> None:
    one, other = (RandomCodes(KEY, InMemory()) for _ in range(2))
    assert one.code("document", "n1") != other.code("document", "n1")
    assert one.code("patient", "p1") == one.code("patient", "p1")
    import base64

    secret = one.drawing.draw([name_of(KEY, "patient", "p1")])[name_of(KEY, "patient", "p1")]
    assert base64.b32encode(secret[:15]).decode().lower() not in one.code("patient", "p1")
