"""`deidlab restore SRC --map F --out DST`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from deidlab.cli.corpus.options import (
    Encoding,
    From,
    IdColumn,
    Overwrite,
    PatientColumn,
    TextColumn,
    read_settings,
)
from deidlab.cli.output import Quiet, tell


def restore(
    source: Annotated[
        str, typer.Argument(metavar="SRC", help="What `deidlab mask --keep-map` wrote: files, a table's URL.")
    ],
    map_file: Annotated[Path, typer.Option("--map", metavar="FILE", help="The encrypted map of that run.")],
    out: Annotated[Path, typer.Option("--out", metavar="DST", help="The file or folder to write.")],
    from_: From = None,
    encoding: Encoding = "utf-8",
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    patient_column: PatientColumn = None,
    overwrite: Overwrite = False,
    quiet: Quiet = False,
) -> None:
    """Undo a mask exactly, with the map that `deidlab mask --keep-map` wrote.

    Text, ids, patients, file names, annotations and columns come back as they were. A note that was changed
    since it was masked is refused. The passphrase comes from DEIDLAB_MAP_PASSPHRASE_FILE,
    DEIDLAB_MAP_PASSPHRASE or a prompt.

    Example: deidlab restore masked --map run.map --out restored
    """
    from deidlab.cli.mask_places import find_source
    from deidlab.cli.mask_progress import LOST, ending_well
    from deidlab.cli.mask_secrets import find_passphrase
    from deidlab.pipeline.io.opening import open_source
    from deidlab.pipeline.restoring import RestoreJob, restore_corpus
    from deidlab.pipeline.settings import SourceSettings

    settings = read_settings(encoding, text_column, id_column, patient_column)
    rows = find_source(source, None, None, None)
    place = SourceSettings(Path(source) if rows is None else rows.stand_in, from_, settings, None, rows)
    open_source(place).check()
    job = RestoreJob(place, out, map_file, find_passphrase(confirm=False), overwrite)
    with ending_well(out, LOST):
        count = restore_corpus(job)
    tell(f"restored {count} notes to {out}", quiet)
