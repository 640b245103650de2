"""Questions of a custom questionnaire: how each is read, which answers it offers, each with a key, and what they mean."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from annotation.questionnaires import ab
from annotation.questionnaires.base import (
    COLORS,
    COUNTS,
    FORM_KEYS,
    NO_RELATION,
    RELATION_KEYS,
    TICKED,
    Condition,
    Kind,
    Option,
    Question,
    Value,
    is_blank,
    key_problem,
    problem,
    same,
)
from annotation.questionnaires.form import BLANK, FormItem, ItemKind, unsure, yes_no
from data.aspects import CANNOT_TELL, NO, SCALES, YES, YES_NO_ASPECTS
from data.records import Judgement
from data.validation import did_you_mean

MOST_OPTIONS: Final = 30
_LONGEST: Final = 1000
_OPTION_KEYS: Final = ("value", "label", "key")
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
    text = value.get(key, usual)
    if isinstance(text, int) and not isinstance(text, bool):
        text = str(text)
    if not isinstance(text, str) or (not text.strip() and usual is None):
        raise Mistake(f"'{key}' is {'missing' if text is None else repr(text)[:60]}; a text expected")
    if len(text) > _LONGEST or any(not character.isprintable() and character != "\n" for character in text):
        raise Mistake(f"'{key}' has more than {_LONGEST} characters, or some that cannot be shown")
    return text.strip()


def known_keys(value: Mapping[str, Any], known: Sequence[str]) -> None:
    """See that a map has no other keys.

    Raises:
        Mistake: it has one.
    """
    for key in value:
        if key not in known:
            raise Mistake(f"unknown key {str(key)[:40]!r}; {did_you_mean(str(key), known)}")


def options_of(kind: str, value: Mapping[str, Any]) -> tuple[Option, ...]:
    """The answers of a question of this kind (as the file calls it), in their order.

    Raises:
        Mistake: they cannot be what the kind needs.
    """
    entries = value.get("options")
    if kind in ("count", "relation", "text"):
        if entries is not None:
            raise Mistake(f"'options' are not chosen for the kind {kind}")
        return {"count": COUNTS, "relation": _RELATIONS, "text": ()}[kind]
    if kind == "colors":
        return _colors(entries)
    if not isinstance(entries, list) or not 2 <= len(entries) <= MOST_OPTIONS:
        raise Mistake(f"'options' must be a list of 2 to {MOST_OPTIONS} answers")
    read = [_option(entry) for entry in entries]
    values = [option.value for option in read]
    if len(set(map(str, values))) < len(values):
        raise Mistake("'options' holds one answer twice")
    if kind == "likert":
        if all(isinstance(value, int) for value in values):
            first = int(values[0])
            if first < 0 or [*values] != list(range(first, first + len(values))):
                raise Mistake("'options' of a likert in numbers go up by one, from 0 or more")
        elif not all(isinstance(value, str) for value in values):
            raise Mistake("'options' of a likert are numbers or words, not both")
        elif any("<" in str(value) for value in values):
            raise Mistake("'options' of a likert must not hold '<', which stands between them in a scale's name")
    elif not all(isinstance(entry, str) for entry in values):
        raise Mistake("'options' of a choice are texts; write numbers in quotes")
    return _with_keys(read)


def _colors(names: Any) -> tuple[Option, ...]:
    if names is None:
        return COLORS
    known = {option.value: option for option in COLORS}
    if not isinstance(names, list) or not names or not all(isinstance(name, str) and name in known for name in names):
        raise Mistake(f"'options' of colors are some of {', '.join(str(name) for name in known)}; without them all are offered")
    return tuple(option for name, option in known.items() if name in names)


def _option(entry: Any) -> Option:
    if isinstance(entry, bool) or entry is None:
        raise Mistake(f"'options' holds {entry!r}; write it in quotes if it is meant as a word")
    if isinstance(entry, (str, int)):
        entry = {"value": entry}
    if not isinstance(entry, dict):
        raise Mistake(f"'options' holds {str(entry)[:40]!r}; a word expected, or a map with value, label and key")
    known_keys(entry, _OPTION_KEYS)
    written = entry.get("value")
    value: Value = written if isinstance(written, int) and not isinstance(written, bool) else words(entry, "value")
    if value == CANNOT_TELL:
        raise Mistake(f"'options' holds {CANNOT_TELL}, which the form offers itself (cannot_tell: false takes it away)")
    usual = str(value)
    return Option(value, words(entry, "label", usual[:1].upper() + usual[1:]), _key(entry))


def _key(entry: Mapping[str, Any]) -> str:
    key = words(entry, "key", "")
    key = key if key.startswith("Arrow") else key.lower()
    if key and not re.fullmatch(r"[a-z0-9]|Arrow(Left|Right|Up|Down)", key):
        raise Mistake(f"'key' is {key!r}; a letter, a digit, or ArrowLeft, ArrowRight, ArrowUp, ArrowDown expected")
    return key


def _with_keys(options: Sequence[Option]) -> tuple[Option, ...]:
    """Each with a key of its own, where none was given: y and n, the number that it is, its place, a letter of its own."""
    taken = {option.key for option in options if option.key} | FORM_KEYS
    done = []
    for number, option in enumerate(options, 1):
        key = option.key or next((candidate for candidate in _candidates(option, number) if candidate not in taken), "")
        taken.add(key)
        done.append(Option(option.value, option.label, key))
    return tuple(done)


def _candidates(option: Option, number: int) -> list[str]:
    if isinstance(option.value, int):
        first = [str(option.value)] if option.value <= 9 else []
    else:
        first = [option.value[0]] if option.value in (YES, NO) else [str(number)] if number <= 9 else []
    own = [letter for letter in option.label.lower() if letter in string.ascii_lowercase]
    return [*first, *own, *string.ascii_lowercase, *string.digits]


KINDS: Final[dict[str, Kind]] = {
    "count": "count", "colors": "colors", "relation": "multi", "choice": "choice", "multi": "multi", "likert": "likert",
    "text": "text",
}  # fmt: skip
"""By the name in the file the kind of the form."""

ANSWERED: Final = "answered"
_KEYS: Final = (
    "id", "kind", "text", "help", "options", "aspect", "target", "asked", "if_blank", "shown_if", "each_image",
    "cannot_tell", "optional", "caption",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ask:
    """A question and what its answers mean.

    Attributes:
        each_image: whether it is asked of every image shown; ``question`` is the pattern then.
        aspect: what is judged; None: the answer is kept and judges nothing.
        asked: the answers that mean yes; None: the answer itself is the label.
        if_blank: the answer that a blank image stands for; None: nothing can be said then.
    """

    question: Question
    each_image: bool
    aspect: str | None
    target: str | None
    scale: str
    asked: tuple[Value, ...] | None
    if_blank: Any


def ask(value: Any, item: ItemKind, before: Sequence[Ask]) -> Ask:
    """Read one question; ``before`` are those that precede it.

    Raises:
        Mistake: what is wrong with it.
    """
    if not isinstance(value, dict):
        raise Mistake("a map with 'id', 'kind' and 'text' expected")
    known_keys(value, _KEYS)
    id_, kind = _id(value, before), _kind(value)
    each = _flag(value, "each_image", False)
    if each and item == "image":
        raise Mistake("'each_image' is for groups and pairs; here every question is about the one image")
    question = Question(
        id_,
        KINDS[kind],
        words(value, "text"),
        words(value, "help", ""),
        options_of(kind, value),
        _conditions(value.get("shown_if"), each, before),
        _flag(value, "cannot_tell", True),
        _flag(value, "caption", False),
        optional=_flag(value, "optional", False),
        alone=(NO_RELATION,) if kind == "relation" else (),
    )
    if (wrong := key_problem(question)) is not None:
        raise Mistake(wrong)
    yes_answers = _read_yes_answers(value, question)
    aspect = words(value, "aspect", "") or None
    scale = "" if aspect is None else _scale(aspect, question, yes_answers)
    if aspect == "preference":
        values = {option.value for option in question.options}
        if item != "pair" or each or not set(ab.SIDES) <= values <= {*ab.SIDES, ab.BOTH, ab.NONE}:
            raise Mistake("aspect 'preference' is for a pair: the choices are left, right, and perhaps both and none")
    if aspect is None and (yes_answers is not None or value.get("target") is not None or value.get("if_blank") is not None):
        raise Mistake("'asked', 'target' and 'if_blank' say how an 'aspect' is judged, and there is none")
    return Ask(question, each, aspect, words(value, "target", "") or None, scale, yes_answers, _if_blank(value, question))


def judgement(definition: Ask, answer: Any, item: FormItem, *, blank: bool = False) -> Iterable[Judgement]:
    """What an answer means; nothing where there is no answer, or nothing is judged."""
    if definition.aspect is None:
        return ()
    if is_blank(answer):
        return (unsure(definition.aspect, definition.target, BLANK),) if blank else ()
    if answer == CANNOT_TELL:
        return (unsure(definition.aspect, definition.target),)
    if definition.asked is not None:
        choices = answer if definition.question.kind in TICKED else [answer]
        holds = any(same(choice, value) for choice in choices for value in definition.asked)
        return (yes_no(definition.aspect, holds, definition.target),)
    if definition.aspect == "preference":
        return (ab.preference(item, str(answer)),)
    return (Judgement(definition.aspect, str(answer), _number(definition, answer), definition.target),)


def _number(definition: Ask, answer: Value) -> float | None:
    """A number as it is, a level by its rank from 1, yes and no as 1 and 0."""
    if isinstance(answer, int):
        return float(answer)
    if definition.question.kind == "likert":
        return float([option.value for option in definition.question.options].index(answer) + 1)
    return {YES: 1.0, NO: 0.0}.get(answer)


def _id(value: Mapping[str, Any], before: Sequence[Ask]) -> str:
    id_ = words(value, "id")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", id_):
        raise Mistake("'id' is made of small letters, digits and _, a letter first, at most 40")
    if id_.startswith("blank_image"):
        raise Mistake("'id' must not begin with blank_image: that is the form's own answer")
    # the questions about each image get the image's number
    ids = {definition.question.id for definition in before}
    stems = {id_, re.sub(r"_\d+$", "", id_)}
    if stems & ids or any(re.fullmatch(rf"{re.escape(id_)}_\d+", other) for other in ids):
        raise Mistake("'id' is another question's too (a number at its end does not make it another)")
    return id_


def _kind(value: Mapping[str, Any]) -> str:
    kind = words(value, "kind")
    if kind not in KINDS:
        raise Mistake(f"'kind' is {kind!r}; {did_you_mean(kind, KINDS)}")
    return kind


def _flag(value: Mapping[str, Any], key: str, usual: bool) -> bool:
    flag = value.get(key, usual)
    if not isinstance(flag, bool):
        raise Mistake(f"'{key}' is {flag!r}; true or false expected")
    return flag


def _conditions(value: Any, each: bool, before: Sequence[Ask]) -> tuple[Condition, ...]:
    if value is None:
        return ()
    if not isinstance(value, dict):
        raise Mistake("'shown_if' must be a map of earlier questions' ids, each with the answers that it needs")
    earlier = {definition.question.id: definition for definition in before}
    conditions = []
    for id_, values in value.items():
        if id_ not in earlier:
            raise Mistake(f"'shown_if' names {id_!r}, which is no earlier question's id")
        if earlier[id_].each_image and not each:
            raise Mistake(f"'shown_if' names {id_!r}, which is asked of each image and this one is not")
        conditions.append(Condition(id_, _values(earlier[id_].question, values)))
    return tuple(conditions)


def _values(question: Question, entries: Any) -> tuple[Value, ...] | None:
    known = [option.value for option in question.options] + ([CANNOT_TELL] if question.cannot_tell else [])
    if entries == ANSWERED and ANSWERED not in known:
        return None
    values = entries if isinstance(entries, list) else [entries]
    for entry in values:
        if question.kind == "text" or not any(same(entry, value) for value in known):
            raise Mistake(f"'shown_if': {entry!r} is no answer to {question.id!r}; write its answers, or {ANSWERED}")
    if not values:
        raise Mistake(f"'shown_if': no answer to {question.id!r} is named")
    return tuple(values)


def _read_yes_answers(value: Mapping[str, Any], question: Question) -> tuple[Value, ...] | None:
    entries = value.get("asked")
    if entries is None:
        return None
    values = entries if isinstance(entries, list) else [entries]
    for entry in values:
        if not any(same(entry, option.value) for option in question.options):
            raise Mistake(f"'asked': {entry!r} is not among its answers")
    if not values:
        raise Mistake("'asked' is empty; name the answers that mean yes")
    return tuple(values)


def _scale(aspect: str, question: Question, yes_answers: tuple[Value, ...] | None) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", aspect):
        raise Mistake(f"'aspect' is {aspect!r}; small letters, digits and _ expected, a letter first, at most 40")
    scale = _own_scale(question, yes_answers)
    if SCALES.get(aspect, scale) != scale:
        raise Mistake(f"aspect '{aspect}' has the scale {SCALES[aspect]}, these answers {scale}; give the aspect another name")
    is_yes_no = yes_answers is not None or {option.value for option in question.options} == {YES, NO}
    if aspect in YES_NO_ASPECTS and not is_yes_no:
        raise Mistake(f"aspect '{aspect}' is yes or no; offer yes and no, or list in 'asked' which answers mean yes")
    return scale


def _own_scale(question: Question, yes_answers: tuple[Value, ...] | None) -> str:
    if question.kind == "text":
        raise Mistake("free text is stored but not judged; leave 'aspect' out")
    if yes_answers is not None or question.kind == "choice":
        return "nominal"
    if question.kind in TICKED:
        raise Mistake("several may be ticked: list in 'asked' which of them mean yes, or leave 'aspect' out")
    if question.kind == "count":
        return SCALES["count"]
    values = [option.value for option in question.options]
    if isinstance(values[0], int):
        return f"ordinal:{values[0]}-{values[-1]}"
    return "ordinal:" + "<".join(str(value) for value in values)


def _if_blank(value: Mapping[str, Any], question: Question) -> Any:
    answer = value.get("if_blank")
    if answer is not None and (wrong := problem(question, answer)) is not None:
        raise Mistake(f"'if_blank' is {answer!r}, which is no answer to it ({wrong})")
    return answer
