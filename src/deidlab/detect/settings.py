"""What a detector is told beside its model: rules, lists, known identifiers, threshold, labels, language."""

from __future__ import annotations

from dataclasses import dataclass, field

from deidlab.detect.ensemble import HOW
from deidlab.detect.known import KnownTable
from deidlab.detect.lexicon import check_terms
from deidlab.detect.naming import NATIVE_LABELS
from deidlab.errors import ConfigError, UnknownNameError

RULES = ("on", "off", "only")


@dataclass(frozen=True, slots=True)
class DetectorSettings:
    """How PHI is found with a model, or without one.

    `rules` switches the rules on or off, or leaves the model out (`only`). Spans below `threshold` stay
    mere candidates; without one, rules need 0.5 and a model's spans count as it decoded them; below 0.5,
    words that the model finds likelier than the threshold count too. `how` brings rules and model
    together; `labels` names the label set of the answer. `own`, or the name of the set that the model has
    learned, leaves its labels as they are, and names what rules and lists find beside it alike; a model alone
    then takes the threshold that suits the measure of its corpus, where it has one.
    `language` is the code of that of the notes, where it is not the model's; with codes of several (`en+es`),
    as a model may serve, each note is found with the rules of its own. Of its rules those named by
    `without_rules` do not run.
    """

    rules: str = "on"
    known: KnownTable | None = None
    allow: frozenset[str] = field(default=frozenset(), repr=False)
    deny: frozenset[str] = field(default=frozenset(), repr=False)
    threshold: float | None = None
    labels: str = NATIVE_LABELS
    how: str = "union"
    language: str = ""
    without_rules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.rules not in RULES:
            raise UnknownNameError("setting of rules", self.rules, RULES)
        if self.how not in HOW:
            raise UnknownNameError("ensemble", self.how, HOW)
        if self.threshold is not None and not 0.0 <= self.threshold <= 1.0:
            raise ConfigError(f"a threshold of {self.threshold} is impossible: it lies between 0 and 1")
        for terms in (self.allow, self.deny):
            check_terms(terms)

    @property
    def model_alone(self) -> bool:
        """Whether nothing stands beside a model."""
        return self.rules == "off" and self.known is None and not self.deny


USUAL = DetectorSettings()
