"""A language that lives in this file alone: its rules find, its calendar shifts, its names and places replace."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

import deidlab
from deidlab import languages
from deidlab.banks import Place, PlaceBank, make_bank, name_pool
from deidlab.cli.app import app
from deidlab.corpus import read_corpus
from deidlab.errors import UnknownNameError
from deidlab.languages.calendar import Calendar, on
from deidlab.languages.language import Ages, Language, MadeNotes, People, Places
from deidlab.mask import MaskSettings, mask_notes
from deidlab.rules import NEUTRAL, Rule
from deidlab.types import Document, Span

MONTHS = ("unua", "dua", "tria", "kvara", "kvina", "sesa", "sepa", "oka", "naua", "deka", "dekunua", "dekdua")
TOWNS = ("Marbordo", "Valfonto", "Ŝtonponto", "Lagurbo")
NOTE = "Sinjoro Petrelo vidis doktoron la 14-an de tria 2064 en Marbordo, fiŝisto, petrelo@posto.example."


def find_names(text: str) -> list[Span]:
    found = re.finditer(r"(?<=Sinjoro )[A-Z]\w+", text)
    return [Span(*match.span(), "PATIENT", 0.95, "rules:toy-name") for match in found]


def find_dates(text: str) -> list[Span]:
    found = re.finditer(rf"\d{{1,2}}-an de (?:{'|'.join(MONTHS)}) \d{{4}}|printempfesto \d{{4}}", text)
    return [Span(*match.span(), "DATE", 0.95, "rules:toy-date") for match in found]


def find_words(text: str) -> list[Span]:
    labels = dict.fromkeys(TOWNS, "CITY") | {"fiŝisto": "PROFESSION"}
    return [
        Span(*match.span(), labels[match.group()], 0.95, "rules:toy-word")
        for match in re.finditer("|".join(labels), text)
    ]


def towns() -> PlaceBank:
    regions = ("Norda", "Suda", "Okcidenta", "Orienta")
    places = [Place(town, region, region, "", "") for town, region in zip(TOWNS, regions, strict=True)]
    return make_bank("XX", places, {}, {})


def notes() -> MadeNotes:
    grammar = "== note\nSinjoro <nomo> venis."
    return MadeNotes("i2b2-2014", "t", grammar, {"nomo": lambda pen: pen.put("Petrelo", "PATIENT")})


TOY = Language(
    "toy",
    "Toy",
    day_first=True,
    rules=(
        *NEUTRAL,
        Rule("names", "people behind a title", find_names),
        Rule("dates", "days with their month", find_dates),
        Rule("words", "towns and trades", find_words),
    ),
    calendar=Calendar(
        months=MONTHS,
        of_month=("an de",),
        connectors=frozenset({"la"}),
        holidays={"printempfesto": on(4, 4)},
        feasts=("printempfesto",),
    ),
    people=People(own_titles={"sinjoro": "m"}, origin="french"),
    ages=Ages(units={"monato": 12}),
    places=Places(banks={"XX": towns}),
    professions=lambda: ("bakisto", "ĝardenisto"),
    notes=notes,
)


@pytest.fixture(autouse=True)
def known_toy() -> Iterator[None]:
    before = languages.known()
    languages.register(TOY)
    yield
    languages.forget("toy")
    assert languages.known() == before


def mask(text: str, **options: object) -> str:
    tool = deidlab.load(None, "only", language="toy", **options)  # type: ignore[arg-type]
    return tool.mask(text, "surrogate").text


def test_a_note_is_masked_by_the_rules_dates_and_names_of_its_language() -> None:
    masked = mask(NOTE)
    found = re.fullmatch(
        r"Sinjoro (\w+) vidis doktoron la (\d+)-an de (\w+) (\d{4}) en (\S+), (\w+), (\S+@\S+)\.", masked
    )
    assert found is not None, masked
    name, day, month, year, town, trade, mail = found.groups()
    assert name != "Petrelo" and name in name_pool("french", "family")
    assert month in MONTHS and (day, month, year) != ("14", "tria", "2064")
    assert town in TOWNS and town != "Marbordo"
    assert trade in ("bakisto", "ĝardenisto")
    assert "petrelo" not in mail


def test_towns_and_regions_of_its_country_agree() -> None:
    spans = (Span(0, 8, "CITY"), Span(10, 15, "STATE"))
    settings = MaskSettings(style="surrogate", key=b"k" * 32, language="toy")
    masked = mask_notes([Document("n", "p", "Marbordo, Norda", spans)], settings)[0].text
    pairs = {(place.town, place.region) for places in towns().regions.values() for place in places}
    assert tuple(masked.split(", ")) in pairs - {("Marbordo", "Norda")}


def test_its_holiday_and_its_number_order_hold() -> None:
    def shift(text: str, label: str = "DATE") -> str:
        document = Document("n", "p", text, (Span(0, len(text), label),))
        settings = MaskSettings(style="surrogate", key=b"k" * 32, day_first=TOY.day_first, language="toy")
        return mask_notes([document], settings)[0].text

    assert re.fullmatch(rf"\d+ (?:{'|'.join(MONTHS)}) \d{{4}}", shift("printempfesto 2064"))
    assert re.fullmatch(r"\d\d/\d\d/\d{4}", shift("14/03/2064"))


def test_one_of_its_rules_can_be_switched_off() -> None:
    assert "Petrelo" in mask(NOTE, without_rules=("names", "web"))
    with pytest.raises(UnknownNameError, match="words"):
        mask(NOTE, without_rules=("nemo",))


def test_the_command_line_knows_it() -> None:
    runner = CliRunner()
    listed = runner.invoke(app, ["detect", "--list-rules", "--language", "toy"])
    assert listed.exit_code == 0 and "towns and trades" in listed.stdout
    command = ["mask", "-", "--out", "-", "--rules", "only", "--language", "toy", "--style", "tag", "-q"]
    masked = runner.invoke(app, command, input=NOTE)
    assert masked.exit_code == 0, masked.output
    assert "Petrelo" not in masked.stdout and "[PATIENT" in masked.stdout


def test_notes_are_made_in_it(tmp_path: Path) -> None:
    out = tmp_path / "made.jsonl"
    made = CliRunner().invoke(app, ["corpus", "make", str(out), "-n", "3", "--language", "toy", "-q"])
    assert made.exit_code == 0, made.output
    assert [note.id for note in read_corpus(out)] == ["t000000-1", "t000000-2", "t000000-3"]
    assert {span.label for note in read_corpus(out) for span in note.spans} == {"PATIENT"}


def test_other_languages_stay_as_they_were() -> None:
    note = Document("n", "p", "Seen on March 14, 2064.", (Span(8, 22, "DATE"),))
    settings = MaskSettings(style="surrogate", key=b"k" * 32)
    with_toy = mask_notes([note], settings)[0].text
    languages.forget("toy")
    assert mask_notes([note], settings)[0].text == with_toy
