"""`deidlab restore SRC --map F --out DST`."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from pathlib import Path

from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.output import OverwriteOption, QuietOption
from deidlab.cli.options.reading import ReadingOptions
from deidlab.cli.output import tell


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOptions:
    """All that `restore` takes."""

    source: str = argument(
        metavar="SRC", help="What `deidlab mask --keep-map` wrote: files, or a table's URL."
    )
    map_file: Path = option(
        MISSING, "--map", metavar="FILE", help="The encrypted map of that run.", group=COMMON
    )
    out: Path = option(
        MISSING, "--out", "-o", metavar="DST", help="The file or folder to write.", group=COMMON
    )
    reading: ReadingOptions
    overwriting: OverwriteOption
    answer: QuietOption


@takes_options
def restore(options: RestoreOptions) -> None:
    """Undo a mask exactly, with the map that `deidlab mask --keep-map` wrote.

    Text, ids, patients, file names, annotations and columns come back as they were. A note that was changed
    since it was masked is refused. The passphrase comes from DEIDLAB_MAP_PASSPHRASE_FILE,
    DEIDLAB_MAP_PASSPHRASE or a prompt.

    Example: deidlab restore masked --map run.map --out restored
    """
    from deidlab.cli.mask_progress import LOST, ending_well
    from deidlab.cli.mask_secrets import find_passphrase
    from deidlab.cli.options.databases import FromTableOptions
    from deidlab.pipeline.io.opening import open_source
    from deidlab.pipeline.restoring import RestoreJob, restore_corpus
    from deidlab.pipeline.settings import SourceSettings

    reading, rows = options.reading, FromTableOptions().find_source(options.source)
    path = Path(options.source) if rows is None else rows.stand_in
    place = SourceSettings(path, reading.format, reading.files, table=rows)
    open_source(place).check()
    passphrase = find_passphrase(confirm=False)
    job = RestoreJob(place, options.out, options.map_file, passphrase, options.overwriting.overwrite)
    with ending_well(options.out, LOST):
        count = restore_corpus(job)
    tell(f"restored {count} notes to {options.out}", options.answer.quiet)
