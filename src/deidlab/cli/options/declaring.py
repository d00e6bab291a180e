"""A dataclass in, options of a command out: a field is an option, with its default, help and group.

    @dataclass(frozen=True, slots=True)
    class LimitOptions:
        GROUP: ClassVar[str] = "Limits"

        timeout: float = option(60.0, help="Seconds that a request may take.", min=0.1)

    @takes_options
    def serve(limits: LimitOptions, port: Annotated[int, typer.Option()] = 8000) -> None: ...

`deidlab serve --timeout 5` then calls `serve(port=8000, limits=LimitOptions(timeout=5.0))`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from typing import Annotated, Any, TypeVar, get_args, get_origin, get_type_hints

import typer

from deidlab.errors import UsageError

_KEY = "option"
_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class _Declared:
    """What a field says of its option, beside name, type and default."""

    names: tuple[str, ...]
    choices: tuple[str, ...]
    group: str | None
    details: dict[str, Any]


def option(
    default: Any = MISSING,
    *names: str,
    help: str,
    choices: tuple[str, ...] = (),
    group: str | None = None,
    **details: Any,
) -> Any:
    """A field that is an option; `names` where it is not called like the field.

    A value that is none of the `choices` is a usage error. `group` is the heading in `--help` [default: the
    class's GROUP]; `details` go to `typer.Option` (metavar, min, max, envvar …). A field of the type
    `tuple[X, ...]` can be given several times.
    """
    if choices:
        details.setdefault("metavar", "|".join(choices))
    declared = _Declared(names, choices, group, {"help": help, **details})
    return field(default=default, metadata={_KEY: declared})


def takes_options(command: _Command) -> _Command:
    """The command as Typer wants it: every dataclass among its parameters taken apart into options."""
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    whole: dict[str, type] = {}
    for name, parameter in inspect.signature(command).parameters.items():
        annotation = hints[name]
        if isinstance(annotation, type) and is_dataclass(annotation):
            whole[name] = annotation
            parameters += _parameters_of(annotation)
        else:
            parameters.append(parameter.replace(annotation=annotation, kind=inspect.Parameter.KEYWORD_ONLY))
    _refuse_twice(command, parameters)

    @functools.wraps(command)
    def flat(**given: Any) -> Any:
        built = {name: _build(options, given) for name, options in whole.items()}
        return command(**given, **built)

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {each.name: each.annotation for each in parameters}
    return flat  # type: ignore[return-value]


def _parameters_of(options: type) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(options)
    for each in fields(options):
        declared = _declared(each)
        group = declared.group if declared.group is not None else getattr(options, "GROUP", None)
        told = typer.Option(*declared.names, rich_help_panel=group, **declared.details)
        kind = hints[each.name]
        default: Any = inspect.Parameter.empty if each.default is MISSING else each.default
        if _is_repeatable(kind):
            kind, default = list[get_args(kind)[0]] | None, None  # type: ignore[misc]
        yield inspect.Parameter(
            each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, told]
        )


def _build(options: type, given: dict[str, Any]) -> Any:
    """The dataclass, out of the values that were given for its fields, which are taken out of them."""
    hints = get_type_hints(options)
    values = {}
    for each in fields(options):
        value = given.pop(each.name)
        values[each.name] = tuple(value or ()) if _is_repeatable(hints[each.name]) else value
        _check_choice(each, values[each.name])
    return options(**values)


def _check_choice(declared_in: Field[Any], value: Any) -> None:
    declared = _declared(declared_in)
    for one in value if isinstance(value, tuple) else (value,):
        if declared.choices and one is not None and one not in declared.choices:
            name = declared.names[0] if declared.names else f"--{declared_in.name.replace('_', '-')}"
            raise UsageError(f"{name}: unknown value '{one}'; known: {', '.join(declared.choices)}")


def _declared(each: Field[Any]) -> _Declared:
    declared = each.metadata[_KEY]
    assert isinstance(declared, _Declared)
    return declared


def _is_repeatable(kind: Any) -> bool:
    return get_origin(kind) is tuple and get_args(kind)[1:] == (Ellipsis,)


def _refuse_twice(command: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    """Two groups of options with one name would hide one of them."""
    names = [each.name for each in parameters]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise TypeError(f"{command.__name__} would take {', '.join(twice)} twice")
