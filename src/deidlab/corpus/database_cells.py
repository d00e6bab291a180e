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
    """A cell as JSON can hold it; bytes stay bytes, for whoever reads the row to refuse or leave out."""
    if isinstance(cell, datetime.date | datetime.time):  # a datetime is a date too
        return cell.isoformat()
    if isinstance(cell, bytes | bytearray | memoryview):
        return bytes(cell)
    return cell if isinstance(cell, _PLAIN) else str(cell)


def key_to_id(key: Key) -> str:
    """The id of a row that has none but its key.

    Where two or more cells are text, their own dashes are written as %2D: ("1", "2-3") is not ("1-2", "3").
    Cells of other types (numbers, dates) can be told apart without.
    """
    escaped = sum(isinstance(cell, str) for cell in key) > 1
    return "-".join(_key_cell(cell, escaped) for cell in key)


def _key_cell(cell: Any, escaped: bool) -> str:
    if isinstance(cell, bytes):
        return cell.hex()
    text = str(to_plain(cell))
    if escaped and isinstance(cell, str):
        text = text.replace("%", "%25").replace("-", "%2D")
    return text


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


_NOT_TEXT = (bytes, int, float, bool, Decimal, datetime.date, datetime.datetime, datetime.time,
             datetime.timedelta, uuid.UUID, list, dict)  # fmt: skip


def holds_text(type: TypeEngine[Any]) -> bool:
    """Whether cells of a column can be notes; of a type that Python has no word for, only reading tells."""
    return python_type(type) not in _NOT_TEXT


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
        if isinstance(cell, bytes):
            raise ConfigError("a key is bytes, or not UTF-8; name another --key-column")
        if kind is None:
            raise ConfigError(
                f"a key of type {type(cell).__name__} has no order to go on by; name another --key-column"
            )
        cells.append([kind, to_plain(cell) if kind in ("time", "date") else str(cell)])
    return cells


def key_from_json(cells: list[list[str]]) -> Key:
    return tuple(_KEYS[kind][1](text) for kind, text in cells)
