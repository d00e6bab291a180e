"""A detector and a secret in, one object out that finds and masks PHI in texts, columns and documents.

import deidlab

masked = deidlab.load("en").mask("Seen by Dr. Ilse Verhoeven on 3/14/2071.")
print(masked.text)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from deidlab import languages
from deidlab.easy.columns import read_patients, to_column
from deidlab.errors import ConfigError, CorpusError
from deidlab.mask.codes import InMemory
from deidlab.models import DEFAULT
from deidlab.types import Document, MaskedDocument, Span

if TYPE_CHECKING:
    from deidlab.detect import Detection, Detector
    from deidlab.mask import Crosswalk
    from deidlab.rules.readings import WordScore

Answer = TypeVar("Answer")
Texts = TypeVar("Texts")


@dataclass(frozen=True, slots=True)
class Deidentifier:
    """A detector that is loaded, and a secret. With one secret the notes of a patient get the same surrogates
    and the same date shift every time. Whose patient is not said, each text is a patient of its own."""

    detector: Detector = field(repr=False)
    key: bytes = field(repr=False)
    language: str = ""
    lasting: bool = False
    """Whether the secret was named, so that what is made with it is expected to come again."""
    crosswalk: Crosswalk | None = None
    drawn: InMemory = field(default_factory=InMemory, repr=False)
    """What was drawn at random where no crosswalk keeps it: it holds as long as this object."""

    @overload
    def detect(self, text: str, patient: str = "") -> tuple[Span, ...]: ...
    @overload
    def detect(self, text: Iterable[Any], patient: Any = "") -> list[tuple[Span, ...] | None]: ...
    def detect(self, text: Any, patient: Any = "") -> Any:
        """The PHI in a text, in order and without overlaps; of several texts a list.

        A text that is missing has None. The patient matters only where known identifiers of each were loaded.
        """
        return self._ask(text, patient, lambda found: found.spans)

    @overload
    def word_scores(self, text: str, patient: str = "") -> tuple[WordScore, ...]: ...
    @overload
    def word_scores(self, text: Iterable[Any], patient: Any = "") -> list[tuple[WordScore, ...] | None]: ...
    def word_scores(self, text: Any, patient: Any = "") -> Any:
        """Start and end of every word of a text, and how likely it is PHI; of several texts a list."""
        return self._ask(text, patient, lambda found: found.words, True)

    def mask(self, text: str, style: str = "tag", policy: str = "i2b2", patient: str = "") -> MaskedDocument:
        """The text with its PHI masked; `.text` is what can be shared, `.replacements` what stood there.

        Say the `patient` where notes of one are to agree: without it every call is a patient of its own.
        """
        if not isinstance(text, str):
            raise CorpusError("mask takes one text; mask_all takes a list of them, or a column")
        from deidlab.mask import own_patient

        patient = patient or own_patient()
        return self._mask_documents([Document("note", patient, text)], style, policy)[0]

    @overload
    def mask_all(
        self, notes: Iterable[Document], style: str = "tag", policy: str = "i2b2"
    ) -> list[MaskedDocument]: ...
    @overload
    def mask_all(
        self, notes: Texts, style: str = "tag", policy: str = "i2b2", patients: Any = None
    ) -> Texts: ...
    def mask_all(self, notes: Any, style: str = "tag", policy: str = "i2b2", patients: Any = None) -> Any:
        """Many notes at once: the notes of a patient share their tags, surrogates and date shift.

        Texts come back as they were handed in: a text, a list, a tuple, a column of pandas (with its index)
        or of polars. `patients` says of each row whose it is; a row of nobody is a patient of its own. A row
        that is missing (None, NaN) stays so, one that is no text is an error. Of documents, masked documents
        come back.
        """
        documents = _as_documents(notes)
        if documents is not None:
            if patients is not None:
                raise CorpusError("patients: each document names its own patient")
            return self._mask_documents(documents, style, policy)
        column = to_column(notes)
        texts = column.texts()
        there = _documents(texts, patients)
        masked = {note.id: note.text for note in self._mask_documents(there, style, policy)}
        return column.with_texts([masked.get(str(row)) for row in range(len(texts))])

    def _mask_documents(self, notes: list[Document], style: str, policy: str) -> list[MaskedDocument]:
        from deidlab.mask import MaskSettings, load_policy, mask_notes
        from deidlab.mask.codes import RANDOM, RandomCodes

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
        kind = None if self.crosswalk is None else RANDOM
        settings = MaskSettings(chosen, style, self.key, None, day_first, self.language, kind)
        if self.lasting and settings.draws and self.crosswalk is None and settings.invents:
            raise ConfigError(
                f"policy {chosen.name} draws codes at random ({chosen.codes_clause}): a key alone does not "
                "give the same again: load(crosswalk=FILE, key_file=…), or load without a key file"
            )
        codes = RandomCodes(self.key, self.crosswalk or self.drawn) if settings.draws else None
        return mask_notes(marked, settings, codes)

    def _ask(
        self, texts: Any, patient: Any, answer: Callable[[Detection], Answer], with_words: bool = False
    ) -> Answer | list[Answer | None]:
        """The answer for a text, or for each of several."""
        if isinstance(texts, str):
            return answer(self.detector.detect([Document("note", patient, texts)], with_words)[0])
        rows = to_column(texts).texts()
        documents = _documents(rows, patient or None if isinstance(patient, str) else patient)
        found = self.detector.detect(documents, with_words)
        answers = {note.id: answer(each) for note, each in zip(documents, found, strict=True)}
        return [answers.get(str(row)) for row in range(len(rows))]


def _as_documents(notes: Any) -> list[Document] | None:
    """The notes where they are documents; None where they are something else."""
    if isinstance(notes, str) or not isinstance(notes, Iterable):
        return None
    if not isinstance(notes, Sequence):
        # A column of a data frame is looked through only as a column.
        if type(notes).__module__.partition(".")[0] in ("pandas", "polars"):
            return None
        notes = list(notes)
        if any(not isinstance(note, Document) for note in notes):
            raise CorpusError("notes: hand texts in as a list, a tuple, or a column of pandas or polars")
    if not any(isinstance(note, Document) for note in notes):
        return [] if not notes else None
    if all(isinstance(note, Document) for note in notes):
        return list(notes)
    raise CorpusError("notes: documents and texts in one list; hand in either")


def _documents(texts: Sequence[str | None], patients: Any) -> list[Document]:
    """A document of every row with a text, named by its number."""
    from deidlab.mask import own_patient

    whose = [None] * len(texts) if patients is None else read_patients(patients, len(texts))
    return [
        Document(str(row), patient or own_patient(), text)
        for row, (text, patient) in enumerate(zip(texts, whose, strict=True))
        if text is not None
    ]


def load(
    model: str | None = DEFAULT,
    rules: str = "on",
    key_file: str | Path | None = None,
    known: str | Path | None = None,
    threshold: float | None = None,
    language: str = "",
    without_rules: Sequence[str] = (),
    crosswalk: str | Path | None = None,
    project: str = "",
) -> Deidentifier:
    """A de-identifier: `model` is an embedded model's name, an exported folder or a system such as
    `hf:FOLDER`, None for rules alone.

    Without `key_file` the secret is random, and another call gives other surrogates. `language` is the code
    of that of the notes, where it is not the model's; `without_rules` names rules that do not run. A
    `crosswalk` of that `project` (`deidlab crosswalk new`) keeps what is drawn for each patient; the key file
    opens it.
    """
    from deidlab.detect import DetectorSettings, KnownTable
    from deidlab.mask import Crosswalk
    from deidlab.mask.keys import random_key, read_key
    from deidlab.systems.masking import language_of, load_detector

    table = None if known is None else KnownTable.read(known)
    settings = DetectorSettings(
        rules, table, threshold=threshold, language=language, without_rules=tuple(without_rules)
    )
    detector = load_detector(model, settings)
    key = random_key() if key_file is None else read_key(key_file).key
    language = language or language_of(model)
    if crosswalk is None:
        return Deidentifier(detector, key, language, key_file is not None)
    if key_file is None:
        raise ConfigError("a crosswalk is sealed with a key file: say key_file")
    found = Crosswalk.open(Path(crosswalk), key, project)
    return Deidentifier(detector, found.key, language, True, found)
