"""Validation of what came from outside: a record is declared as a dataclass and checked by pydantic, with errors of one line.

Values are as JSON has them. Nothing is converted: a number is no text, and ``1.0`` is no whole number.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, Field, TypeAdapter, ValidationError

from data.files import quoted
from data.json_files import unreadable

T = TypeVar("T")
_MOST_NAMES: Final = 15


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    """A hint for a name that does not exist: the nearest known one in any case of its letters, else the first that exist."""
    names = {other.casefold(): other for other in known}
    if near := difflib.get_close_matches(name.casefold()[:200], names, 1, cutoff):
        return f"did you mean {names[near[0]]}?"
    first = ", ".join([*names.values()][:_MOST_NAMES])
    return f"known: {first}" + (f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else "")


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("a text")
    if "\0" in text:
        raise ValueError("a text without NUL characters")
    return text


Text = Annotated[str, AfterValidator(_filled)]
"""A text that is not blank."""
Number = Annotated[float, Field(allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
"""A confidence or probability."""
Int32 = Annotated[int, Field(ge=-(2**31), lt=2**31)]
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]

_WANTED: Final = {
    "string": "a text",
    "int": "a whole number",
    "float": "a number",
    "finite": "a number",
    "bool": "true or false",
    "datetime": "a time such as 2026-11-20T14:30:00+00:00",
    "list": "a list",
    "tuple": "a list",
    "dict": "an object",
    "dataclass": "an object",
    "mapping": "an object",
}
"""What is expected, by the first word of pydantic's name of an error."""
_LIMITS: Final = {
    "literal_error": ("one of", "expected"),
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
    "too_long": ("a list of at most", "max_length"),
    "too_short": ("a list of at least", "min_length"),
}
"""The same for what has a limit, and pydantic's name of the limit."""


_adapter: Final[Callable[[Any], TypeAdapter[Any]]] = cache(TypeAdapter)


def record_of(kind: type[T], value: Any, *, extra: Literal["forbid", "ignore"] = "forbid") -> T:
    """The record that a JSON value is; ``extra``: what is done with names that the dataclass does not have.

    Raises:
        ValueError: it is none; the message says where, what is there and what is expected.
    """
    try:
        record: T = _adapter(kind).validate_json(json.dumps(value), strict=True, extra=extra)
    except ValidationError as error:
        raise ValueError(_message(error.errors(include_url=False)[0])) from None
    except RecursionError as error:
        raise ValueError(unreadable(error)) from None
    return record


def text_of(entry: Mapping[str, Any], key: str, longest: int | None = None) -> str:
    """The text that an entry of a file has under a key.

    Raises:
        ValueError: there is none, or it is blank, too long, or holds a NUL character.
    """
    value = entry.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"'{key}' is {quoted(value)}, a text expected")
    if "\0" in value:
        raise ValueError(f"'{key}' holds a NUL character; remove it")
    if longest is not None and len(value) > longest:
        raise ValueError(f"'{key}' has {len(value):,} characters; at most {longest:,} are allowed")
    return value


def _message(error: Any) -> str:
    name, kind, context = _path(error["loc"]), error["type"], error.get("ctx", {})
    if kind == "missing":
        return f"'{name}' is missing"
    if kind == "unexpected_keyword_argument":
        return f"'{name}' is nothing that is known here; was it written by another version of Concord?"
    if kind == "value_error":
        wanted = str(context["error"])
    elif kind in _LIMITS:
        word, limit = _LIMITS[kind]
        wanted = f"{word} {context[limit]:,.12g}" if isinstance(context[limit], float) else f"{word} {context[limit]}"
    else:
        wanted = _WANTED.get(kind.split("_")[0]) or error["msg"].removeprefix("Input should be ")
    shown = quoted(error["input"])
    if not name and kind == "value_error":
        # a record's own check of several of its fields
        return wanted
    return f"'{name}' is {shown}, {wanted} expected" if name else f"found {shown}, {wanted} expected"


def _path(parts: Iterable[str | int]) -> str:
    """``detections[0].box`` of ("detections", 0, "box")."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in parts).removeprefix(".")
