"""Below the table: any two raters as a heat table, and the places that each rater allows each generator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import reason_sentences, wording
from concord.comparison.leaderboard import SCORE
from concord.comparison.places import GeneratorPlace
from concord.comparison.rater_pairs import CONSENSUS, GROUPS, MOST_PERSONS, RaterMatrix
from concord.comparison.trust import Trust
from concord.comparison.trust_cells import TrustRater, title_of
from concord.headlines import is_muted
from ui.components.addresses import page_address
from ui.components.dots import Axis, dot
from ui.pages.trust.view import TrustView

_RATERS: Final = 6
_GENERATORS: Final = 12
_ALONE: Final = (
    "This needs two raters who have judged the same ten images: a scorer, or people with names. People of a published study"
    " without names stand together as “people”."
)


def any_two_raters(matrix: RaterMatrix, made: Trust, view: TrustView, chosen: tuple[str, str]) -> Element:
    """Return the heat table of any two raters; a click opens both in the panel."""
    title = htpy.h2["Any two raters ", htpy.small[title_of(matrix.statistic), ", click one"]]
    if len(matrix.raters) < 2:
        return htpy.section[htpy.div(class_="cc-part-head")[title], htpy.p(class_="cc-note")[_ALONE]]
    scorers = {each.name for each in made.scorers}
    heads = [htpy.th(scope="col")[htpy.span(title=name)[name]] for name in matrix.raters]
    rows = [
        htpy.tr[
            htpy.th(scope="row", title=row)[row],
            [_pair(matrix, view, row, column, scorers, chosen) for column in matrix.raters],
        ]
        for row in matrix.raters
    ]
    caption = htpy.caption(class_="cc-unseen")[f"{title_of(matrix.statistic)} of any two raters"]
    table = htpy.table(class_="cc-trust-matrix")[caption, htpy.thead[htpy.tr[htpy.td, heads]], htpy.tbody[rows]]
    left = matrix.persons - MOST_PERSONS
    note = (
        left > 0
        and htpy.p(class_="cc-trust-said")[f"Of {matrix.persons:,} persons the {MOST_PERSONS} with most answers stand here."]
    )
    return htpy.section[
        htpy.div(class_="cc-part-head")[title],
        htpy.div(class_="cc-panel cc-trust-pad")[
            htpy.div(class_="cc-scroll", tabindex="0", role="group", aria_label="Any two raters")[table], note, _key(matrix)
        ],
    ]


def _key(matrix: RaterMatrix) -> Node:
    """Return what the marks in place of numbers mean, of those that are there."""
    pairs = [(a, b) for a in matrix.raters for b in matrix.raters]
    without = [pair for pair in pairs if pair in matrix.cells and ((row := matrix.cells[pair]) is None or row.value is None)]
    marks = {
        "◦": any(a != b for a, b in without) and "click to compare the two",
        "–": any(a == b for a, b in without) and "cannot be computed; the reason is shown when you point at it",
        "·": any(pair not in matrix.cells for pair in pairs) and "not judged together",
    }
    words = [f"{mark} {meaning}" for mark, meaning in marks.items() if meaning]
    return words and htpy.p(class_="cc-trust-said")[f"{'; '.join(words)}."]


def _pair(matrix: RaterMatrix, view: TrustView, a: str, b: str, scorers: set[str], chosen: tuple[str, str]) -> Element:
    if (a, b) not in matrix.cells:
        return htpy.td(class_="is-none")["·"]
    row = matrix.cells[a, b]
    who = f"{a} among themselves" if a == b else f"{a} and {b}"
    classes = ["is-people" if not {a, b} & scorers else "is-scorer"]
    if {a, b} == {*chosen}:
        classes.append("is-chosen")
    opened = "" if a == b or a.startswith(CONSENSUS) or b.startswith(CONSENSUS) else _address(view, a, b)
    if row is None or row.value is None:
        reason = reason_sentences.text_or_none(row.reason) if row is not None else f"{who}: open to compare"
        text: Node = htpy.a(href=opened, data_scope="", aria_label=f"{who}: compare")["◦"] if opened else "–"
        return htpy.td(class_=classes, title=reason)[text]
    if is_muted(row.n_items):
        classes.append("is-few")
    shade = min(abs(row.value), 1.0)
    number = wording.two(row.value)
    bounds = f", 95% interval {row.low:z.2f} to {row.high:z.2f}" if row.has_interval else ""
    label = f"{who}: {title_of(row.statistic)} {number}{bounds}; n = {row.n_items:,} images"
    content = htpy.a(href=opened, data_scope="", aria_label=label)[number] if opened else number
    return htpy.td(class_=classes, style=f"--shade: {shade:z.2f}", title=f"{label}; {reason_sentences.text(row.method)}")[
        content
    ]


def _address(view: TrustView, a: str, b: str) -> str:
    """Return the address of a pair; people stand beside, a rater comes first."""
    first, second = (b, a) if a in GROUPS.values() else (a, b)
    return view.address(rater=first, beside=second)


@dataclass(frozen=True, slots=True)
class _Places:
    """A place with the first and the last one that a generator may have."""

    value: float
    low: float
    high: float


def places_allowed(made: Trust, view: TrustView) -> Node:
    """Return by generator and rater the place by the mean and those that are within chance; nothing of a single generator."""
    raters = [each for each in made.raters if each.places]
    if len(made.generators) < 2 or not raters:
        return ""
    raters = raters if view.every else raters[:_RATERS]
    shown = made.generators if view.every else made.generators[:_GENERATORS]
    last = len(made.generators)
    middle = (last + 1) // 2
    axis = Axis(0.5, last + 0.5, tuple(float(n) for n in dict.fromkeys((1, middle, last))), 0)
    heads = [
        htpy.th(scope="col", class_=f"is-{each.kind}")[
            htpy.b(title=each.name)[each.name],
            htpy.span(class_="cc-axis", aria_hidden="true")[
                [htpy.i(style=f"left:{axis.percent(tick)}%")[f"{tick:z.0f}"] for tick in axis.ticks]
            ],
        ]
        for each in raters
    ]
    rows = [
        htpy.tr[htpy.th(scope="row", title=name)[name], [_place(made, each, name, axis) for each in raters]] for name in shown
    ]
    caption = htpy.caption(class_="cc-unseen")["Places that each rater allows each generator, 1 is best"]
    table = htpy.table(class_="cc-trust-places")[caption, htpy.thead[htpy.tr[htpy.td, heads]], htpy.tbody[rows]]
    left = [
        wording.count(n, noun)
        for n, noun in (
            (last - len(shown), "more generator"),
            (sum(bool(each.places) for each in made.raters) - len(raters), "more rater"),
        )
        if n
    ]
    return htpy.section[
        htpy.div(class_="cc-part-head")[
            htpy.h2(
                title="From 1 + how many are clearly better to all less how many are worse (paired over prompts, Holm, 5 %)"
            )["Places each rater allows ", htpy.small["bar: within chance"]]
        ],
        htpy.div(class_="cc-panel cc-trust-pad")[
            htpy.div(class_="cc-scroll", tabindex="0", role="group", aria_label="Places each rater allows")[table],
            left and htpy.a(class_="cc-more", href=view.address(every=True), data_scope="")[", ".join(left)],
        ],
    ]


def _place(made: Trust, rater: TrustRater, generator: str, axis: Axis) -> Element:
    row = rater.places.get(generator)
    if row is None:
        return htpy.td["–"]
    own = "" if rater.aspect == SCORE else made.aspect
    href = page_address("results/compare", suite=made.selection.suite[0], aspect=own, by=rater.name)
    spread = _Places(row.place, row.best, row.worst)
    prompts = wording.count(row.prompts, "prompt")
    label = f"{generator} by {rater.name}: place {row.place} by the mean, {place_range(row)} within chance; {prompts}"
    return htpy.td(title=label)[htpy.a(href=href, aria_label=label)[dot(spread, axis, rater.kind)]]


def place_range(row: GeneratorPlace) -> str:
    """Return the places that a generator may have, such as ``2`` or ``2 to 4``."""
    return f"{row.best}" if row.best == row.worst else f"{row.best} to {row.worst}"
