"""Options of a command, made of the fields of its request (`data.requests`)."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from enum import StrEnum
from inspect import Parameter
from typing import Annotated, Any, Literal

import typer

from data.requests import RequestField, fields_of


@dataclass(frozen=True, slots=True)
class PartOf:
    """The annotation of a parameter that holds those values of a request that are given, by their names in files."""

    kind: type


def request_options(kind: type, part: bool) -> list[Parameter]:
    """Return a request's options and arguments, in the order of its fields.

    With ``part`` a value may be left to a file, so that none is required and none has a default.
    """
    return [option_of(field, part) for field in fields_of(kind)]


def request_values(kind: type, part: bool, options: dict[str, Any]) -> dict[str, Any]:
    """Take the values of a request out of a command's options; of a part only those that are given, by their names in files."""
    values = [(field, options.pop(_name(field, part))) for field in fields_of(kind)]
    if part:
        return {(field.setting.file or field.key): value for field, value in values if value is not None and value != []}
    # an option that may be repeated and is not given at all has the field's default
    return {
        field.name: (tuple(value) if value or field.default is MISSING else field.default) if field.several else value
        for field, value in values
    }


def _name(field: RequestField, part: bool) -> str:
    return (field.setting.file if part else "") or field.name


def option_of(field: RequestField, part: bool = False) -> Parameter:
    """Return the parameter of a command that typer makes into an option or argument."""
    setting = field.setting
    names = _flags(field, part)
    # a fraction may come from a file as well: the request refuses both in the same words
    limits = {} if part and field.kind is float else {"min": setting.minimum, "max": setting.maximum}
    text = _help(field) if part else setting.help
    kind = typer.Argument if setting.argument else typer.Option
    declared = kind(*names, help=text, metavar=setting.metavar, **limits)  # type: ignore[arg-type]
    default = None if part else [] if field.several else field.default
    return Parameter(
        _name(field, part),
        Parameter.KEYWORD_ONLY,
        default=Parameter.empty if default is MISSING or (field.several and setting.argument) else default,
        annotation=Annotated[_type(field, part), declared],
    )


def _type(field: RequestField, part: bool) -> Any:
    kind = field.kind
    if field.choices:
        # typer reads lists of enumerations, but none of literals
        kind = StrEnum(field.name, {each: each for each in field.choices}) if field.several else Literal[field.choices]
    if field.several:
        kind = list[kind]  # type: ignore[valid-type]
    return kind | None if part or field.optional else kind


def _flags(field: RequestField, part: bool) -> list[str]:
    setting = field.setting
    if setting.flags and not setting.argument:
        return setting.flags.split()
    if field.kind is not bool:
        return []
    name = field.name.replace("_", "-")
    return [f"--{name}/--no-{name}" if part or field.default else f"--{name}"]


def _help(field: RequestField) -> str:
    """Return the help of an option that has no default of its own, as the file may have another value."""
    default = field.default
    if default is MISSING or default is None or default is False or default in ("", ()):
        return field.setting.help
    text = "on" if default is True else f"{default:g}" if isinstance(default, float) else default
    return f"{field.setting.help.rstrip('.')}; default: {text}."
