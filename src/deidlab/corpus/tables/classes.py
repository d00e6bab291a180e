"""What a column can be, and what the masking makes of its cells."""

from __future__ import annotations

from dataclasses import dataclass

from deidlab.carriers import KEY

UNCLASSIFIED, DROP, TEXT = "unclassified", "drop", "text"
PATIENT_KEY, OTHER_KEY = "patient-key", "key"
CODE, NUMBER = "code", "number"
OFFSET, EXCERPT, SNIPPET = "note-offset", "note-excerpt", "note-snippet"
FROM_NOTE = (OFFSET, EXCERPT, SNIPPET)
BIRTH_PARTS = ("birth-year", "birth-month", "birth-day")


@dataclass(frozen=True, slots=True)
class ColumnClass:
    """A class; `label` is the PHI type of its cells, and `kind` that of a typed field (see `typed_label`)."""

    name: str
    about: str
    label: str = ""
    kind: str = ""


CLASSES: dict[str, ColumnClass] = {
    each.name: each
    for each in (
        ColumnClass(PATIENT_KEY, "whose the row is: a pseudonym of the same type", KEY),
        ColumnClass(OTHER_KEY, "a key: a pseudonym of the same type, alike in all tables", KEY),
        ColumnClass(TEXT, "free text: searched, and what is found is masked"),
        ColumnClass("date", "a day: moved by the patient's offset, as the dates in the text", "DATE", "day"),
        ColumnClass("timestamp", "a day with its time: the day is moved", "DATE", "day"),
        ColumnClass("birth-date", "a birth date: moved; of an age over 89 the year goes", "DATE", "birth"),
        *(ColumnClass(name, f"the {name[6:]} of a birth date", "DATE", name) for name in BIRTH_PARTS),
        ColumnClass("zip", "a postcode: as the policy says for ZIP", "ZIP"),
        ColumnClass("age", "an age in years: over 89 becomes 90", "AGE", "age"),
        ColumnClass("patient-name", "a name of the patient or of relatives: another name", "PATIENT"),
        ColumnClass("staff-name", "a name of those who treat: another name", "DOCTOR"),
        ColumnClass("contact", "telephone, e-mail, web address: another", "PHONE"),
        ColumnClass("identifier", "another number or code of a person: another of its form", "IDNUM"),
        ColumnClass("place", "a place: as the policy says for its label (CITY, unless `label` says)", "CITY"),
        ColumnClass(CODE, "a code that stays"),
        ColumnClass(NUMBER, "a number that stays"),
        ColumnClass(OFFSET, "where a finding stands in a note: moved as its text is"),
        ColumnClass(EXCERPT, "the words of a finding: taken from the masked note"),
        ColumnClass(SNIPPET, "the words around a finding: taken from the masked note"),
        ColumnClass(DROP, "left out"),
        ColumnClass(UNCLASSIFIED, "nobody has decided: `tables mask` stops"),
    )
}
STAYS = (CODE, NUMBER)
# Looked for in the texts of the same patient.
TELLING = ("patient-name", "contact", "identifier")
