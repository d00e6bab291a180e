"""`deidlab mask SRC --out DST`."""

from __future__ import annotations

from deidlab.cli.mask_options import MaskOptions
from deidlab.cli.options import takes_options


@takes_options
def mask(options: MaskOptions) -> None:
    """Write notes that can be shared: the same format, with PHI masked.

    Ids, patients and file names become pseudonyms, and other columns are dropped. A note that fails is not
    written and is listed, and the exit status is 3. A run that was stopped goes on when the same command is
    given again with the same key file. Beside the output, NAME.deidlab/ has the record for `deidlab audit`.
    Several detectors mask together, as `deidlab compare` measured them, with --system, once for each.
    From a database, rows are read in the order of their key, and each chunk is written in one transaction.

    Example: deidlab mask notes/ --out masked --rules only --style surrogate --key-file site.key
    """
    from deidlab.cli.mask_request import read_request
    from deidlab.cli.mask_run import run

    run(read_request(options))
