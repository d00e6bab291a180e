"""`deidlab corpus …`: read, convert, check, count, cut, join and make corpora."""

from deidlab.cli.commands import LazyCommand, app_of

corpus = app_of(
    "corpus",
    "Read, convert, check, count, split, merge and make annotated corpora.",
    LazyCommand("deidlab.cli.corpus.convert", "convert", "Turn a corpus of one format into another."),
    LazyCommand(
        "deidlab.cli.corpus.check",
        "check",
        "Name every problem in a corpus, with file and offsets; exit 1 if there is any.",
    ),
    LazyCommand(
        "deidlab.cli.corpus.stats",
        "stats",
        "Count a corpus: documents, words and spans, by label and by part of a split.",
    ),
    LazyCommand(
        "deidlab.cli.corpus.split",
        "split",
        "Deal a corpus out into parts, the same on every machine and whatever the order of files.",
    ),
    LazyCommand(
        "deidlab.cli.corpus.merge",
        "merge",
        "Make one corpus out of several: labels of one set, each note's origin in its meta field 'corpus'.",
    ),
    LazyCommand("deidlab.cli.corpus.make", "make", "Make notes with made-up PHI to train and test on."),
)
