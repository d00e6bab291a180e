"""A patient's story over records, messages, documents, letters and a table, masked one by one with one key.

It stays one story: one name, one pseudonym for each number, and all intervals.
"""

from __future__ import annotations

import csv
import datetime as dt
import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.unit.carriers.ccda_samples import document
from tests.unit.carriers.letters import letter, paragraph, unpacked
from tests.unit.carriers.masking import mask
from tests.unit.carriers.pdfs import all_of, fill_in, glyphs_of, pdf, read, wide_font

NUMBER = "7781254"
UUID = "53fefa32-fcbb-4ff8-8a92-55ee120877b7"
FHIR = [
    {"resourceType": "Patient", "id": NUMBER, "birthDate": "1981-03-05", "gender": "male", "name": [{"family": "Quillfeather", "given": ["Zebulon"]}],
     "identifier": [{"value": "MRN-4410"}]},
    {"resourceType": "Encounter", "status": "finished", "id": "e1", "subject": {"reference": f"Patient/{NUMBER}"},
     "class": {"code": "IMP"}, "period": {"start": "2064-03-10"}, "identifier": [{"system": "urn:ietf:rfc:3986", "value": "E-99012"}]},
]  # fmt: skip
HL7 = "\r".join((
    "MSH|^~\\&|LAB|NF|EHR|NF|20640311093000||ORU^R01|M1|P|2.5",
    f"PID|1||{NUMBER}^^^^MR~MRN-4410^^^^MR||QUILLFEATHER^ZEBULON||19810305|M",
    "PV1|1|I|||||||||||||||||E-99012",
    "OBX|1|TX|X^REPORT||Mr. Zebulon Quillfeather, MRN: MRN-4410, slept well on 3/12/2064.",
))  # fmt: skip
CDA = document(f"""<component><structuredBody><component><section><title>Stay</title>
    <text><paragraph>Mr. <content styleCode="Bold">Zebulon</content> Quillfeather, MRN: MRN-4410, went home on 3/13/2064.</paragraph></text>
    <entry><encounter classCode="ENC" moodCode="EVN"><id root="1.2.3.4" extension="E-99012"/><id root="{UUID.upper()}"/>
    <effectiveTime value="20640310"/></encounter></entry></section></component></structuredBody></component>""").replace(
    b'extension="p7"/><patient>', f'extension="{NUMBER}"/><id root="1.2.3" extension="MRN-4410"/><patient>'
    "<name><given>Zebulon</given><family>Quillfeather</family></name><administrativeGenderCode code='M'/><birthTime value='19810305'/>".encode())  # fmt: skip
HTML = (
    "<!DOCTYPE html><html><body><p>Dear Dr. Harkness,</p><p>Mr. Zebulon <b>Quill</b>feather, MRN: MRN-4410, came again on "
    "3/20/2064.</p></body></html>"
)
DOCX = letter(paragraph("Mr. Zebulon ", "Quill", "feather, MRN: MRN-4410, was seen on 3/27/2064."))
RTF = rb"{\rtf1\ansi\deff0{\fonttbl{\f0 Arial;}}\pard Mr. Zebulon {\b Quill}feather, MRN: MRN-4410, rested on 4/10/2064.\par}"
# The name in two fonts, and in a field of a form.
PDF_LETTER = pdf(
    b"BT /F1 12 Tf 72 700 Td (Mr. Zebulon Quill) Tj /F2 12 Tf <" + glyphs_of("feather").hex().encode()
    + b"> Tj /F1 12 Tf (, MRN: MRN-4410, walked on 4/17/2064.) Tj 0 -40 Td (Patient name:) Tj ET",
    change=fill_in(("Tx", b"BT /F1 12 Tf 2 4 Td (Zebulon Quillfeather) Tj ET", (160, 656, 350, 676))),
    Font={"F2": wide_font()},
)  # fmt: skip
# Banks do not know this given name, so that its gender is what each file tells.
NOTES = [
    ("n1", NUMBER, "Patient: Mr. Zebulon Quillfeather\nMRN: MRN-4410\nDOB: 03/05/1981\nSeen on 2064-04-03.")
]
LETTERS = {"html": HTML.encode(), "docx": DOCX, "rtf": RTF, "pdf": PDF_LETTER}


def _days(text: str, pattern: str, order: str) -> list[dt.date]:
    return [dt.datetime.strptime(each, order).date() for each in re.findall(pattern, text)]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What stands in each file once it is masked, each by a command of its own."""
    folder = tmp_path_factory.mktemp("story")
    (folder / "in.ndjson").write_text("".join(json.dumps(each) + "\n" for each in FHIR))
    (folder / "in.hl7").write_text(HL7)
    (folder / "in.xml").write_bytes(CDA)
    for kind, content in LETTERS.items():
        (folder / f"{NUMBER}-1.{kind}").write_bytes(content)
    with (folder / "in.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([("id", "patient", "text"), *NOTES])

    def masked(name: str, *more: str) -> Path:
        source = folder / name
        return mask(source, folder / f"out{source.suffix}", "--style", "surrogate", "--policy", "i2b2", *more)

    from_name = ("--patient-from", r"^(\d+)-")
    letters = {kind: masked(f"{NUMBER}-1.{kind}", *from_name).read_bytes() for kind in LETTERS}
    body = unpacked(letters["docx"])["word/document.xml"]
    return {
        "fhir": masked("in.ndjson").read_text(), "hl7": masked("in.hl7").read_text(), "cda": masked("in.xml").read_text(),
        "csv": masked("in.csv").read_text(), "html": letters["html"].decode(), "docx": "".join(ElementTree.fromstring(body).itertext()),
        "rtf": letters["rtf"].decode("ascii"), "pdf": read(letters["pdf"])[0], "all of the pdf": all_of(letters["pdf"]),
    }  # fmt: skip


def test_nobody_is_left_in_it(story: dict[str, str]) -> None:
    for name, text in story.items():
        plain = re.sub("<[^>]*>", "", text)
        for word in ("quill", "feather", "zebulon", NUMBER, "4410", "99012", "1981", "53fefa32", "harkness"):
            assert word not in plain.lower() and word not in text.lower(), (name, word)


def test_the_patient_keeps_one_name(story: dict[str, str]) -> None:
    (name,) = json.loads(story["fhir"].splitlines()[0])["name"]
    given, family = name["given"][0], name["family"]
    whole = f"{given} {family}"
    assert f"|{family}^{given}|".upper() in story["hl7"].upper() and f"Mr. {whole}, MRN" in story["hl7"]
    assert f"<given>{given}</given><family>{family}</family>" in story["cda"]
    assert whole in re.sub("<[^>]*>", "", story["cda"])
    assert f"Patient: Mr. {whole}\n" in story["csv"]
    for kind, text in _letters(story).items():
        assert text.count(f"Mr. {whole}, MRN") == 1, kind
    assert f"Patient name: {whole}" in story["pdf"]


def _letters(story: dict[str, str]) -> dict[str, str]:
    """What a reader sees of each letter."""
    # What follows a name keeps its place on a page, so that a shorter one leaves room.
    shown = story["pdf"].replace(" ,", ",")
    plain = re.sub(r"\\b ?|[{}]", "", story["rtf"])
    return {
        "html": re.sub("<[^>]*>", "", story["html"]),
        "docx": story["docx"],
        "rtf": plain,
        "pdf": shown,
    }


def test_the_same_number_has_the_same_pseudonym_everywhere(story: dict[str, str]) -> None:
    patient, encounter = map(json.loads, story["fhir"].splitlines())
    pseudonyms = (patient["id"], patient["identifier"][0]["value"])
    assert encounter["subject"]["reference"] == f"Patient/{pseudonyms[0]}"
    fields = story["hl7"].split("PID|")[1].split("|")[2].split("~")
    assert tuple(each.split("^")[0] for each in fields) == pseudonyms
    names = {"v": "urn:hl7-org:v3"}
    root = ElementTree.fromstring(story["cda"])
    ids = [each.get("extension") for each in root.findall(".//v:patientRole/v:id", names)]
    assert tuple(ids) == pseudonyms
    visit = root.find(".//v:encounter/v:id", names)
    assert visit is not None
    assert (
        visit.get("extension")
        == encounter["identifier"][0]["value"]
        == re.split(r"PV1\|.*\||[\r\n]+OBX", story["hl7"])[1]
    )


def test_the_record_number_is_one_in_records_and_one_in_words(story: dict[str, str]) -> None:
    (identifier,) = json.loads(story["fhir"].splitlines()[0])["identifier"]
    texts = {
        "hl7": story["hl7"],
        "cda": re.sub("<[^>]*>", "", story["cda"]),
        "csv": story["csv"],
        **_letters(story),
    }
    numbers = {kind: re.findall(r"MRN: (\S+?)(?:,|\s)", text) for kind, text in texts.items()}
    # What stands in a record's own fields is its pseudonym in the record's words too.
    assert numbers.pop("hl7") == numbers.pop("cda") == [identifier["value"]]
    assert len(numbers) == 5 and len({tuple(each) for each in numbers.values()}) == 1, numbers
    assert re.fullmatch(r"MRN-\d{4}", numbers["pdf"][0])


@pytest.mark.parametrize(("name", "pattern", "order", "since_birth"), [
    ("fhir", r"\d{4}-\d\d-\d\d", "%Y-%m-%d", (0, 30321)),
    ("hl7", r"(?<=\|)\d{8}(?=\d{6}\||\|)", "%Y%m%d", (30322, 0)),
    ("hl7", r"\d+/\d+/\d{4}", "%m/%d/%Y", (30323,)),
    ("cda", r'(?<=value=")\d{8}', "%Y%m%d", (0, 30321)),
    ("cda", r"\d+/\d+/\d{4}", "%m/%d/%Y", (30324,)),
    ("html", r"\d+/\d+/\d{4}", "%m/%d/%Y", (30331,)),
    ("docx", r"\d+/\d+/\d{4}", "%m/%d/%Y", (30338,)),
    ("rtf", r"\d+/\d+/\d{4}", "%m/%d/%Y", (30352,)),
    ("pdf", r"\d+/\d+/\d{4}", "%m/%d/%Y", (30359,)),
    ("csv", r"\d\d/\d\d/\d{4}", "%m/%d/%Y", (0,)),
    ("csv", r"\d{4}-\d\d-\d\d", "%Y-%m-%d", (30345,)),
])  # fmt: skip
def test_all_intervals_stay(
    name: str, pattern: str, order: str, since_birth: tuple[int, ...], story: dict[str, str]
) -> None:
    born = dt.date.fromisoformat(json.loads(story["fhir"].splitlines()[0])["birthDate"])
    found = _days(story[name], pattern, order)
    assert [(day - born).days for day in found] == list(since_birth)
