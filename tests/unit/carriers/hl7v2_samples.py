"""HL7 v2 messages of several kinds, as each version of the standard wants them."""

from __future__ import annotations

import base64

VERSIONS = ("2.3", "2.3.1", "2.4", "2.5", "2.5.1")
_STRUCTURES = {"A01": "ADT_A01", "A40": "ADT_A39", "R01": "ORU_R01", "T02": "MDM_T02", "O01": "ORM_O01"}
_LETTER = base64.b64encode(b"Zebulon Quillfeather slept.").decode()

_PID = (
    "PID|1||7781254^^^NF^MR~4418^^^NF^PI||QUILLFEATHER^ZEBULON^J^JR||19810305|M|||48 MILL ROAD^APT 2^BOSTON^MA^02139^USA||"
    "(617)555-0142^PRN^PH^z@quill.example^1^617^5550142~(617)555-0143|(617)555-0144|EN|M||90155^^^NF|123-45-6789|S7712^MA|||||||||20640301"
)
_PD1 = "PD1|||MILL ROAD PRACTICE^L^33|12345^HARKNESS^TOM^^^DR"
_NK1 = "NK1|1|QUILLFEATHER^ADA|SPO^Spouse|48 MILL ROAD^^BOSTON^MA^02139|(617)555-0145|||20300102"
_PV1 = "PV1|1|I|W6^412^B^NORTHFIELD|||W5^411^A|12345^HARKNESS^TOM^^^DR|67890^OSEI^RUTH|||||||||12345^HARKNESS^TOM|IP|V8812"
_PV1 += "|" * 25 + "20640312|20640314"
_PV2 = "PV2|||R07^Chest pain|||||20640312|20640314|||Fell on Mill Road|98211^VOSS^INGRID"
_AL1 = "AL1|1|DA|70618^PENICILLIN|SV|Rash, as Mrs. Ada Quillfeather said|20500401"
_DG1 = "DG1|1|I9|R07^Chest pain^I10|Chest pain of Mr. Quillfeather|20640312|A||||||||||12345^HARKNESS^TOM"
_PR1 = "PR1|1|C4|93458^Angiography|Angiography by Dr. Tom Harkness|20640313|D|30|12345^HARKNESS^TOM"
_GT1 = "GT1|1|5571|QUILLFEATHER^ADA||48 MILL ROAD^^BOSTON^MA^02139|(617)555-0145|(617)555-0146|19820607|F||SPO|987-65-4321"
_IN1 = (
    "IN1|1|HP77^Northfield Gold|BC01|BLUE HARBOR|1 HARBOR WAY^^BOSTON^MA^02110|BELL^SARA|(617)555-0199|G5512|"
    "HARBOR GROUP|||20630101|20641231||HMO|QUILLFEATHER^ZEBULON|SEL|19810305|48 MILL ROAD^^BOSTON^MA^02139"
)
_IN1 += "|" * 17 + "POL99812"
_MRG = "MRG|7781200^^^NF^MR||||||QUILLFEATHER^ZEB"
_ORC = "ORC|NW|A77^LAB|B88^LAB||IP||1^Q6H^D3^206403130800^206403160800^R||206403130815|31002^FENN^LEA||12345^HARKNESS^TOM|W6^412^B|(617)555-0177"
_OBR = (
    "OBR|1|A77^LAB|B88^LAB|11502-2^LABORATORY REPORT^LN|||206403130815|206403130830||31002^FENN^LEA|||Fell at Mill Road"
    "|206403130900||12345^HARKNESS^TOM|(617)555-0177|||||206403140930||LAB|F||1^ONCE^^206403130800"
)
_OBX = (
    "OBX|1|TX|11502-2^REPORT^LN|1|Mr. QUILL-||||||F|||206403130815",
    "OBX|2|TX|11502-2^REPORT^LN|2|FEATHER saw Dr. Tom Harkness \\T\\ went home.||||||F",
    "OBX|3|NM|718-7^HEMOGLOBIN^LN|3|13.2|g/dL|12-16|N|||F|||206403130815||12345^HARKNESS^TOM",
    "OBX|4|DT|8665-2^LAST PERIOD^LN|4|20640301||||||F",
    "OBX|5|FT|8251-1^COMMENT^LN|5|Seen by Dr. Tom Harkness\\.br\\on 3/14 at 617-555-0142~second line||||||F",
    "OBX|6|CE|600-7^CULTURE^LN|6|112283007^Escherichia coli^SCT||||||F",
)
_NTE = ("NTE|1||Ratio 1\\S\\2\\F\\3, call Mrs. Ada Quillfeather", "NTE|2|L|on 3/15~or the day after")
_ENCLOSED = f"OBX|7|ED|11488-4^LETTER^LN|7|LAB^TEXT^^Base64^{_LETTER}||||||F"
_TXA = (
    "TXA|1|DS|TX|206403141200|12345^HARKNESS^TOM|206403141210|206403141220||67890^OSEI^RUTH|"
    "31002^FENN^LEA|55512^ABEL^JO|D4471^NF||||note.txt|AU||AV"
)
_SPM = "SPM|1|A77&LAB^B88&LAB||119297000^Blood^SCT|||||||||||Drawn by Dr. Tom Harkness|||206403130815^206403130816|206403130900"
_EVN = "EVN|A01|206403140930|||4471^CLERK^PAT|206403140925"

_SEGMENTS: dict[str, tuple[str, ...]] = {
    "ADT^A01": (_EVN, _PID, _PD1, _NK1, _PV1, _PV2, _AL1, _DG1, _PR1, _GT1, _IN1),
    "ADT^A40": (_EVN, _PID, _MRG),
    "ORU^R01": (_PID, _PV1, _ORC, _OBR, _NTE[0], *_OBX, _ENCLOSED, *_NTE),
    "MDM^T02": (_EVN, _PID, _PV1, _TXA, *_OBX[:5], _ENCLOSED),
    "ORM^O01": (_PID, _PV1, _ORC, _OBR, *_NTE, _DG1, _OBX[2]),
}


def message(version: str, kind: str) -> str:
    """One of a kind, such as ADT^A01; before 2.3.1 a message does not name its structure."""
    structure = "" if version == "2.3" else f"^{_STRUCTURES[kind[4:]]}"
    specimen = (_SPM,) if kind == "ORU^R01" and version >= "2.5" else ()
    header = f"MSH|^~\\&|LAB|NORTHFIELD|EHR|NORTHFIELD|20640314093000||{kind}{structure}|M00017|P|{version}"
    return "\r".join((header, *_SEGMENTS[kind], *specimen)) + "\r"


MESSAGES = {
    (version, kind): message(version, kind)
    for version in VERSIONS
    for kind in _SEGMENTS
    # Before 2.3.1 hl7apy does not know how records are merged.
    if (version, kind) != ("2.3", "ADT^A40")
}
