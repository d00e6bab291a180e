import pytest

from deidlab.errors import ConfigError, UnknownNameError
from deidlab.labels import (
    auto_label_set,
    guess_label_set,
    known_label_sets,
    known_maps,
    load_label_set,
    load_map,
    usual_group,
)

GROUPS = {"NAME", "PROFESSION", "LOCATION", "AGE", "DATE", "CONTACT", "ID", "OTHER"}


def test_every_shipped_set_is_sound() -> None:
    for name in known_label_sets():
        if name == "auto":
            continue
        labels = load_label_set(name)
        assert len(set(labels.tags)) == len(labels.tags)
        assert labels.tags.count("O") == 1
        assert {tag[2:] for tag in labels.tags if tag != "O"} == set(labels.labels)
        assert {labels.group_of(label) for label in labels.labels} <= GROUPS
        assert labels.description


def test_i2b2_2014_has_every_group_and_the_usual_types() -> None:
    labels = load_label_set("i2b2-2014")
    assert set(labels.groups.values()) == GROUPS
    assert {"PATIENT", "IPADDR", "LOCATION-OTHER", "BIOID", "MEDICALRECORD"} <= set(labels.labels)
    assert labels.group_of("ZIP") == "LOCATION"


def test_hipaa_has_eighteen_identifiers() -> None:
    assert len(load_label_set("hipaa").labels) == 18


def test_the_challenges_hipaa_subset_leaves_idnum_out() -> None:
    labels = load_label_set("hipaa-i2b2").labels
    assert len(labels) == 18
    assert "IDNUM" not in labels


def test_the_studys_tags_are_41_in_its_order() -> None:
    labels = load_label_set("meaney-2022")
    assert len(labels.tags) == 41
    assert len(labels.labels) == 23
    assert labels.tags[0] == "B-AGE"
    assert labels.tags[-1] == "O"
    assert labels.tag_ids()["O"] == 40
    for missing in ("B-STREET", "I-ZIP", "I-EMAIL", "I-USERNAME", "I-BIOID", "I-DEVICE"):
        assert missing not in labels.tags
    full = load_label_set("meaney-2022-full")
    assert full.labels == labels.labels
    assert len(full.tags) == 47


def test_meddocan_has_the_29_types_of_its_guidelines() -> None:
    assert len(load_label_set("meddocan").labels) == 29


def test_auto_is_made_of_what_was_seen() -> None:
    labels = load_label_set("auto", ["DATE", "AGE", "DATE"])
    assert labels.tags == ("O", "B-AGE", "I-AGE", "B-DATE", "I-DATE")
    assert auto_label_set(["FOO"]).group_of("FOO") == "OTHER"


def test_the_scheme_is_guessed_from_counts() -> None:
    assert guess_label_set({"PATIENT": 5, "IPADDR": 1}).name == "i2b2-2014"
    assert guess_label_set({"FECHAS": 5, "HOSPITAL": 9}).name == "meddocan"
    assert guess_label_set({"FOO": 5, "DATE": 4}).name == "auto"


def test_maps_cover_their_source_and_land_in_their_target() -> None:
    assert {"i2b2-2006--i2b2-2014", "meddocan--i2b2-2014"} <= set(known_maps())
    for name in known_maps():
        source, _, target = name.partition("--")
        table = load_map(name)
        assert set(table) == set(load_label_set(source).labels), name
        assert {label for label in table.values() if label} <= set(load_label_set(target).labels), name


def test_an_unknown_set_or_map_is_named_with_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="i2b2-2014"):
        load_label_set("i2b2-2O14")
    with pytest.raises(UnknownNameError, match="meddocan--i2b2-2014"):
        load_map("medocan--i2b2-2014")


def test_a_map_from_a_file(tmp_path) -> None:
    path = tmp_path / "site.toml"
    path.write_text('NAME = "PATIENT"\nNOISE = ""\n')
    assert load_map(str(path)) == {"NAME": "PATIENT", "NOISE": ""}
    path.write_text("NAME = 3\n")
    with pytest.raises(ConfigError, match="NAME must be a string"):
        load_map(str(path))
    path.write_text("NAME = \n")
    with pytest.raises(ConfigError, match="not a TOML file"):
        load_map(str(path))


def test_groups_of_labels() -> None:
    assert usual_group("FECHAS") == "DATE"
    assert usual_group("no such label") == "OTHER"
