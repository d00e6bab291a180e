"""The detector as a whole: settings, echoes, dictionaries, candidates, and independence of the batch."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import pytest

from deidlab import languages
from deidlab.detect import Detector, DetectorSettings, KnownTable, load_detector, read_terms
from deidlab.detect.answers import score_words
from deidlab.encode.words import find_words
from deidlab.errors import ConfigError, DeidError, ModelError, UnknownNameError
from deidlab.types import Document, Span

NOTE = "Dr. Foley saw Mr. Ostrander on 3/14/2071. OSTRANDER slept; ostrander ate. BP 120/80, Foley catheter in place."


def note(text: str, number: int = 0) -> Document:
    return Document(id=f"n{number}", text=text)


def pieces(detector: Detector, text: str) -> list[tuple[str, str]]:
    return [(text[span.start : span.end], span.label) for span in detector.detect([note(text)])[0].spans]


def test_names_are_found_again_in_any_case_and_eponyms_stay() -> None:
    assert pieces(load_detector(None, DetectorSettings("only")), NOTE) == [
        ("Foley", "DOCTOR"), ("Ostrander", "PATIENT"), ("3/14/2071", "DATE"), ("OSTRANDER", "PATIENT"), ("ostrander", "PATIENT"),
    ]  # fmt: skip


def test_allow_leaves_alone_and_deny_hides() -> None:
    detector = load_detector(
        None,
        DetectorSettings("only", allow=frozenset({"Ostrander"}), deny=frozenset({"catheter", "bp\tIDNUM"})),
    )
    assert ("catheter", "OTHER") in pieces(detector, NOTE)
    assert ("BP", "IDNUM") in pieces(detector, NOTE)
    assert not [piece for piece, _ in pieces(detector, NOTE) if piece.lower() == "ostrander"]
    given_way = [span for span in detector.detect([note(NOTE)])[0].candidates if span.label == "PATIENT"]
    assert given_way


def test_every_span_has_a_score_and_a_source_and_every_word_a_probability() -> None:
    found = load_detector(None, DetectorSettings("only")).detect([note(NOTE)])[0]
    assert all(span.score is not None and 0 <= span.score <= 1 and span.source for span in found.spans)
    assert [(start, end) for start, end, _ in found.words] == find_words(NOTE)
    sure = {start for start, _, score in found.words if score >= 0.5}
    assert {span.start for span in found.spans} <= sure
    assert load_detector(None, DetectorSettings("only")).detect([note(NOTE)], with_words=False)[0].words == ()


def test_alone_or_in_any_batch_the_same() -> None:
    detector = load_detector(None, DetectorSettings("only"))
    notes = [
        note(NOTE.replace("Ostrander", name), number)
        for number, name in enumerate(("Berg", "Ostrander", "Lopez", "Okafor"))
    ]
    alone = {document.id: detector.detect([document])[0] for document in notes}
    draw = random.Random(1)
    for _ in range(20):
        batch = draw.sample(notes, draw.randint(1, 4))
        assert detector.detect(batch) == [alone[document.id] for document in batch]


def test_a_stricter_threshold_takes_candidates_in() -> None:
    text = "Value 3/10 is noted; Zuberi was here."
    usual, strict = (
        load_detector(None, DetectorSettings("only")),
        load_detector(None, DetectorSettings("only", threshold=0.1)),
    )
    assert set(usual.detect([note(text)])[0].spans) <= set(usual.detect([note(text)])[0].candidates)
    assert len(strict.detect([note(text)])[0].spans) > len(usual.detect([note(text)])[0].spans)


class Tagger:
    tags: tuple[str, ...] = ("O", "B-PATIENT", "I-PATIENT")

    def predict(self, documents: Sequence[Document]) -> list[tuple[list[Span], list[tuple[int, int, float]]]]:
        return [([Span(0, 4, "PATIENT", 0.4, "model")], [(0, 4, 0.4), (5, 9, 0.3)]) for _ in documents]


def test_a_model_s_spans_count_as_decoded_and_a_low_threshold_adds_words() -> None:
    text = "blue moon"
    assert pieces(Detector(model=Tagger()), text) == [("blue", "PATIENT")]
    assert pieces(Detector(model=Tagger(), threshold=0.5), text) == []
    assert pieces(Detector(model=Tagger(), threshold=0.2), text) == [("blue", "PATIENT"), ("moon", "OTHER")]
    assert pieces(Detector(rules=languages.find("en").rules, model=Tagger(), how="vote"), text) == []


class Reader(Tagger):
    """Finds one name, written plainly, and remembers what it was given to read."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def predict(self, documents: Sequence[Document]) -> list[tuple[list[Span], list[tuple[int, int, float]]]]:
        answers = []
        for document in documents:
            self.read.append(document.text)
            start = document.text.find("Quillane")
            found = [] if start < 0 else [Span(start, start + 8, "PATIENT", 0.9, "model")]
            answers.append((found, [(start, start + 8, 0.9)] if found else []))
        return answers


def test_a_model_reads_past_hidden_characters_and_a_plain_note_once() -> None:
    text = "saw Quil\u00adlane, Ｑｕｉｌｌａｎｅ"
    model = Reader()
    [found, other] = Detector(model=model).detect([note(text), note("a well-\nknown Quillane")])
    assert (4, 13) in {(span.start, span.end) for span in found.spans}
    assert max(score for start, end, score in found.words if start < 13 and end > 4) == pytest.approx(0.9)
    assert [(span.start, span.end) for span in other.spans] == [(14, 22)]
    assert model.read == [
        "saw Quil\u00adlane, Quillane",
        "saw Quillane, Quillane",
        "a well-\nknown Quillane",
    ]


def test_a_model_none_of_whose_labels_counts_here_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Tagger()
    model.tags = ("O", "B-SEXO_SUJETO_ASISTENCIA", "I-SEXO_SUJETO_ASISTENCIA")
    monkeypatch.setattr("deidlab.detect.detector._load_model", lambda name, device: model)
    with pytest.raises(ModelError, match="could mask nothing"):
        load_detector("elsewhere")


def test_labels_of_another_set() -> None:
    detector = load_detector(None, DetectorSettings("only", labels="hipaa"))
    assert all(label != "PATIENT" for _, label in pieces(detector, NOTE))


def test_settings_that_cannot_be() -> None:
    with pytest.raises(ModelError, match="no such model folder"):
        load_detector("nowhere")
    with pytest.raises(UnknownNameError):
        load_detector(None, DetectorSettings("sometimes"))
    with pytest.raises(ConfigError, match="nothing to detect with"):
        load_detector(None, DetectorSettings("off"))
    with pytest.raises(ConfigError, match="threshold"):
        load_detector(None, DetectorSettings("only", threshold=1.5))
    with pytest.raises(DeidError):
        load_detector(None, DetectorSettings("only", labels="nonsense"))
    with pytest.raises(ConfigError, match="label") as caught:
        load_detector(None, DetectorSettings("only", deny=frozenset({"Ostrander\tNONSENSE"})))
    assert "Ostrander" not in str(caught.value)


def test_terms_are_read_without_comments(tmp_path: Path) -> None:
    path = tmp_path / "deny.txt"
    path.write_text("# site names\nTamarack\n\nBirch Ward\tHOSPITAL\n")
    assert read_terms(path) == {"Tamarack", "Birch Ward\tHOSPITAL"}
    with pytest.raises(ConfigError):
        read_terms(tmp_path / "none.txt")


@pytest.mark.parametrize(
    "text",
    ["", " \n", "\u05d3\u05e0\u05d9\u05d0\u05dc 3/14/2071", "İstanbul Dr. Şahin 3/14/2071", "e\u0301" * 9],
)
def test_odd_notes(text: str) -> None:
    found = load_detector(None, DetectorSettings("only")).detect([note(text)])[0]
    assert all(span.end <= len(text) for span in found.spans)
    assert [text[span.start : span.end] for span in found.spans if span.label == "DATE"] == (
        ["3/14/2071"] if "3/" in text else []
    )


def test_what_a_detector_holds_is_not_shown() -> None:
    known = KnownTable.of([{"patient": "p", "name": "Zebulon Quillfeather"}])
    detector = load_detector(
        None, DetectorSettings("only", known, frozenset({"Zebulon"}), frozenset({"Quillfeather"}))
    )
    found = detector.detect([Document("n", "p", "Zebulon Quillfeather was seen.")])
    assert not any(name in repr((detector, found)) for name in ("Zebulon", "Quillfeather"))


def test_a_name_found_twice_keeps_its_own_source() -> None:
    spans = (
        load_detector(None, DetectorSettings("only"))
        .detect([Document("n", text="Dr. Okonjo came. Later okonjo left.")])[0]
        .spans
    )
    assert [span.source for span in spans] == ["rules:name", "echo"]


def test_words_have_the_highest_score_of_what_covers_them_however_a_model_cuts_them() -> None:
    cover = Span(4, 6, "PATIENT", 0.3)
    assert score_words("ab1 cd", [cover], [(0, 3, 0.5), (4, 6, 0.2)]) == (
        (0, 2, 0.5),
        (2, 3, 0.5),
        (4, 6, 0.3),
    )
