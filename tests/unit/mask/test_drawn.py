"""Codes of keys that are drawn: of their type, no two alike, found again, refused where they do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.carriers import KEY, typed_label
from deidlab.carriers.key_types import NUMBERS, text_type, widest
from deidlab.errors import CorpusError
from deidlab.mask import Crosswalk
from deidlab.mask.codes import InMemory, KeyedCodes, RandomCodes, name_of
from deidlab.mask.drawn import code_of
from tests.unit.mask.notes import KEY as SECRET


def label(type: str, space: str = "visits.visit_id") -> str:
    return typed_label(KEY, type, space)


@given(st.sampled_from((*NUMBERS, "uuid", *(text_type(width) for width in range(1, 30)))), st.data())
def test_a_code_is_of_its_type_and_no_wider(type: str, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, (1 << 15) - 1))
    written = f"00000000-0000-4000-8000-{number:012}" if type == "uuid" else str(number)
    code = RandomCodes(SECRET, InMemory()).key(label(type), written)
    assert len(code) <= widest(type)
    if type in NUMBERS:
        assert 0 < int(code) < 1 << NUMBERS[type] and str(int(code)) == code
    elif type == "uuid":
        assert code.count("-") == 4
    else:
        assert code[0].isalpha() and len(code) == widest(type) and code == code.lower()


def test_all_numbers_of_a_type_can_be_given_and_then_there_is_none() -> None:
    drawing = InMemory()
    codes = RandomCodes(SECRET, drawing)
    most = (1 << 15) - 1
    given = [int(codes.key(label("int2"), str(number))) for number in range(most)]
    assert sorted(given) == list(range(1, most + 1))
    assert min(given[:4000]) >= 1 << 14, "keys that count up from 1 are nobody's code"
    with pytest.raises(CorpusError, match="more keys than codes"):
        codes.key(label("int2"), str(most))
    assert codes.key(label("int2", "another.space"), str(most))


def test_the_shortest_words_run_out_too() -> None:
    codes = RandomCodes(SECRET, InMemory())
    assert len({codes.key(label("text1"), f"key {number}") for number in range(26)}) == 26
    with pytest.raises(CorpusError, match="more keys than codes"):
        codes.key(label("text1"), "one too many")
    assert len({codes.key(label("text2"), f"key {number}") for number in range(900)}) == 900


@pytest.mark.parametrize("written", ["007", "1.5", "Quentin", "32768", "+7"])
def test_what_is_no_plain_number_of_the_width_fails_and_is_not_quoted(written: str) -> None:
    with pytest.raises(CorpusError) as error:
        RandomCodes(SECRET, InMemory()).key(label("int2"), written)
    assert written not in str(error.value)


def test_a_crosswalk_keeps_them_over_processes_and_widths(tmp_path: Path) -> None:
    path = tmp_path / "s.xwalk"
    one = RandomCodes(SECRET, Crosswalk.new(path, b"a key file's bytes ..."))
    other = RandomCodes(SECRET, Crosswalk.open(path, b"a key file's bytes ..."))
    mine = {n: one.key(label("int4"), str(n)) for n in range(40)}
    theirs = {n: other.key(label("int4"), str(n)) for n in range(20, 60)}
    both = {**mine, **theirs}
    assert all(mine[n] == theirs[n] for n in range(20, 40))
    assert len(set(both.values())) == 60
    kept = Crosswalk.open(path, b"a key file's bytes ...")
    again = RandomCodes(SECRET, kept)
    # A column that has grown since holds the same.
    assert {n: again.key(label("int8"), str(n)) for n in range(60)} == both
    assert kept.counts() == {"key": 60}
    for type in ("int2", "text", "uuid", "text4"):
        with pytest.raises(CorpusError, match="another type"):
            again.key(label(type), "7")
    assert Crosswalk.open(path, b"a key file's bytes ...").counts() == {"key": 60}


def test_a_text_that_had_no_width_cannot_get_one(tmp_path: Path) -> None:
    codes = RandomCodes(SECRET, Crosswalk.new(tmp_path / "s.xwalk", b"a key file's bytes ..."))
    assert len(codes.key(label("text"), "M-1")) == 25
    with pytest.raises(CorpusError, match="another type"):
        codes.key(label("text8"), "M-1")


def test_a_code_is_no_function_of_the_key_or_the_secret() -> None:
    one, two = (RandomCodes(SECRET, InMemory()) for _ in range(2))
    for type in ("int8", "uuid", "text", "text9"):
        written = "5" if type == "int8" else "00000000-0000-4000-8000-000000000005"
        assert one.key(label(type), written) != two.key(label(type), written)
        assert one.key(label(type), written) == one.key(label(type), written)


def test_a_uuid_is_one_however_it_is_written() -> None:
    codes = RandomCodes(SECRET, InMemory())
    written = "0000AAAA-0000-4000-8000-000000000005"
    assert codes.key(label("uuid"), written) == codes.key(label("uuid"), written.lower())


def test_a_patients_key_of_text_is_the_patients_code() -> None:
    for codes in (RandomCodes(SECRET, InMemory()), KeyedCodes(SECRET)):
        assert codes.key(label("text", "patient"), "p1") == codes.code("patient", "p1")
        assert codes.key(label("int4", "patient"), "1") != codes.code("patient", "1")


def test_the_name_tells_neither_key_nor_space() -> None:
    kind, digest = name_of(SECRET, label("int4", "visits.secret_project"), "4471123")
    assert "secret" not in kind and b"4471123" not in digest
    drawn = InMemory().draw([(kind, digest)])[kind, digest]
    assert len(drawn) == 32 and b"secret" not in drawn and code_of(drawn).isdecimal()
