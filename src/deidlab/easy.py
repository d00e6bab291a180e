"""DeidLab in a few lines of Python.

import deidlab

masked = deidlab.load("en").mask("Seen by Dr. Ilse Verhoeven on 3/14/2071.")
print(masked.text)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from deidlab import languages
from deidlab.errors import ConfigError, CorpusError
from deidlab.models import DEFAULT
from deidlab.types import Document, MaskedDocument, Span

if TYPE_CHECKING:
    from deidlab.detect import Detector


@dataclass(frozen=True, slots=True)
class Deidentifier:
    """A detector that is loaded, and a secret. With one secret the notes of a patient get the same surrogates
    and the same date shift every time."""

    detector: Detector = field(repr=False)
    key: bytes = field(repr=False)
    language: str = ""

    def detect(self, text: str, patient: str = "") -> tuple[Span, ...]:
        """The PHI in a text, in order and without overlaps."""
        return self.detector.detect([Document("note", patient, text)])[0].spans

    def mask(self, text: str, style: str = "tag", policy: str = "i2b2", patient: str = "") -> MaskedDocument:
        """The text with its PHI masked; `.text` is what can be shared, `.replacements` what stood there.

        Say the `patient` where notes of one are to agree: without it every call is a patient of its own.
        """
        from deidlab.mask import own_patient

        patient = patient or own_patient()
        return self.mask_all([Document("note", patient, text)], style, policy)[0]

    def mask_all(
        self, documents: Iterable[Document], style: str = "tag", policy: str = "i2b2"
    ) -> list[MaskedDocument]:
        """Many notes at once: the notes of a patient share their tags, surrogates and date shift."""
        from dataclasses import replace

        from deidlab.mask import MaskSettings, load_policy, mask_notes

        notes = list(documents)
        if len({note.id for note in notes}) < len(notes):
            raise CorpusError("two documents have the same id; ids must be unique")
        chosen = load_policy(policy)
        if chosen.wanted_recalls and self.detector.threshold is None:
            raise ConfigError(
                f"policy {chosen.name} wants a recall: load(threshold=…) with one that holds it; "
                "`deidlab mask --calibration` finds it"
            )
        found = self.detector.detect(notes, with_words=False)
        marked = [replace(note, spans=one.spans) for note, one in zip(notes, found, strict=True)]
        day_first = languages.of(self.language).day_first
        return mask_notes(marked, MaskSettings(chosen, style, self.key, None, day_first, self.language))


def load(
    model: str | None = DEFAULT,
    rules: str = "on",
    key_file: str | Path | None = None,
    known: str | Path | None = None,
    threshold: float | None = None,
    language: str = "",
    without_rules: Sequence[str] = (),
) -> Deidentifier:
    """A de-identifier: `model` is an embedded model's name or an exported folder, None for rules alone.

    Without `key_file` the secret is random, and another call gives other surrogates. `language` is the code
    of that of the notes, where it is not the model's; `without_rules` names rules that do not run.
    """
    from deidlab.detect import KnownTable, load_detector
    from deidlab.detect.embedded import language_of
    from deidlab.mask.keys import random_key, read_key

    table = None if known is None else KnownTable.read(known)
    detector = load_detector(
        model, rules, table, threshold=threshold, language=language, without_rules=without_rules
    )
    key = random_key() if key_file is None else read_key(key_file).key
    return Deidentifier(detector, key, language or language_of(model))
