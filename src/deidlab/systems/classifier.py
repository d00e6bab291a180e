"""Somebody else's token classifier in, one of our taggers out: our windows over its pieces, valid runs of its
tags.

Any architecture that transformers can load: its tags may be BIO, BIOES or BILOU, or labels without prefixes;
its tokenizer has to be a fast one. Nothing is run that comes with a model, and nothing is loaded that is not
weights.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from deidlab.detect.folder import TaggerFacts
from deidlab.detect.model import TaggingModel
from deidlab.detect.runtimes import IDS, WindowInputs
from deidlab.encode.decoding import Scores
from deidlab.encode.pieces import WordPieces
from deidlab.encode.tags import SCHEMES, spell_spans
from deidlab.encode.words import find_words
from deidlab.errors import MissingExtraError, ModelError
from deidlab.labels import OUTSIDE, split_tag
from deidlab.zoo.hub import hub_answers, keep_quiet

_USUAL_WINDOW = 512
_PREFIXES = frozenset().union(*SCHEMES.values())
_COUNTED_FROM_PADDING = frozenset(
    ("roberta", "xlm-roberta", "xlm-roberta-xl", "camembert", "longformer", "roberta-prelayernorm", "xmod",
     "mpnet", "data2vec-text", "ibert", "luke", "mluke")
)  # fmt: skip
_FILES = ("*.json", "*.safetensors", "pytorch_model.bin", "*.txt", "*.model")


@dataclass(frozen=True, slots=True)
class Classifier:
    """A tagger, and what is known of the folder it came from."""

    model: TaggingModel
    folder: Path
    labels: tuple[str, ...]
    pieces: WordPieces = field(repr=False)

    def count_read(self, text: str) -> int:
        """How many characters fit one window: by itself the model reads no more."""
        room = self.model.facts.window - self.pieces.n_special
        words = find_words(text, self.model.facts.words)
        for word, pieces in zip(words, self.pieces.of_words(text, words), strict=True):
            room -= len(pieces)
            if room < 0:
                return word[0]
        return len(text)


class ClassifierRuntime:
    """Computes one window after another with transformers."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def score(self, windows: Sequence[WindowInputs]) -> list[Scores]:
        import torch

        scores = []
        with torch.inference_mode():
            for window in windows:
                ids = torch.from_numpy(window.arrays[IDS])
                logits = self._model(input_ids=ids, attention_mask=torch.ones_like(ids)).logits
                scores.append(logits[0, torch.from_numpy(window.places)].float().numpy())
        return scores


def load_classifier_folder(name: str, source: str = "model") -> Classifier:
    """The tagger of a folder, or of an id on the hub."""
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError:
        raise MissingExtraError("running a Hugging Face model", "train") from None
    folder = find_folder(name)
    try:
        config = transformers.AutoConfig.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(
            folder, trust_remote_code=False, local_files_only=True
        )
    except Exception:
        raise ModelError(
            f"{folder}: no model with a tokenizer that transformers can load is in this folder"
        ) from None
    tags = read_tags(config.id2label, folder)
    pieces = WordPieces(tokenizer)
    window = _window(config, int(min(tokenizer.model_max_length, 1_000_000)))
    facts = TaggerFacts(
        tags=tags,
        window=window,
        stride=max(1, (window - pieces.n_special) * 3 // 4),
        words="runs",
        decoding="viterbi",
        shapes=False,
        first_position=0,
    )
    from deidlab.detect.packed.loading import load_classifier

    runtime = ClassifierRuntime(load_classifier(folder, facts, "sdpa").eval())
    labels = tuple(sorted({split_tag(tag)[1] for tag in tags} - {""}))
    return Classifier(TaggingModel(facts, pieces, runtime, source=source), folder, labels, pieces)


def read_tags(id2label: Mapping[Any, str], folder: Path) -> tuple[str, ...]:
    """The tags in the order of the model's scores; labels without prefixes are those of words inside."""
    names = [str(id2label[key]) for key in sorted(id2label, key=int)]
    if not any(split_tag(name)[0] in _PREFIXES and "-" in name for name in names):
        names = [name if name == OUTSIDE else f"I-{name}" for name in names]
    if not spell_spans(names):
        raise ModelError(
            f"{folder}: its labels are not the tags of a token classifier: O, and B-, I- (E-, L-, S-, U-) or "
            "nothing before the labels"
        )
    return tuple(names)


def _window(config: Any, limit: int) -> int:
    """How many pieces fit: what tokenizer and positions allow, and no more than models are usually trained
    on."""
    places = getattr(config, "max_position_embeddings", None) or limit
    # RoBERTa and its kin count positions from the padding's number on.
    if config.model_type in _COUNTED_FROM_PADDING:
        places -= (config.pad_token_id or 0) + 1
    return int(np.clip(min(places, limit), 8, _USUAL_WINDOW))


def find_folder(name: str) -> Path:
    """The folder itself, or that into which an id's files were fetched from the hub."""
    folder = Path(name)
    if folder.is_dir():
        return folder
    if name.count("/") != 1 or name.startswith((".", "/")):
        raise ModelError(f"{name}: no such folder, nor the id of a model on the hub (OWNER/NAME)")
    import huggingface_hub

    keep_quiet()
    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=[*_FILES], local_files_only=True))
    except Exception:
        if not hub_answers():
            raise ModelError(f"'{name}' is not in the local cache, and the hub cannot be reached") from None
    try:
        return Path(huggingface_hub.snapshot_download(name, allow_patterns=[*_FILES]))
    except Exception:
        raise ModelError(f"'{name}': the hub has no model of that name that can be fetched") from None
