"""A Hugging Face token classifier as its own pipeline runs it: `hf-pipeline:FOLDER`, for the difference from
`hf:FOLDER`.

The pipeline cuts a text off where the tokenizer's limit is, and says nothing: how far it read is told with
each answer. Where the tokenizer knows no limit, a text that is too long for the model is an error.
"""

from __future__ import annotations

import os
from typing import Any

PACKAGES = ["transformers", "torch"]


def open_system(settings: dict[str, Any]) -> dict[str, Any]:
    folder = settings["argument"]
    if os.path.isdir(folder):
        os.environ["HF_HUB_OFFLINE"] = "1"
    import torch
    import transformers

    threads = os.environ.get("OMP_NUM_THREADS", "")
    if threads.isdigit() and int(threads):
        torch.set_num_threads(int(threads))
    transformers.logging.set_verbosity_error()
    tag = transformers.pipeline(
        "token-classification", model=folder, aggregation_strategy="simple", device=-1
    )
    # The pipeline cuts at any limit that the tokenizer has; without one it is a number beyond all texts.
    cuts = tag.tokenizer.model_max_length < 1000000

    def find(text: str) -> dict[str, Any]:
        spans = []
        for e in tag(text):
            # With some tokenizers a word has the blank before it, which would spoil every strict figure.
            said = text[e["start"] : e["end"]]
            start, end = (
                e["start"] + len(said) - len(said.lstrip()),
                e["end"] - len(said) + len(said.rstrip()),
            )
            if start < end:
                row = {"start": int(start), "end": int(end), "label": e["entity_group"]}
                spans.append({**row, "score": float(e["score"])})
        return {"spans": spans, "read": _count_read(text)}

    def _count_read(text: str) -> int:
        if not cuts:
            return len(text)
        whole = tag.tokenizer(text, return_offsets_mapping=True, truncation=False, verbose=False)
        if len(whole["input_ids"]) <= tag.tokenizer.model_max_length:
            return len(text)
        kept = tag.tokenizer(text, return_offsets_mapping=True, truncation=True)["offset_mapping"]
        return int(max(end for _, end in kept))

    labels = sorted({name.split("-", 1)[-1] for name in tag.model.config.id2label.values()} - {"O"})
    return {
        "find": find,
        "labels": labels,
        "packages": PACKAGES,
        "files": [folder] if os.path.isdir(folder) else [],
    }
