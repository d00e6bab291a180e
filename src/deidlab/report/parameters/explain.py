"""The arithmetic of a model's total as text: section by section, then block by block."""

from __future__ import annotations

from deidlab.zoo.arithmetic import Section, explain_tensors
from deidlab.zoo.blocks import count_blocks
from deidlab.zoo.configs import find_model
from deidlab.zoo.params import TensorList, format_bytes
from deidlab.zoo.sizes import read_sizes


def describe_head(listed: TensorList) -> str:
    """'head token, 41 labels': which variant of the model this is."""
    return f"head {listed.head}" + (f", {listed.labels} labels" if listed.labels is not None else "")


def tensors_to_explanation(listed: TensorList) -> str:
    """Every product and sum that makes the total, for reading on a terminal."""
    sections = explain_tensors(listed.tensors)
    rows = [row for section in sections for row in _section_rows(section)]
    form = f"  {{:<{max(len(row[0]) for row in rows)}}}  {{:<{max(len(row[1]) for row in rows)}}}  {{:>13,}}"
    lines = [f"{listed.model}, {describe_head(listed)}"]
    for section in sections:
        lines += ["", f"{section.title}{_sharing_note(listed.model, section)}"]
        lines += [form.format(*row) for row in _section_rows(section)]
    lines += ["", "by block"]
    for block, count in count_blocks(listed.tensors).items():
        lines.append(form.format(block, f"{100 * count / listed.total:.2f} %", count))
    lines.append(form.format("total", format_bytes(listed.bytes), listed.total))
    return "\n".join(lines) + "\n"


def _section_rows(section: Section) -> list[tuple[str, str, int]]:
    rows = [(line.what, line.formula, line.count) for line in section.lines]
    if len(rows) > 1:
        rows.append(("sum", "", section.one))
    if section.repeat > 1:
        rows.append((f"all {section.repeat}", f"{section.one}×{section.repeat}", section.total))
    return rows


def _sharing_note(model: str, section: Section) -> str:
    known = find_model(model)
    if known is None or not section.title.startswith("layer"):
        return ""
    sizes = read_sizes(known.family, known.config)
    return f" (the same tensors serve all {sizes.layers} layers)" if sizes.shares_layers else ""
