"""A dataclass in, options of a command out: a field is an option, with its default, help and group.

    @dataclass(frozen=True, slots=True)
    class LimitOptions:
        GROUP: ClassVar[str] = "Limits"

        timeout: float = option(60.0, help="Seconds that a request may take.", min=0.1)

    @takes_options
    def serve(limits: LimitOptions, port: Annotated[int, typer.Option()] = 8000) -> None: ...

`deidlab serve --timeout 5` then calls `serve(port=8000, limits=LimitOptions(timeout=5.0))`. A field that is
such a dataclass itself is taken apart too, so that a command can take everything in one. A field that
declares no option keeps its default, and so does one that `without` names.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import typer

from deidlab.errors import UsageError
from deidlab.options import Option, option_of

_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class without:  # noqa: N801 — reads as a word in an annotation
    """`Annotated[Finding, without("labels")]`: a dataclass of which a command does not take these fields."""

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


@dataclass(frozen=True, slots=True)
class only_given:  # noqa: N801 — reads as a word in an annotation
    """`Annotated[dict[str, Any], only_given(TrainSettings, "epochs")]`: a dict of the fields that were given.

    The options are the dataclass's fields without their defaults: what is not given is decided elsewhere.
    """

    settings: type
    names: tuple[str, ...]

    def __init__(self, settings: type, *names: str) -> None:
        object.__setattr__(self, "settings", settings)
        object.__setattr__(self, "names", names)


@dataclass(frozen=True, slots=True)
class _Taken:
    """A field that a command may take: as one option, or whole where it is a group of more."""

    name: str
    kind: Any
    default: Any
    said: Option | None
    is_group: bool = False

    @property
    def spelling(self) -> str:
        """What the option is called on the command line."""
        assert self.said is not None
        return self.said.spelling(self.name)

    def renamed(self) -> Iterator[tuple[str, str]]:
        """Each old spelling with the one of now; of a switch with two sides, each side with its own."""
        on, _, off = self.spelling.partition("/")
        for old in self.said.old if self.said else ():
            yield old, off if off and old.startswith("--no-") else on


def takes_options(command: _Command) -> _Command:
    """The command as Typer wants it: every dataclass among its parameters taken apart into options.

    `old_names` of the result maps spellings of before to those of now, `once` are the options that can be
    given once (`deidlab.cli.strict` heeds both).
    """
    hints = get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    taken: list[_Taken] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if _is_group(hints[name]):
            groups[name] = hints[name]
            own = list(_walk(hints[name]))
            parameters += map(_to_parameter, own)
            taken += own
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=inspect.Parameter.KEYWORD_ONLY))
    _refuse_twice(command, parameters)

    @functools.wraps(command)
    def flat(**given: Any) -> Any:
        built = {name: _build(group, given) for name, group in groups.items()}
        return command(**given, **built)

    flat.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    flat.__annotations__ = {each.name: each.annotation for each in parameters}
    renamed = {old: new for each in taken for old, new in each.renamed()}
    flat.old_names = renamed  # type: ignore[attr-defined]
    flat.once = tuple(each.spelling for each in taken if each.said and each.said.once)  # type: ignore[attr-defined]
    return flat  # type: ignore[return-value]


def _is_group(annotation: Any) -> bool:
    kind, notes = _parts(annotation)
    return (isinstance(kind, type) and is_dataclass(kind)) or _note(notes, only_given) is not None


def _parts(annotation: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type and what is noted beside it."""
    if get_origin(annotation) is Annotated:
        kind, *notes = get_args(annotation)
        return kind, tuple(notes)
    return annotation, ()


def _note(notes: tuple[Any, ...], kind: type) -> Any:
    return next((each for each in notes if isinstance(each, kind)), None)


def _members(group: Any) -> Iterator[_Taken]:
    """What a command may take of a group: its fields but for those left out."""
    kind, notes = _parts(group)
    given, left = _note(notes, only_given), _note(notes, without)
    settings = kind if given is None else given.settings
    hints = get_type_hints(settings, include_extras=True)
    heading = getattr(settings, "GROUP", None)
    for each in fields(settings):
        said = option_of(each)
        if said is not None and said.group is None and not said.is_argument:
            said = replace(said, group=heading)
        if given is None and (left is None or each.name not in left.names):
            # What has a value of its own keeps it.
            needed = each.default is MISSING and each.default_factory is MISSING
            is_group = said is None and needed and _is_group(hints[each.name])
            yield _Taken(each.name, hints[each.name], each.default, said, is_group)
        elif given is not None and each.name in given.names and said is not None:
            quiet = replace(said, details={**(said.details or {}), "show_default": False})
            yield _Taken(each.name, hints[each.name] | None, None, quiet)


def _walk(group: Any) -> Iterator[_Taken]:
    """Every option of a group and of the groups in it."""
    for each in _members(group):
        if each.said is not None:
            yield each
        elif each.is_group:
            yield from _walk(each.kind)


def _to_parameter(each: _Taken) -> inspect.Parameter:
    said, kind, default = each.said, each.kind, each.default
    assert said is not None
    details = {**(said.details or {}), "help": said.help, "rich_help_panel": said.group}
    if said.choices:
        details.setdefault("metavar", "|".join(said.choices))
    # A switch has one name, and is off unless that is said.
    names = said.names or ((each.spelling,) if kind is bool else ())
    told: Any = typer.Argument(**details) if said.is_argument else typer.Option(*names, **details)
    if default is MISSING:
        default = inspect.Parameter.empty
    if _is_repeatable(kind):
        item = get_args(kind)[0]
        needed = default is inspect.Parameter.empty
        kind, default = (list[item], default) if needed else (list[item] | None, None)  # type: ignore[valid-type]
    elif get_origin(kind) is Literal:
        kind = str
    return inspect.Parameter(
        each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, told]
    )


def _build(group: Any, given: dict[str, Any]) -> Any:
    """The group, out of the values that were given for its fields, which are taken out of them."""
    kind, notes = _parts(group)
    values: dict[str, Any] = {}
    for each in _members(group):
        if each.said is not None:
            values[each.name] = _read(each, given.pop(each.name))
        elif each.is_group:
            values[each.name] = _build(each.kind, given)
    if _note(notes, only_given) is not None:
        return {name: value for name, value in values.items() if value is not None}
    return kind(**values)


def _read(each: _Taken, value: Any) -> Any:
    """A value as the field wants it; one that is none of its choices is a usage error."""
    if _is_repeatable(each.kind):
        value = tuple(value or ())
    assert each.said is not None
    for one in value if isinstance(value, tuple) else (value,):
        if each.said.choices and one is not None and one not in each.said.choices:
            known = ", ".join(each.said.choices)
            raise UsageError(f"{each.spelling}: unknown value '{one}'; known: {known}")
    return value


def _is_repeatable(kind: Any) -> bool:
    return get_origin(kind) is tuple and get_args(kind)[1:] == (Ellipsis,)


def _refuse_twice(command: Callable[..., Any], parameters: list[inspect.Parameter]) -> None:
    """Two groups of options with one name would hide one of them."""
    names = [each.name for each in parameters]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise TypeError(f"{command.__name__} would take {', '.join(twice)} twice")
