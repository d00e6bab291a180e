"""`deidlab corpus merge NAME=SRC … --out DST --to FORMAT`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from deidlab.cli.corpus.reading import finish_reading
from deidlab.cli.options import COMMON, argument, option, takes_options, without
from deidlab.cli.options.output import AnswerOptions, OverwriteOption
from deidlab.cli.options.reading import KeepGoingOption
from deidlab.cli.output import print_json, tell, with_progress
from deidlab.corpus import ReadSettings
from deidlab.corpus.raw import COLUMN_FIELDS
from deidlab.errors import ConfigError

if TYPE_CHECKING:
    from deidlab.corpus import ReadReport
    from deidlab.corpus.merge import Source
    from deidlab.labels import LabelSet


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeOptions:
    """All that `corpus merge` takes."""

    GROUP: ClassVar[str] = COMMON

    sources: tuple[str, ...] = argument(
        metavar="[NAME=]SRC[:FORMAT]...", help="Corpora, each named after its folder unless a name is given."
    )
    out: Path = option(metavar="DST", help="A folder, or a file where the format is one file.")
    to: str | None = option(
        None, metavar="FORMAT", help="Format to write [default: that of the new name, else jsonl]."
    )
    labels: str = option("i2b2-2014", help="The label set of the merged corpus.")
    map: tuple[str, ...] = option(
        (),
        metavar="NAME=MAP",
        help="A shipped map or a TOML file for one corpus; guessed where not given. Repeatable.",
    )
    unmapped: str = option(
        "error",
        choices=("error", "keep", "drop"),
        help="What to do with labels that have no place in the label set.",
    )
    reading: Annotated[ReadSettings, without(*COLUMN_FIELDS)]
    keeping: KeepGoingOption
    overwriting: OverwriteOption
    answer: AnswerOptions


@takes_options
def merge(options: MergeOptions) -> None:
    """Make one corpus out of several: labels of one set, each note's origin in its meta field 'corpus'.

    Example: deidlab corpus merge es=cases/train/xml en=notes/ --out all.jsonl --labels i2b2-2014
    """
    from deidlab.corpus import ReadReport, write_corpus
    from deidlab.corpus.files import refuse_overlap
    from deidlab.corpus.formats import format_to_write
    from deidlab.corpus.merge import MergeReport, merge_corpora
    from deidlab.labels import load_label_set

    out, silent = options.out, options.answer.silent
    refuse_overlap([out], [_read_source(each)[1] for each in options.sources], inside=True)
    label_set = load_label_set(options.labels)
    reading, report = ReadReport(), MergeReport()
    opened = _open_sources(options, label_set, reading)
    merged = merge_corpora(opened, label_set, options.unmapped, report)
    shown = with_progress(merged, "notes", None, silent)
    to = format_to_write(out, options.to, "jsonl").name
    losses = write_corpus(shown, out, to, options.overwriting.overwrite)
    if options.answer.as_json:
        print_json({**report.to_json(), "losses": dict(losses)})
    for name in report.documents:
        tell(f"{name}: {report.documents[name]} documents, {report.spans[name]} spans", silent)
    for what, count in sorted(report.dropped.items()):
        tell(f"dropped: {what} ({count})", silent)
    finish_reading(reading, silent)


def _open_sources(options: MergeOptions, labels: LabelSet, reading: ReadReport) -> list[Source]:
    from deidlab.corpus import read_corpus
    from deidlab.corpus.merge import Source
    from deidlab.labels import load_map

    settings, keep_going = options.reading, options.keeping.keep_going
    named_maps = dict(_split_pair(pair) for pair in options.map)
    opened: list[Source] = []
    for each in options.sources:
        name, path, from_ = _read_source(each)
        if name in named_maps:
            mapping = load_map(named_maps.pop(name))
        else:
            mapping = _guess_map(name, path, from_, labels, settings, options.answer.silent)
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
