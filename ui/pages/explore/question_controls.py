"""The part Questions: what its controls offer, and numbers as cells and marks that lead to the answers behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from agreement.questions.people import APART, IMAGE_WRONG, VQA_WRONG
from concord import rejudging
from concord.common import wording
from concord.questions import scores
from concord.questions.scores import Row
from data.store.core.store import Store
from ui.components.linked_charts import Mark
from ui.components.tables import HtmlCell, note
from ui.pages.explore.view import ALL, ASKED, ExploreView

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


def question_choices(store: Store, suite: str, rater: str, view: ExploreView) -> dict[str, Mapping[str, str]]:
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


NO_VALUE: Final = "–"
_OWN_RULE: Final = "dsg"


def cell(row: Row | None, href: str = "", more: str = "") -> HtmlCell:
    """A number with interval and n; ``more``: a further line."""
    if row is None:
        return HtmlCell("")
    n = f"n = {row['n']:,}"
    if row["value"] is None:
        return HtmlCell(NO_VALUE, more, row["reason"] or "")
    lines = (interval(row), n, more)
    return HtmlCell(
        f"{row['value']:.3f}", "\n".join(filter(None, lines)), f"{row['method']}; n = {row['n']:,} {row['unit']}", href
    )


def interval(row: Row) -> str:
    """A number's interval in words, empty without one."""
    return "" if row["low"] is None else f"{row['low']:.2f} to {row['high']:.2f}"


def mark(row: Row | None, name: str, href: str = "") -> Mark:
    """A number in a figure; ``name``: what it is of."""
    if row is None or row["value"] is None:
        return Mark(None)
    span = interval(row)
    told = f"{name}: {row['value']:.3f}{f' ({span})' if span else ''}\nn = {row['n']:,} {row['unit']}"
    return Mark(row["value"], row["low"], row["high"], told, href)


def source_of(view: ExploreView) -> str:
    """The text source that is looked at; empty for all."""
    return "" if view.source == ALL else view.source


def reference_of(view: ExploreView) -> str:
    """The generator of real images; empty for none."""
    return "" if view.reference == ALL else view.reference


def of_source(view: ExploreView) -> str:
    """In words, where only one text source is looked at."""
    return f", texts of {view.source} alone" if source_of(view) else ""


def own_rule(store: Store, view: ExploreView) -> str:
    """What is to be said of a rater whose own score is another than these."""
    sources = rejudging.sources(store)
    scorer = next((one.scorer for one in sources if (one.suite, one.rater_id) == (view.suite, view.rater)), "")
    if scorer != _OWN_RULE:
        return ""
    told = "Its own score counts an answer only if those that it rests on are right; here all answers count (TIFA, formula 1)."
    return note(told)
