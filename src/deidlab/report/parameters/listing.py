"""A model's tensors as people and programs read them: Markdown page, listing, CSV, JSON, and the rank list.

A `TensorList` comes in; text goes out. The Markdown page's form is fixed to the byte, odd spaces
and all, so that pages of different origin can be compared.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from deidlab.report.tables import csv_text
from deidlab.zoo.blocks import block_of
from deidlab.zoo.params import FP32_BYTES, Tensor, TensorList, format_bytes

RANK_FILE = "README.md"


def tensors_to_markdown(listed: TensorList) -> str:
    """The parameter page of one model."""
    forms = _forms(listed.tensors)
    n_tensors, total = len(listed.tensors), listed.total
    share_of_tensors = [
        100 * sum(1 for tensor in listed.tensors if tensor.form == form) / n_tensors for form in forms
    ]
    share_of_parameters = [
        100 * sum(tensor.count for tensor in listed.tensors if tensor.form == form) / total for form in forms
    ]
    return (
        f"# {listed.model} parameter information\n\n"
        f"**Number of layers: [ {n_tensors} ]**\n\n"
        f"**Number of parameters: [ {format_bytes(listed.bytes)} ] "
        f"[Top <a href='./{RANK_FILE}'>Check rank</a> ]**\n\n"
        f"**Number of trainable parameters: [ {format_bytes(listed.trainable * FP32_BYTES)} ]**\n\n"
        f"**Proportional of each form** (%)\n\n{_share_table(forms, share_of_tensors)}\n"
        f"**Proportional of parameters by form** (%)\n\n\n{_share_table(forms, share_of_parameters)}\n"
        f"# Layer information\n\n\n{_tensor_table(listed.tensors)}\n"
    )


def _forms(tensors: Sequence[Tensor]) -> list[str]:
    """The forms that occur, by rank."""
    ranks = {len(tensor.squeezed): tensor.form for tensor in tensors}
    return [ranks[rank] for rank in sorted(ranks)]


def _share_table(forms: Sequence[str], shares: Sequence[float]) -> str:
    names = "".join(f" {form} |" for form in forms)
    values = "".join(f" {share:.2f} |" for share in shares)
    return f"|{names} \n| {' --- |' * len(forms)}\n|{values} \n"


def _tensor_table(tensors: Sequence[Tensor]) -> str:
    rows = (
        f"| {tensor.name} | {tensor.shape} | {tensor.squeezed} | {tensor.count} | {tensor.form} |\n"
        for tensor in tensors
    )
    head = (
        "| Name | Shape | Squeezed shape | Number of parameters | Form |\n| --- | --- | --- | --- | --- |\n"
    )
    return head + "".join(rows)


def rank_to_markdown(lists: Sequence[TensorList]) -> str:
    """The list of models by size; equal ones stand by name and have ranks of their own."""
    ranked = sorted(lists, key=lambda listed: (-listed.bytes, listed.model))
    lines = [
        "# Top parameter models",
        "",
        "| Rank | Model | Number of parameters (unit: bytes) |",
        "| --- | --- | --- |",
    ]
    lines += [
        f'| {rank} | <a href="{listed.model}.md">{listed.model}</a> | {format_bytes(listed.bytes)} |'
        for rank, listed in enumerate(ranked, start=1)
    ]
    return "\n".join(lines) + "\n"


def tensors_to_listing(listed: TensorList) -> str:
    """One line a tensor, a blank line between, as such listings go around."""
    lines = (
        f"{tensor.name} torch.Size([{', '.join(map(str, tensor.shape))}]) 参数个数为: {tensor.count}"
        for tensor in listed.tensors
    )
    return "\n\n".join(lines) + "\n"


def tensors_to_csv(lists: Sequence[TensorList]) -> str:
    """A row a tensor, with the model's name in each."""
    head = ("model", "head", "name", "shape", "squeezed_shape", "count", "form", "block")
    return csv_text(head, (_csv_row(listed, tensor) for listed in lists for tensor in listed.tensors))


def _csv_row(listed: TensorList, tensor: Tensor) -> tuple[object, ...]:
    shape, squeezed = ("x".join(map(str, sizes)) for sizes in (tensor.shape, tensor.squeezed))
    about = (tensor.count, tensor.form, block_of(tensor.name))
    return (listed.model, listed.head, tensor.name, shape, squeezed, *about)


def tensors_to_json(lists: Sequence[TensorList]) -> str:
    """One model as an object, several as a list of them; a line a tensor."""
    objects = [_json_object(listed) for listed in lists]
    return f"{objects[0]}\n" if len(objects) == 1 else "[\n" + ",\n".join(objects) + "\n]\n"


def _json_object(listed: TensorList) -> str:
    facts = {
        "model": listed.model,
        "head": listed.head,
        "labels": listed.labels,
        "total": listed.total,
        "trainable": listed.trainable,
        "bytes": listed.bytes,
    }
    head = "".join(f"  {json.dumps(key)}: {json.dumps(value)},\n" for key, value in facts.items())
    rows = ",\n".join(
        "    " + json.dumps({"name": tensor.name, "shape": tensor.shape, "count": tensor.count})
        for tensor in listed.tensors
    )
    return f'{{\n{head}  "tensors": [\n{rows}\n  ]\n}}'
