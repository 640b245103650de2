"""What the controls of the part Questions offer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from agreement.questions.people import APART, IMAGE_WRONG, VQA_WRONG
from concord.common import wording
from concord.questions import scores
from data.store.core.store import Store
from ui.pages.explore.view import ALL, ASKED, View

TYPES, SOURCES, ENTITIES, MODELS, PEOPLE = "types", "sources", "entities", "models", "people"
SEEN: Final = {
    TYPES: "Element types",
    SOURCES: "Text sources",
    ENTITIES: "Number of entities",
    MODELS: "VQA models",
    PEOPLE: "People",
}
"""The pictures by their name in the address."""
BY: Final = {TYPES: "element_type", SOURCES: "source", ENTITIES: "entities", PEOPLE: "element_type"}
"""What groups the answers of each, as ``agreement.questions`` calls it."""

WRONG, RIGHT, DIFFERENT = "wrong", "right", "different"
_STATES: Final = {
    "undecided": "wrong, people are divided",
    "cannot_tell": "wrong, people cannot tell",
    "other_version": "wrong, people were asked in other words",
    "not_asked": "wrong, people were not asked",
}
ANSWERS: Final[dict[str, str]] = {
    WRONG: "wrong",
    RIGHT: "right",
    DIFFERENT: "other than people’s",
    IMAGE_WRONG: "wrong, and so is the image",
    VQA_WRONG: "wrong, though the image is right",
    **{name: _STATES[name] for name in APART},
}
"""Which answers can be listed; those after ``right`` only beside people."""


def suite_with_questions(store: Store) -> str:
    """The first suite about which somebody answered questions, empty without one."""
    return next(iter(scores.answering_raters(store)), "")


def offered(store: Store, suite: str, rater: str, view: View) -> dict[str, Mapping[str, str]]:
    """By the names of ``view.ASKED``."""
    names = scores.answering_raters(store).get(suite, [])
    if rater not in names:
        return {name: SEEN if name == "see" else {} for name in ASKED}
    see = view.see if view.see in SEEN else TYPES
    places = scores.answer_sources(store, suite, rater)
    source = view.source if view.source in places.sources else ""
    groups = {} if see == MODELS else {ALL: "all"} | _same(scores.answer_groups(store, suite, rater, source, BY[see]))
    beside = see == PEOPLE
    generators = _same(places.generators)
    return {
        "see": SEEN,
        "source": {ALL: "all"} | {name: wording.task(name) for name in places.sources} if len(places.sources) > 1 else {},
        "reference": {} if beside else {ALL: "none"} | generators,
        "against": _same(name for name in names if name != rater) if see == MODELS else {},
        "group": groups,
        "whose": {ALL: "all generators"} | generators if len(generators) > 1 else {},
        "answers": {} if see == MODELS else {name: text for name, text in ANSWERS.items() if beside or name in (WRONG, RIGHT)},
    }


def _same(names: Iterable[str]) -> dict[str, str]:
    return {name: name for name in names}
