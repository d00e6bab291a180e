"""A run's record in, its model card out: Markdown that a reader and a model hub both understand."""

from __future__ import annotations

from typing import Any

from deidlab.train.canary_card import describe_canaries, show_area


def write_card(record: dict[str, Any]) -> str:
    """The card of a fine-tuned tagger."""
    name = record["model"].rstrip("/").rsplit("/", 1)[-1]
    parts = [
        _front(record),
        f"# {name}, fine-tuned to find PHI",
        _what(record, name),
        "## Scores\n\n" + _scores(record),
        "## Training\n\n" + _training(record),
        "## Privacy\n\n" + _privacy(record),
        "## Use\n\n" + _use(),
    ]
    return "\n\n".join(parts) + "\n"


def _front(record: dict[str, Any]) -> str:
    return "\n".join(
        [
            "---",
            "library_name: deidlab",
            "pipeline_tag: token-classification",
            "tags: [de-identification, phi, clinical]",
            "---",
        ]
    )


def _what(record: dict[str, Any], name: str) -> str:
    start = "random weights" if record["from_scratch"] else "its published weights"
    return (
        f"A tagger of protected health information, trained by DeidLab {record['environment']['deidlab']} "
        f"from {name} with {start}. It knows {len(record['labels'])} labels ({record['label_set']}): "
        f"{', '.join(record['labels'])}."
    )


def _scores(record: dict[str, Any]) -> str:
    if not record.get("validation"):
        return (
            "No validation notes were given: how well this model does on notes it has not seen is not known."
        )
    kept = f"Weights: {record['kept']} (epoch {record['best_epoch']})."
    lines = [
        f"Strict entity scores: a span counts where start, end and label all agree. {kept}",
        "",
        "| | precision | recall | F1 | spans |",
        "|---|---:|---:|---:|---:|",
    ]
    for what in ("train", "validation"):
        lines.append(_score_row(what, record[what]))
    lines += [
        "",
        "By label, on the validation notes:",
        "",
        "| label | precision | recall | F1 | spans |",
        "|---|---:|---:|---:|---:|",
    ]
    lines += [_score_row(label, counts) for label, counts in record["validation"]["by_label"].items()]
    if record.get("unseen_labels"):
        unseen = ", ".join(f"{label} ({n})" for label, n in record["unseen_labels"].items())
        lines += ["", f"Labels that only the validation notes have, counted as missed: {unseen}."]
    return "\n".join(lines)


def _score_row(what: str, counts: dict[str, Any]) -> str:
    ratios = " | ".join(_ratio(counts[key]) for key in ("precision", "recall", "f1"))
    return f"| {what} | {ratios} | {counts['tp'] + counts['fn']} |"


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"


def _training(record: dict[str, Any]) -> str:
    corpus, speed, environment = record["corpus"], record["speed"], record["environment"]
    n_spans = sum(corpus["spans"].values())
    size = f"{corpus['documents']} ({corpus['words']} words, {corpus['windows']} windows)"
    where = environment.get("gpu") or f"{environment['cores']} CPU cores"
    versions = f"torch {environment['torch']}, transformers {environment['transformers']}"
    rates = f"{speed['samples_per_second']:g} windows and {speed['pieces_per_second']:g} pieces a second"
    lines = [
        f"- notes: {size}, `{corpus['digest'][:23]}…`",
        f"- spans: {n_spans}; {corpus['misfits']} could not be held by BIO tags",
        f"- machine: {where}, {versions}, {record['precision']}",
        f"- speed: {rates}; {record['seconds']:g} s in all",
        f"- peak memory: {record['peak_memory_bytes'] / 2**30:.2f} GiB",
        "",
        "| setting | value |",
        "|---|---|",
    ]
    lines += [f"| {key} | {value} |" for key, value in record["settings"].items()]
    return "\n".join(lines)


def _privacy(record: dict[str, Any]) -> str:
    learned = record["tokenizer"] == "learn"
    lines = []
    if record["surrogates"]:
        lines.append(
            "PHI in the training notes was replaced by made-up text before training (`--surrogates`)."
        )
    else:
        lines.append(
            "The training notes were used as they are. If they name real people, treat these weights as you "
            "treat the notes: a model can hold fragments of what it was trained on. `deidlab train "
            "--surrogates` fits on notes whose PHI was replaced first."
        )
    if learned:
        lines.append(
            "The tokenizer was learned from the training notes: its vocabulary holds words of theirs."
        )
    lines.append("This folder holds no note text, document ids or file names.")
    return "\n\n".join([" ".join(lines), *_memorised(record)])


def _memorised(record: dict[str, Any]) -> list[str]:
    lines = []
    if told := record.get("membership"):
        lines.append(
            f"The {told['notes']} training notes are told from {told['validation_notes']} validation notes "
            f"by their lower loss: {show_area(told['area'])}. 0.5 is chance; a difference of source between "
            "the two counts too."
        )
    else:
        lines.append("Whether training notes can be told from others was not measured.")
    if found := record.get("canaries"):
        changed = (
            f"Canaries changed the training notes: the model also learned from {found['planted_notes']} "
            "short ones with made names and numbers, each a few words of a note and the same up to 64 times."
        )
        lines += [changed, *describe_canaries(found)]
    else:
        lines.append("No canaries were planted: what was memorised was not measured (`--canaries`).")
    return lines


def _use() -> str:
    return (
        "```python\nfrom deidlab.detect.model import load_model\n\n"
        'tagger = load_model("THIS/FOLDER")\nspans = tagger.find("…the text of a note…")\n```\n\n'
        "No model finds everything: check a sample of masked notes before anything leaves the house."
    )
