"""Names of relatives in Spanish notes, which the Spanish model has hardly ever seen."""

from __future__ import annotations

import pytest

from deidlab.detect.rules import kin_es


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Su marido, Antonio, es albañil.", ["Antonio"]),
        ("Vive con su hija María del Carmen.", ["María del Carmen"]),
        ("Acude con su hermano (Juan).", ["Juan"]),
        ("Su pareja, llamada Lola, lo confirma.", ["Lola"]),
        ("La madre refiere fiebre.", []),
        ("Padre Diabetes tipo 2.", []),
        ("Hermana Enfermedad de Crohn.", []),
        ("su hijo de 3 años", []),
    ],
)
def test_names_after_a_word_for_a_relative(text: str, names: list[str]) -> None:
    assert [text[span.start : span.end] for span in kin_es.find(text)] == names
