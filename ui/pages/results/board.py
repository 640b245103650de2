"""The leaderboard: a row for each generator, in groups of equal rank, with every rater's mean and people's mean by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

import htpy
import numpy as np
from htpy import Element, Node

from agreement.estimate import Estimate
from agreement.meta.estimates import EstimateFinding
from concord.common import reason_sentences, wording
from concord.comparison.leaderboard import ALL, BY_TASK, SCORE, BoardRater, Leaderboard
from concord.comparison.sharpened import SharpenedMeans
from concord.headlines import is_muted
from concord.suite_metrics.board_metrics import BoardMetrics
from data.aspects import YES_NO_ASPECTS
from data.selection import SIMULATED, Selection
from ui.components.addresses import browse_address
from ui.components.dots import Axis, axis_of, axis_scale, dot, interval_text, number_title
from ui.pages.results.metric_cells import chosen_metrics, metric_cells, metric_group, metric_heads, metrics_switch
from ui.pages.results.sharpening import finding_title, sharpening_notice, sharpening_switch
from ui.pages.results.view import MOST_COLUMNS, CompareView, ResultsView

_MOST_TASKS: Final = 6
_FOLDED_TASKS: Final = 5
_MOST_ROWS: Final = 12


def visible_raters(board: Leaderboard, view: ResultsView) -> list[BoardRater]:
    """Return the raters that have a column: the chosen ones, or people and the three scorers that agree best with them."""
    by_name = {each.name: each for each in board.raters}
    chosen = [by_name[name] for name in view.column if name in by_name]
    if chosen:
        first = board.raters[:1]
        return [*first, *(each for each in chosen if each not in first)][:MOST_COLUMNS]
    real = board.people == "real"
    fit = [each for each in board.raters if not (real and each.kind == "simulated")]
    seen, rest = fit[:MOST_COLUMNS], fit[MOST_COLUMNS:]
    # people who order nothing, as they have judged one generator alone, still have a column
    answering = [each for each in rest if each.kind != "scorer"][:1]
    return [*seen[: MOST_COLUMNS - len(answering)], *answering]


def board_section(
    board: Leaderboard,
    view: ResultsView,
    scorers: Sequence[str] = (),
    means: SharpenedMeans | None = None,
    metrics: Sequence[BoardMetrics] = (),
) -> Node:
    """Return the leaderboard with its heading, its tools and its key."""
    chosen = chosen_metrics(metrics, view)
    raters, tasks = visible_raters(board, view), () if chosen else visible_tasks(board, view)
    whose = next((each for each in raters if each.name == view.by), raters[0]) if raters else None
    rest = [each for each in board.raters if each not in raters]
    groups = _groups(board)
    folded = _folded(groups, view)
    hidden = sum(len(names) for _, names in groups) - sum(len(names) for _, names in folded)
    sharpened = _sharpened(board, view, means)
    axes = {each.name: _axis(board, each, sharpened, wide=each is raters[0]) for each in raters}
    body = [
        _row(board, view, raters, tasks, whose, axes, sharpened, chosen, generator, place, rank, names)
        for rank, names in folded
        for place, generator in enumerate(names)
    ]
    several = len(board.generators) > 1
    tools = htpy.div(class_="cc-part-tools")[
        several and htpy.span(class_="cc-part-hint")[board.unranked or "Tick two generators to compare them"],
        several
        and htpy.button(type="button", class_="cc-button cc-button--primary", hidden=True, data_compare=_compare(board, view))[
            "Compare"
        ],
        sharpening_switch(board, view, means, scorers),
        metrics_switch(metrics, view),
        _more_raters(board, view, raters) if rest else "",
    ]
    head = htpy.div(class_="cc-part-head")[htpy.h2["Leaderboard"], tools]
    table = htpy.table(
        class_=["cc-leaderboard", several and "is-ranked", len(board.generators) > _MOST_ROWS + 2 and "is-many"]
    )[
        htpy.caption(class_="cc-unseen")[f"Leaderboard of {board.suite}, the best first"],
        _head(board, view, raters, tasks, whose, axes, chosen, several),
        htpy.tbody[body],
    ]
    more = hidden > 0 and htpy.a(class_="cc-more", href=view.address(every=True), data_scope="")[f"{hidden} more generators"]
    return [
        head,
        htpy.div(class_="cc-panel")[
            sharpening_notice(view, means),
            htpy.div(class_="cc-scroll")[table],
            more,
            htpy.div(class_="cc-panel-foot")[
                _key(raters, tasks, sharpened), htpy.a(href=view.address(numbers=True), data_scope="")["All numbers"]
            ],
        ],
    ]


def _compare(board: Leaderboard, view: ResultsView) -> str:
    """Return the address of Compare, by the rater that orders the rows; the two generators are to be added."""
    by = board.order[0] if board.raters and board.order[0] != board.raters[0].name else ""
    return CompareView(replace(view.scope, generator=(), statistic=""), by=by).address()


def visible_tasks(board: Leaderboard, view: ResultsView) -> tuple[str, ...]:
    """Return the tasks that have a column: all, or of more than six those on which generators differ most."""
    if len(board.tasks) <= _MOST_TASKS or view.every or not board.raters:
        return board.tasks
    first = board.raters[0].name

    def apart(task: str) -> float:
        rows = [board.cells.get((name, first, task)) for name in board.generators]
        values = [row.value for row in rows if row is not None and row.value is not None and not is_muted(row.n_prompts)]
        return float(np.std(values)) if len(values) > 1 else -1.0

    most = sorted(board.tasks, key=lambda task: -apart(task))[:_FOLDED_TASKS]
    return tuple(task for task in board.tasks if task in most)


Sharpened = Mapping[str, EstimateFinding]
"""By generator people's mean as it is sharpened; empty where it is not."""


def _sharpened(board: Leaderboard, view: ResultsView, means: SharpenedMeans | None) -> Sharpened:
    if means is None or means.state != "sharpened" or view.sharpen.scorer != means.scorer:
        return {}
    rows = {name: means.rows.get((name, board.task)) for name in board.generators}
    return {name: row for name, row in rows.items() if row is not None and row.value is not None}


Groups = Sequence[tuple[int, Sequence[str]]]


def _groups(board: Leaderboard) -> list[tuple[int, list[str]]]:
    """Return the generators by rank, the best first; of rank 0 where there are no ranks."""
    ranks = {name: board.ranks[name].best if name in board.ranks else 0 for name in board.generators}
    if not board.ranks:
        return [(0, list(board.generators))]
    return [(rank, list(names)) for rank, names in groupby(board.generators, key=lambda name: ranks[name])]


def _folded(groups: Groups, view: ResultsView) -> Groups:
    """Return the first rows, and of every later group its first one."""
    every = sum(len(names) for _, names in groups)
    if every <= _MOST_ROWS + 2 or view.every:
        return groups
    shown: list[tuple[int, Sequence[str]]] = []
    left = _MOST_ROWS
    for rank, names in groups:
        kept = names[: max(left, 1)]
        left -= len(kept)
        shown.append((rank, kept))
    return shown


def _head(
    board: Leaderboard,
    view: ResultsView,
    raters: Sequence[BoardRater],
    tasks: Sequence[str],
    whose: BoardRater | None,
    axes: Mapping[str, Axis],
    metrics: BoardMetrics | None,
    several: bool,
) -> Element:
    heads = [_rater_head(board, view, each, axes[each.name], wide=n == 0) for n, each in enumerate(raters)]
    right_heads = metric_heads(metrics, view, board.order[1]) if metrics else [_task_head(board, view, task) for task in tasks]
    left = len(board.tasks) - len(tasks)
    group: Node = ""
    left_of_group = htpy.td(colspan=str(len(raters) + 1 + 2 * several))
    if metrics:
        group = htpy.tr(class_="cc-leaderboard-groups")[left_of_group, metric_group(metrics, view)]
    elif tasks and whose is not None:
        others = [each for each in raters if each.kind != whose.kind]
        switch = [
            htpy.a(href=view.address(by=each.name), title=f"by task: {each.name}", data_scope="")[_point(each)]
            for each in others[:1]
        ]
        all_tasks = left > 0 and htpy.a(href=view.address(every=True), data_scope="")[f"+{left}"]
        group = htpy.tr(class_="cc-leaderboard-groups")[
            left_of_group,
            htpy.th(colspan=str(len(tasks)), scope="colgroup")[_point(whose), f" {whose.name}, by task ", switch, all_tasks],
        ]
    picks = several and [htpy.td(class_="cc-pick"), htpy.th(scope="col", class_="cc-rank")["rank"]]
    return htpy.thead[group, htpy.tr[picks, htpy.th(scope="col", class_="cc-name")["generator"], heads, right_heads]]


def _point(rater: BoardRater) -> Element:
    return htpy.i(class_=["cc-point", f"cc-point--{_colour(rater)}"], aria_hidden="true")


def _colour(rater: BoardRater) -> str:
    return rater.kind


def _rater_head(board: Leaderboard, view: ResultsView, rater: BoardRater, axis: Axis, *, wide: bool) -> Element:
    agreement: Node = ""
    title = rater.name
    row = rater.agreement
    if row is not None and row.value is not None:
        agreement = htpy.small[f"{wording.symbol(rater.statistic)} {wording.two(row.value)}"]
        whose = "people" if board.people == "real" else SIMULATED
        known = f"{wording.two(row.value)} {interval_text(row)}".strip()
        title = f"{rater.name}: {wording.title(rater.statistic)} with {whose} {known}, n = {row.n_items:,} images"
    elif rater.kind != "scorer":
        count = wording.count(board.persons, "person" if rater.kind == "people" else "simulated person")
        agreement = wide and htpy.small[count]
    sorted_by = board.order[0] == rater.name and board.order[1] == board.task
    name = htpy.a(href=view.address(sort="" if rater is board.raters[0] else rater.name), data_scope="")[
        _point(rater), htpy.span[rater.name]
    ]
    arrow = sorted_by and htpy.span(class_="cc-sorted", aria_hidden="true")["↓"]
    return htpy.th(
        scope="col",
        class_=["cc-dots", wide and "is-wide", f"is-{_colour(rater)}"],
        title=title,
        aria_sort="descending" if sorted_by else None,
    )[
        htpy.span(class_="cc-leaderboard-head")[name, agreement, arrow],
        htpy.span(class_="cc-dots-cell")[axis_scale(axis, 1 if wide else 2), htpy.u[_value_text(None, rater, axis, wide)]],
    ]


def _task_head(board: Leaderboard, view: ResultsView, task: str) -> Element:
    sorted_by = board.order[1] == task
    href = view.address(sort="" if sorted_by else BY_TASK + task)
    return htpy.th(scope="col", class_="cc-heat", aria_sort="descending" if sorted_by else None)[
        htpy.a(href=href, data_scope="")[wording.task(task)]
    ]


def _axis(board: Leaderboard, rater: BoardRater, sharpened: Sharpened, *, wide: bool) -> Axis:
    rows: list[Estimate] = [row for name in board.generators if (row := board.cells.get((name, rater.name, board.task)))]
    if rater.kind != "scorer":
        rows += sharpened.values()
    ends = [end for row in rows for end in (row.value, row.low, row.high) if end is not None]
    return axis_of(ends, 6 if wide else 4, zero=rater.aspect in YES_NO_ASPECTS)


def _row(
    board: Leaderboard,
    view: ResultsView,
    raters: Sequence[BoardRater],
    tasks: Sequence[str],
    whose: BoardRater | None,
    axes: Mapping[str, Axis],
    sharpened: Sharpened,
    metrics: BoardMetrics | None,
    generator: str,
    place: int,
    rank: int,
    names: Sequence[str],
) -> Element:
    several = len(board.generators) > 1
    picks: Node = ""
    if several:
        box = htpy.input(type="checkbox", class_="cc-tick", name="pick", value=generator, aria_label=f"Compare {generator}")
        picks = [htpy.td(class_="cc-pick")[box], htpy.td(class_="cc-rank")[_rank(board, generator, place, len(names))]]
    where = Selection(suite=(board.suite,), generator=(generator,))
    name = htpy.a(href=browse_address(where), title=_best_and_worst(board, generator))[generator]
    cells = [_dot_cell(board, generator, each, axes[each.name], sharpened, wide=n == 0) for n, each in enumerate(raters)]
    heats = [_heat(board, generator, whose, task) for task in tasks] if whose is not None else []
    heats = metric_cells(metrics, board, view, generator) if metrics else heats
    return htpy.tr(class_=place == 0 and rank > 0 and "is-first", data_generator=generator)[
        picks, htpy.th(scope="row", class_="cc-name")[name], cells, heats
    ]


def _rank(board: Leaderboard, generator: str, place: int, size: int) -> Node:
    """Return the ranks that a generator may have; a bracket joins those whose best one is the same."""
    ranks = board.ranks.get(generator)
    if ranks is None:
        return ""
    end = "is-only" if size == 1 else "is-top" if place == 0 else "is-end" if place == size - 1 else "is-middle"
    span = f"{ranks.best}" if ranks.best == ranks.worst else f"{ranks.best}–{ranks.worst}"
    bracket = htpy.span(class_=["cc-bracket", end], aria_hidden="true")
    whole = (
        f"rank {span.replace('–', ' to ')} of {len(board.ranks)}: within chance, by paired differences over prompts (Holm, 5 %)"
    )
    return [bracket, htpy.b(title=whole)[span]]


def _best_and_worst(board: Leaderboard, generator: str) -> str | None:
    """Return on which tasks a generator is best and worst, by the first rater, where enough prompts say so."""
    if not board.raters or not board.tasks:
        return None
    first = board.raters[0].name
    found = [(task, board.cells.get((generator, first, task))) for task in board.tasks]
    values = [(row.value, task) for task, row in found if row and row.value is not None and not is_muted(row.n_prompts)]
    if len(values) < 2:
        return None
    (worst, bad), (best, good) = min(values), max(values)
    return f"best on {wording.task(good)} ({wording.two(best)}), worst on {wording.task(bad)} ({wording.two(worst)})"


def _dot_cell(
    board: Leaderboard, generator: str, rater: BoardRater, axis: Axis, sharpened: Sharpened, *, wide: bool
) -> Element:
    row = board.cells.get((generator, rater.name, board.task))
    classes = ["cc-dots", wide and "is-wide", f"is-{_colour(rater)}"]
    if row is None or row.value is None:
        reason = reason_sentences.text_or_none(row.reason) if row else "not judged"
        return htpy.td(class_=[*classes, "cc-muted"], title=reason)["–"]
    where = Selection(suite=(board.suite,), generator=(generator,), task=() if board.task == ALL else (board.task,))
    href = browse_address(where, rater=rater.name, by=rater.aspect, order="lowest")
    finding = sharpened.get(generator) if rater.kind != "scorer" else None
    title, alone = number_title(row), None
    if finding is not None:
        title, alone, row = finding_title(finding), finding.labels_mean, finding
    point = dot(row, axis, _colour(rater), every=1 if wide else 2, beside=alone)
    return htpy.td(class_=classes, title=title)[
        htpy.span(class_="cc-dots-cell")[point, htpy.a(href=href)[_value_text(row, rater, axis, wide)]]
    ]


def _value_text(row: Estimate | None, rater: BoardRater, axis: Axis, wide: bool) -> Node:
    """Return a number, in the first column with its interval; without a row, what takes as much space."""
    digits = 2 if rater.aspect != SCORE else max(axis.digits + 1, 2)
    if row is None:
        return [f"{axis.high:z.{digits}f}", wide and htpy.small["[0.00, 0.00]"]]
    assert row.value is not None
    return [f"{row.value:z.{digits}f}", wide and htpy.small[interval_text(row) or wording.count(row.n_prompts, "prompt")]]


def _heat(board: Leaderboard, generator: str, rater: BoardRater, task: str) -> Element:
    row = board.cells.get((generator, rater.name, task))
    if row is None or row.value is None:
        return htpy.td(class_="cc-heat is-few", title="not judged")["–"]
    few = is_muted(row.n_prompts)
    rows = [each for name in board.generators for other in board.tasks if (each := board.cells.get((name, rater.name, other)))]
    numbers = [each.value for each in rows if each.value is not None]
    binary = rater.aspect in YES_NO_ASPECTS
    low, high = (0.0, 1.0) if binary else (min(numbers), max(numbers))
    ends = numbers if binary else [end for each in rows for end in (each.low, each.high) if end is not None] or numbers
    axis = Axis(0.0, 1.0, (), 1) if binary else Axis(min(ends), max(ends), (), 1)
    shade = (row.value - low) / (high - low) if high > low else 0.0
    where = Selection(suite=(board.suite,), generator=(generator,), task=(task,))
    href = browse_address(where, rater=rater.name, by=rater.aspect, order="lowest")
    return htpy.td(
        class_=["cc-heat", f"is-{_colour(rater)}", few and "is-few"],
        style=None if few else f"--shade:{min(max(shade, 0.0), 1.0):z.3f}",
        title=f"{rater.name}, {wording.task(task)}: {number_title(row)}",
    )[
        htpy.a(href=href)[wording.two(row.value), htpy.small[f"{row.n_prompts:,}"]],
        not few and _heat_interval(row, axis),
    ]


def _heat_interval(row: Estimate, axis: Axis) -> Node:
    """Return a cell's interval as a bar below its number, on one axis for all cells; nothing without one."""
    if row.low is None or row.high is None or axis.high <= axis.low:
        return ""
    start, end = axis.percent(row.low), axis.percent(row.high)
    return htpy.span(class_="cc-heat-interval", aria_hidden="true")[
        htpy.i(style=f"left:{start}%;width:{max(round(end - start, 2), 2.0)}%")
    ]


def _more_raters(board: Leaderboard, view: ResultsView, raters: Sequence[BoardRater]) -> Element:
    """Return the menu of raters that have no column, with boxes."""
    here = view.address(column=())
    boxes = [
        htpy.label(data_item="")[
            htpy.input(type="checkbox", name="column", value=each.name, checked=each in raters),
            htpy.span[_point(each), each.name],
            each.agreement is not None
            and each.agreement.value is not None
            and htpy.small[f"{wording.symbol(each.statistic)} {wording.two(each.agreement.value)}"],
        ]
        for each in board.raters[1:]
    ]
    rest = len(board.raters) - len(raters)
    return htpy.span(class_="cc-chip-place")[
        htpy.button(type="button", class_="cc-button cc-button--quiet", popovertarget="more-raters")[
            f"+{wording.count(rest, 'rater')}"
        ],
        htpy.div(id="more-raters", class_="cc-popup cc-scope-popup", popover="auto")[
            htpy.form(data_scope_form="", action=here, data_most=str(MOST_COLUMNS - 1))[
                htpy.p(class_="cc-popup-head")[f"At most {MOST_COLUMNS - 1} beside {board.raters[0].name}"],
                htpy.div(class_="cc-popup-boxes")[boxes],
                htpy.div(class_="cc-popup-end")[htpy.button(type="submit", class_="cc-popup-apply")["Show these"]],
            ]
        ],
    ]


def _key(raters: Sequence[BoardRater], tasks: Sequence[str], sharpened: Sharpened) -> Element:
    kinds = {each.kind: each for each in raters}
    words = {"people": "people", "scorer": "scorer", "simulated": "simulated people"}
    return htpy.div(class_="cc-legend")[
        [htpy.span[_point(each), words[kind]] for kind, each in kinds.items()],
        htpy.span["bar: 95 % interval over prompts"],
        htpy.span["hollow tick: people only"] if sharpened else "",
        [
            htpy.span["small number: prompts; line below: 95 % interval"],
            htpy.span[htpy.i(class_="cc-few"), "fewer than 5 prompts"],
        ]
        if tasks
        else "",
    ]
