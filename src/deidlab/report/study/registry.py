"""What a study's report can show: each table and picture under its section, as its file registers it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from deidlab.errors import ConfigError
from deidlab.report.study.parts import Picture
from deidlab.report.study.scores import ScoredStudy
from deidlab.report.tables import Table

BuildTables = Callable[[ScoredStudy], Table | Iterable[Table] | None]
BuildPicture = Callable[[ScoredStudy], Picture | None]

_tables: dict[tuple[str, str], BuildTables] = {}
_pictures: list[tuple[str, BuildPicture]] = []


def study_table(section: str, key: str) -> Callable[[BuildTables], BuildTables]:
    """Registers what builds a table: None where there is nothing to show, or several that have keys."""

    def register(build: BuildTables) -> BuildTables:
        if any(key == taken for _, taken in _tables):
            raise ConfigError(f"table '{key}': another table has this key; give it one of its own")
        _tables[section, key] = build
        return build

    return register


def forget(section: str, key: str) -> None:
    """Undo `study_table`."""
    del _tables[section, key]


def study_picture(section: str) -> Callable[[BuildPicture], BuildPicture]:
    """Registers what builds a picture, or None where there is nothing to draw yet."""

    def register(build: BuildPicture) -> BuildPicture:
        _pictures.append((section, build))
        return build

    return register


def tables_of(section: str, study: ScoredStudy, order: tuple[str, ...]) -> Iterator[Table]:
    """The section's tables in that order; those that it does not name come last."""
    keys = [key for place, key in _tables if place == section]
    for key in sorted(keys, key=lambda key: order.index(key) if key in order else len(order)):
        built = _tables[section, key](study)
        if isinstance(built, Table):
            yield replace(built, key=key)
        elif built is not None:
            yield from built


def sections_of_tables() -> Iterator[tuple[str, str]]:
    """Every table's section and key."""
    return iter(_tables)


def pictures_of(section: str, study: ScoredStudy) -> Iterator[Picture]:
    built = (build(study) for place, build in _pictures if place == section)
    return (picture for picture in built if picture is not None)
