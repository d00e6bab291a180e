"""Characters a second from text to masked text, side by side: DeidLab, a Hugging Face pipeline, Presidio.

    python benchmarks/end_to_end.py --run RUN [--presidio PYTHON] [--model en] [--corpus NOTES] [--rounds 5]

DeidLab masks with its embedded model and rules; the pipeline tags with the run that this model was exported
from (fp32 in torch, as it comes) and puts labels in; Presidio analyses and anonymises with a spaCy model, a
process a core. PYTHON is that of an environment with presidio-analyzer, presidio-anonymizer and spacy;
--spacy names the model or its folder. All go over the same notes by turns; medians count.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from by_turns import measure
from deidlab.corpus import read_corpus
from deidlab.types import Document

ROOT = Path(__file__).parents[1]
OURS = "DeidLab mask, {} model and rules"
ALONE = "DeidLab mask, {} model alone"
PIPELINE = "Hugging Face pipeline, same weights"
PRESIDIO = "Presidio, spaCy en_core_web_md"

# Runs in the other environment: a line of JSON asks, a line of JSON answers with the seconds.
PRESIDIO_SERVER = """
import json, sys, time
from presidio_analyzer import AnalyzerEngine
from presidio_analyzer.nlp_engine import NlpEngineProvider
from presidio_anonymizer import AnonymizerEngine

texts = json.loads(sys.stdin.readline())
models = [{"lang_code": "en", "model_name": sys.argv[1]}]
engine = NlpEngineProvider(nlp_configuration={"nlp_engine_name": "spacy", "models": models}).create_engine()
analyzer, anonymizer = AnalyzerEngine(nlp_engine=engine, supported_languages=["en"]), AnonymizerEngine()

def mask(text):
    return anonymizer.anonymize(text=text, analyzer_results=analyzer.analyze(text=text, language="en")).text

mask(texts[0])
print("ready", flush=True)
for line in sys.stdin:
    for text in texts:
        mask(text)
    print("done", flush=True)
"""


class Presidio:
    """Presidio in another environment, its notes shared out among processes, one a core."""

    def __init__(self, python: str, model: str, texts: Sequence[str]) -> None:
        n_processes = os.cpu_count() or 1
        self._servers = [
            subprocess.Popen(
                [python, "-c", PRESIDIO_SERVER, model],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                env=os.environ | {"OMP_NUM_THREADS": "1"},
            )
            for _ in range(n_processes)
        ]
        for number, server in enumerate(self._servers):
            self._say(server, json.dumps(texts[number::n_processes]))
        self._wait("ready")

    def __call__(self) -> None:
        for server in self._servers:
            self._say(server, "go")
        self._wait("done")

    def close(self) -> None:
        for server in self._servers:
            server.communicate()

    def _say(self, server: Any, line: str) -> None:
        server.stdin.write(line + "\n")
        server.stdin.flush()

    def _wait(self, word: str) -> None:
        for server in self._servers:
            if server.stdout.readline().strip() != word:
                raise SystemExit("Presidio did not answer: does its environment have the spaCy model?")


def make_pipeline(run: Path) -> Callable[[str], str]:
    """The usual way to tag with these weights, and labels put in where it found something."""
    import torch
    import transformers

    from deidlab.detect.folder import read_tagger

    facts = read_tagger(run)
    torch.set_num_threads(os.cpu_count() or 1)
    model = transformers.AutoModelForTokenClassification.from_pretrained(run, dtype=torch.float32).eval()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=str(run / "tokenizer.json"),
        model_max_length=facts.window,
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        unk_token="[UNK]",
    )
    tag = transformers.pipeline(
        "token-classification",
        model=model,
        tokenizer=tokenizer,
        stride=facts.window - facts.stride,
        aggregation_strategy="simple",
        device=-1,
    )

    def mask(text: str) -> str:
        parts, at = [], 0
        for found in sorted(tag(text), key=lambda each: each["start"]):
            if found["start"] >= at:
                parts += [text[at : found["start"]], f"[{found['entity_group']}]"]
                at = found["end"]
        return "".join([*parts, text[at:]])

    return mask


def gather(said: Any, notes: Sequence[Document]) -> dict[str, Callable[[], Any]]:
    """Everything to measure, as calls without arguments."""
    import deidlab

    texts = [note.text for note in notes]
    ours, alone = deidlab.load(said.model), deidlab.load(said.model, rules="off")
    runners: dict[str, Callable[[], Any]] = {
        OURS.format(said.model): lambda: ours.mask_all(notes),
        ALONE.format(said.model): lambda: alone.mask_all(notes),
    }
    if said.run:
        mask = make_pipeline(said.run)
        runners[PIPELINE] = lambda: [mask(text) for text in texts]
    if said.presidio:
        runners[PRESIDIO] = Presidio(said.presidio, said.spacy, texts)
    return runners


def measure_start(model: str, note: Document, rounds: int) -> list[float]:
    """Seconds of the whole command on one note, start of Python and loading of the model included."""
    program = shutil.which("deidlab", path=str(Path(sys.executable).parent)) or "deidlab"
    seconds = []
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "one-note.txt"
        source.write_text(note.text, "utf-8")
        for turn in range(rounds + 1):
            command = [program, "mask", str(source), "--model", model, "--out", f"{scratch}/out{turn}.txt"]
            began = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            if turn:
                seconds.append(time.perf_counter() - began)
    return seconds


def write_page(
    times: dict[str, list[float]], starts: list[float], n_characters: int, what: str
) -> tuple[str, dict[str, Any]]:
    first = next(iter(times))
    rows = {}
    for name, seconds in times.items():
        ratios = [other / own for own, other in zip(times[first], seconds, strict=True)]
        rows[name] = {
            "characters_per_second": round(n_characters / statistics.median(seconds)),
            "deidlab_times_as_fast": round(statistics.median(ratios), 2),
            "in_single_rounds": [round(ratio, 2) for ratio in ratios],
        }
    lines = ["# From text to masked text", "", what, ""]
    lines += ["| | characters a second | DeidLab with rules is … times as fast |", "|---|---:|---:|"]
    for name, row in rows.items():
        spread = f"{min(row['in_single_rounds'])} to {max(row['in_single_rounds'])} in single rounds"
        ratio = "–" if name == first else f"{row['deidlab_times_as_fast']} ({spread})"
        lines.append(f"| {name} | {row['characters_per_second']:,} | {ratio} |")
    told = ", ".join(f"{each:.2f}" for each in starts)
    lines += [
        "",
        f"`deidlab mask one-note.txt`, whole command: median {statistics.median(starts):.2f} s ({told}).",
    ]
    lines += [
        "",
        "The pipeline runs without the table of word shapes, which transformers does not know;",
        "Presidio has a process a core.",
        "",
        "Made by `python benchmarks/end_to_end.py`.",
    ]
    return "\n".join(lines) + "\n", {"settings": what, "seconds": times, "starts": starts, "rows": rows}


def describe(said: Any, notes: Sequence[Document], n_characters: int, load: float) -> str:
    from deidlab.train.export import describe_processor

    packages = ("openvino", "onnxruntime", "torch", "transformers", "numpy")
    versions = ", ".join(f"{name} {metadata.version(name)}" for name in packages)
    machine = f"{describe_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}"
    size = f"{len(notes)} notes, {n_characters:,} characters"
    how = f"by turns, median of {said.rounds} rounds. Load of the machine before: {load:.2f}"
    return f"{datetime.date.today()}, {machine}; {versions}. {size}; {how}."


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--model", default="en")
    parser.add_argument("--run", type=Path, help="the run that the embedded model was exported from")
    parser.add_argument("--presidio", metavar="PYTHON")
    parser.add_argument("--spacy", default="en_core_web_md")
    parser.add_argument("--corpus", type=Path, default=ROOT / "tests" / "data" / "notes-en")
    parser.add_argument("--notes", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    said = parser.parse_args()
    warnings.simplefilter("ignore")
    load = os.getloadavg()[0]
    notes = list(read_corpus(said.corpus))[: said.notes]
    n_characters = sum(len(note.text) for note in notes)
    starts = measure_start(said.model, notes[0], said.rounds)
    runners = gather(said, notes)
    times = measure(runners, said.rounds)
    for runner in runners.values():
        if isinstance(runner, Presidio):
            runner.close()
    page, record = write_page(times, starts, n_characters, describe(said, notes, n_characters, load))
    print(page)
    said.out.mkdir(parents=True, exist_ok=True)
    (said.out / "end_to_end.md").write_text(page, "utf-8")
    (said.out / "end_to_end.json").write_text(json.dumps(record, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
