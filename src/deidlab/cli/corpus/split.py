"""`deidlab corpus split SRC --out MANIFEST`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from deidlab.cli.corpus.reading import finish_reading, read_documents
from deidlab.cli.options import COMMON, option, takes_options
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.options.reading import CorpusOptions, KeepGoingOption
from deidlab.cli.output import print_json, tell


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitOptions:
    """All that `corpus split` takes."""

    GROUP: ClassVar[str] = COMMON

    corpus: CorpusOptions
    out: Path = option(metavar="MANIFEST", help="Where to write the manifest (JSON).")
    ratios: str = option(
        "50:10:40",
        help="The share of documents in each part; parts can be named: train=80:dev=20.",
    )
    seed: int = option(0, help="Seed of the split.")
    by: str = option(
        "patient",
        metavar="patient|document",
        help="Keep each patient's notes together, or deal out single documents.",
    )
    keeping: KeepGoingOption
    overwriting: OverwriteOption
    answer: AnswerOptions


@takes_options
def split(options: SplitOptions) -> None:
    """Deal a corpus out into parts, the same on every machine and whatever the order of files.

    The manifest lists the documents of each part; `stats`, `check`, `convert` and training read it.

    Example: deidlab corpus split training-gold/ --out manifest.json --ratios train=80:dev=20
    """
    from deidlab.corpus import ReadReport
    from deidlab.corpus.files import refuse_overlap
    from deidlab.corpus.split import read_ratios, save_manifest, split_corpus

    answer, seed, by = options.answer, options.seed, options.by
    refuse_overlap([options.out], [options.corpus.source], inside=True)
    shares, report = read_ratios(options.ratios), ReadReport()
    documents = read_documents(options.corpus, report, options.keeping.keep_going, answer.silent)
    manifest = split_corpus(documents, shares, seed, by)
    save_manifest(manifest, options.out, options.overwriting.overwrite)
    sizes = {part: len(ids) for part, ids in manifest.parts.items()}
    if answer.as_json:
        print_json({"seed": seed, "by": by, "corpus_digest": manifest.digest, "parts": sizes})
    for part, size in sizes.items():
        share = size / max(1, report.documents)
        tell(f"{part}: {size} documents ({share:.1%})", answer.silent)
    finish_reading(report, answer.silent)
