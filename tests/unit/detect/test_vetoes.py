"""What each veto drops and what it leaves; what is announced, known or denied always stays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deidlab.detect import DetectorSettings, KnownTable, load_detector
from deidlab.detect.vetoes import VETO_NAMES, VETOES, drop_vetoed, running_vetoes
from deidlab.errors import UnknownNameError
from deidlab.types import Document, Span

DROPPED = [
    ("no-ratios", "DATE", "Ranson [4/11] at 48 h"),
    ("no-ratios", "DATE", "Doses [10/325] and 24/26"),
    ("no-ratios", "DATE", "Soplo [3/6] en foco aórtico"),
    ("no-ratios", "DATE", "MoCA [17/30], was 19/30"),
    ("no-ratios", "DATE", "CSF [3/0/62/48]"),
    ("no-abbreviations", "PATIENT", "pt w/ [CHF], seen"),
    ("no-abbreviations", "DOCTOR", "Flow in the [LAD] is poor"),
    ("no-codes", "IDNUM", "SNOMED [44054006] added"),
    ("no-codes", "ZIP", "GCS [E4V5M6] on arrival"),
    ("no-codes", "IDNUM", "[E1165] Type 2 diabetes with hyperglycemia"),
    ("no-codes", "IDNUM", "GJB2 [c.35delG] found"),
    ("no-codes", "DEVICE", "ICD-[10 I509 E119] N179"),
    ("no-values", "PHONE", "ABG [7.31/58/71/28] on 2 L"),
    ("no-editions", "DATE", "by the [2017] ACC guideline"),
    ("no-spells", "AGE", "biopsy at [12] months after the graft"),
    ("no-spells", "AGE", "women aged over [65]"),
    ("no-words", "DOCTOR", "[Lasix] to be held"),
    ("no-words", "PATIENT", "Given [midline] access and sent home"),
    ("no-words", "HOSPITAL", "gave [para] madre"),
    ("no-eponyms", "CITY", "[Nottingham] grade 2 carcinoma"),
]
LEFT = [
    ("DATE", "seen on [4/11] for follow up"),
    ("DATE", "RDV le [3/3] à 9 h"),
    ("DATE", "[13/14] de marzo"),
    ("DOCTOR", "Plan reviewed. [RT]\n"),
    ("DOCTOR", "dictated by [MR] today"),
    ("PATIENT", "[Frank] denies pain"),
    ("IDNUM", "[S69-10448] received"),
    ("PHONE", "call [555-0142] after six"),
    ("PHONE", "(775)[555-0129]|"),
    ("DATE", "since [2017] he smokes"),
    ("AGE", "a [12] months old girl"),
    ("HOSPITAL", "[Dental] Suquía"),
    ("CITY", "flew to [Lima] again"),
]


def read(marked: str, label: str, source: str = "model", score: float = 0.8) -> tuple[str, Span]:
    start, end = marked.index("["), marked.index("]") - 1
    return marked.replace("[", "").replace("]", ""), Span(start, end, label, score, source)


@pytest.mark.parametrize(("name", "label", "marked"), DROPPED)
def test_a_veto_drops_what_it_is_about(name: str, label: str, marked: str) -> None:
    text, span = read(marked, label)
    assert drop_vetoed(text, [span], VETOES, lambda each: True) == []
    rest = running_vetoes([name])
    assert drop_vetoed(text, [span], rest, lambda each: True) == [span]


@pytest.mark.parametrize(("label", "marked"), LEFT)
def test_what_may_be_phi_stays(label: str, marked: str) -> None:
    text, span = read(marked, label)
    assert drop_vetoed(text, [span], VETOES, lambda each: True) == [span]


@pytest.mark.parametrize("source", ["known", "known:near", "deny", "rules:name", "rules:id-idnum"])
def test_what_is_announced_known_or_denied_stays(source: str) -> None:
    text, span = read("pt w/ [CHF], seen", "PATIENT", source, 0.95)
    doubtful = replace(span, source="model", score=0.7)
    assert drop_vetoed(text, [span, doubtful], VETOES, lambda each: True) == [span, doubtful]


def test_a_known_name_and_its_echo_stay() -> None:
    known = KnownTable.of([{"patient": "p", "last": "Frank"}])
    detector = load_detector(None, DetectorSettings("only", known=known))
    [found] = detector.detect([Document(id="n", patient="p", text="Frank hematuria. Mr. Frank is well.")])
    assert [(span.start, span.label) for span in found.spans] == [(0, "PATIENT"), (21, "PATIENT")]


def test_a_veto_is_switched_off_by_its_name() -> None:
    text = "Frank hematuria with clots"
    names = [
        [
            span.label
            for span in load_detector(None, DetectorSettings("only", without_rules=off))
            .detect([Document(id="n", text=text)])[0]
            .spans
        ]
        for off in ((), ("no-words",))
    ]
    assert names == [[], ["PATIENT"]]


def test_an_unknown_name_is_refused() -> None:
    assert len(VETO_NAMES) == len(VETOES)
    with pytest.raises(UnknownNameError):
        load_detector(None, DetectorSettings("only", without_rules=("no-such",)))
