"""A run's folder in, a folder that finds PHI without torch out, compared with the run on notes with gold."""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

import deidlab
from deidlab.corpus.files import complete_folder, refuse_existing, refuse_foreign, refuse_overlap
from deidlab.detect.folder import (
    EXPORT,
    FORMATS,
    ONNX,
    STEPS,
    TAGGER,
    TOKENIZER,
    ExportFacts,
    TaggerFacts,
    is_export,
    is_run,
    read_tagger,
)
from deidlab.detect.model import TaggingModel
from deidlab.detect.rebuilt import CONFIG
from deidlab.detect.runtimes import Runtime, Threads, choose_threads, open_runtime
from deidlab.encode.decoding import Scores
from deidlab.encode.pieces import WordPieces
from deidlab.errors import ConfigError, ModelError, UnknownNameError
from deidlab.jsonfile import read_object
from deidlab.train.export_card import write_export_card
from deidlab.train.export_convert import (
    BF16,
    CALIBRATION_WINDOWS,
    FP32,
    INT8,
    PRECISIONS,
    Conversion,
    convert,
    describe_scales,
    need_packages,
)
from deidlab.train.export_fidelity import TOLERANCE, check_traced, compare_on_notes
from deidlab.train.record import digest_corpus, now, write_file, write_json
from deidlab.types import Document

RUN = "torch fp32"
"""The name, among the models that are compared, of the run as it is."""

Watch = Callable[[Iterable[Any]], Iterable[Any]]


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """What to make of a run: a format and a precision.

    int8 is kept only where it was measured and its F1 stays within 0.2 points of fp32's; `force` keeps it
    anyway. `overwrite` replaces an export that is there.
    """

    format: str = "openvino"
    precision: str = FP32
    force: bool = False
    overwrite: bool = False

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise UnknownNameError("format to export to", self.format, FORMATS)
        if self.precision not in PRECISIONS:
            raise UnknownNameError("precision", self.precision, PRECISIONS)
        if self.precision == BF16 and self.format == ONNX:
            raise ConfigError("ONNX Runtime has no bf16 on a CPU: take --format openvino, or --int8")


def export_run(
    run: Path,
    out: Path,
    settings: ExportSettings,
    notes: Sequence[Document] = (),
    calibration: Sequence[Document] = (),
    watch: Watch = iter,
) -> dict[str, Any]:
    """Write the folder and give back its record, which `export.json` holds too.

    `notes` with gold are what fidelity is measured on; `calibration` notes fix the int8 ranges beforehand.
    """
    check_request(run, out, settings, notes, calibration)
    need_packages(settings.format, settings.precision)
    from deidlab.detect.packed.runtime import open_run
    from deidlab.detect.torch_model import load_window_model
    from deidlab.train.export_graph import write_onnx

    facts = read_tagger(run)
    model, steps = load_window_model(run, facts)
    threads = choose_threads()
    _, runtime = open_run(run, facts, threads)
    source = _Source(run, facts, WordPieces.from_file(run / TOKENIZER), steps, runtime)
    windows = source.calibration_windows(calibration)
    width = int(model.model.config.hidden_size)
    # What may be replaced was looked at before the work.
    with (
        complete_folder(out, settings.overwrite, lambda name, new: True) as folder,
        tempfile.TemporaryDirectory() as scratch,
    ):
        traced = Path(scratch) / "traced.onnx"
        write_onnx(model, facts, traced)
        made: dict[str, _Made] = {}
        for precision in dict.fromkeys((FP32, settings.precision)):
            place = Path(scratch) / precision
            place.mkdir()
            asked = Conversion(settings.format, precision, width, windows if precision == INT8 else ())
            made[precision] = _Made.of(place, convert(traced, place, asked), threads)
        gap = check_traced(source.runtime, made[FP32].runtime, facts, source.pieces.n_vocabulary)
        record = _start_record(settings, gap, threads, calibration, len(windows))
        _measure(record, source, made, notes, watch)
        kept = made[_choose(record, settings)]
        _fill(folder, source, kept, record)
    return record


@dataclass(frozen=True, slots=True)
class _Source:
    """The run that is exported."""

    folder: Path
    facts: TaggerFacts
    pieces: WordPieces
    steps: Scores | None
    runtime: Runtime

    def tagging(self, runtime: Runtime) -> TaggingModel:
        return TaggingModel(self.facts, self.pieces, runtime, self.steps)

    def calibration_windows(self, documents: Sequence[Document]) -> list[Any]:
        """Some windows from all over the notes."""
        model = self.tagging(self.runtime)
        windows = [window.arrays for document in documents for window in model.cut(document).windows]
        return windows[:: -(-len(windows) // CALIBRATION_WINDOWS)] if windows else []


@dataclass(frozen=True, slots=True)
class _Made:
    """One converted model, and where its files lie."""

    folder: Path
    facts: ExportFacts
    runtime: Runtime

    @classmethod
    def of(cls, folder: Path, facts: ExportFacts, threads: Threads) -> _Made:
        return cls(folder, facts, open_runtime(folder, facts, threads))

    @property
    def name(self) -> str:
        return f"{self.facts.format} {self.facts.precision}"

    @property
    def n_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.folder.iterdir())


def check_request(
    run: Path,
    out: Path,
    settings: ExportSettings,
    notes: Sequence[Document],
    calibration: Sequence[Document],
) -> None:
    """Refuse before any work what could not be done or would be regretted."""
    if is_export(run):
        raise ConfigError(f"{run}: already an export; give the run that it was made from")
    if not is_run(run):
        raise ModelError(
            f"{run}: no finished run is here (tagger.json, tokenizer.json and model.safetensors)"
        )
    if (
        settings.overwrite
        and out.exists()
        and not is_export(out)
        and (not out.is_dir() or any(out.iterdir()))
    ):
        raise ConfigError(f"{out}: holds something else than an export; --overwrite will not replace that")
    refuse_existing(out, settings.overwrite)
    refuse_overlap((out,), (run,), inside=True)
    if is_export(out):
        files = read_object(out / EXPORT, ModelError).get("files")
        refuse_foreign(out, {EXPORT, *(files if isinstance(files, dict) else ())}.__contains__)
    if calibration and (settings.precision != INT8 or settings.format == ONNX):
        raise ConfigError("notes to calibrate on serve only --format openvino with --int8")
    if settings.precision == INT8 and not notes and not settings.force:
        raise ConfigError(
            "int8 is kept only where its F1 was measured: give notes with gold by --corpus, or take it "
            "unmeasured with --force-int8"
        )
    if notes and not any(document.spans for document in notes):
        raise ConfigError("the notes to measure on have no spans: no F1 can be told from them")


def _start_record(
    settings: ExportSettings, gap: float, threads: Threads, calibration: Sequence[Document], n_windows: int
) -> dict[str, Any]:
    return {
        "export": 1,
        "made": now(),
        "format": settings.format,
        "precision": settings.precision,
        "asked": settings.precision,
        "fallback": "",
        "traced_difference": float(f"{gap:.3g}"),
        "calibration": {"digest": digest_corpus(calibration), "windows": n_windows} if calibration else None,
        "versions": _versions(),
        "machine": {"processor": describe_processor(), "threads": threads.total},
    }


def _measure(
    record: dict[str, Any], source: _Source, made: dict[str, _Made], notes: Sequence[Document], watch: Watch
) -> None:
    weights = (source.folder / "model.safetensors").stat().st_size
    sizes = {RUN: weights} | {each.name: each.n_bytes for each in made.values()}
    record["megabytes"] = {name: round(size / 1e6, 2) for name, size in sizes.items()}
    record["fidelity"] = None
    if not notes:
        return
    models = {RUN: source.tagging(source.runtime)}
    models |= {each.name: source.tagging(each.runtime) for each in made.values()}
    found = compare_on_notes(models, notes, watch)
    n_characters = sum(len(document.text) for document in notes)
    record["fidelity"] = {
        "corpus": digest_corpus(notes),
        "notes": len(notes),
        "characters": n_characters,
        "tolerance": TOLERANCE,
        "models": {name: fidelity.as_dict(n_characters) for name, fidelity in found.items()},
    }


def _choose(record: dict[str, Any], settings: ExportSettings) -> str:
    """The precision to keep; a fall back to fp32 is put into the record with its reason."""
    if settings.precision == FP32 or record["fidelity"] is None:
        return settings.precision
    models = record["fidelity"]["models"]
    before, after = (models[name]["f1"] or 0.0 for name in (RUN, f"{settings.format} {settings.precision}"))
    if before - after <= TOLERANCE or settings.force:
        return settings.precision
    record["precision"] = FP32
    record["fallback"] = (
        f"its F1 of {after:.4f} is {100 * (before - after):.2f} points below fp32's {before:.4f}, more than "
        f"the {100 * TOLERANCE:g} allowed, so fp32 was kept"
    )
    return FP32


def _fill(folder: Path, source: _Source, kept: _Made, record: dict[str, Any]) -> None:
    """Everything that the folder holds; the record comes last."""
    for file in sorted(kept.folder.iterdir()):
        shutil.copyfile(file, folder / file.name)
    for name in (TAGGER, TOKENIZER, CONFIG):
        shutil.copyfile(source.folder / name, folder / name)
    if source.steps is not None:
        np.save(folder / STEPS, source.steps, allow_pickle=False)
    how = kept.facts
    record |= {"model": how.model, "floats": how.floats, "group": how.group, "numbers": describe_scales(how)}
    card = source.folder / "README.md"
    text = card.read_text("utf-8") if card.is_file() else "# A tagger of PHI\n"
    write_file(folder / "README.md", write_export_card(text, record).encode())
    record["files"] = {file.name: file.stat().st_size for file in sorted(folder.iterdir())}
    write_json(folder / EXPORT, record)


def _versions() -> dict[str, str]:
    found = {"deidlab": deidlab.__version__, "python": sys.version.split()[0]}
    for name in ("torch", "transformers", "onnx", "onnxscript", "onnxruntime", "openvino", "nncf"):
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def describe_processor() -> str:
    """The processor's name and what it has for small numbers, where the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = dict(line.split(":", 1) for line in reversed(lines) if ":" in line)
    facts = {key.strip(): value.strip() for key, value in facts.items()}
    flags = facts.get("flags", "").split()
    has = [name for name in ("avx2", "avx512f", "avx512_vnni", "avx512_bf16", "amx_int8") if name in flags]
    return f"{facts.get('model name', platform.machine())} ({', '.join(has)})" if has else platform.machine()
