"""What training takes and what fits, as text, a table or data.

`MemoryPlan`s and a limit come in; lines for the terminal, rows for several models, or plain values
for a program go out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from deidlab.report.tables import Table, text_table
from deidlab.zoo.memory import MemoryPlan
from deidlab.zoo.params import format_bytes
from deidlab.zoo.study import find_study_model

_PARTS = ("embeddings", "attention", "feed-forward", "head")


def describe_setting(plan: MemoryPlan) -> str:
    """'fp32, adamw, windows of 512 pieces, sdpa attention, head token with 41 labels'."""
    setting = plan.setting
    return (
        f"{setting.precision.name}, {plan.optimizer}, windows of {setting.length} pieces, "
        f"{setting.attention} attention, head {setting.head} with {setting.labels} labels"
    )


def plan_to_text(plan: MemoryPlan, memory: int | None, batch: int | None) -> str:
    """One model: what each part takes, what an activation is made of, and the batch that fits."""
    rows = [
        ("weights", plan.weights),
        ("gradients", plan.gradients),
        ("optimizer state", plan.state),
        ("activations, one window", plan.per_window),
        *((f"  {part}", _part_bytes(plan, part)) for part in _PARTS),
        ("activations, once a batch", plan.per_batch + plan.cast_weights),
        ("working space, one window", plan.working),
    ]
    lines = [f"{plan.model}: {describe_setting(plan)}", ""]
    lines += [f"{name:<28}{format_bytes(n_bytes):>14}" for name, n_bytes in rows if n_bytes]
    lines.append("")
    if batch is not None:
        lines.append(_batch_line(plan, batch, memory))
    if memory is not None:
        lines += _fit_lines(plan, memory)
    return "\n".join(lines) + "\n"


def _part_bytes(plan: MemoryPlan, part: str) -> int:
    return sum(row.bytes for row in plan.kept if row.block == part and not row.once)


def _batch_line(plan: MemoryPlan, batch: int, memory: int | None) -> str:
    peak = plan.peak(batch)
    verdict = "" if memory is None else (" (fits)" if peak <= memory else " (does not fit)")
    return (
        f"{'batch of ' + str(batch):<28}{format_bytes(peak):>14} at the peak{verdict}, {_where(plan, batch)}"
    )


def _where(plan: MemoryPlan, batch: int) -> str:
    if plan.peak_backward(batch) >= plan.peak_step:
        return "on the way back: weights, optimizer state, activations, working space"
    return "in the optimizer's step: weights, gradients, optimizer state, a copy of the weights"


def _fit_lines(plan: MemoryPlan, memory: int) -> list[str]:
    fits = plan.largest_batch(memory)
    limit = format_bytes(memory)
    if fits == 0:
        return [f"not even one window fits in {limit}: it takes {format_bytes(plan.peak(1))}"]
    accumulating = plan.largest_batch(memory, accumulate=True)
    lines = [
        f"{'largest batch in ' + limit:<28}{fits:>14}",
        f"{'  its peak':<28}{format_bytes(plan.peak(fits)):>14} {_where(plan, fits)}",
        f"{'  if gradients add up':<28}{accumulating:>14}",
    ]
    study = find_study_model(plan.model)
    if study is not None:
        lines.append(f"{'  the study trained with':<28}{study.batch:>14}")
    return lines


def plans_to_table(plans: Sequence[MemoryPlan], memory: int) -> Table:
    """Several models, a row each."""
    columns = (
        "Model",
        "Weights",
        "Gradients",
        "Optimizer state",
        "Activations a window",
        "Largest batch",
        "Its peak",
    )
    rows = []
    for plan in plans:
        fits = plan.largest_batch(memory)
        rows.append(
            (
                plan.model,
                *map(format_bytes, (plan.weights, plan.gradients, plan.state, plan.per_window)),
                str(fits),
                format_bytes(plan.peak(fits)) if fits else "–",
            )
        )
    return text_table(
        f"What fits in {format_bytes(memory)}", columns, rows, note=describe_setting(plans[0]) + "."
    )


def plan_to_json(plan: MemoryPlan, memory: int | None, batch: int | None) -> dict[str, Any]:
    """The same as data, in bytes."""
    answer: dict[str, Any] = {
        "model": plan.model,
        "head": plan.setting.head,
        "labels": plan.setting.labels,
        "length": plan.setting.length,
        "precision": plan.setting.precision.name,
        "optimizer": plan.optimizer,
        "attention": plan.setting.attention,
        "weights": plan.weights,
        "gradients": plan.gradients,
        "optimizer_state": plan.state,
        "activations_per_window": plan.per_window,
        "activations_per_batch": plan.per_batch + plan.cast_weights,
        "working_space_per_window": plan.working,
        "kept": [
            {
                "block": row.block,
                "what": row.what,
                "bytes": row.bytes,
                "per": "batch" if row.once else "window",
            }
            for row in plan.kept
        ],
    }
    if batch is not None:
        answer |= {"batch": batch, "peak": plan.peak(batch)}
        if memory is not None:
            answer["fits"] = plan.peak(batch) <= memory
    if memory is not None:
        fits = plan.largest_batch(memory)
        answer |= {
            "memory": memory,
            "largest_batch": fits,
            "largest_batch_peak": plan.peak(fits) if fits else None,
            "largest_batch_accumulating": plan.largest_batch(memory, accumulate=True),
        }
    return answer
