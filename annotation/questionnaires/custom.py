"""Custom questionnaires: a user's own, from a small YAML file (``docs/questionnaires.md`` says how it is written).

The YAML is that of people who write it by hand, and of strangers: plain values only, nothing repeated, nothing that grows
when it is read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, get_args

import yaml

from annotation.questionnaires import ab
from annotation.questionnaires.base import Blank, Condition, InstructionSection, Question, Questionnaire, says_blank, visible
from annotation.questionnaires.custom_question import Ask, Mistake, ask, judgement, known_keys, words
from annotation.questionnaires.form import Form, FormItem, ItemKind, Meaning
from data.files import InputError, quoted
from data.records import Judgement
from data.validation import did_you_mean

LARGEST: Final = 200_000
"""Characters of a file: far more than a questionnaire needs."""


class YamlError(ValueError):
    """The text cannot be read; the message is one line that says where and why."""


class _Loader(yaml.SafeLoader):
    """``SafeLoader`` without its surprises: "no" and "on" stay words, 12:30 and dates too; aliases and tags are refused."""

    yaml_implicit_resolvers = {}  # noqa: RUF012 - as PyYAML declares it

    def compose_node(self, parent: Any, index: Any) -> Any:
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        where: Any = event.start_mark
        if isinstance(event, yaml.AliasEvent):
            raise yaml.constructor.ConstructorError(None, None, "aliases (*name) are not read", where)
        # they would make sets, dates, bytes, or numbers of what is none
        if event.tag is not None:
            raise yaml.constructor.ConstructorError(None, None, "tags (!name) are not read", where)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            is_word = isinstance(key, yaml.ScalarNode)
            if not is_word or key.value in seen:
                problem = f"the key {quoted(key.value)} stands twice" if is_word else "a key must be a word"
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep)
        return mapping


_Loader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(~|null|)$"), ["~", "n", ""])
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(true|false)$"), ["t", "f"])
_Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"^(-?[1-9][0-9]{0,8}|0)$"), list("-0123456789"))


def read_yaml(text: str) -> Any:
    """The one document of a text: maps, lists, strings, whole numbers, true and false, null.

    Raises:
        YamlError: it is not YAML, or more than that.
    """
    if len(text) > LARGEST:
        raise YamlError(f"the file has {len(text)} characters; at most {LARGEST} are read")
    try:
        # a safe loader: it makes nothing but the plain values above
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"line {mark.line + 1}: " if mark is not None else ""
        raise YamlError(f"{where}{' '.join(str(error.problem or error.context).split())}") from None
    except yaml.YAMLError as error:
        raise YamlError(" ".join(str(error).split())) from None
    except RecursionError:
        raise YamlError("it is nested too deeply") from None


MOST_QUESTIONS: Final = 60
BUILT_IN: Final = frozenset({"geneval", "geneval_authors", "tifa_likert", "tifa_vqa", "visor", "ab", "direct", "custom"})
"""Names that mean something already."""

RULES: Final = "custom-1"
"""Moves with every change of what such files mean; what a file says moves by itself."""

_KEYS: Final = ("name", "version", "summary", "item", "instructions", "questions", "translations")


def read(text: str, origin: str = "the questionnaire") -> Form:
    """The questionnaire that a YAML text defines; ``origin`` is the file's name, for messages.

    Raises:
        InputError: with every mistake, a line each, by the question's id.
    """
    try:
        value = read_yaml(text)
    except YamlError as error:
        raise InputError(f"{origin}: {error}") from None
    problems: list[str] = []
    if not isinstance(value, dict):
        raise InputError(f"{origin}: a map with 'name' and 'questions' expected")
    try:
        known_keys(value, _KEYS)
        name, version, item = _name(value), words(value, "version", "1"), _item(value)
        summary, instructions = words(value, "summary", f"The questionnaire {name}."), _instructions(value)
    except Mistake as mistake:
        raise InputError(f"{origin}: {mistake}") from None
    asks = _asks(value.get("questions"), item, problems)
    _check_meanings(asks, problems)
    translations = {} if problems else _translations(value.get("translations"), instructions, asks, problems)
    if problems:
        raise InputError(*(f"{origin}: {problem}" for problem in problems))
    build = partial(_build, name, version, item, instructions, tuple(asks), translations)
    return _form(name, version, item, summary, build, tuple(asks), text)


def _name(value: Mapping[str, Any]) -> str:
    name = words(value, "name")
    if not re.fullmatch(r"[a-z][a-z0-9_-]{0,39}", name):
        raise Mistake(f"'name' is {name!r}; small letters, digits, - and _ expected, a letter first, at most 40")
    if name in BUILT_IN:
        raise Mistake(f"'name' is {name!r}, which is another questionnaire's; choose another")
    return name


def _item(value: Mapping[str, Any]) -> ItemKind:
    item = value.get("item", "image")
    if item not in get_args(ItemKind):
        raise Mistake(f"'item' is {item!r}; {', '.join(get_args(ItemKind))} expected")
    kind: ItemKind = item
    return kind


def _instructions(value: Mapping[str, Any]) -> tuple[InstructionSection, ...]:
    by_heading = value.get("instructions") or {}
    if not isinstance(by_heading, dict):
        raise Mistake("'instructions' must be a map of headings, each with a list of lines")
    sections = []
    for title, lines in by_heading.items():
        if not isinstance(title, str) or not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise Mistake(f"'instructions': under {title!r} a list of lines expected")
        sections.append(InstructionSection(title, tuple(lines)))
    return tuple(sections)


Translations = Mapping[str, Mapping[str, str]]
"""By language, by text the text to show instead."""


def _translations(
    value: Any, instructions: tuple[InstructionSection, ...], asks: Sequence[Ask], problems: list[str]
) -> Translations:
    """What the file says in other languages; a language has every text that the file writes itself."""
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(texts, dict) for texts in value.values()):
        problems.append(
            "'translations' must be a map of languages, each a map from a text of the questionnaire to its translation"
        )
        return {}
    own = [text for section in instructions for text in (section.title, *section.lines)]
    offered: list[str] = []
    for question in (each.question for each in asks):
        own += [question.text, *([question.help] if question.help else [])]
        labels = [option.label for option in question.options if any(map(str.isalpha, option.label))]
        # counts, colors and relations are Concord's own words
        (offered if question.kind in ("count", "colors") or question.alone else own).extend(labels)
    known = {*own, *offered, Blank().label}
    translations: dict[str, dict[str, str]] = {}
    for language, texts in value.items():
        try:
            translations[language] = _translation(language, texts, known)
        except Mistake as mistake:
            problems.append(f"translations, {quoted(str(language))}: {mistake}")
            continue
        if missing := [text for text in dict.fromkeys(own) if text not in translations[language]]:
            problems.append(
                f"translations, {quoted(str(language))}: {len(missing)} texts are missing, such as {quoted(missing[0])}"
            )
    return translations


def _translation(language: str, texts: Mapping[Any, Any], known: Collection[str]) -> dict[str, str]:
    if not re.fullmatch(r"[a-z]{2,3}", str(language)):
        raise Mistake("a language is two or three small letters, such as de")
    for text in texts:
        if text not in known:
            raise Mistake(f"{quoted(text)} is no text of this questionnaire; {did_you_mean(str(text), sorted(known))}")
    return {text: words(texts, text) for text in texts}


def _asks(value: Any, item: ItemKind, problems: list[str]) -> list[Ask]:
    if not isinstance(value, list) or not value:
        problems.append("'questions' must be a list with a question at least")
        return []
    if len(value) > MOST_QUESTIONS:
        problems.append(f"{len(value)} questions; at most {MOST_QUESTIONS} are asked of one item")
        return []
    asks: list[Ask] = []
    for k, entry in enumerate(value, 1):
        name = entry.get("id") if isinstance(entry, dict) else None
        try:
            asks.append(ask(entry, item, asks))
        except Mistake as mistake:
            problems.append(f"question {quoted(name) if isinstance(name, str) else k}: {mistake}")
    return asks


def _check_meanings(asks: list[Ask], problems: list[str]) -> None:
    """One scale for each aspect, one question for each aspect and target: two would contradict each other."""
    scales: dict[str, tuple[str, str]] = {}
    meant: dict[tuple[str, str | None], str] = {}
    for definition in asks:
        if definition.aspect is None:
            continue
        id_ = definition.question.id
        scale, first = scales.setdefault(definition.aspect, (definition.scale, id_))
        if scale != definition.scale:
            problems.append(
                f"question {id_!r}: aspect '{definition.aspect}' has the scale {definition.scale} here and {scale} in {first!r}"
            )
        other = meant.setdefault((definition.aspect, definition.target), id_)
        if other != id_:
            about = f" of '{definition.target}'" if definition.target else ""
            problems.append(
                f"question {id_!r}: {other!r} judges '{definition.aspect}'{about} already; give them targets of their own"
            )


def _form(
    name: str,
    version: str,
    item: ItemKind,
    summary: str,
    build: Callable[[FormItem], Questionnaire],
    asks: tuple[Ask, ...],
    text: str,
) -> Form:
    n = 1 if item == "image" else 2
    prefers = any(definition.aspect == "preference" for definition in asks)
    return Form(
        name=name,
        version=version,
        item_kind=item,
        summary=summary,
        rule_version=f"{RULES}-{name}-{hashlib.sha256(text.encode()).hexdigest()[:12]}",
        build=build,
        derive=partial(_derive, name, version, item, asks),
        meanings=tuple(_meaning(definition) for definition in asks if definition.aspect is not None),
        example=FormItem("a red cup left of a dog", n_images=n, generators=("one", "other")[:n]),
        unfit=ab.unfit if prefers else lambda _: None,
    )


def _build(
    name: str,
    version: str,
    item: ItemKind,
    instructions: tuple[InstructionSection, ...],
    asks: tuple[Ask, ...],
    translations: Translations,
    form_item: FormItem,
) -> Questionnaire:
    each = {definition.question.id for definition in asks if definition.each_image}
    questions: list[Question] = [definition.question for definition in asks if not definition.each_image]
    for k in range(form_item.n_images):
        for question in (definition.question for definition in asks if definition.each_image):
            # with its conditions on others about the same image
            conditions = tuple(
                Condition(_at(shown.question, k) if shown.question in each else shown.question, shown.values)
                for shown in question.shown_if
            )
            text = f"Image {k + 1}: {question.text}"
            questions.append(replace(question, id=_at(question.id, k), text=text, shown_if=conditions, member=k))
    blanks = (
        (Blank(),)
        if item == "image"
        else tuple(Blank(f"blank_image_{k}", f"Image {k + 1} is blank", member=k) for k in range(form_item.n_images))
    )
    # a question about each image has the number before its text in every language
    repeated = [
        (k + 1, definition.question.text) for definition in asks if definition.each_image for k in range(form_item.n_images)
    ]
    shown = {
        language: {**texts, **{f"Image {number}: {text}": f"{number}: {texts[text]}" for number, text in repeated}}
        for language, texts in translations.items()
    }
    return Questionnaire(name, version, instructions, tuple(questions), blanks, translations=shown)


def _at(question: str, k: int) -> str:
    return f"{question}_{k}"


def _derive(
    name: str, version: str, item: ItemKind, asks: tuple[Ask, ...], form_item: FormItem, answers: Mapping[str, Any]
) -> list[Judgement]:
    questionnaire = _build(name, version, item, (), asks, {}, form_item)
    # by the place of an image whether it is blank; a question about all is void when all are
    void: dict[int | None, bool] = {blank.member: says_blank(answers, blank) for blank in questionnaire.blanks}
    void[None] = all(void.values())
    places = [(definition, k) for definition in asks for k in (range(form_item.n_images) if definition.each_image else (None,))]
    taken = {
        _id(definition, k): definition.if_blank if void[k] else answers.get(_id(definition, k)) for definition, k in places
    }
    shown = set(visible(questionnaire, taken))
    judgements: list[Judgement] = []
    for definition, k in places:
        if _id(definition, k) in shown:
            judged = judgement(definition, taken[_id(definition, k)], form_item, blank=void[k])
            judgements += [each if k is None else replace(each, item_id=form_item.image(k)) for each in judged]
    return judgements


def _id(definition: Ask, k: int | None) -> str:
    return definition.question.id if k is None else _at(definition.question.id, k)


def _meaning(definition: Ask) -> Meaning:
    target = definition.target or ""
    if definition.each_image:
        target = f"{target}, each image" if target else "each image"
    rule = "as answered"
    if definition.asked is not None:
        rule = f"yes iff the answer is{' one of' if len(definition.asked) > 1 else ''} {', '.join(map(str, definition.asked))}"
    blank = "nothing (reason blank_image)" if definition.if_blank is None else f"as {definition.if_blank} would"
    assert definition.aspect is not None
    return Meaning(definition.aspect, definition.scale, target, f"{rule} ({definition.question.id}); a blank image: {blank}")
