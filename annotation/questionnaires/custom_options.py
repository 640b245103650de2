"""The answers that a user's own question offers, with a key for each."""

from __future__ import annotations

import difflib
import re
import string
from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotation.questionnaires.base import FORM_KEYS, Option, Value
from annotation.questionnaires.options import COLORS, COUNTS, NO_RELATION, RELATION_KEYS
from data.aspects import CANNOT_TELL, NO, YES

MOST_OPTIONS: Final = 30
_LONGEST: Final = 1000
_KEYS: Final = ("value", "label", "key")
_RELATIONS: Final = (
    *(Option(name, name.capitalize(), key) for name, key in RELATION_KEYS.items()),
    Option(NO_RELATION, "None of these", "n"),
)


class Mistake(ValueError):
    """Something in a user's file is wrong; the message says what and, where that is not plain, what to write instead."""


def words(value: Mapping[str, Any], key: str, usual: str | None = None) -> str:
    """A text, or a number that was meant as one.

    Raises:
        Mistake: it is missing and there is no usual one, or it is something else.
    """
    found = value.get(key, usual)
    if isinstance(found, int) and not isinstance(found, bool):
        found = str(found)
    if not isinstance(found, str) or (not found.strip() and usual is None):
        raise Mistake(f"'{key}' is {'missing' if found is None else repr(found)[:60]}; a text expected")
    if len(found) > _LONGEST or any(not character.isprintable() and character != "\n" for character in found):
        raise Mistake(f"'{key}' has more than {_LONGEST} characters, or some that cannot be shown")
    return found.strip()


def known_keys(value: Mapping[str, Any], known: Sequence[str]) -> None:
    """See that a map has no other keys.

    Raises:
        Mistake: it has one.
    """
    for key in value:
        if key not in known:
            near = difflib.get_close_matches(str(key), known, 1)
            raise Mistake(
                f"unknown key {str(key)[:40]!r}; " + (f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}")
            )


def options_of(kind: str, value: Mapping[str, Any]) -> tuple[Option, ...]:
    """The answers of a question of this kind (as the file calls it), in their order.

    Raises:
        Mistake: they cannot be what the kind needs.
    """
    given = value.get("options")
    if kind in ("count", "relation", "text"):
        if given is not None:
            raise Mistake(f"'options' are not chosen for the kind {kind}")
        return {"count": COUNTS, "relation": _RELATIONS, "text": ()}[kind]
    if kind == "colors":
        return _colors(given)
    if not isinstance(given, list) or not 2 <= len(given) <= MOST_OPTIONS:
        raise Mistake(f"'options' must be a list of 2 to {MOST_OPTIONS} answers")
    read = [_option(one) for one in given]
    values = [option.value for option in read]
    if len(set(map(str, values))) < len(values):
        raise Mistake("'options' holds one answer twice")
    if kind == "likert":
        _check_levels(values)
    elif not all(isinstance(one, str) for one in values):
        raise Mistake("'options' of a choice are texts; write numbers in quotes")
    return _with_keys(read)


def _colors(given: Any) -> tuple[Option, ...]:
    if given is None:
        return COLORS
    known = {option.value: option for option in COLORS}
    if not isinstance(given, list) or not given or not all(isinstance(one, str) and one in known for one in given):
        raise Mistake(f"'options' of colors are some of {', '.join(str(name) for name in known)}; without them all are offered")
    return tuple(option for name, option in known.items() if name in given)


def _option(given: Any) -> Option:
    if isinstance(given, bool) or given is None:
        raise Mistake(f"'options' holds {given!r}; write it in quotes if it is meant as a word")
    if isinstance(given, (str, int)):
        given = {"value": given}
    if not isinstance(given, dict):
        raise Mistake(f"'options' holds {str(given)[:40]!r}; a word expected, or a map with value, label and key")
    known_keys(given, _KEYS)
    found = given.get("value")
    value: Value = found if isinstance(found, int) and not isinstance(found, bool) else words(given, "value")
    if value == CANNOT_TELL:
        raise Mistake(f"'options' holds {CANNOT_TELL}, which the form offers itself (cannot_tell: false takes it away)")
    usual = str(value)
    return Option(value, words(given, "label", usual[:1].upper() + usual[1:]), _key(given))


def _key(given: Mapping[str, Any]) -> str:
    key = words(given, "key", "")
    key = key if key.startswith("Arrow") else key.lower()
    if key and not re.fullmatch(r"[a-z0-9]|Arrow(Left|Right|Up|Down)", key):
        raise Mistake(f"'key' is {key!r}; a letter, a digit, or ArrowLeft, ArrowRight, ArrowUp, ArrowDown expected")
    return key


def _check_levels(values: Sequence[Value]) -> None:
    if all(isinstance(value, int) for value in values):
        first = int(values[0])
        if first < 0 or [*values] != list(range(first, first + len(values))):
            raise Mistake("'options' of a likert in numbers go up by one, from 0 or more")
    elif not all(isinstance(value, str) for value in values):
        raise Mistake("'options' of a likert are numbers or words, not both")
    elif any("<" in str(value) for value in values):
        raise Mistake("'options' of a likert must not hold '<', which stands between them in a scale's name")


def _with_keys(options: Sequence[Option]) -> tuple[Option, ...]:
    """Each with a key of its own, where none was given: y and n, the number that it is, its place, a letter of its own."""
    taken = {option.key for option in options if option.key} | FORM_KEYS
    done = []
    for place, option in enumerate(options, 1):
        key = option.key or next((one for one in _candidates(option, place) if one not in taken), "")
        taken.add(key)
        done.append(Option(option.value, option.label, key))
    return tuple(done)


def _candidates(option: Option, place: int) -> list[str]:
    if isinstance(option.value, int):
        first = [str(option.value)] if option.value <= 9 else []
    else:
        first = [option.value[0]] if option.value in (YES, NO) else [str(place)] if place <= 9 else []
    own = [letter for letter in option.label.lower() if letter in string.ascii_lowercase]
    return [*first, *own, *string.ascii_lowercase, *string.digits]
