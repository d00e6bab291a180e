"""Words in, pieces (subwords) out: the only code that talks to a tokenizer.

Every word is tokenized by itself, so that pieces and words can never drift apart. Tokenizers that mark
white space (byte-level BPE, SentencePiece) get the mark exactly where white space stands before a word.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from deidlab.errors import MissingExtraError, ModelError
from deidlab.types import Word

Pieces = tuple[int, ...]
"""The ids of one word's pieces; never empty."""

# Enough for the words of any corpus at hand; past this, memory would grow with every note that streams by.
_CACHE_WORDS = 400_000


class WordPieces:
    """A tokenizer, asked word by word.

    `prefix` and `suffix` are the special pieces that the tokenizer puts around a text; `unknown` stands
    for a word that tokenizes to nothing, such as a lone control character.
    """

    def __init__(self, tokenizer: Any) -> None:
        """`tokenizer` is a `tokenizers.Tokenizer`, or a transformers tokenizer that wraps one."""
        backend = getattr(tokenizer, "backend_tokenizer", tokenizer)
        if not hasattr(backend, "encode_batch"):
            raise ModelError("this tokenizer is not a fast one: a folder needs its tokenizer.json")
        source = json.loads(backend.to_str())
        # Published files may carry the limits of the task they were made for; windows cut, nothing else does.
        source["truncation"] = source["padding"] = None
        self._plain = _load(json.dumps(source))
        spaced, joined = json.dumps(_marking(source, True)), json.dumps(_marking(source, False))
        self._joined = _load(joined)
        self._spaced = self._joined if spaced == joined else _load(spaced)
        self._marks_space = spaced != joined
        self._marks_start = self._plain.encode("a").ids == self._spaced.encode("a").ids
        self.prefix, self.suffix = _special_pieces(self._plain)
        self.unknown = _unknown_piece(self._plain, source, self.prefix + self.suffix)
        # A note may spell `<s>` or `[SEP]`; it is text there, never the special piece.
        named = (each["id"] for each in source["added_tokens"] if each["special"])
        self._special = frozenset((*named, *self.prefix, *self.suffix)) - {self.unknown}
        self._cache: dict[tuple[bool, str], Pieces] = {}

    @classmethod
    def from_file(cls, path: Path | str) -> WordPieces:
        """From a `tokenizer.json`."""
        try:
            return cls(_load(Path(path).read_text("utf-8")))
        except (OSError, UnicodeDecodeError):
            raise ModelError(f"{path}: no tokenizer could be read there") from None

    @property
    def hidden(self) -> int:
        """The piece that stands for a hidden one: the mask where there is one, else the unknown piece."""
        found = (self.piece_id(name) for name in ("[MASK]", "<mask>"))
        return next((place for place in found if place is not None), self.unknown)

    @property
    def n_special(self) -> int:
        return len(self.prefix) + len(self.suffix)

    @property
    def n_vocabulary(self) -> int:
        return int(self._plain.get_vocab_size(with_added_tokens=True))

    def piece_id(self, piece: str) -> int | None:
        found = self._plain.token_to_id(piece)
        return None if found is None else int(found)

    def to_json(self) -> str:
        """The tokenizer as `tokenizer.json` holds it, without limits on length."""
        return str(self._plain.to_str(pretty=False))

    def of_words(self, text: str, words: Sequence[Word]) -> list[Pieces]:
        """The pieces of each word, at least one each."""
        keys = self._keys(text, words)
        cache = self._cache
        missing = {key for key in keys if key not in cache}
        if missing:
            if len(cache) + len(missing) > _CACHE_WORDS:
                cache.clear()
                missing = set(keys)
            self._fill(missing)
        return [cache[key] for key in keys]

    def _keys(self, text: str, words: Sequence[Word]) -> list[tuple[bool, str]]:
        if not self._marks_space:
            return [(False, text[start:end]) for start, end in words]
        marks_start = self._marks_start
        return [
            (text[start - 1].isspace() if start else marks_start, text[start:end]) for start, end in words
        ]

    def _fill(self, keys: Iterable[tuple[bool, str]]) -> None:
        for spaced, tokenizer in ((False, self._joined), (True, self._spaced)):
            words = sorted(word for after_space, word in keys if after_space is spaced)
            encoded = tokenizer.encode_batch(words, add_special_tokens=False) if words else ()
            for word, encoding in zip(words, encoded, strict=True):
                ids = (self.unknown if piece in self._special else piece for piece in encoding.ids)
                self._cache[spaced, word] = tuple(ids) or (self.unknown,)


def _load(text: str) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise MissingExtraError("cutting words into pieces", "train") from None
    try:
        tokenizer = Tokenizer.from_str(text)
    except Exception:
        raise ModelError("the tokenizer.json is not one that the tokenizers library can read") from None
    tokenizer.encode_special_tokens = True
    return tokenizer


def _marking(part: Any, mark: bool) -> Any:
    """The tokenizer's description, changed to mark white space before every word or before none."""
    if isinstance(part, list):
        return [_marking(item, mark) for item in part if mark or not _prepends(item)]
    if not isinstance(part, dict):
        return part
    changed = {
        key: value if key in ("model", "added_tokens") else _marking(value, mark)
        for key, value in part.items()
    }
    if part.get("type") == "Metaspace":
        changed["prepend_scheme"] = "always" if mark else "never"
        changed.pop("add_prefix_space", None)
    elif part.get("type") == "ByteLevel":
        changed["add_prefix_space"] = mark
    return changed


def _prepends(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "Prepend"


def _special_pieces(tokenizer: Any) -> tuple[Pieces, Pieces]:
    encoding = tokenizer.encode("a", add_special_tokens=True)
    ids, special = list(encoding.ids), list(encoding.special_tokens_mask)
    if 0 not in special:
        return tuple(ids), ()
    first, last = special.index(0), len(special) - special[::-1].index(0)
    return tuple(ids[:first]), tuple(ids[last:])


def _unknown_piece(tokenizer: Any, source: dict[str, Any], special: Pieces) -> int:
    model = source["model"]
    if isinstance(model.get("unk_id"), int):
        return int(model["unk_id"])
    for name in (model.get("unk_token"), "<unk>", "[UNK]", "<pad>", "[PAD]"):
        found = tokenizer.token_to_id(name) if isinstance(name, str) else None
        if found is not None:
            return int(found)
    if special:
        return special[0]
    raise ModelError("the tokenizer has no unknown, padding or special piece to stand for an odd word")
