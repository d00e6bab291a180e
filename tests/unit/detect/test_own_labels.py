"""A model of another scheme beside the rules: its own spans stand, and what rules add is named like them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from deidlab.detect import DetectorSettings
from deidlab.detect.detector import make_detector
from deidlab.errors import ConfigError
from deidlab.types import Document, Span

TEXT = "Paciente: Marta Gil, madre de Luis. Teléfono: 915 550 142. Edad: 54 años."


class Fixed:
    """A model that says the same of every note."""

    own_threshold = 0.8

    def __init__(self, tags: Sequence[str], language: str, *spans: Span) -> None:
        self.tags, self.language, self._spans = tuple(tags), language, spans

    def predict(self, documents: Sequence[Document]) -> list[tuple[tuple[Span, ...], list[object]]]:
        return [(self._spans, []) for _ in documents]


def spanish() -> Fixed:
    tags = ("O", *(f"B-{label}" for label in ("NOMBRE_SUJETO_ASISTENCIA", "FAMILIARES_SUJETO_ASISTENCIA")))
    name = Span(10, 19, "NOMBRE_SUJETO_ASISTENCIA", 0.9, "model")
    # A word for a relative is nothing to mask; in the corpus's own labels it is an answer.
    return Fixed(tags, "es", name, Span(21, 26, "FAMILIARES_SUJETO_ASISTENCIA", 0.6, "model"))


@pytest.mark.parametrize("labels", ["own", "meddocan"])
def test_rules_answer_in_the_labels_of_the_model(labels: str) -> None:
    (found,) = make_detector(spanish(), DetectorSettings(labels=labels)).detect([Document(id="a", text=TEXT)])
    assert {(TEXT[span.start : span.end], span.label) for span in found.spans} >= {
        ("Marta Gil", "NOMBRE_SUJETO_ASISTENCIA"),
        ("madre", "FAMILIARES_SUJETO_ASISTENCIA"),
        ("915 550 142", "NUMERO_TELEFONO"),
        ("54 años", "EDAD_SUJETO_ASISTENCIA"),
    }
    assert not {span.label for span in found.spans} & {"PATIENT", "PHONE", "AGE"}


def test_alone_a_model_keeps_the_threshold_of_its_corpus() -> None:
    (found,) = make_detector(spanish(), DetectorSettings("off", labels="own")).detect(
        [Document(id="a", text=TEXT)]
    )
    assert [span.label for span in found.spans] == ["NOMBRE_SUJETO_ASISTENCIA"]


def test_beside_rules_the_native_labels_are_the_model_s_own() -> None:
    english = Fixed(("O", "B-DATE", "B-PATIENT"), "en")
    assert make_detector(english, DetectorSettings(labels="own")).labels == "i2b2-2014"


def test_rules_have_no_names_for_labels_of_no_scheme() -> None:
    with pytest.raises(ConfigError, match="no map"):
        make_detector(Fixed(("O", "B-WHATEVER"), ""), DetectorSettings(labels="own"))
    with pytest.raises(ConfigError, match="none is named"):
        make_detector(None, DetectorSettings("only", labels="own"))


def test_without_a_model_the_language_chooses_the_rules() -> None:
    notes = [Document(id="a", text="Edad: 54 años.")]
    (spanish_rules,) = make_detector(None, DetectorSettings("only", labels="meddocan", language="es")).detect(
        notes
    )
    assert "EDAD_SUJETO_ASISTENCIA" in {span.label for span in spanish_rules.spans}
