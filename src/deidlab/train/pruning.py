"""A model's folder and the text it is for in, the same model with a smaller vocabulary out.

A small encoder is half word list. Pieces that a language's notes never use go; every short piece stays, so
that a word nobody foresaw is still spelled, only in more pieces.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

from deidlab.detect.folder import TOKENIZER, WEIGHTS
from deidlab.encode.pieces import WordPieces
from deidlab.encode.words import find_words
from deidlab.errors import ModelError
from deidlab.jsonfile import read_object
from deidlab.train.record import write_file, write_json

# With all of these any word in these scripts can be spelled out.
_SHORT = 3
_LATIN = range(0x250)


def pieces_in_use(folder: Path, texts: Iterable[str], style: str = "runs") -> set[int]:
    """The pieces that the words of these texts become."""
    pieces = WordPieces.from_file(folder / TOKENIZER)
    used: set[int] = set()
    for text in texts:
        for word in pieces.of_words(text, find_words(text, style)):
            used.update(word)
    return used


def prune_folder(folder: Path, out: Path, used: Collection[int]) -> tuple[int, int]:
    """Write the model with the pieces used, special and short ones alone; its pieces before and after."""
    from safetensors.torch import load_file, save

    source = json.loads((folder / TOKENIZER).read_text("utf-8"))
    kept = _choose(source, used)
    tensors = load_file(folder / WEIGHTS)
    tables = [name for name in tensors if name.endswith("word_embeddings.weight")]
    if len(tables) != 1:
        raise ModelError(f"{folder}: no single table of word embeddings is here to be made smaller")
    before = len(source["model"]["vocab"])
    tensors[tables[0]] = tensors[tables[0]][kept].contiguous()
    # A tied head for hidden words would need its own cut; such a head is made new where it is needed.
    tensors = {name: each for name, each in tensors.items() if not name.startswith("cls.")}
    out.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        if file.is_file():
            shutil.copyfile(file, out / file.name)
    write_file(out / WEIGHTS, save(tensors, metadata={"format": "pt"}))
    write_file(out / TOKENIZER, json.dumps(_renumber(source, kept), ensure_ascii=False).encode())
    write_json(out / "config.json", read_object(folder / "config.json") | {"vocab_size": len(kept)})
    return before, len(kept)


def _choose(source: dict[str, Any], used: Collection[int]) -> list[int]:
    """The ids to keep, in order."""
    model = source["model"]
    if model.get("type") != "WordPiece":
        raise ModelError("only a WordPiece vocabulary can be made smaller without spelling words differently")
    special = {each["id"] for each in source["added_tokens"]}
    mark = model.get("continuing_subword_prefix", "##")
    short = {
        number
        for piece, number in model["vocab"].items()
        if len(bare := piece.removeprefix(mark)) <= _SHORT and all(ord(letter) in _LATIN for letter in bare)
    }
    single = {number for piece, number in model["vocab"].items() if len(piece.removeprefix(mark)) == 1}
    wanted = special | short | single | set(used)
    return sorted(number for number in model["vocab"].values() if number in wanted)


def _renumber(source: dict[str, Any], kept: list[int]) -> dict[str, Any]:
    new = {old: number for number, old in enumerate(kept)}
    model = source["model"]
    vocabulary = {piece: new[old] for piece, old in model["vocab"].items() if old in new}
    added = [each | {"id": new[each["id"]]} for each in source["added_tokens"]]
    changed = source | {"model": model | {"vocab": vocabulary}, "added_tokens": added}
    post = source.get("post_processor")
    if post and post.get("type") == "TemplateProcessing":
        special = {
            name: each | {"ids": [new[old] for old in each["ids"]]}
            for name, each in post["special_tokens"].items()
        }
        changed["post_processor"] = post | {"special_tokens": special}
    elif post and post.get("type") in ("BertProcessing", "RobertaProcessing"):
        ends = {end: [post[end][0], new[post[end][1]]] for end in ("sep", "cls")}
        changed["post_processor"] = post | ends
    return changed
