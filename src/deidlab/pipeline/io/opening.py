"""A description of where notes come from or go to in, the source or sink out: the one list of kinds.

A kind is loaded when it is asked for, so that a run over files meets no code of a database.
"""

from __future__ import annotations

from deidlab.corpus.formats import find_format, recognise_format
from deidlab.pipeline.io.files import FileSource, StreamSource
from deidlab.pipeline.io.kinds import Sink, Source
from deidlab.pipeline.settings import STDIN, SinkSettings, SourceSettings


def open_source(settings: SourceSettings) -> Source:
    """Whoever reads what is described."""
    if settings.schema is not None:
        from deidlab.pipeline.io.schema import open_schema

        return open_schema(settings, settings.schema)
    if settings.table is not None:
        from deidlab.pipeline.io.tables import TableSource

        return TableSource(settings, settings.table)
    if settings.path == STDIN:
        return StreamSource(settings, find_format(settings.format or "txt"))
    format = find_format(settings.format) if settings.format else recognise_format(settings.path)
    # The first notes are read here, one after another: there is nothing to share out.
    if format.in_row_groups and settings.limit is None:
        from deidlab.pipeline.io.parquet import ParquetSource

        return ParquetSource(settings, format)
    return FileSource(settings, format)


def open_sink(settings: SinkSettings, source: Source) -> Sink:
    """Whoever writes what is described, in the way that suits the source."""
    if settings.target is not None:
        from deidlab.pipeline.io.schema import SchemaSink, SchemaSource

        assert isinstance(source, SchemaSource)
        return SchemaSink(settings.target, settings, source)
    if settings.table is not None:
        from deidlab.pipeline.io.tables import TableSink

        return TableSink(settings.path, settings.table, settings, source)
    from deidlab.pipeline.io.file_sink import open_file_sink

    return open_file_sink(settings, source)
