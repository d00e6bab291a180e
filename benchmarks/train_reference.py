"""What the benchmarks of training share: notes from JSON lines, and the Hugging Face Trainer beside us."""

from __future__ import annotations

import functools
import json
import statistics
import time
from pathlib import Path
from typing import Any

import torch

from deidlab.encode.pieced import PiecedCorpus
from deidlab.train.settings import TrainSettings
from deidlab.types import Document, Span

TOKENIZERS = {"bert": "minilm", "roberta": "roberta", "albert": "albert"}
WARM_UP = 20


def read_documents(path: Path) -> list[Document]:
    """JSON lines, read without the corpus stage: the GPU machine may lack what other formats need."""
    documents = []
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        spans = tuple(Span(each["start"], each["end"], each["label"]) for each in record["spans"])
        documents.append(Document(id=record["id"], text=record["text"], spans=spans))
    return documents


def run_trainer(
    model: Any,
    corpus: PiecedCorpus,
    settings: TrainSettings,
    n_steps: int,
    flop: float,
    seed: int = 1,
    tuned: bool = False,
) -> dict[str, Any]:
    """The Hugging Face Trainer over the same windows; tuned, its model is compiled for rows of one length."""
    from transformers import Trainer, TrainerCallback

    losses: list[Any] = []
    tokens: list[Any] = []
    clock = {"began": 0.0}
    torch.cuda.reset_peak_memory_stats()

    class Noting(Trainer):  # type: ignore[misc]
        def compute_loss(self, model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            tokens.append(inputs["attention_mask"].sum())
            answer = super().compute_loss(model, inputs, *args, **kwargs)
            losses.append((answer[0] if isinstance(answer, tuple) else answer).detach())
            return answer

    class Clock(TrainerCallback):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            if state.global_step == WARM_UP:
                torch.cuda.synchronize()
                clock["began"] = time.perf_counter()

    arguments = _describe_run(settings, n_steps, seed, tuned)
    trainer = Noting(
        model=model,
        args=arguments,
        train_dataset=_examples(corpus),
        data_collator=functools.partial(_pad, longest=settings.window if tuned else 0),
        callbacks=[Clock()],
    )
    trainer.train()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - clock["began"]
    counted = torch.stack(tokens).tolist()
    real = sum(counted[WARM_UP:])
    return {
        "real_tokens_per_second": real / seconds,
        "samples_per_second": real / seconds / float(corpus.lengths.mean()),
        "mean_real_tokens_a_step": statistics.fmean(counted),
        "flop_per_second": real * flop / seconds,
        "peak_memory_gib": torch.cuda.max_memory_allocated() / 2**30,
        "losses": torch.stack(losses).float().tolist(),
    }


def _describe_run(settings: TrainSettings, n_steps: int, seed: int, tuned: bool) -> Any:
    """The usual settings of the Trainer; tuned, one compiled graph serves all steps."""
    from transformers import TrainingArguments

    return TrainingArguments(
        output_dir="/tmp/trainer",
        per_device_train_batch_size=settings.batch,
        max_steps=n_steps,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        lr_scheduler_type="linear",
        max_grad_norm=settings.clip,
        bf16=True,
        optim="adamw_torch_fused",
        dataloader_num_workers=4,
        dataloader_persistent_workers=True,
        save_strategy="no",
        logging_strategy="no",
        report_to=[],
        seed=seed,
        disable_tqdm=True,
        remove_unused_columns=False,
        torch_compile=tuned,
        dataloader_drop_last=tuned,
    )


def _examples(corpus: PiecedCorpus) -> list[dict[str, list[int]]]:
    bounds = zip(corpus.starts[:-1].tolist(), corpus.starts[1:].tolist(), strict=True)
    return [{"ids": corpus.ids[a:b].tolist(), "labels": corpus.labels[a:b].tolist()} for a, b in bounds]


def _pad(examples: list[dict[str, list[int]]], longest: int = 0) -> dict[str, Any]:
    longest = longest or max(len(example["ids"]) for example in examples)

    def filled(key: str, value: int) -> Any:
        return torch.tensor([each[key] + [value] * (longest - len(each[key])) for each in examples])

    mask = torch.tensor([[1] * len(each["ids"]) + [0] * (longest - len(each["ids"])) for each in examples])
    return {"input_ids": filled("ids", 1), "labels": filled("labels", -100), "attention_mask": mask}
