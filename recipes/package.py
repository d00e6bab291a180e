"""A finished run in, an embedded model out: int8, with a card written from the records and what was measured.

Each recipe has a `card.toml` (what no record can know: data, licences, weaknesses) and notes to measure on.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deidlab.types import Document

MODELS = Path(__file__).parents[1] / "src" / "deidlab" / "models"
LIMIT_BYTES = 25_000_000
CARD = "README.md"
# What the card tells of each set of notes: the name of a headline figure, and what it is called there.
HEADLINES = {
    "strict.precision": "entities, strict: precision",
    "strict.recall": "entities, strict: recall",
    "strict.f1": "entities, strict: F1",
    "words_binary.precision": "words, any label: precision",
    "words_binary.recall": "words, any label: recall",
    r"\w+.recall": r"runs of `\w`, any label: recall",
    r"\w+.precision": r"runs of `\w`, any label: precision",
    "privacy.clean_documents": "notes without a leak",
}

_CAUTION = """\
**Not validated on real notes of any hospital.** No model finds everything: check a sample of masked notes
(`deidlab audit`) before anything leaves the house. This card is evidence, not a claim of compliance."""
_USE = """\
## Use

```text
deidlab mask NOTES --model {name} --out MASKED
```

```text
import deidlab

deidlab.load("{name}").mask("…the text of a note…").text
```"""


@dataclass(frozen=True)
class Story:
    """What a card says beside figures: the keys of a recipe's card.toml."""

    name: str
    title: str
    language: str
    what: str
    data: Sequence[str]
    licence: str
    recipe: str
    weaknesses: Sequence[str]
    facts: Sequence[str]


@dataclass(frozen=True)
class Measured:
    """One set of figures of a card; with `official` MEDDOCAN's own measures too."""

    title: str
    remark: str
    figures: dict[str, Any]
    official: bool = False


def read_story(path: Path) -> Story:
    return Story(**tomllib.loads(path.read_text("utf-8")))


def measure(notes: Sequence[Document], found: Sequence[Document]) -> dict[str, Any]:
    """Headline figures with 95% intervals (documents drawn again), and strict counts by label."""
    from deidlab.evaluate.pairing import pair_documents
    from deidlab.evaluate.score import ScoreSettings, score_systems

    pairs = pair_documents(notes, found).pairs
    figures = score_systems({"model": pairs}, ScoreSettings())[0].figures
    rows = {key: [each.value, each.low, each.high] for key, each in figures.intervals.headline.items()}
    rows |= measure_runs(notes, found)
    by_type = figures.summary.entities["strict"].by_type
    return {
        "notes": figures.summary.n_documents,
        "headline": {key: rows[key] for key in HEADLINES},
        "meddocan": figures.summary.official["meddocan"],
        "by_type": {
            label: [one.tp, one.fp, one.fn] for label, one in by_type.items() if one.tp + one.fp + one.fn
        },
    }


def measure_runs(notes: Sequence[Document], found: Sequence[Document]) -> dict[str, list[float]]:
    """Recall and precision over runs of `\\w`; one is found only if all its gold characters are covered."""
    import numpy as np

    counts = np.array([_count_runs(note, other) for note, other in zip(notes, found, strict=True)])
    drawn = np.random.default_rng(0).integers(0, len(notes), (2000, len(notes)))
    sums = np.concatenate([counts.sum(axis=0)[None], counts[drawn].sum(axis=1)])
    told = {}
    for name, rest in (("recall", 1), ("precision", 2)):
        ratios = sums[:, 0] / np.maximum(sums[:, 0] + sums[:, rest], 1)
        low, high = np.quantile(ratios[1:], (0.025, 0.975))
        told[rf"\w+.{name}"] = [float(ratios[0]), float(low), float(high)]
    return told


def _count_runs(note: Document, found: Document) -> list[int]:
    """Runs found, missed, and marked for nothing."""
    gold, mine = ({at for span in each.spans for at in range(span.start, span.end)} for each in (note, found))
    counts = [0, 0, 0]
    for match in re.finditer(r"\w+", note.text):
        places = set(range(*match.span()))
        if wanted := places & gold:
            counts[0 if wanted <= mine else 1] += 1
        elif places & mine:
            counts[2] += 1
    return counts


def detect(
    model: str,
    rules: str,
    notes: Sequence[Document],
    labels: str = "i2b2-2014",
    threshold: float | None = None,
) -> list[Document]:
    """The notes with what the detector finds, as `deidlab detect` does it."""
    from deidlab.detect import DetectorSettings, load_detector

    detector = load_detector(model, DetectorSettings(rules, labels=labels, threshold=threshold))
    found = detector.detect(notes, with_words=False)
    return [replace(note, spans=one.spans) for note, one in zip(notes, found, strict=True)]


Fact = str | float | list[str]


def tell(export: Path, **facts: Fact) -> None:
    """Add facts to what an exported folder's tagger.json says."""
    path = export / "tagger.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | facts, indent=1) + "\n", "utf-8")


def export_int8(
    run: Path, out: Path, notes: Sequence[Document], texts: Sequence[str] = (), **facts: Fact
) -> dict[str, Any]:
    """The run as an int8 folder, its vocabulary pruned to these texts where there are any; the record.

    `facts` are what its tagger.json is to say beyond what the run knows: the language, a threshold.
    """
    from deidlab.train.export import ExportSettings, export_run
    from deidlab.train.pruning import pieces_in_use, prune_folder

    with tempfile.TemporaryDirectory() as scratch:
        source, sizes = run, None
        if texts:
            source = Path(scratch) / "pruned"
            sizes = prune_folder(run, source, pieces_in_use(run, texts))
        record = export_run(source, out, ExportSettings("openvino", "int8", overwrite=True), notes)
    if record["precision"] != "int8":
        raise SystemExit(f"{run}: {record['fallback']}")
    tell(out, **facts)
    return record | {"vocabulary": sizes}


def install(
    export: Path,
    story: Story,
    measured: Sequence[Measured],
    run: Path,
    fidelity: dict[str, Any],
    models: Path = MODELS,
) -> Path:
    """Put the export and its card where the package looks for it."""
    target = models / story.name
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(export, target)
    run_record = json.loads((run / "record.json").read_text("utf-8"))
    (target / CARD).write_text(write_card(story, measured, run_record, fidelity), "utf-8")
    record = json.loads((target / "export.json").read_text("utf-8"))
    record["files"] = {file.name: file.stat().st_size for file in sorted(target.iterdir())}
    (target / "export.json").write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    total = sum(file.stat().st_size for file in target.iterdir())
    if total > LIMIT_BYTES:
        raise SystemExit(f"{target}: {total:,} bytes are more than the {LIMIT_BYTES:,} allowed")
    print(f"{target}: {total / 1e6:.1f} MB")
    return target


def write_card(
    story: Story, measured: Sequence[Measured], run: dict[str, Any], fidelity: dict[str, Any]
) -> str:
    """The card: Markdown that a reader and a model hub both understand."""
    parts = [
        _front(story),
        f"# {story.title}",
        story.what.strip(),
        _CAUTION,
        _USE.format(name=story.name),
        "## Data and licences\n\n" + "\n".join(f"- {line}" for line in story.data),
        "## Figures\n\n" + "\n\n".join(_measured(each) for each in measured),
        "## int8 beside fp32\n\n" + _fidelity(fidelity),
        "## Known weaknesses\n\n" + "\n".join(f"- {line}" for line in story.weaknesses),
        "## How it was made\n\n" + _made(story, run),
    ]
    return "\n\n".join(parts) + "\n"


def _front(story: Story) -> str:
    lines = (
        "---",
        f"language: {story.language}",
        f"license: {story.licence}",
        "library_name: deidlab",
        "pipeline_tag: token-classification",
        "tags: [de-identification, phi, clinical]",
        "---",
    )
    return "\n".join(lines)


def _measured(told: Measured) -> str:
    figures = told.figures
    size = f"{figures['notes']} notes; 95% intervals, notes drawn again."
    lines = [f"### {told.title}", "", f"{told.remark} {size}", ""]
    lines += ["| measure | value | interval |", "|---|---:|---:|"]
    for key, name in HEADLINES.items():
        value, low, high = figures["headline"][key]
        lines.append(f"| {name} | {_four(value)} | {_four(low)} – {_four(high)} |")
    if told.official:
        for name, ratios in figures["meddocan"].items():
            lines.append(f"| MEDDOCAN's own {name.replace('_', ', ')}: F1 | {ratios['f1']:.4f} | |")
    lines += ["", "| label | spans | precision | recall | F1 |", "|---|---:|---:|---:|---:|"]
    lines += [_type_row(label, *counts) for label, counts in figures["by_type"].items()]
    return "\n".join(lines)


def _type_row(label: str, tp: int, fp: int, fn: int) -> str:
    from deidlab.types import Counts

    counts = Counts(tp, fp, fn)
    ratios = " | ".join(_four(each) for each in (counts.precision, counts.recall, counts.f1))
    return f"| {label} | {tp + fn} | {ratios} |"


def _fidelity(record: dict[str, Any]) -> str:
    from deidlab.train.export_card import COLUMNS, rows_of

    found = record["fidelity"]
    lines = []
    if record.get("vocabulary"):
        before, after = record["vocabulary"]
        lines += [f"The vocabulary was cut from {before:,} to {after:,} pieces before.", ""]
    limit = f"{100 * found['tolerance']:g} points of F1"
    lines += [
        f"The same weights on {found['notes']} notes, by turns; the limit is {limit}. {record['numbers']}.",
        "",
        "| " + " | ".join(COLUMNS) + " |",
        "|---|---:|---:|---:|---:|",
        *("| " + " | ".join(row) + " |" for row in rows_of(record)),
    ]
    return "\n".join(lines)


def _made(story: Story, run: dict[str, Any]) -> str:
    corpus, environment = run["corpus"], run["environment"]
    where = environment.get("gpu") or f"{environment.get('cores')} CPU cores"
    lines = [f"`{story.recipe}` makes it again from the data.", ""]
    lines += [f"- {line}" for line in story.facts]
    size = f"{corpus['documents']:,} with copies, {corpus['words']:,} words"
    versions = f"torch {environment['torch']}, transformers {environment['transformers']}"
    lines += [
        f"- notes: {size}, {sum(corpus['spans'].values()):,} spans, `{corpus['digest'][:23]}…`",
        f"- machine: {where}, {versions}, {run['precision']}; {run['seconds']:g} s",
        f"- finished {run['finished']}, DeidLab {environment['deidlab']}",
        *(f"- refined afterwards: {_in_words(step)}" for step in run.get("refined", ())),
        "",
        "| setting | value |",
        "|---|---|",
        *(f"| {key} | {value} |" for key, value in run["settings"].items()),
    ]
    return "\n".join(lines)


def _in_words(step: Any) -> str:
    return ", ".join(f"{key} {value}" for key, value in step.items()) if isinstance(step, dict) else str(step)


def _four(value: float | None) -> str:
    return "–" if value is None else f"{value:.4f}"
