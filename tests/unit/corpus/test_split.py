from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deidlab.corpus.split import CorpusDigest, load_manifest, read_ratios, save_manifest, split_corpus
from deidlab.errors import ConfigError, CorpusError
from deidlab.types import Document, Span

STUDY = read_ratios("50:10:40")


def corpus(n_patients: int, notes_each: int = 3) -> list[Document]:
    return [
        Document(f"{p}-{n:02}", str(p), f"note {p} {n}") for p in range(n_patients) for n in range(notes_each)
    ]


def test_the_split_is_fixed_for_all_time() -> None:
    """A change here would break every manifest that people compare."""
    manifest = split_corpus(corpus(8, 1), STUDY, seed=7)
    assert manifest.parts == {
        "train": ("2-00", "3-00", "4-00", "7-00"),
        "validation": ("6-00",),
        "test": ("0-00", "1-00", "5-00"),
    }
    assert manifest.digest == "00c4192be89bf5caf6a02afec40585b4089d33d508537ca2413f1d5ddac98f40"


@given(st.integers(1, 60), st.integers(0, 5), st.randoms())
def test_order_of_files_does_not_matter_and_patients_stay_whole(
    n: int, seed: int, shuffle: random.Random
) -> None:
    documents = corpus(n)
    first = split_corpus(documents, STUDY, seed)
    shuffle.shuffle(documents)
    assert split_corpus(documents, STUDY, seed) == first
    homes = defaultdict(set)
    for part, ids in first.parts.items():
        for document in ids:
            homes[document.partition("-")[0]].add(part)
    assert all(len(parts) == 1 for parts in homes.values())
    assert sum(map(len, first.parts.values())) == len(documents)


def test_shares_are_met() -> None:
    by_document = split_corpus(corpus(200, 5), STUDY, by="document")
    assert {part: len(ids) for part, ids in by_document.parts.items()} == {
        "train": 500,
        "validation": 100,
        "test": 400,
    }
    by_patient = split_corpus(corpus(200, 5), STUDY)
    assert all(abs(len(by_patient.parts[part]) - share * 1000) <= 5 for part, share in STUDY.items())


def test_another_seed_another_split() -> None:
    assert split_corpus(corpus(50), STUDY, 1).parts != split_corpus(corpus(50), STUDY, 2).parts


def test_ratios() -> None:
    assert read_ratios("80:20") == {"train": 0.8, "test": 0.2}
    assert read_ratios("a=1:b=1:c=1:d=1") == dict.fromkeys("abcd", 0.25)
    for wrong in ("", "a:b", "1:1:1:1", "-1:2", "0:0", "a=1:a=1", "inf:1", "nan:1"):
        with pytest.raises(ConfigError):
            read_ratios(wrong)


def test_an_id_twice_is_refused() -> None:
    with pytest.raises(CorpusError, match="document 0-00 is there twice"):
        split_corpus(corpus(1, 1) * 2, STUDY)
    with pytest.raises(ConfigError):
        split_corpus(corpus(1), STUDY, by="ward")


def test_manifests_are_read_back(tmp_path: Path) -> None:
    manifest = split_corpus(corpus(5), STUDY, seed=3)
    save_manifest(manifest, tmp_path / "split.json")
    assert load_manifest(tmp_path / "split.json") == manifest
    assert manifest.part_of()["0-00"] in STUDY
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(CorpusError, match="not a manifest"):
        load_manifest(tmp_path / "other.json")


def test_the_digest_sees_every_change_and_no_order() -> None:
    def digest(*documents: Document) -> str:
        total = CorpusDigest()
        for document in documents:
            total.add(document)
        return total.hexdigest()

    a, b = Document("a", text="x"), Document("b", text="y")
    assert digest(a, b) == digest(b, a)
    changed = [
        digest(a),
        digest(a, Document("b", text="z")),
        digest(a, Document("b", "p", "y")),
        digest(a, Document("b", text="y", spans=(Span(0, 1, "AGE"),))),
    ]
    assert len({digest(a, b), *changed}) == 5
