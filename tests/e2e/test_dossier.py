"""The whole story of a dossier: two masking runs, evidence, approvals, `verify`; then one byte is changed anywhere."""

from __future__ import annotations

import json
import shutil
from datetime import date, timedelta
from pathlib import Path

import pytest

from deidlab.report.dossier import chain
from deidlab.report.dossier.chain import bytes_to_chain, canonical, chain_to_bytes, sha256
from deidlab.report.dossier.evidence import list_facts
from deidlab.report.dossier.folder import CHAIN, PAGE, SEAL
from deidlab.report.dossier.verify import Asked, Verdict, verify_dossier
from tests.e2e.command import deidlab

ROOT = Path(__file__).parents[2]
SENTINEL = "Quillonwycke"
LATER = (date.today() + timedelta(days=90)).isoformat()
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two masked outputs, a folder and a file, their evidence, and an approved dossier of them."""
    from deidlab.cli.app import run

    room = tmp_path_factory.mktemp("story")

    def said(*words: str | Path) -> None:
        assert run([*map(str, words), "--quiet"]) == 0

    for name in ("mask.key", "sign.key", "officer.key"):
        said("key", "new", room / name)
    notes = ["mask", ROOT / "samples" / "notes", "--rules", "only", "--key-file", room / "mask.key"]
    said(*notes, "--out", room / "masked", "--style", "surrogate", "--operator", "Ada Roe")
    said(*notes, "--out", room / "second.jsonl")
    said("audit", room / "masked", "--report", room / "audit.json")
    (room / "protocol.json").write_text(
        '{"bound": 0.01, "confidence": 0.95, "strata": [{"name": "letters", "notes": 300}]}'
    )
    told = sha256((room / "protocol.json").read_bytes())
    (room / "result.toml").write_text(f'protocol = "{told}"\nread = 300\nleaks = 0\n')
    (room / "opinion.pdf").write_bytes(b"%PDF-1.7 invented")
    hand = ["--sign-with", room / "sign.key", "--operator", "Ada Roe"]
    said("dossier", "new", room / "dossier", "--title", "Letters of a clinic", *hand)
    said(
        "dossier",
        "add",
        room / "dossier",
        "--run",
        room / "masked",
        "--protocol",
        room / "protocol.json",
        *hand,
    )
    more = [
        "--result",
        room / "result.toml",
        "--audit",
        room / "audit.json",
        "--document",
        room / "opinion.pdf",
    ]
    said("dossier", "add", room / "dossier", "--run", room / "second.jsonl", *more, *hand)
    officer = ["--name", "B. Vance", "--role", "privacy officer", "--sign-with", room / "officer.key"]
    said("dossier", "approve", room / "dossier", "--until", LATER, *officer)
    return room


@pytest.fixture
def room(story: Path, tmp_path: Path) -> Path:
    """A copy to spoil."""
    return Path(shutil.copytree(story, tmp_path / "room"))


def look(room: Path, *outputs: str, keys: tuple[str, ...] = (), today: date | None = None) -> Verdict:
    asked = Asked(today or date.today(), keys, tuple(room / name for name in outputs))
    return verify_dossier(room / "dossier", asked)


def flip(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(bytes(data))


def test_the_story_ends_well(story: Path, capsys: Capture) -> None:
    keys = [
        deidlab(capsys, "key", "public", story / name).out.strip() for name in ("sign.key", "officer.key")
    ]
    trust = [word for key in keys for word in ("--trust", key)]
    outputs = ["--output", story / "masked", "--output", story / "second.jsonl"]
    done = deidlab(capsys, "dossier", "verify", story / "dossier", *trust, *outputs)
    assert (done.status, done.out) == (0, "")
    assert "is as it was signed: 8 entries" in done.err
    assert f"approved by B. Vance (privacy officer) until {LATER}" in done.err
    shown = json.loads(deidlab(capsys, "dossier", "verify", story / "dossier", "--json").out)
    assert shown["intact"] and shown["keys"] == keys and shown["problems"] == []
    kinds = [each.kind for each in bytes_to_chain((story / "dossier" / CHAIN).read_bytes())]
    assert kinds == ["opened", "run", "protocol", "run", "result", "audit", "document", "approval"]


def files_of(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_one_byte_changed_in_any_file_is_named(room: Path) -> None:
    folder = room / "dossier"
    names = files_of(folder)
    assert len(names) == 13 and {CHAIN, PAGE, SEAL} < set(names)
    for name in names:
        path, before = folder / name, (folder / name).read_bytes()
        for place in {0, len(before) // 3, len(before) // 2, len(before) - 1}:
            flip(path, place)
            problems = look(room).problems
            assert any(each.startswith(f"{name}: ") for each in problems), (name, place, problems)
            others = [
                each for each in problems if not each.startswith((f"{name}: ", "outputs: ", f"{CHAIN}: "))
            ]
            assert not others, (name, place, others)
            path.write_bytes(before)
    assert not look(room).problems


def test_every_byte_of_the_seal_and_many_of_the_chain_count(room: Path) -> None:
    for name, step in ((SEAL, 7), (CHAIN, 41)):
        path = room / "dossier" / name
        before = path.read_bytes()
        for place in range(0, len(before), step):
            flip(path, place)
            assert any(each.startswith(f"{name}: ") for each in look(room).problems), (name, place)
            path.write_bytes(before)


def test_whatever_means_the_same_but_is_written_otherwise_is_named(room: Path) -> None:
    for name in (SEAL, CHAIN):
        path = room / "dossier" / name
        before = path.read_bytes()
        for other in (
            before + b"\n",
            before.replace(b" ", b"  ", 1),
            json.dumps(json.loads(before)).encode(),
        ):
            path.write_bytes(other)
            assert any(each.startswith(f"{name}: ") for each in look(room).problems)
        path.write_bytes(before)
    seal = room / "dossier" / SEAL
    found = json.loads(seal.read_bytes())
    seal.write_bytes(canonical({**found, "signature": found["signature"].upper()}))
    assert f"{SEAL}: was changed" in look(room).problems


def test_one_byte_changed_in_an_output_is_named(room: Path) -> None:
    assert not look(room, "masked", "second.jsonl").problems
    masked = sorted((room / "masked").iterdir())
    flip(masked[1], 40)
    flip(room / "second.jsonl", 99)
    assert look(room, "masked", "second.jsonl").problems == (
        f"{masked[1]}: changed since the run wrote it",
        f"{room / 'second.jsonl'}: is the output of no run here, or was changed",
    )


def test_outputs_that_are_missing_or_more_are_named(room: Path) -> None:
    masked = sorted((room / "masked").iterdir())
    masked[0].unlink()
    (room / "masked" / "new.txt").write_text("well")
    assert set(look(room, "masked").problems) == {
        f"{masked[0]}: is missing from what the run wrote",
        f"{room / 'masked' / 'new.txt'}: is not of the run",
    }
    assert look(room, "nowhere").problems == (
        f"{room / 'nowhere'}: is the output of no run here, or was changed",
    )


@pytest.mark.parametrize("name", ["files/0002-facts.json", CHAIN, PAGE, SEAL])
def test_a_missing_file_is_named(room: Path, name: str) -> None:
    (room / "dossier" / name).unlink()
    assert any(each.startswith(f"{name}: ") for each in look(room).problems)


def test_what_does_not_belong_there_is_named(room: Path) -> None:
    folder = room / "dossier"
    (folder / "notes.txt").write_text("new")
    (folder / "files" / "deeper").mkdir()
    (folder / "link").symlink_to(folder / PAGE)
    assert set(look(room).problems) == {
        "files/deeper: does not belong to the dossier",
        "link: is a link",
        "link: does not belong to the dossier",
        "notes.txt: does not belong to the dossier",
    }


def test_an_entry_taken_out_is_told_even_where_the_seal_is_made_anew(room: Path, capsys: Capture) -> None:
    from deidlab.report.dossier.folder import Dossier, read_dossier, write_dossier
    from deidlab.report.dossier.signing import read_signer

    assert deidlab(capsys, "key", "new", room / "thief.key").status == 0
    thief = read_signer(room / "thief.key")
    there = read_dossier(room / "dossier")
    kept = tuple(each for each in there.entries if each.kind != "audit")
    files = {name: there.files[name] for each in kept for name in each.files}
    write_dossier(room / "dossier", Dossier(kept, files), "<p>new</p>", thief)
    problems = look(room).problems
    assert f"{CHAIN}: entry 7 (document) is not in its place" in problems
    assert f"{CHAIN}: entry 7 (document) does not follow the entry before it" in problems
    assert f"{SEAL}: signed by another key than the last entry" in problems


def test_all_signed_anew_by_a_stranger_is_told_by_whoever_knows_the_keys(room: Path, capsys: Capture) -> None:
    from dataclasses import replace

    from deidlab.report.dossier.folder import Dossier, read_dossier, write_dossier
    from deidlab.report.dossier.signing import read_signer

    known = deidlab(capsys, "key", "public", room / "sign.key").out.strip()
    officer = deidlab(capsys, "key", "public", room / "officer.key").out.strip()
    assert not look(room, keys=(known, officer)).problems
    assert look(room, keys=(known,)).problems == (
        f"{CHAIN}: signed by the key {officer}, which is not trusted",
    )
    deidlab(capsys, "key", "new", room / "thief.key")
    thief, there = read_signer(room / "thief.key"), read_dossier(room / "dossier")
    forged: tuple[chain.Entry, ...] = ()
    for each in there.entries:
        previous = forged[-1].digest() if forged else ""
        bare = replace(each, key=thief.public, previous=previous, signature="")
        forged = (*forged, replace(bare, signature=thief.sign("dossier entry", bare.signed_part)))
    write_dossier(room / "dossier", Dossier(forged, there.files), "<p>new</p>", thief)
    assert not look(room).problems
    assert look(room, keys=(known, officer)).problems == (
        f"{CHAIN}: signed by the key {thief.public}, which is not trusted",
    )


def test_an_entry_that_says_nothing_of_its_files_is_told(room: Path, capsys: Capture) -> None:
    from deidlab.report.dossier.folder import Dossier, read_dossier, write_dossier
    from deidlab.report.dossier.signing import read_signer

    signer, there = read_signer(room / "sign.key"), read_dossier(room / "dossier")
    hand = chain.Hand("Ada Roe", signer)
    for kind, says in (("run", {"facts": "files/x"}), ("result", {}), ("approval", {"name": "X"})):
        entries = chain.append(there.entries, kind, says, {}, hand)
        write_dossier(room / "dossier", Dossier(entries, there.files), "<p></p>", signer)
        problems = look(room, "masked").problems
        assert f"{CHAIN}: entry 9 ({kind}) does not say what such an entry says" in problems


def test_an_approval_expires_and_is_renewed(room: Path, capsys: Capture) -> None:
    day = date.fromisoformat(LATER)
    assert not look(room, today=day).problems
    assert look(room, today=day + timedelta(days=1)).problems == (
        f"{CHAIN}: the approval in entry 8 expired on {LATER}",
    )
    after = (day + timedelta(days=9)).isoformat()
    who = ["--name", "B. Vance", "--role", "privacy officer", "--sign-with", room / "officer.key", "-q"]
    assert deidlab(capsys, "dossier", "approve", room / "dossier", "--until", after, *who).status == 0
    assert not look(room, today=day + timedelta(days=1)).problems


def test_what_is_added_after_an_approval_is_not_approved(room: Path, capsys: Capture) -> None:
    (room / "use.json").write_text('{"kept": 0.97}')
    hand = ["--sign-with", room / "sign.key", "-q"]
    assert (
        deidlab(capsys, "dossier", "add", room / "dossier", "--utility", room / "use.json", *hand).status == 0
    )
    done = deidlab(capsys, "dossier", "verify", room / "dossier")
    assert (done.status, done.out) == (
        1,
        f"{CHAIN}: what was added after the last approval, nobody has approved\n",
    )
    assert deidlab(capsys, "dossier", "verify", room / "dossier", "--without-approval").status == 0


def refused(capsys: Capture, room: Path, *words: str | Path, status: int = 1) -> str:
    """What is said of a command that must change nothing."""
    before = {name: (room / "dossier" / name).read_bytes() for name in files_of(room / "dossier")}
    done = deidlab(capsys, "dossier", *words)
    assert done.status == status and done.out == ""
    assert {name: (room / "dossier" / name).read_bytes() for name in files_of(room / "dossier")} == before
    return done.err


def test_bad_input_is_one_line_and_changes_nothing(room: Path, capsys: Capture) -> None:
    folder, hand = room / "dossier", ["--sign-with", room / "sign.key"]
    (room / "bad.json").write_text(f'{{"name": {SENTINEL}')
    (room / "list.json").write_text(f'["{SENTINEL}"]')
    for name, said in (
        ("bad.json", "not JSON in UTF-8"),
        ("list.json", "not a JSON object"),
        ("opinion.pdf", "ends in .json or .toml"),
    ):
        err = refused(capsys, room, "add", folder, "--result", room / name, *hand)
        assert said in err and SENTINEL not in err and len(err.splitlines()) == 1
    assert "say what to add" in refused(capsys, room, "add", folder, *hand, status=2)
    assert "already" in refused(capsys, room, "add", folder, "--run", room / "masked", *hand)
    assert "already there" in refused(capsys, room, "new", folder, *hand)
    assert "no record" in refused(capsys, room, "add", folder, "--run", room / "audit.json", *hand)
    who = ["--name", "X", "--role", "Y", *hand]
    assert "a day that is over" in refused(
        capsys, room, "approve", folder, "--until", "2020-01-01", *who, status=2
    )
    assert "must be a date" in refused(capsys, room, "approve", folder, "--until", "soon", *who, status=2)
    assert "not there" in refused(capsys, room, "verify", room / "nowhere")


def test_an_output_that_is_not_as_its_run_wrote_it_is_not_added(room: Path, capsys: Capture) -> None:
    (room / "notes.txt").write_text("Seen 3/14/2071.")
    assert (
        deidlab(
            capsys, "mask", room / "notes.txt", "--rules", "only", "--out", room / "third.txt", "-q"
        ).status
        == 0
    )
    (room / "third.txt").write_text("other")
    hand = ["--sign-with", room / "sign.key"]
    assert "changed since the run wrote it" in refused(
        capsys, room, "add", room / "dossier", "--run", room / "third.txt", *hand
    )
    record = room / "third.txt.deidlab" / "outputs.sha256"
    record.write_text(f"{sha256(b'other')}  -\n")
    assert "is not as the run wrote it" in refused(
        capsys, room, "add", room / "dossier", "--run", room / "third.txt", *hand
    )


def test_a_dossier_that_was_changed_is_not_added_to(room: Path, capsys: Capture) -> None:
    flip(room / "dossier" / PAGE, 500)
    err = refused(
        capsys,
        room,
        "add",
        room / "dossier",
        "--document",
        room / "opinion.pdf",
        "--sign-with",
        room / "sign.key",
    )
    assert "is not as it was sealed (index.html: was changed)" in err


def test_what_somebody_adds_meanwhile_is_not_lost(
    room: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    from deidlab.report.dossier import building

    draw, hand = building.dossier_to_html, ["--sign-with", room / "sign.key"]
    (room / "other.txt").write_text("another")

    def slowly(dossier: object) -> str:
        monkeypatch.setattr(building, "dossier_to_html", draw)
        done = deidlab(capsys, "dossier", "add", room / "dossier", "--document", room / "other.txt", *hand)
        assert done.status == 0
        return draw(dossier)  # type: ignore[arg-type]

    monkeypatch.setattr(building, "dossier_to_html", slowly)
    done = deidlab(capsys, "dossier", "add", room / "dossier", "--document", room / "opinion.pdf", *hand)
    assert done.status == 1 and "somebody added to it meanwhile" in done.err
    names = files_of(room / "dossier")
    assert "files/0009-document.txt" in names and "files/0009-document.pdf" not in names


def test_no_name_of_a_file_a_column_or_a_note_reaches_record_or_dossier(
    tmp_path: Path, capsys: Capture
) -> None:
    """A source, key and columns called after a person, ids kept, and one note that fails."""
    place = tmp_path / SENTINEL
    place.mkdir()
    rows = [f"{SENTINEL}-{n},{SENTINEL},Seen 3/14/2071 by Dr. Ilse Verhoeven.,red" for n in range(3)]
    source = place / f"{SENTINEL}.csv"
    source.write_text(f"{SENTINEL}id,who,{SENTINEL}text,{SENTINEL}colour\n" + "\n".join(rows) + "\n")
    deidlab(capsys, "key", "new", place / f"{SENTINEL}.key")
    columns = [
        "--text-column", f"{SENTINEL}text", "--id-column", f"{SENTINEL}id", "--patient-column", "who",
        "--keep-column", f"{SENTINEL}colour",
    ]  # fmt: skip
    out = place / f"{SENTINEL}-out.csv"
    done = deidlab(capsys, "mask", source, "--rules", "only", "--out", out, "--key-file", place / f"{SENTINEL}.key", "--ids", "keep", *columns)  # fmt: skip
    assert done.status == 0, done.err
    beside = place / f"{SENTINEL}-out.csv.deidlab"
    record = json.loads((beside / "record.json").read_text())
    assert SENTINEL not in json.dumps(record["provenance"]) + (beside / "outputs.sha256").read_text()
    assert record["provenance"]["command"] == [
        "deidlab mask", "SRC", "--out", "DST", "--key-file", "FILE", "--rules", "only", "--text-column", "NAME",
        "--id-column", "TEXT", "--patient-column", "TEXT", "--ids", "keep", "--keep-column", "NAME",
    ]  # fmt: skip
    (place / f"{SENTINEL}.json").write_text("{}")
    hand = ["--sign-with", place / f"{SENTINEL}.key", "-q"]
    assert deidlab(capsys, "dossier", "new", tmp_path / "d", *hand).status == 0
    more = ["--run", out, "--result", place / f"{SENTINEL}.json"]
    assert deidlab(capsys, "dossier", "add", tmp_path / "d", *more, *hand).status == 0
    for name in files_of(tmp_path / "d"):
        assert SENTINEL not in name and SENTINEL.encode() not in (tmp_path / "d" / name).read_bytes(), name


def test_a_folder_whose_files_have_real_names_is_held_by_digests_alone(
    tmp_path: Path, capsys: Capture
) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for n in range(3):
        (source / f"{SENTINEL}{n}.txt").write_text(f"Seen 3/{n + 1}/2071.")
    deidlab(capsys, "key", "new", tmp_path / "k")
    hand = ["--sign-with", tmp_path / "k", "-q"]
    mask = [
        "mask",
        source,
        "--rules",
        "only",
        "--style",
        "surrogate",
        "--ids",
        "keep",
        "--out",
        tmp_path / "out",
        "-q",
    ]
    assert deidlab(capsys, *mask, "--key-file", tmp_path / "k").status == 0
    assert SENTINEL not in (tmp_path / "out.deidlab" / "outputs.sha256").read_text()
    assert deidlab(capsys, "dossier", "new", tmp_path / "dossier", *hand).status == 0
    assert (
        deidlab(capsys, "dossier", "add", tmp_path / "dossier", "--run", tmp_path / "out", *hand).status == 0
    )
    asked = Asked(date.today(), outputs=(tmp_path / "out",), approved=False)
    assert not verify_dossier(tmp_path / "dossier", asked).problems
    flip(tmp_path / "out" / f"{SENTINEL}1.txt", 0)
    assert verify_dossier(tmp_path / "dossier", asked).problems == (
        f"{tmp_path / 'out' / SENTINEL}1.txt: is not of the run, or changed since",
        f"{tmp_path / 'out'}: 1 files of the run are missing or changed",
    )


def test_a_run_into_a_table_goes_in_by_its_url(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("sqlalchemy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.csv").write_text("id,text\na,Seen 3/14/2071.\n")
    deidlab(capsys, "key", "new", "k")
    table = "sqlite:///out.db?table=masked"
    assert (
        deidlab(
            capsys, "mask", "notes.csv", "--out", table, "--rules", "only", "--key-file", "k", "-q"
        ).status
        == 0
    )
    hand = ["--sign-with", "k", "-q"]
    assert deidlab(capsys, "dossier", "new", "d", *hand).status == 0
    done = deidlab(capsys, "dossier", "add", "d", "--run", table, *hand)
    assert (done.status, done.err) == (0, "")
    assert deidlab(capsys, "dossier", "verify", "d", "--without-approval").status == 0
    assert "1 note as database" in (tmp_path / "d" / PAGE).read_text()


def test_the_page_says_what_the_files_say(story: Path) -> None:
    page = (story / "dossier" / PAGE).read_text("utf-8")
    for words in (
        "Letters of a clinic", "Ada Roe", "B. Vance", "privacy officer", LATER, "deidlab mask SRC --out DST",
        "It names the protocol of entry 3 by its digest.", "Policy i2b2, style surrogate", "strata › 1 › notes",
        "PHI that the detector misses", "Nothing was given.", "not a claim of compliance",
    ):  # fmt: skip
        assert words in page, words
    key = (story / "mask.key").read_bytes()
    assert key.hex() not in page and str(story) not in page


def test_a_list_of_facts_ends() -> None:
    rows = list_facts({"all": [{"n": n, "text": "x" * 900} for n in range(500)]})
    assert len(rows) == 121 and rows[-1] == ("…", "880 more in the file")
    assert max(len(value) for _, value in rows) == 601


def test_a_chain_is_read_only_as_it_is_written(story: Path) -> None:
    data = (story / "dossier" / CHAIN).read_bytes()
    assert chain_to_bytes(bytes_to_chain(data)) == data
    for other in (b"", b"[]", b"{}", b'{"entries": []}', data.replace(b'"number": 2', b'"number": "2"')):
        with pytest.raises(Exception, match="is not as it was written"):
            bytes_to_chain(other)
