"""Keys of numbers become numbers: of the same width and sign, one for one."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.carriers.key_types import NUMBERS
from deidlab.errors import CorpusError
from deidlab.mask import MaskSettings, load_policy
from deidlab.mask.keys import Keyring
from deidlab.mask.masker import Masker
from deidlab.mask.typed_keys import number_code, uuid_code

RING = Keyring(b"k" * 32)


@given(st.sampled_from(sorted(NUMBERS)), st.data())
def test_a_number_stays_in_its_width_and_keeps_its_sign(kind: str, data: st.DataObject) -> None:
    most = (1 << NUMBERS[kind]) - 1
    number = data.draw(st.integers(-most, most))
    code = int(number_code(RING, "note.note_id", str(number), kind))
    assert abs(code) <= most
    assert code == 0 or number == 0 or (code < 0) == (number < 0)


def test_no_two_numbers_become_one_and_none_of_the_small_stays_small() -> None:
    codes = {int(number_code(RING, "a", str(number), "int2")) for number in range(1 << 15)}
    assert codes == set(range(1 << 15)), "a permutation of all there are"
    small = {int(number_code(RING, "a", str(number), "int4")) for number in range(5000)}
    assert len(small) == 5000
    assert min(small) >= 1 << 30


def test_spaces_and_keys_differ() -> None:
    codes = {
        number_code(ring, space, "7", "int8") for ring in (RING, Keyring(b"x" * 32)) for space in ("a", "b")
    }
    assert len(codes) == 4


@pytest.mark.parametrize("written", ["007", "1.5", "Quentin", "32768", "+7"])
def test_what_is_no_plain_number_of_the_width_fails_and_is_not_quoted(written: str) -> None:
    with pytest.raises(CorpusError) as error:
        number_code(RING, "a", written, "int2")
    assert written not in str(error.value)


def test_a_uuid_becomes_a_uuid() -> None:
    masker = Masker(MaskSettings(load_policy("i2b2"), "surrogate", b"k" * 32))
    made = uuid.UUID(uuid_code(masker.pseudonym("a", "x")))
    assert made.version == 4
    assert uuid_code(masker.pseudonym("a", "y")) != str(made)
