"""A tokenizer learned from notes, of the kind that a family of models uses; the same notes give the same one.

Its vocabulary holds words of those notes: the model card of such a run says so. All kinds start from
byte-pair merges, since the usual trainers of WordPiece and unigrams give another vocabulary each time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from deidlab.encode.pieces import WordPieces
from deidlab.types import Document

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from tokenizers.normalizers import Normalizer
    from tokenizers.pre_tokenizers import PreTokenizer

_BERT = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_ROBERTA = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
_ALBERT = ("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]")


def learn_pieces(
    documents: Sequence[Document], family: str, size: int, lowercase: bool = False
) -> WordPieces:
    """At most `size` pieces: byte-level BPE for RoBERTa, unigrams for ALBERT, WordPiece for others."""
    texts = [document.text for document in documents]
    if family in ("roberta", "longformer", "modernbert"):
        tokenizer, around = _byte_level(texts, size), ("<s>", "</s>")
    elif family in ("albert", "xlnet", "xlm-roberta", "deberta-v2"):
        tokenizer, around = _unigram(texts, size, lowercase), ("[CLS]", "[SEP]")
    else:
        tokenizer, around = _word_piece(texts, size, lowercase), ("[CLS]", "[SEP]")
    _put_specials_around(tokenizer, *around)
    return WordPieces(tokenizer)


def _byte_level(texts: list[str], size: int) -> Any:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=list(_ROBERTA),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def _unigram(texts: list[str], size: int, lowercase: bool) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    steps = [normalizers.NFKC(), *([normalizers.Lowercase()] if lowercase else [])]
    normalizer = normalizers.Sequence(steps)
    before = pre_tokenizers.Metaspace(prepend_scheme="always")
    counts, _ = _count_merged(texts, normalizer, before, size - len(_ALBERT))
    total = sum(counts.values()) or 1
    ranked = sorted(counts, key=lambda piece: (-counts[piece], piece))
    vocabulary = [(name, 0.0) for name in _ALBERT]
    vocabulary += [(piece, math.log(max(counts[piece], 0.5) / total)) for piece in ranked]
    tokenizer = Tokenizer(models.Unigram(vocabulary, unk_id=_ALBERT.index("<unk>")))
    tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.decoder = (
        normalizer,
        before,
        decoders.Metaspace(),
    )
    tokenizer.add_special_tokens(list(_ALBERT))
    return tokenizer


def _word_piece(texts: list[str], size: int, lowercase: bool) -> Any:
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

    normalizer, before = normalizers.BertNormalizer(lowercase=lowercase), pre_tokenizers.BertPreTokenizer()
    starts, others = _count_merged(texts, normalizer, before, size // 2)
    marked = Counter({f"##{piece}": count for piece, count in others.items()})
    counts = starts + marked
    single = sorted(piece for piece in (*starts, *marked) if len(piece.removeprefix("##")) == 1)
    ranked = sorted(set(counts) - set(single), key=lambda piece: (-counts[piece], piece))
    names = [*_BERT, *dict.fromkeys(single), *ranked][:size]
    vocabulary = {name: place for place, name in enumerate(names)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer, tokenizer.pre_tokenizer, tokenizer.decoder = (
        normalizer,
        before,
        decoders.WordPiece(),
    )
    tokenizer.add_special_tokens(list(_BERT))
    return tokenizer


def _count_merged(
    texts: list[str], normalizer: Normalizer, before: PreTokenizer, size: int
) -> tuple[Counter[str], Counter[str]]:
    """How often each merged piece begins a word, and how often it goes on with one; both for all pieces."""
    from tokenizers import Tokenizer, models, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer, tokenizer.pre_tokenizer = normalizer, before
    trainer = trainers.BpeTrainer(vocab_size=max(size, 1), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    begins, goes_on = Counter(dict.fromkeys(tokenizer.get_vocab(), 0)), Counter[str]()
    for encoding in tokenizer.encode_batch(texts, add_special_tokens=False):
        last = None
        for piece, word in zip(encoding.tokens, encoding.word_ids, strict=True):
            (goes_on if word == last else begins)[piece] += 1
            last = word
    singles = [piece for piece in begins if len(piece) == 1]
    goes_on.update(dict.fromkeys(singles, 0))
    return begins, goes_on


def _put_specials_around(tokenizer: Tokenizer, first: str, last: str) -> None:
    from tokenizers import processors

    pairs = [(name, tokenizer.token_to_id(name)) for name in (first, last)]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}", pair=f"{first} $A {last} $B {last}", special_tokens=pairs
    )
