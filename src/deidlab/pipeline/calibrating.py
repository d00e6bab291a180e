"""Word probabilities of notes with gold in, a calibration out; with a policy, a threshold.

A calibration tells, for every PHI word of the calibration notes, how probable PHI the detector found it: its
unit (patient or note) by number, its label and that probability. No text, no ids. `calibration.json` in a
model's folder is found by itself; it holds for that model, with the rules as they were.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from deidlab import languages
from deidlab.corpus.files import complete_file
from deidlab.detect.embedded import model_folder
from deidlab.errors import ConfigError, CorpusError
from deidlab.inputfile import read_input
from deidlab.mask.base_labels import base_label
from deidlab.mask.policy import Policy
from deidlab.pipeline.settings import Finding
from deidlab.types import Document

NAME = "calibration.json"
CONFIDENCE = 0.95
# At this certainty and above a detector decides for itself; a wanted recall can only ask for more.
USUAL = 0.5
_CHUNK = 256
Word = tuple[int, str, float]


@dataclass(frozen=True, slots=True)
class Calibration:
    """`detector` says what was calibrated, `words` are (unit, label, probability) of every PHI word."""

    detector: Mapping[str, Any]
    unit: str
    n_notes: int
    words: tuple[Word, ...] = field(repr=False)


class Calibrator:
    """Takes notes with people's annotations and a detector's word probabilities, one by one."""

    def __init__(self) -> None:
        self._held: list[tuple[Document, Sequence[Sequence[float]]]] = []
        self._words: list[Word] = []
        self._units: dict[str, int] = {}
        self._n_notes = 0
        self._patients = False

    def add(self, document: Document, words: Sequence[Sequence[float]]) -> None:
        self._held.append((document, words))
        if len(self._held) == _CHUNK:
            self._count()

    def finish(self, finding: Finding) -> Calibration:
        self._count()
        if not self._words:
            raise CorpusError("nothing to calibrate on: the source has no annotations")
        unit = "patient" if self._patients else "document"
        return Calibration(describe_detector(finding), unit, self._n_notes, tuple(self._words))

    def _count(self) -> None:
        """Reduce the notes that are held to their PHI words."""
        if not self._held:
            return
        import numpy as np

        from deidlab.evaluate.certainty import certainty_of_words
        from deidlab.evaluate.pairing import Pair
        from deidlab.evaluate.tally import tally_pairs

        documents = [document for document, _ in self._held]
        pairs = [Pair(document, replace(document, spans=())) for document in documents]
        scores = {document.id: np.array(words, np.float64).reshape(-1, 3) for document, words in self._held}
        if any(document.spans for document in documents):
            tally = tally_pairs(pairs)
            found = certainty_of_words(pairs, tally, scores)
            held = found.phi
            rows = zip(
                found.doc[held].tolist(), found.label[held].tolist(), found.score[held].tolist(), strict=True
            )
            for row, label, score in rows:
                unit = self._units.setdefault(documents[row].patient, len(self._units))
                self._words.append((unit, tally.labels[label], score))
        self._patients |= any(document.patient != document.id for document in documents)
        self._n_notes += len(documents)
        self._held = []


def describe_detector(finding: Finding) -> dict[str, Any]:
    """What a calibration holds for: anything that may find less makes it another detector."""
    if finding.together:
        raise ConfigError("a calibration chooses a threshold, and each --system decides by itself")
    model = finding.own_model
    # Told only where they are not the usual ones, so that calibrations of old still hold.
    unusual: dict[str, Any] = {"without_rules": sorted(set(finding.without_rules))}
    of_model = replace(finding, language="").find_language()
    if languages.of(finding.find_language()) is not languages.of(of_model):
        unusual["language"] = finding.language
    return {
        "rules": finding.rules,
        "ensemble": finding.how,
        "model": None if model is None else _fingerprint(model),
        "allows_terms": finding.allow is not None,
        **{name: value for name, value in unusual.items() if value},
    }


def _fingerprint(model: str) -> str:
    """Tells whether two folders hold the same model."""
    from deidlab.detect.folder import is_export

    digest = hashlib.sha256()
    folder = model_folder(model)
    # An export is what its model file computes; the configuration beside it is for training further.
    beside = {NAME, "config.json"} if is_export(folder) else {NAME}
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        if path.name not in beside and path.suffix != ".md":
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:32]


def write_calibration(calibration: Calibration, path: Path, overwrite: bool = False) -> None:
    table = {"kind": "calibration", **asdict(calibration)}
    with complete_file(path, overwrite) as partial:
        partial.write_text(json.dumps(table) + "\n", "utf-8")


def read_calibration(path: Path) -> Calibration:
    try:
        table = json.loads(read_input(path))
        words = tuple((int(unit), str(label), float(score)) for unit, label, score in table["words"])
        return Calibration(dict(table["detector"]), str(table["unit"]), int(table["n_notes"]), words)
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or 'cannot be read'}") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ConfigError(
            f"{path}: not a calibration that `deidlab detect --write-calibration` wrote"
        ) from None


@dataclass(frozen=True, slots=True)
class Promise:
    """The threshold of a run, and the recall that it holds for each group of labels."""

    threshold: float
    recalls: Mapping[str, float]
    unit: str
    n_units: int
    confidence: float = CONFIDENCE


def promise_recall(policy: Policy, finding: Finding, path: Path | None) -> Promise:
    """The threshold at which every recall that the policy wants holds; an error says why there is none.

    One threshold serves all labels, the lowest that any of them asks for: what people would call a doctor,
    a detector may have found as a patient.
    """
    calibration = read_calibration(_find(policy, finding, path))
    if dict(calibration.detector) != describe_detector(finding):
        raise ConfigError(
            "the calibration is of another detector: --model, --rules, --language, --without-rule, "
            "--ensemble and whether there is an --allow must be as they were when it was made"
        )
    every = {label for _, label, _ in calibration.words}
    groups = _groups(policy, every)
    # Each group's promise is made so much surer that all hold together.
    confidence = 1 - (1 - CONFIDENCE) / len(groups)
    found = [_threshold(calibration, labels, recall, confidence) for recall, labels in groups.items()]
    n_units = len({unit for unit, _, _ in calibration.words})
    recalls = {
        "all PHI" if labels == every else ", ".join(sorted(labels)): recall
        for recall, labels in groups.items()
    }
    return Promise(min(found), recalls, calibration.unit, n_units)


def _find(policy: Policy, finding: Finding, path: Path | None) -> Path:
    if path is not None:
        return path
    if finding.own_model is not None:
        beside = model_folder(finding.own_model) / NAME
        if beside.is_file():
            return beside
    raise ConfigError(
        f"policy {policy.name} wants a recall, and no calibration says which threshold holds it: make one "
        "with `deidlab detect GOLD --write-calibration FILE` and name it with --calibration FILE (or put it "
        f"into the model's folder as {NAME}), or write a threshold into the policy"
    )


def _groups(policy: Policy, labels: Iterable[str]) -> dict[float, set[str]]:
    """The calibration's labels by the recall that the policy wants of them; those that it keeps have none."""
    groups: dict[float, set[str]] = {}
    for label in labels:
        row = policy.row(label)
        if row.recall is not None and row.action != "keep":
            groups.setdefault(row.recall, set()).add(label)
    missing = sorted(
        label for label in policy.wanted_recalls
        if label and label in policy.rows and policy.rows[label].action != "keep"
        and not any(base_label(label) == base_label(seen) for group in groups.values() for seen in group)
    )  # fmt: skip
    # Wanted of every label alike, a recall is about PHI as a whole; wanted of one, that one must be there.
    alone = [label for label in missing if policy.rows[label].recall != policy.default.recall]
    if alone or not groups:
        raise ConfigError(
            f"the calibration notes hold none of what the policy wants found: {', '.join(missing)}"
        )
    return groups


def _threshold(calibration: Calibration, labels: set[str], recall: float, confidence: float) -> float:
    import numpy as np

    from deidlab.evaluate.certainty import WordCertainty
    from deidlab.evaluate.threshold import Refusal, choose_threshold

    rows = [(unit, score) for unit, label, score in calibration.words if label in labels]
    units = np.array([unit for unit, _ in rows], np.int64)
    words = WordCertainty(
        units, np.zeros(len(rows), np.int64), np.array([score for _, score in rows]), "words"
    )
    answer = choose_threshold(words, np.arange(int(units.max()) + 1), calibration.unit, recall, confidence)
    if isinstance(answer, Refusal):
        shown = sorted(labels) if len(labels) < 6 else [*sorted(labels)[:5], f"{len(labels) - 5} more"]
        raise ConfigError(f"no threshold for {', '.join(shown)}: {answer.reason}")
    # A threshold just below the usual one, so that single words count too and not only whole spans.
    return min(answer.chosen.threshold, USUAL - 1e-9)
