"""A surrogate is one file and so is a style: toys, made here, mask notes; a second one of a name is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.mask import MaskSettings, known_styles, load_policy, mask_notes, read_policy
from deidlab.mask import style as styles
from deidlab.mask import surrogate as surrogates
from deidlab.mask.mention import Mention
from deidlab.mask.style import Style
from deidlab.mask.surrogate import SURROGATES, Surrogate
from deidlab.types import Document, Span
from tests.e2e.command import deidlab
from tests.unit.pipeline.notes import read_jsonl, write_jsonl, write_key

KEY = b"0123456789abcdef0123456789abcdef"
NOTE = Document("a", "p", "Ward pet 7 saw Ms Okonjo.", (Span(0, 10, "PET"), Span(18, 24, "PATIENT")))


def new_pet(mention: Mention) -> str:
    return f"pet {mention.stream.below(1000) + 1000}"


def stars(mention: Mention) -> str:
    return f"{mention.number}{'*' * len(mention.text)}"


PET = Surrogate(("PET",), new_pet)
STARS = Style("stars", stars)


@pytest.fixture
def toys() -> Iterator[None]:
    surrogates.register(PET)
    styles.register(STARS)
    yield
    styles.forget(STARS)
    surrogates.forget(PET)


def masked(style: str, note: Document = NOTE) -> str:
    (done,) = mask_notes([note], MaskSettings(load_policy("i2b2"), style, KEY))
    return done.text


def test_a_surrogate_is_drawn_for_its_label(toys: None) -> None:
    text = masked("surrogate")
    assert text.startswith("pet 1") and "pet 7" not in text and "Okonjo" not in text
    assert masked("surrogate") == text


def test_without_it_the_label_has_none() -> None:
    # Digits are drawn anew for a label that nothing is made for.
    assert not masked("surrogate").startswith("pet 1")


@pytest.mark.parametrize(
    ("policy", "start"),
    [("", "pet 1"), ('PET = { style = "tag" }', "[PET-1]"), ('PET = "keep"', "Ward pet 7")],
)
def test_its_label_is_masked_by_the_command_and_may_have_a_row(
    toys: None, policy: str, start: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = write_jsonl([NOTE], tmp_path / "notes.jsonl")
    (tmp_path / "ours.toml").write_text(f'like = "i2b2"\n[types]\n{policy}\n')
    done = deidlab(capsys, "mask", source, "--out", tmp_path / "out.jsonl", "--spans", source, "--style",
                   "surrogate", "--policy", tmp_path / "ours.toml", "--key-file", write_key(tmp_path),
                   "--workers", "1")  # fmt: skip
    assert done.status == 0, done.err
    assert "OTHER" not in done.err
    (note,) = read_jsonl(tmp_path / "out.jsonl")
    assert str(note["text"]).startswith(start)


def test_without_it_the_label_is_nobodys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_jsonl([NOTE], tmp_path / "notes.jsonl")
    done = deidlab(capsys, "mask", source, "--out", tmp_path / "out.jsonl", "--spans", source, "--style", "tag",
                   "--key-file", write_key(tmp_path), "--workers", "1")  # fmt: skip
    assert done.status == 0 and "no surrogate is made for" in done.err
    assert "[OTHER-1]" in str(read_jsonl(tmp_path / "out.jsonl")[0]["text"])
    with pytest.raises(ConfigError, match="unknown label 'PET'"):
        read_policy({"like": "i2b2", "types": {"PET": "mask"}})


def test_a_style_writes_what_takes_the_place(toys: None) -> None:
    assert masked("stars") == "1********** saw Ms 1******."
    assert "stars" in known_styles()
    policy = read_policy({"like": "i2b2", "types": {"PATIENT": {"action": "mask", "style": "stars"}}})
    (done,) = mask_notes([NOTE], MaskSettings(policy, "tag", KEY))
    assert done.text == "[PET-1] saw Ms 1******."


def test_without_it_the_style_is_not_known() -> None:
    with pytest.raises(UnknownNameError, match="stars"):
        masked("stars")


@pytest.mark.parametrize("label", ["PATIENT", "ZIP"])
def test_a_second_surrogate_of_a_label_is_refused(label: str) -> None:
    first = SURROGATES[label]
    with pytest.raises(ConfigError, match=f"label {label}: another surrogate"):
        surrogates.register(Surrogate(("NEW", label), new_pet))
    assert SURROGATES[label] is first and "NEW" not in SURROGATES


def test_a_second_style_of_a_name_is_refused() -> None:
    with pytest.raises(ConfigError, match="another style has this name"):
        styles.register(Style("redact", stars))
