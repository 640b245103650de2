"""Requests: what a command, a file, a form or a library call asks for is a frozen dataclass, whose fields are declared once.

Name, type and default of a field are the dataclass's own; what people read of it is a `Setting` in its annotation:

    limit: Annotated[int | None, Setting("Maximum number of items per person.", minimum=1)] = None

Command lines (`ui.cli.options`), files (`read_request`), forms and the docs are made of
these fields. A field without a `Setting` is nobody's option; one that is a request itself adds its fields.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import KW_ONLY, dataclass, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

from data.files import MAX_PROBLEMS, InputError, quoted

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of a request: the help that people read, its unit, and the values that are allowed.

    Attributes:
        help: what the value is for, in a sentence or two.
        details: what the docs say besides.
        unit: of numbers, such as ``minutes``.
        minimum, maximum, above: limits of a number, or of each of several; ``above`` is no value itself.
        check: called with the value; raises a ValueError that says what is allowed.
        numeric: True if the text is a number, which a file may write as one.
        argument: True if the command line takes it by its place and not by its name.
        flags: its name on the command line if that is not the field's, such as ``--item`` or ``--wide/--long``.
        metavar: what stands for the value in ``--help``.
        key: its name in files if that is not the field's.
        file: its name in files and on the command line where these name a file that holds the text.
        section: the part of a form that it belongs to; empty: it is in no part that is made of fields.
        label, hint: its name and a few words beside it in forms; without them it has those of the field and ``help``.
        titles: words for choices in forms, by choice.
        lines: of a text in forms.
        step: of a number in forms.
    """

    help: str
    _: KW_ONLY
    details: str = ""
    unit: str = ""
    minimum: float | None = None
    maximum: float | None = None
    above: float | None = None
    check: Callable[[Any], object] | None = None
    numeric: bool = False
    argument: bool = False
    flags: str = ""
    metavar: str | None = None
    key: str = ""
    file: str = ""
    section: str = ""
    label: str = ""
    hint: str = ""
    titles: Mapping[str, str] | None = None
    lines: int = 1
    step: float | None = None

    @property
    def allowed(self) -> str:
        """The limits of a number in words."""
        if self.above is not None:
            return f"above {self.above:g}" + ("" if self.maximum is None else f", at most {self.maximum:g}")
        if self.maximum is None:
            return f"{self.minimum:g} or more"
        return f"from {self.minimum:g} to {self.maximum:g}" if self.minimum is not None else f"at most {self.maximum:g}"

    def allows(self, number: float) -> bool:
        """Return True if a number is within the limits."""
        return (
            (self.minimum is None or number >= self.minimum)
            and (self.maximum is None or number <= self.maximum)
            and (self.above is None or number > self.above)
        )


@dataclass(frozen=True, slots=True)
class RequestField:
    """A field of a request.

    Attributes:
        type: as declared, such as ``int | None`` or ``tuple[str, ...]``.
        kind: of the value, or of each of several: ``int``, ``float``, ``bool``, ``str``, ``tuple`` or a class.
        optional: True if None is allowed.
        several: True if it holds any number of values.
        choices: the texts that are allowed; none: all.
        default: the MISSING of dataclasses if the field is required.
    """

    name: str
    type: Any
    kind: Any
    optional: bool
    several: bool
    choices: tuple[str, ...]
    default: Any
    setting: Setting

    @property
    def key(self) -> str:
        """Its name in files."""
        return self.setting.key or self.name

    def check(self, value: Any) -> None:
        """Check a value of the field's type.

        Raises:
            ValueError: it is not allowed.
        """
        for each in value if self.several else [value]:
            if each is None and self.optional:
                continue
            if self.choices and each not in self.choices:
                *first, last = self.choices
                raise ValueError(f"{self.name} must be {', '.join(first)} or {last}, got {quoted(each)}")
            if self.kind in (int, float) and not self.setting.allows(each):
                raise ValueError(f"{self.name} must be {self.setting.allowed}, got {each!r}")
            if self.setting.check is not None:
                try:
                    self.setting.check(each)
                except ValueError as error:
                    raise ValueError(f"{self.name}: {error}") from None


class Request:
    """A request of a command; subclasses are frozen dataclasses, whose values are checked as their fields say."""

    __slots__ = ()

    def __post_init__(self) -> None:
        for field in own_fields(type(self)):
            field.check(getattr(self, field.name))


def own_fields(kind: type) -> tuple[RequestField, ...]:
    """Return the fields of a request without those of requests inside it."""
    return tuple(field for field, _ in _declared(kind) if isinstance(field, RequestField))


def fields_of(kind: type) -> tuple[RequestField, ...]:
    """Return the fields of a request, in order; those of a request inside it stand in its place."""
    return tuple(
        field
        for declared, _ in _declared(kind)
        for field in ([declared] if isinstance(declared, RequestField) else fields_of(declared))
    )


def _read_declared(kind: Any) -> tuple[tuple[RequestField | type, str], ...]:
    """Return each field or request inside a request, with its name."""
    hints = get_type_hints(kind, include_extras=True)
    declared: list[tuple[RequestField | type, str]] = []
    for field in fields(kind):
        hint = hints[field.name]
        if (read := field_of(field.name, hint, field.default)) is not None:
            declared.append((read, field.name))
        elif isinstance(hint, type) and is_dataclass(hint) and issubclass(hint, Request):
            declared.append((hint, field.name))
    return tuple(declared)


_declared: Final[Callable[[Any], tuple[tuple[RequestField | type, str], ...]]] = cache(_read_declared)


def field_of(name: str, hint: Any, default: Any) -> RequestField | None:
    """Return the field that an annotation declares; None if it has no `Setting`."""
    setting = next((note for note in getattr(hint, "__metadata__", ()) if isinstance(note, Setting)), None)
    if setting is None:
        return None
    declared = hint.__origin__
    args = get_args(declared)
    optional = NoneType in args
    kind = next(arg for arg in args if arg is not NoneType) if optional else declared
    several = get_origin(kind) is tuple and get_args(kind)[-1] is ...
    if several:
        kind = get_args(kind)[0]
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    return RequestField(name, declared, str if choices else kind, optional, several, choices, default, setting)


def read_request(kind: type[T], values: Mapping[str, Any], origin: str, noun: str) -> T:
    """Return the request that values by name are, as a file or a form has them; None is "not said".

    Messages begin with ``origin``, where the values come from; ``noun`` is what the request is, such as ``a campaign``.

    Raises:
        InputError: names that there are not, and values that are not allowed; the first of them at once.
    """
    by_key = {field.key: field for field in fields_of(kind)}
    known = [name for field in fields_of(kind) for name in (field.key, field.setting.file) if name]
    problems = [f"{noun} has no {quoted(name)}; {_hint(name, known)}" for name in values if name not in by_key]
    read: dict[str, Any] = {}
    for key, field in by_key.items():
        if values.get(key) is not None:
            try:
                read[field.name] = _value(field, values[key])
            except ValueError as error:
                problems.append(f"{key}: {error}")
    if len(problems) > MAX_PROBLEMS:
        problems = [*problems[:MAX_PROBLEMS], f"and {len(problems) - MAX_PROBLEMS} more mistakes"]
    if problems:
        raise InputError(*(f"{origin}: {problem}" for problem in problems))
    try:
        return _built(kind, read)
    except ValueError as error:
        raise InputError(f"{origin}: {error}") from error


def _hint(name: str, known: list[str]) -> str:
    # commands import this module, and pydantic takes longer to load than all else that they need
    from data.validation import did_you_mean

    return did_you_mean(name, known)


def _value(field: RequestField, value: Any) -> Any:
    """Return a value of the field's type; files write ``0.8`` as a text, one text for a list, or an amount as a number."""
    from data.validation import record_of

    if field.several:
        texts = [value] if isinstance(value, str) else value
        value = [text for text in texts if text != ""] if isinstance(texts, list | tuple) else texts
    elif field.kind is float and isinstance(value, str):
        with suppress(ValueError):
            value = float(value)
    elif field.setting.numeric and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    return record_of(field.type, value)


def _built(kind: type[T], values: Mapping[str, Any]) -> T:
    made: dict[str, Any] = {}
    for declared, name in _declared(kind):
        if not isinstance(declared, RequestField):
            made[name] = _built(declared, values)
        elif name in values:
            made[name] = values[name]
    return kind(**made)
