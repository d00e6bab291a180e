"""Keys: how they are written and read, and that contexts and keys are unrelated."""

from __future__ import annotations

import os
import stat

import pytest

from deidlab.errors import ConfigError
from deidlab.mask import Masker, MaskSettings, new_key, random_key, read_key
from deidlab.mask.keys import CONTEXTS, Keyring
from tests.unit.mask.notes import KEY, OTHER_KEY


def test_a_new_key_has_32_bytes_and_is_its_owners_alone(tmp_path):
    path = tmp_path / "site.key"
    before = os.umask(0)
    try:
        new_key(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    read = read_key(path)
    assert len(read.key) == 32 and read.warning is None
    assert str(read.key) not in repr(read)


def test_a_key_is_never_overwritten(tmp_path):
    path = tmp_path / "site.key"
    new_key(path)
    with pytest.raises(ConfigError, match="already exists"):
        new_key(path)


def test_short_keys_are_refused(tmp_path):
    path = tmp_path / "short.key"
    path.write_bytes(b"x" * 15)
    path.chmod(0o600)
    with pytest.raises(ConfigError, match="at least 16 bytes, this one has 15"):
        read_key(path)
    path.write_bytes(b"x" * 16)
    assert read_key(path).key == b"x" * 16
    with pytest.raises(ConfigError, match="at least 16"):
        MaskSettings(key=b"short")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
def test_a_key_that_others_can_read_is_warned_about(tmp_path):
    path = tmp_path / "open.key"
    path.write_bytes(b"x" * 32)
    path.chmod(0o644)
    assert "0644" in (read_key(path).warning or "")


def test_a_missing_key_is_one_line(tmp_path):
    with pytest.raises(ConfigError, match="No such file"):
        read_key(tmp_path / "none.key")


def test_contexts_parts_and_keys_are_apart():
    ring = Keyring(KEY)
    digests = [ring.digest(context, "a", "b") for context in CONTEXTS]
    digests += [
        ring.digest("names", "ab"),
        ring.digest("names", "a", b"b"),
        Keyring(OTHER_KEY).digest("names", "a", "b"),
    ]
    assert len(set(digests)) == len(digests)


def test_streams_are_even_and_repeat():
    counts = [0] * 7
    stream = Keyring(KEY).stream("ids", "x")
    for _ in range(7000):
        counts[stream.below(7)] += 1
    assert max(counts) - min(counts) < 250
    again = [Keyring(KEY).stream("ids", "x").below(100) for _ in range(2)]
    assert again[0] == again[1]


def test_pseudonyms_are_keyed_and_fit_file_names():
    masker, other = Masker(MaskSettings(key=KEY)), Masker(MaskSettings(key=OTHER_KEY))
    name = masker.pseudonym("document", "John-Smith/1")
    assert name == Masker(MaskSettings(key=KEY)).pseudonym("document", "John-Smith/1")
    assert name.isalnum() and name.isascii() and name == name.lower()
    assert (
        len({name, masker.pseudonym("patient", "John-Smith/1"), other.pseudonym("document", "John-Smith/1")})
        == 3
    )
    many = {masker.pseudonym("patient", str(number)) for number in range(2000)}
    assert len(many) == 2000


def test_random_keys_differ():
    assert random_key() != random_key()
    assert MaskSettings().key != MaskSettings().key


def test_sealed_bytes_open_again_and_share_no_pad():
    ring = Keyring(KEY)
    one, other = ring.seal(b"m english", "p"), ring.seal(b"f english", "p")
    assert ring.unseal(one, "p") == b"m english" and ring.unseal(other, "p") == b"f english"
    assert one == ring.seal(b"m english", "p")
    assert one[9:] != other[9:]
    assert Keyring(OTHER_KEY).unseal(one, "p") != b"m english"
