"""The table of Trust: a row for each rater, people first, and a column for each use, with people's band in every cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import reason_sentences, wording
from concord.comparison.leaderboard import SCORE
from concord.comparison.trust import Trust
from concord.comparison.trust_cells import USES, TrustCell, TrustRater, Use, title_of
from concord.headlines import is_muted
from ui.components.addresses import page_address
from ui.components.dots import Axis, axis_of, axis_scale, dot, interval_text, number_title
from ui.pages.trust.view import TrustView

_TITLES: Final[Mapping[Use, str]] = {
    "judge": "Judge one image", "better": "Better image of a prompt", "order": "Order generators",
}  # fmt: skip
_COLOURS: Final = {"equal": "is-good", "below": "is-bad", "chance": "is-bad", "undecided": "is-open", "few": "is-open"}
_MANY, _FOLDED, _COMPACT = 15, 8, 10
"""More scorers than `_MANY` are folded to the best `_FOLDED`; from `_COMPACT` on rows are low."""


def trust_table(made: Trust, view: TrustView, chosen: str) -> Element:
    """Return the table in its panel; `chosen` is the rater whose row is open."""
    axes = {use: _axis(made, use) for use in USES}
    scorers = made.scorers
    shown = scorers if view.every or len(scorers) <= _MANY else scorers[:_FOLDED]
    if chosen not in {each.name for each in shown}:
        shown = (*shown, *(each for each in scorers if each.name == chosen))
    people = [each for each in made.raters if each.kind != "scorer"]
    rows = [_row(made, view, each, axes, chosen) for each in (*people, *shown)]
    left = len(scorers) - len(shown)
    table = htpy.table(class_=["cc-trust-table", len(scorers) >= _COMPACT and "is-many"])[
        htpy.caption(class_="cc-unseen")[f"What each rater of {made.selection.suite[0]} may be used for"],
        htpy.thead[htpy.tr[htpy.th(scope="col")["rater"], [_head(made, use, axes[use]) for use in USES]]],
        htpy.tbody[rows],
    ]
    return htpy.div(class_="cc-panel")[
        htpy.div(class_="cc-scroll")[table],
        left > 0 and htpy.a(class_="cc-more", href=view.address(every=True), data_scope="")[f"{left} more scorers"],
        htpy.div(class_="cc-panel-foot")[_key(made), htpy.a(href=view.address(numbers="all"), data_scope="")["All numbers"]],
    ]


def _statistic(made: Trust, use: Use) -> str:
    """Return the statistic of a column."""
    if use == "judge":
        return made.statistic
    return next((each.cells[use].statistic for each in made.raters if use in each.cells), "")


def _ends(cell: TrustCell) -> list[float]:
    level = cell.level
    numbers = [cell.number.value, cell.number.low, cell.number.high, cell.in_place]
    numbers += [level.value, level.low, level.high] if level else []
    known = [each for each in numbers if each is not None]
    return [*known, cell.chance] if known and cell.chance is not None else known


def _axis(made: Trust, use: Use) -> Axis:
    """Return a column's axis around the numbers of its own statistic."""
    cells = [each.cells[use] for each in made.raters if use in each.cells]
    return axis_of([end for cell in cells if cell.statistic == _statistic(made, use) for end in _ends(cell)], 5)


def _head(made: Trust, use: Use, axis: Axis) -> Element:
    statistic = _statistic(made, use)
    return htpy.th(scope="col", title=wording.meaning(statistic) or None)[
        htpy.b[_TITLES[use]],
        htpy.span[[title_of(statistic), _generators(made, use)] if statistic else " "],
        any(each.cells[use].number.value is not None for each in made.raters if use in each.cells)
        and axis_scale(axis, 2 if len(axis.ticks) > 4 else 1),
    ]


def _generators(made: Trust, use: Use) -> str:
    """Return how many generators an order is of; an order of few says little."""
    return f", {wording.count(len(made.generators), 'generator')}" if use == "order" and made.generators else ""


def _row(made: Trust, view: TrustView, rater: TrustRater, axes: Mapping[Use, Axis], chosen: str) -> Element:
    is_chosen = rater.name == chosen
    point = htpy.i(class_=["cc-point", f"cc-point--{rater.kind}"], aria_hidden="true")
    name: Node = [point, htpy.span[rater.name]]
    if rater.kind == "scorer":
        name = htpy.a(
            href=view.address(rater=rater.name, beside=""), aria_current="true" if is_chosen else None, data_scope=""
        )[name]
    detail = rater.gives if rater.kind != "scorer" else f"{rater.gives}, {wording.count(rater.images, 'image')}"
    alone = rater.kind != "scorer" and made.persons == 1
    return htpy.tr(class_=["is-chosen" if is_chosen else "", f"is-{rater.kind}"], data_opens=rater.kind == "scorer")[
        htpy.th(scope="row")[htpy.span(class_="cc-trust-name")[name], htpy.small["one person" if alone else detail]],
        [_cell(made, view, rater, use, axes[use]) for use in USES],
    ]


def _cell(made: Trust, view: TrustView, rater: TrustRater, use: Use, axis: Axis) -> Element:
    cell = rater.cells.get(use)
    if cell is None or cell.number.value is None:
        reason = _why_none(made, rater, cell)
        # what is so of people is so of every scorer, and stands once
        said = (
            reason if rater.kind != "scorer" or reason != _why_none(made, made.raters[0], made.raters[0].cells.get(use)) else ""
        )
        return htpy.td(class_="is-none", data_use=_TITLES[use], title=reason)["–", htpy.small(class_="cc-detail")[said]]
    own: Node = ""
    if cell.statistic != _statistic(made, use):
        axis = axis_of(_ends(cell), 4)
        why = "gives no verdict" if rater.aspect == SCORE else f"has no {title_of(_statistic(made, use))}"
        href = view.address(scope=replace(view.scope, statistic=cell.statistic))
        line: list[Node] = [htpy.a(href=href, data_scope="")[title_of(cell.statistic)], f": {why}"]
        own = [htpy.span(class_="cc-trust-own")[line], axis_scale(axis, max(1, len(axis.ticks) - 1))]
    in_place: Node = ""
    if cell.in_place is not None:
        why = "in one person’s place, beside one other at a time, as people’s band is made"
        in_place = htpy.span(title=why)[htpy.i(class_="cc-trust-tick"), wording.two(cell.in_place)]
    few = is_muted(cell.number.n_prompts) or cell.standing == "few"
    return htpy.td(class_=few and "is-few", data_use=_TITLES[use], title=_title(cell))[
        own,
        dot(cell.number, axis, rater.kind, chance=cell.chance, beside=cell.in_place, level=cell.level),
        htpy.a(class_="cc-trust-number", href=_behind(made, rater, use))[wording.two(cell.number.value)],
        htpy.small(class_="cc-detail")[
            interval_text(cell.number),
            " ",
            in_place,
            " ",
            cell.words and htpy.span(class_=["cc-trust-words", _COLOURS.get(cell.standing, "")])[cell.words],
        ],
    ]


def _why_none(made: Trust, rater: TrustRater, cell: TrustCell | None) -> str:
    """Return why there is no number, or that it is being computed."""
    if rater.kind != "scorer" and made.persons == 1:
        return "known once a second person has answered"
    if cell is not None and cell.number.reason is not None:
        return reason_sentences.text(cell.number.reason)
    return "not judged" if made.intervals else "computing …"


def _title(cell: TrustCell) -> str:
    """Return all that is known of a number, for whoever points at it."""
    parts = [number_title(cell.number), reason_sentences.text(cell.number.method)]
    level = cell.level
    if level is not None and level.value is not None:
        parts.append(f"one person in its place {wording.two(level.value)} {interval_text(level)}".strip())
        if level.verdict.words is not None:
            parts.append(reason_sentences.text(level.verdict.words))
    elif level is not None and level.reason is not None:
        parts.append(f"no level of people: {reason_sentences.text(level.reason)}")
    return "; ".join(parts)


def _behind(made: Trust, rater: TrustRater, use: Use) -> str:
    """Return the address of what a number is made of."""
    suite, task = made.selection.suite[0], made.task
    if use == "order":
        aspect = made.aspect if rater.aspect != SCORE else ""
        return page_address("results/compare", suite=suite, aspect=aspect, by=rater.name)
    order = "differs" if rater.kind == "scorer" else "split"
    return page_address("images", suite=suite, task=task, rater=rater.name, by=rater.aspect, order=order)


def _key(made: Trust) -> Element:
    kinds: Sequence[str] = list(dict.fromkeys(each.kind for each in made.raters))
    words = {"people": "people, one by one", "scorer": "scorer", "simulated": "simulated people, one by one"}
    cells = [cell for each in made.raters for cell in each.cells.values()]
    return htpy.div(class_="cc-legend")[
        [htpy.span[htpy.i(class_=["cc-point", f"cc-point--{kind}"]), words[kind]] for kind in kinds],
        any(cell.level for cell in cells)
        and htpy.span[htpy.i(class_="cc-trust-swatch"), "one person in its place, 95 % interval"],
        any(cell.in_place is not None for cell in cells)
        and htpy.span[htpy.i(class_="cc-trust-tick"), "the scorer in that place"],
        any(cell.chance is not None for cell in cells) and htpy.span["dashed: chance"],
    ]
