"""A pretraining's record in, its model card out."""

from __future__ import annotations

from typing import Any

from deidlab.train.canary_card import describe_canaries

_WARNING = (
    "These weights were made from notes as they are, identified or not: treat them as you treat the notes, "
    "and do not pass them on. A model fine-tuned from them carries the same risk."
)


def write_pretrain_card(record: dict[str, Any]) -> str:
    name = record["model"].rstrip("/").rsplit("/", 1)[-1]
    corpus = record["corpus"]
    parts = [
        "---\nlibrary_name: deidlab\npipeline_tag: fill-mask\ntags: [clinical]\n---",
        f"# {name}, pretrained further on notes",
        _what(corpus, record["settings"]["epochs"]),
        "## Figures\n\n" + _figures(record),
        "## Privacy\n\n" + _privacy(record),
    ]
    return "\n\n".join(parts) + "\n"


def _what(corpus: dict[str, Any], epochs: int) -> str:
    size = f"{corpus['documents']} notes ({corpus['words']} words, `{corpus['digest'][:23]}…`)"
    return (
        f"Masked-language modelling over {size}, {epochs} epochs. Give this folder to "
        "`deidlab train --model` to fine-tune it."
    )


def _figures(record: dict[str, Any]) -> str:
    lines = ["| | loss | accuracy |", "|---|---:|---:|"]
    before = record.get("validation_before")
    if before:
        lines.append(f"| notes held out, before | {before['loss']:.4f} | {before['accuracy']:.4f} |")
    for entry in record["epochs"]:
        found = entry.get("validation", entry["train"])
        what = "notes held out" if "validation" in entry else "training notes"
        lines.append(f"| {what}, epoch {entry['epoch']} | {found['loss']:.4f} | {found['accuracy']:.4f} |")
    return "\n".join(lines)


def _privacy(record: dict[str, Any]) -> str:
    lines = [_WARNING]
    if record["tokenizer"] == "learn":
        lines.append("The tokenizer was learned from the notes: its vocabulary holds words of theirs.")
    found = record.get("canaries")
    if not found:
        lines.append("No canaries were planted: what was memorised was not measured (`--canaries`).")
        return "\n\n".join(lines)
    return "\n\n".join([*lines, *describe_canaries(found)])
