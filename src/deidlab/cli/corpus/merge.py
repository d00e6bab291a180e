"""`deidlab corpus merge NAME=SRC … --out DST --to FORMAT`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from deidlab.cli.corpus.options import Encoding, KeepGoing, Overwrite, finish_reading
from deidlab.cli.output import AsJson, Quiet, print_json, tell, with_progress
from deidlab.errors import ConfigError

if TYPE_CHECKING:
    from deidlab.corpus import ReadReport, ReadSettings
    from deidlab.corpus.merge import Source
    from deidlab.labels import LabelSet


def merge(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]SRC[:FORMAT]...", help="Corpora; the name is the folder's where not given."
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", metavar="DST", help="A folder, or a file where the format is one.")
    ],
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help="Format to write.")] = "jsonl",
    labels: Annotated[str, typer.Option(help="The label set of the merged corpus.")] = "i2b2-2014",
    map_: Annotated[
        list[str] | None,
        typer.Option(
            "--map",
            metavar="NAME=MAP",
            help="A shipped map or a TOML file for one corpus; guessed where not given.",
        ),
    ] = None,
    unmapped: Annotated[
        str, typer.Option(metavar="error|keep|drop", help="Labels that have no place in the label set.")
    ] = "error",
    encoding: Encoding = "utf-8",
    keep_going: KeepGoing = False,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Make one corpus out of several: labels of one set, each note's origin in its meta field 'corpus'.

    Example: deidlab corpus merge es=cases/train/xml en=notes/ --out all.jsonl --labels i2b2-2014
    """
    from deidlab.corpus import ReadReport, ReadSettings, write_corpus
    from deidlab.corpus.files import refuse_overlap
    from deidlab.corpus.merge import MergeReport, merge_corpora
    from deidlab.labels import load_label_set

    if unmapped not in ("error", "keep", "drop"):
        raise typer.BadParameter("say error, keep or drop", param_hint="--unmapped")
    refuse_overlap([out], [_read_source(each)[1] for each in sources], inside=True)
    label_set = load_label_set(labels)
    settings, reading, report = ReadSettings(encoding), ReadReport(), MergeReport()
    opened = _open_sources(sources, map_ or [], label_set, settings, reading, keep_going, quiet or as_json)
    merged = merge_corpora(opened, label_set, unmapped, report)
    losses = write_corpus(with_progress(merged, "notes", None, quiet or as_json), out, to, overwrite)
    if as_json:
        print_json({**report.to_json(), "losses": dict(losses)})
    for name in report.documents:
        tell(f"{name}: {report.documents[name]} documents, {report.spans[name]} spans", quiet or as_json)
    for what, count in sorted(report.dropped.items()):
        tell(f"dropped: {what} ({count})", quiet or as_json)
    finish_reading(reading, quiet or as_json)


def _open_sources(
    said: list[str],
    maps: list[str],
    labels: LabelSet,
    settings: ReadSettings,
    reading: ReadReport,
    keep_going: bool,
    quiet: bool,
) -> list[Source]:
    from deidlab.corpus import read_corpus
    from deidlab.corpus.merge import Source
    from deidlab.labels import load_map

    named_maps = dict(_split_pair(pair) for pair in maps)
    opened: list[Source] = []
    for each in said:
        name, path, from_ = _read_source(each)
        if name in named_maps:
            mapping = load_map(named_maps.pop(name))
        else:
            mapping = _guess_map(name, path, from_, labels, settings, quiet)
        documents = read_corpus(path, from_, settings, reading, keep_going)
        opened.append(Source(name, documents, mapping))
    names = Counter(source.name for source in opened)
    twice = next((name for name, count in names.items() if count > 1), None)
    if twice is not None:
        raise ConfigError(f"two corpora are called '{twice}': name them, as in a={twice} b=other/{twice}")
    if named_maps:
        raise ConfigError(f"--map names '{next(iter(named_maps))}', but no corpus is called that")
    return opened


def _split_pair(pair: str) -> tuple[str, str]:
    name, equals, value = pair.partition("=")
    if not equals or not name or not value:
        raise ConfigError(f"--map '{pair}': write NAME=MAP")
    return name, value


def _read_source(said: str) -> tuple[str, Path, str | None]:
    from deidlab.corpus.formats import known

    name, equals, rest = said.partition("=")
    if not equals or Path(said).exists():
        name, rest = "", said
    where, _, from_ = rest.rpartition(":")
    if not where or from_ not in known():
        where, from_ = rest, ""
    return name or Path(where).resolve().name.partition(".")[0], Path(where), from_ or None


def _guess_map(
    name: str, path: Path, format: str | None, labels: LabelSet, settings: ReadSettings, quiet: bool
) -> dict[str, str]:
    """The shipped map from the scheme that this corpus seems to follow; none where it is the target's own."""
    from deidlab.corpus import ReadReport, read_corpus
    from deidlab.labels import guess_label_set, known_maps, load_map

    counts: Counter[str] = Counter()
    for document in read_corpus(path, format, settings, ReadReport(), keep_going=True):
        counts.update(span.label for span in document.spans)
    if all(label in labels for label in counts):
        return {}
    candidate = f"{guess_label_set(counts).name}--{labels.name}"
    if candidate not in known_maps():
        return {}
    tell(f"{name}: labels mapped by {candidate}", quiet)
    return load_map(candidate)
