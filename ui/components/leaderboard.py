"""The leaderboard as HTML: a headline that answers, four tiles, a row for each generator, and the most contested images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import htpy
from htpy import Element, Node

from agreement.estimate import Estimate
from concord.common import sentences, wording
from concord.common.base_path import at
from concord.comparison.leaderboard import ALL, SCORE, BoardRater, ContestedImage, Leaderboard
from concord.headlines import is_muted
from data.aspects import YES_NO_ASPECTS
from data.store.browse.contents import ItemPreview, Totals
from data.store.browse.filters import MISSED, PASSED
from data.store.core.selection import SIMULATED, Selection
from ui.components.addresses import browse_address, page_address
from ui.components.image_strip import image_link
from ui.components.tables import block_title, first_sentence, scrolled, with_rest

_SYMBOLS: Final = {"cohen_kappa": "κ", "spearman": "ρ"}
_MOST_RATERS: Final = 4
SKELETON: Final = htpy.div(class_="cc-skeleton", role="status", aria_label="Loading")[[htpy.span] * 7]
"""What stands there before the first numbers, about as high as they."""
_MOST_TASKS: Final = 6


def headline(board: Leaderboard) -> Node:
    """Return one sentence: which generator is best, by whom, how sure."""
    said = board.headline
    if said is None:
        return ""
    return first_sentence(with_rest(said.main, said.rest), _basis(board, board.raters[0]))


def _basis(board: Leaderboard, rater: BoardRater) -> str:
    """What the number is, and what it rests on."""
    known = {"correct": "Share of images that show what the prompt asks", SCORE: f"Mean score of {rater.name}"}
    basis = known.get(rater.aspect, f"Mean of {wording.aspect(rater.aspect)}")
    parts = [wording.count(board.images, "image"), wording.count(board.prompts, "prompt")]
    if rater.kind != "scorer" and board.persons:
        parts.append(wording.count(board.persons, "person" if rater.kind == "people" else "simulated person"))
    first = f"{basis}, suite {board.suite}: {', '.join(parts)}."
    if board.people != "real":
        first += " No person has judged these images yet."
    return first


def tiles(board: Leaderboard | None, totals: Totals) -> Element:
    """Return images, people's answers, the scorer closest to people, open disagreements: each leads to its page."""
    images = f"images{'' if totals.images else ' (their files are not here)'}, {wording.count(totals.prompts, 'prompt')}"
    made = [
        _tile(f"{totals.images or totals.places:,}", images, page_address("images")),
        _tile(f"{totals.annotations:,}", "answers by people", page_address("people"))
        if totals.annotations
        else _tile("0", "Be the first: label images", at("/annotate/"), "answers by people"),
    ]
    close = board.closest_scorer if board else None
    if board and close and close.agreement and close.agreement.value is not None:
        whose = "people" if board.people == "real" else "simulated people"
        href = page_address("agreement", suite=board.suite, aspect=board.aspect, statistic=close.statistic)
        if close.agrees or not board.intervals:
            level = close.level.text if close.level and close.level.value is not None else ""
            verdict = f": {close.standing}" if close.standing and board.people == "real" else ""
            number = f"{_SYMBOLS[close.statistic]} {wording.two(close.agreement.value)}"
            made.append(
                _tile(number, f"{close.name}, {'closest to' if close.agrees else 'beside'} {whose}{verdict}", href, level)
            )
        else:
            made.append(_tile("–", f"no scorer clearly agrees with {whose} yet", href))
    else:
        made.append(_tile("–", "no scorer beside people yet: score images", page_address("add/runs")))
    if board and board.contested_by and board.disagreements:
        text = f"open disagreements with {board.contested_by}"
        made.append(_tile(f"{board.disagreements:,}", text, _all_contested(board)))
    elif board and len(board.generators) > 1:
        href = page_address("results/compare", suite=board.suite)
        made.append(_tile(f"{len(board.generators):,}", "generators: compare two of them", href))
    else:
        made.append(_tile("0", "open disagreements", page_address("images")))
    return htpy.div(class_="cc-keyfacts")[made]


def _tile(number: str, text: str, href: str, beside: str = "") -> Element:
    strong = htpy.strong[number, beside and [" ", htpy.small[beside]]]
    return htpy.a(class_="cc-keyfact", href=href)[strong, htpy.span[text]]


def board_table(board: Leaderboard) -> Node:
    """Return a row for each generator: every rater's mean with its interval, and the first rater's by task."""
    raters = board.raters[:_MOST_RATERS]
    tasks = board.tasks[:_MOST_TASKS]
    whose = f"by {raters[0].name}" if raters else None
    head = [_rater_head(rater, board) for rater in raters]
    heats = [htpy.th(scope="col", class_="cc-heat", title=whose)[wording.task(name)] for name in tasks]
    scales = {rater.name: _scale(board, rater) for rater in raters}
    rows = [
        htpy.tr[
            htpy.th(scope="row")[generator],
            [_rater_cell(board, generator, rater, scales[rater.name]) for rater in raters],
            [_heat_cell(board, generator, name, scales[raters[0].name]) for name in tasks] if raters else "",
        ]
        for generator in board.generators
    ]
    caption = f"Leaderboard: {board.suite}"
    left = len(board.raters) - len(raters)
    table = htpy.table(class_="cc-board")[
        htpy.caption(class_="cc-unseen")[f"{caption}, the best first"],
        htpy.thead[htpy.tr[htpy.th(scope="col")["generator"], head, heats]],
        htpy.tbody[rows],
    ]
    more = htpy.p(class_="cc-subline")[f"{wording.count(left, 'more rater')} in all numbers below."]
    return htpy.fragment[block_title(caption), htpy.div(class_="cc-board-wrap")[scrolled(table)], left > 0 and more]


def _rater_head(rater: BoardRater, board: Leaderboard) -> Element:
    agreement: Node = ""
    title = None
    if rater.agreement is not None and rater.agreement.value is not None:
        level = f"{_SYMBOLS[rater.statistic]} {wording.two(rater.agreement.value)}"
        agreement = [" ", htpy.small[f"({level})"]]
        beside = "with people" if board.people == "real" else f"with {SIMULATED}"
        title = f"{wording.title(rater.statistic)} {beside}: {_interval_text(rater.agreement)}"
    score = " score" if rater.aspect == SCORE else ""
    order = " ▾" if rater is board.raters[0] else ""
    return htpy.th(scope="col", class_="cc-rated", title=title)[rater.name + score, agreement, order]


def _scale(board: Leaderboard, rater: BoardRater) -> tuple[float, float]:
    """The ends of a rater's axis: 0 to 1 for shares, else what its numbers span."""
    if rater.aspect in YES_NO_ASPECTS:
        return 0.0, 1.0
    cells = [cell for name in board.generators if (cell := board.cells.get((name, rater.name, ALL)))]
    values = [end for cell in cells for end in (cell.value, cell.low, cell.high) if end is not None]
    low, high = min(values, default=0.0), max(values, default=1.0)
    spare = (high - low) * 0.08 or 0.5
    return low - spare, high + spare


def _rater_cell(board: Leaderboard, generator: str, rater: BoardRater, scale: tuple[float, float]) -> Element:
    cell = board.cells.get((generator, rater.name, ALL))
    if cell is None or cell.value is None:
        reason = sentences.text_or_none(cell.reason) if cell else "not judged"
        return htpy.td(class_="cc-rated cc-muted", title=reason)["–"]
    kind = "people" if rater.kind != "scorer" else "scorer"
    low = cell.value if cell.low is None else cell.low
    high = cell.value if cell.high is None else cell.high
    style = "; ".join(
        f"--{name}: {_share(end, scale):z.1f}" for name, end in (("at", cell.value), ("low", low), ("high", high))
    )
    hollow = "is-simulated" if rater.kind == "simulated" else ""
    return htpy.td(class_="cc-rated", title=_interval_text(cell))[
        htpy.span(class_=["cc-whisker", f"cc-whisker--{kind}", hollow], style=style),
        htpy.a(href=_browse(board, generator, rater))[_value(cell, rater)],
    ]


def _heat_cell(board: Leaderboard, generator: str, task: str, scale: tuple[float, float]) -> Element:
    rater = board.raters[0]
    cell = board.cells.get((generator, rater.name, task))
    if cell is None or cell.value is None:
        return htpy.td(class_="cc-heat")
    title = f"by {rater.name}: {_interval_text(cell)}"
    muted = is_muted(cell.n_prompts)
    href = _browse(board, generator, rater, task)
    return heat_cell(_value(cell, rater), _share(cell.value, scale) / 100, title, href, n=cell.n_items if muted else None)


def heat_cell(text: str, shade: float, title: str, href: str, n: int | None) -> Element:
    """Return a shaded cell that leads to its images; `n`: on how many it rests, where these are so few that it is muted."""
    return htpy.td(class_=["cc-heat", n is not None and "cc-muted"], style=f"--shade: {shade:z.2f}", title=title)[
        htpy.a(href=href)[text], n is not None and [" ", htpy.small[f"n = {n:,}"]]
    ]


def _share(value: float, scale: tuple[float, float]) -> float:
    return 100 * min(max((value - scale[0]) / (scale[1] - scale[0]), 0.0), 1.0)


def _value(cell: Estimate, rater: BoardRater) -> str:
    if cell.value is None:
        return "–"
    return wording.two(cell.value) if rater.aspect in YES_NO_ASPECTS or abs(cell.value) < 100 else f"{cell.value:z,.0f}"


def _interval_text(cell: Estimate) -> str:
    bounds = "no interval" if cell.low is None else f"95 % interval {cell.low:z.3f} to {cell.high:z.3f}"
    n = [wording.count(cell.n_items, "image"), wording.count(cell.n_ratings, "rating")]
    n.append(wording.count(cell.n_prompts, "prompt"))
    return f"{cell.value:z.3f}, {bounds}; n = {', '.join(n)}"


def _browse(board: Leaderboard, generator: str, rater: BoardRater, task: str = "") -> str:
    where = Selection(suite=(board.suite,), generator=(generator,), task=(task,) if task else ())
    return browse_address(where, rater=rater.name, by=rater.aspect, order="lowest")


def _all_contested(board: Leaderboard) -> str:
    """Browse, where the scorer and most people say the opposite."""
    if board.people != "real":
        return page_address("images", suite=board.suite, rater=SIMULATED, by=board.aspect, order="lowest")
    opposed = [("differs", f"{board.contested_by}:{kind}") for kind in (MISSED, PASSED)]
    return page_address("images", *opposed, suite=board.suite)


def contested(board: Leaderboard, looks: Mapping[str, ItemPreview]) -> Node:
    """Return the most contested images, each with what the scorer and people say."""
    if not board.contested or board.contested_by is None:
        return ""
    whose = "people" if board.people == "real" else SIMULATED
    title = f"Images on which {board.contested_by} and {whose} agree least"
    opposed = f"{wording.count(board.disagreements, 'open disagreement')} →"
    every = board.disagreements > 0 and htpy.a(href=_all_contested(board))[opposed]
    cells = [_case(board, each, looks.get(each.item)) for each in board.contested]
    return htpy.fragment[block_title([title, " ", htpy.small[every]]), htpy.ul(class_="cc-contested")[cells]]


def _case(board: Leaderboard, case: ContestedImage, look: ItemPreview | None) -> Element:
    text = (look.text if look else None) or case.item
    link = image_link(case.item, look, Selection(suite=(board.suite,)), htpy.span[text])
    whose = "people" if board.people == "real" else SIMULATED
    people_text = f"{whose} {case.yes}/{case.n}" if board.aspect in YES_NO_ASPECTS else f"{whose} {case.mean:z.1f} ({case.n})"
    chips = [
        htpy.span(class_=["cc-badge", f"cc-badge--{'ok' if good else 'bad'}"])[words]
        for words, good in ((f"{board.contested_by} {case.verdict}", case.higher), (people_text, not case.higher))
    ]
    return htpy.li[link, htpy.p[chips]]
