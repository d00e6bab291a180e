"""A source in, how many notes it has out, and how much longer they are than those of its beginning.

Only what files, lines or the database tell by themselves is looked at; where they do not, it is not known.
"""

from __future__ import annotations

from deidlab.corpus.format import Counted, longer_than_first
from deidlab.corpus.reading import corpus_files
from deidlab.pipeline.io.opening import open_source
from deidlab.pipeline.settings import SourceSettings


def count_source(source: SourceSettings, n_sample: int) -> Counted | None:
    """The notes of a source, whose first ones are the sample; None where only reading would tell."""
    opened = open_source(source)
    format = opened.format
    if format is None:
        n_notes = opened.count()
        return None if n_notes is None else Counted(n_notes)
    paths = list(corpus_files(source.path, format))
    if format.is_note_a_file:
        sizes = [path.stat().st_size for path in format.note_files(paths)]
        longer = longer_than_first(len(sizes), sum(sizes), n_sample, sum(sizes[:n_sample]))
        return Counted(len(sizes), True, longer)
    return None if format.sample is None else format.sample(paths, n_sample)
