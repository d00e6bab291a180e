"""A database's cells as JSON holds them on their way through a run, and back as a column's type has them."""

from __future__ import annotations

import datetime
import json
import uuid
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from deidlab.corpus.database_url import Key
from deidlab.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from sqlalchemy.types import TypeEngine

_PLAIN = (str, int, float, bool, type(None), list, dict)
_BACK: dict[type, Callable[[Any], Any]] = {
    int: int,
    float: float,
    Decimal: lambda value: Decimal(str(value)),
    datetime.datetime: lambda value: datetime.datetime.fromisoformat(value),
    datetime.date: lambda value: datetime.date.fromisoformat(value),
    datetime.time: lambda value: datetime.time.fromisoformat(value),
    uuid.UUID: lambda value: uuid.UUID(value),
    str: lambda value: (
        json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
    ),
}


def to_plain(cell: Any) -> Any:
    """A cell as JSON can hold it."""
    if isinstance(cell, datetime.date | datetime.time):  # a datetime is a date too
        return cell.isoformat()
    return cell if isinstance(cell, _PLAIN) else str(cell)


def from_plain(cell: Any, kind: type | None) -> Any:
    """The cell as a column of that Python type takes it."""
    if cell is None or kind is None or kind not in _BACK or (type(cell) is kind):
        return cell
    try:
        return _BACK[kind](cell)
    except (ValueError, TypeError, InvalidOperation):
        raise CorpusError(f"a value does not fit its column in the destination ({kind.__name__})") from None


def python_type(type: TypeEngine[Any]) -> type | None:
    """What Python has for cells of a column, where it has one word for it."""
    try:
        return type.python_type
    except NotImplementedError:
        return None


def type_of_cells(cells: Iterable[Any]) -> TypeEngine[Any]:
    """The type that the first cell with something in it shows; text where all are empty."""
    import sqlalchemy as sa

    first = next((cell for cell in cells if cell is not None), None)
    if isinstance(first, datetime.datetime):
        return sa.DateTime(timezone=first.tzinfo is not None)
    kinds: tuple[tuple[Any, Any], ...] = (
        (bool, sa.Boolean()), (int, sa.BigInteger()), (float, sa.Double()), (Decimal, sa.Numeric()),
        (datetime.date, sa.Date()), (datetime.time, sa.Time()), (uuid.UUID, sa.Uuid()),
        ((list, dict), sa.JSON()), ((bytes, memoryview), sa.LargeBinary()),
    )  # fmt: skip
    return next((found for kind, found in kinds if isinstance(first, kind)), sa.Text())


def type_to_write(type: TypeEngine[Any]) -> TypeEngine[Any]:
    """The type in the destination for a column of that type: the same kind, in any database's words."""
    import sqlalchemy as sa

    try:
        generic = type.as_generic()
    except NotImplementedError:
        return sa.Text()
    known = (sa.Integer, sa.Numeric, sa.DateTime, sa.Date, sa.Time, sa.Boolean, sa.Uuid, sa.JSON, sa.String)
    return generic if isinstance(generic, known) and not isinstance(generic, sa.Enum) else sa.Text()


_KEYS: dict[str, tuple[type, Callable[[str], Any]]] = {
    "int": (int, int),
    "text": (str, str),
    "time": (datetime.datetime, datetime.datetime.fromisoformat),
    "date": (datetime.date, datetime.date.fromisoformat),
    "uuid": (uuid.UUID, uuid.UUID),
    "decimal": (Decimal, Decimal),
}


def key_to_json(key: Key) -> list[list[str]]:
    """A key with its types, for the run that goes on after it."""
    cells = []
    for cell in key:
        kind = next((name for name, (kind, _) in _KEYS.items() if type(cell) is kind), None)
        if kind is None:
            raise ConfigError(
                f"a key of type {type(cell).__name__} has no order to go on by; name another --key-column"
            )
        cells.append([kind, to_plain(cell) if kind in ("time", "date") else str(cell)])
    return cells


def key_from_json(cells: list[list[str]]) -> Key:
    return tuple(_KEYS[kind][1](text) for kind, text in cells)
