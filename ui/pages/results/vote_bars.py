"""A/B votes as bars: a sentence on whom people choose, and a row for people and each scorer, whose numbers link to pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import htpy
from htpy import Element, Node

from agreement.estimate import Estimate
from agreement.preferences import OrderAgreement, VoteCounts
from agreement.preferences.votes import BOTH, NONE, TIE, Contest
from agreement.study.cells import ALL
from concord.common import reason_sentences, wording
from concord.comparison.preferences import OPPOSED
from ui.components.tables import scrolled, small, span
from ui.pages.results.vote_view import VotesView

PAIRS: Final = "#pairs"
"""Where the pairs behind a number stand."""
_P: Final = (
    "Exact two-sided sign test of the clear votes at one half. It takes votes as independent, which several on one prompt"
    " are not."
)
_SHARE: Final = "Of the votes for one of the two, the share for {a}, with its 95 % interval by prompt."


def interval_of(estimate: Estimate) -> str:
    """A number's interval in words; nothing while it is still being made."""
    return span(estimate.low, estimate.high) or ("no interval" if estimate.method.without_interval else "")


def headline(votes: Sequence[VoteCounts], contest: Contest, view: VotesView) -> Node:
    """Return one sentence: whom people choose, simulated ones where no real ones have voted; and what it rests on."""
    row = next((row for row in votes if row.task == view.task and row.kind == "people"), None)
    if row is None or row.share.value is None:
        return [
            htpy.h1[f"Nobody prefers {contest.a} or {contest.b} yet"],
            htpy.p(class_="cc-sub")["No vote is for one of them."],
        ]
    ahead, behind = (contest.a, contest.b) if row.share.value >= 0.5 else (contest.b, contest.a)
    share, low, high = max(row.share.value, 1 - row.share.value), row.share.low, row.share.high
    if low is not None and high is not None and ahead != contest.a:
        low, high = 1 - high, 1 - low
    told_apart = low is None or low > 0.5
    over = f" over {behind}" if told_apart else ""
    bounds = "" if low is None or high is None else f" [{wording.two(low)}, {wording.two(high)}]"
    rest = bounds + ("" if told_apart else f", not told apart from {behind}")
    task = "" if view.task == ALL else f", {wording.task(view.task)}"
    facts = (
        f"Share of the {row.clear:,} votes for one of the two, by {row.rater}{task}; {row.votes - row.clear:,} more"
        f" are for both or neither, on {wording.count(row.pairs, 'pair')} in all."
    )
    choice = f"{row.rater.capitalize()} choose {ahead}{over}: {wording.two(share)}"
    return [htpy.h1[choice, htpy.span(class_="cc-rest")[rest]], htpy.p(class_="cc-sub")[facts]]


def bars(
    votes: Sequence[VoteCounts],
    beside: Sequence[OrderAgreement],
    contest: Contest,
    view: VotesView,
    tasks: Sequence[str],
) -> Element:
    """Return the table for two generators and these tasks; ``votes`` and ``beside`` are rows of these two alone."""
    # scorers stand beside real people, or beside simulated ones where no real ones have voted
    people = next((row.people for row in votes if row.kind == "people"), None)
    beside = [row for row in beside if row.people == people]
    parts = {"a_wins": contest.a, "both": "both", "none": "neither", "b_wins": contest.b}
    legend = [htpy.span(class_="cc-key", data_part=part)[name] for part, name in parts.items()]
    beside_whom = "beside simulated people" if people == "simulated" else "beside people"
    head = [
        htpy.th(scope="col")["who"],
        htpy.th(scope="col")[legend],
        htpy.th(scope="col", class_="cc-number", title=_SHARE.format(a=contest.a))[f"share of {contest.a}"],
        htpy.th(scope="col", class_="cc-number", title=_P)["sign test p"],
        htpy.th(scope="col")[beside_whom],
    ]
    caption = htpy.caption[f"Votes on pairs: {contest.a} and {contest.b}"]
    body = [_task(task, votes, beside, contest, view) for task in tasks]
    return scrolled(htpy.table(class_="cc-table cc-votes")[caption, htpy.thead[htpy.tr[head]], body])


def _task(
    task: str, votes: Sequence[VoteCounts], beside: Sequence[OrderAgreement], contest: Contest, view: VotesView
) -> Element:
    name = "all tasks" if task == ALL else wording.task(task)
    lines = [row for row in votes if row.task == task]
    by_who = {row.voter: row for row in beside if row.task == task}
    head = htpy.tr(class_="cc-task")[htpy.th(colspan=5, scope="rowgroup")[name]]
    return htpy.tbody[head, [_line(row, by_who.get(row.voter), contest, view) for row in lines]]


def _line(row: VoteCounts, beside: OrderAgreement | None, contest: Contest, view: VotesView) -> Element:
    p = "" if row.sign_test_p is None else ("< 0.001" if row.sign_test_p < 0.001 else f"{row.sign_test_p:z.3f}")
    left = ", ".join(f"{n:,} {wording.reason(name)}" for name, n in row.share.excluded.items())
    counts = f"{wording.count(row.votes, 'vote')} on {wording.count(row.pairs, 'pair')}"
    detail = htpy.small(class_="cc-detail", title=f"left out: {left}" if left else None)[counts]
    bar = htpy.span(class_="cc-vote-bar")[[*_segments(row, contest, view)]] if row.votes else "no votes"
    return htpy.tr[
        htpy.th(scope="row")[row.voter, detail],
        htpy.td(class_="cc-vote-bar-cell")[bar],
        htpy.td(class_="cc-number", title=reason_sentences.text(row.share.reason or row.share.method))[_share(row.share)],
        htpy.td(class_="cc-number")[p],
        htpy.td[_beside(row, beside, view)],
    ]


def _segments(row: VoteCounts, contest: Contest, view: VotesView) -> Iterator[Element]:
    segments = (
        ("a_wins", row.a_wins, contest.a, f"for {contest.a}"),
        ("both", row.both, BOTH, "both"),
        ("none", row.none, NONE, "neither"),
        ("tie", row.tie, TIE, "a tie"),
        ("b_wins", row.b_wins, contest.b, f"for {contest.b}"),
    )
    for part, n, chose, text in segments:
        if n:
            href = view.address(task=row.task, who=row.voter, chose=chose, page=1) + PAIRS
            title = f"{row.voter}: {n:,} {text} ({100 * n / row.votes:z.0f} %)"
            yield htpy.a(href=href, data_part=part, style=f"flex-grow:{n}", title=title, aria_label=title)[f"{n:,}"]


def _share(share: Estimate) -> Node:
    if share.value is None:
        return ["–", small("undefined")]
    return [f"{share.value:z.3f}", small(interval_of(share))]


def _beside(row: VoteCounts, beside: OrderAgreement | None, view: VotesView) -> Node:
    """Return whether a scorer prefers whom people prefer, and the pairs on which it does not."""
    if row.kind == "people" or beside is None:
        return ""
    order = {True: "same order", False: "other order", None: "no order"}[beside.same_order]
    mark = {True: "ok", False: "bad", None: "none"}[beside.same_order]
    badge = htpy.span(class_=f"cc-badge cc-badge--{mark}")[order]
    if not beside.opposed:
        return [badge, small(f"of {wording.count(beside.same.n_items, 'pair')} none opposed" if beside.same.n_items else "")]
    href = view.address(task=row.task, who=row.voter, chose=OPPOSED, page=1) + PAIRS
    text = f"{beside.opposed:,} of {wording.count(beside.same.n_items, 'pair')} opposed"
    return [badge, htpy.small(class_="cc-detail")[htpy.a(href=href)[text]]]
