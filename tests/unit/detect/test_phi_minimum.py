"""Words that are likely to be PHI without one label standing out are found where a model's folder says so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from deidlab.detect.folder import TaggerFacts
from deidlab.detect.model import TaggingModel
from deidlab.detect.runtimes import WindowInputs
from deidlab.encode.pieces import WordPieces

TAGS = ("O", "B-DOCTOR", "I-DOCTOR", "B-PATIENT", "I-PATIENT")
# Seen / by / Lee / today: the third is none of either label alone, but PHI with 0.56.
PROBABILITIES = [
    [0.97, 0.01, 0.005, 0.01, 0.005],
    [0.97, 0.01, 0.005, 0.01, 0.005],
    [0.44, 0.30, 0.01, 0.24, 0.01],
    [0.97, 0.01, 0.005, 0.01, 0.005],
]


class Fixed:
    """A runtime that gives the probabilities above."""

    def score(self, windows: Sequence[WindowInputs]) -> list[np.ndarray]:
        return [np.log(np.array(PROBABILITIES, np.float32)) for _ in windows]


def tagger(phi_minimum: float | None) -> TaggingModel:
    words = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "[PAD]": 3, "[MASK]": 4, "seen": 5}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    facts = TaggerFacts(TAGS, 32, 24, "runs", "viterbi", False, 0, "en", phi_minimum)
    return TaggingModel(facts, WordPieces(tokenizer), Fixed())


@pytest.mark.parametrize(("phi_minimum", "found"), [(None, []), (0.5, [(8, 11, "DOCTOR")]), (0.6, [])])
def test_likely_words(phi_minimum: float | None, found: list[tuple[int, int, str]]) -> None:
    spans = tagger(phi_minimum).find("Seen by Lee today")
    assert [(span.start, span.end, span.label) for span in spans] == found
