"""`deidlab validate read PROTOCOL OUT --original SRC`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from deidlab.cli.audit import load_second, names_of, reading_of
from deidlab.cli.options import COMMON, argument, option, takes_options
from deidlab.cli.options.masking import CrosswalkOption
from deidlab.cli.options.output import QuietOption
from deidlab.cli.options.serving import ServerOptions
from deidlab.cli.output import tell
from deidlab.cli.review import check_extra, name_reviewer, serve_desk
from deidlab.cli.validate.opening import open_run, usual_store

if TYPE_CHECKING:
    from deidlab.report.audit.record import RunRecord
    from deidlab.web.settings import ServeSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidateReadOptions:
    """All that `validate read` takes."""

    GROUP: ClassVar[str] = COMMON

    protocol: Path = argument(metavar="PROTOCOL", help="What `deidlab validate plan` wrote.")
    output: str = argument(metavar="OUT", help="The masked notes that it was written for.")
    original: Path | None = option(
        None, metavar="SRC", help="The notes before they were masked, to stand beside the masked ones."
    )
    key: CrosswalkOption
    second: str | None = option(
        None,
        metavar="en|es|FOLDER",
        help="A model that looks for what is left [default: the rules; at 0.05 where they had a part].",
    )
    more: int = option(0, min=0, metavar="N", help="Read so many notes more than planned.")
    store: Path | None = option(
        None,
        metavar="FILE",
        help="Where verdicts are kept, with the notes (SQLite, mode 0600) [default: PROTOCOL.review].",
    )
    reviewer: str | None = option(
        None, metavar="NAME", help="Who is reading, where there are no tokens [default: your login]."
    )
    load_only: bool = option(False, help="Bring the notes into the file, and stop.")
    server: ServerOptions
    quiet: QuietOption


@takes_options
def read(options: ValidateReadOptions) -> None:
    """Read the sample in the browser: original beside masked, each reader apart.

    Mark what still tells who somebody is; a note without a mark has no leak. What a second detector finds is
    shown as a suspect, and counts once you say so. Verdicts are kept at once. The same command again goes on.

    Example: deidlab validate read protocol.json masked --original notes/ --key-file site.key
    """
    check_extra()
    from deidlab.report.validation.protocol import read_protocol
    from deidlab.report.validation.verdicts import REASONS
    from deidlab.web.reading_load import load_sample
    from deidlab.web.reading_store import add_sample, open_reading
    from deidlab.web.review import ReviewDesk
    from deidlab.web.store import ReviewStore

    quiet = options.quiet.quiet
    protocol, settings = read_protocol(options.protocol), _serve_settings(options)
    record = open_run(options.output)
    originals = _read_originals(record, options)
    detector, said = load_second(record, options.second)
    sample = load_sample(record, protocol, originals, detector, options.more)
    place = usual_store(options.protocol, options.store)
    store = ReviewStore(place)
    open_reading(store, protocol)
    new = add_sample(store, sample, protocol.readers)
    tell(f"{len(sample)} notes to read, {new} of them new; suspects: {said}", quiet)
    if options.original is None:
        tell("no originals beside the masked notes (--original): surrogates cannot be told from names", quiet)
    tell(f"verdicts are kept in {place}", quiet)
    if not options.load_only:
        serve_desk(settings, ReviewDesk(store, said, reasons=REASONS), quiet)


def _serve_settings(options: ValidateReadOptions) -> ServeSettings:
    from deidlab.web.settings import ServeSettings, rules_only
    from deidlab.web.tokens import find_tokens

    server = options.server
    return ServeSettings(
        host=server.host,
        port=server.port,
        models=(rules_only(),),
        tokens=find_tokens(server.token_file),
        hosts=server.allow_host,
        reviewer=name_reviewer(options.reviewer),
        access_log=server.access_log,
        tls_certificate=server.tls_cert,
        tls_key=server.tls_key,
    )


def _read_originals(record: RunRecord, options: ValidateReadOptions) -> dict[str, str]:
    """The notes before masking, by their names in the run."""
    from deidlab.corpus import read_corpus
    from deidlab.errors import ConfigError

    if options.original is None:
        return {}
    name = names_of(record, options.key, "--original")
    found = {
        new: document.text
        for document in read_corpus(options.original, None, reading_of(record))
        if (new := name(document.id)) in record.notes
    }
    if not found:
        raise ConfigError(
            "no note of --original is in this run: is it the run's own source, and the run's key?"
        )
    return found
