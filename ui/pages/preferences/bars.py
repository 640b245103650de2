"""Votes as bars: a row for people and each scorer in each task, every number a link to the pairs behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from agreement.preferences.votes import Contest
from agreement.study.cells import ALL
from concord.common import wording
from concord.preferences import OPPOSED, Row
from ui.components.table import WRAP
from ui.pages.preferences.view import View

_PARTS: Final = ("a_wins", "both", "none", "tie", "b_wins")
_SAYS: Final = {"both": "both", "none": "neither", "tie": "a tie"}
_P: Final = (
    "Exact two-sided sign test of the clear votes at one half. It takes votes as independent, which several on one prompt"
    " are not."
)
_SHARE: Final = "Of the votes for one of the two, the share for {a}, with its 95 % interval by prompt."


def who_of(row: Row) -> str:
    """The key of the voter whose row it is, as ``concord.preferences.key_of`` has it."""
    return str(row["rater"]) if row["kind"] == "people" else f"{row['rater']} ({row['by']})"


def interval_of(row: Row) -> str:
    """A number's interval in words; nothing while it is still being made."""
    if row["low"] is None:
        return "no interval" if "no interval" in row["method"] else ""
    return f"{row['low']:.2f} to {row['high']:.2f}"


def bars(votes: Sequence[Row], beside: Sequence[Row], contest: Contest, view: View) -> str:
    """The table for two generators; ``votes`` and ``beside`` are rows of these two alone."""
    tasks = list(dict.fromkeys(row["task"] for row in votes))
    # all tasks together, first; with a single one they would only repeat it
    order = [ALL, *(task for task in tasks if task != ALL)] if len(tasks) > 2 else tasks[:1]
    head = (
        f'<th scope="col">who</th><th scope="col">{_legend(contest)}</th>'
        f'<th scope="col" class="cc-number" title="{escape(_SHARE.format(a=contest.a))}">share of {escape(contest.a)}</th>'
        f'<th scope="col" class="cc-number" title="{escape(_P)}">sign test p</th><th scope="col">beside people</th>'
    )
    body = "".join(_task(task, votes, beside, contest, view) for task in order)
    caption = f"Votes on pairs: {escape(contest.a)} and {escape(contest.b)}"
    return (
        f'{WRAP}<table class="cc-table cc-votes"><caption>{caption}</caption><thead><tr>{head}</tr></thead>{body}</table></div>'
    )


def _legend(contest: Contest) -> str:
    parts = {"a_wins": contest.a, "both": "both", "none": "neither", "b_wins": contest.b}
    return "".join(f'<span class="cc-key" data-part="{part}">{escape(name)}</span>' for part, name in parts.items())


def _task(task: str, votes: Sequence[Row], beside: Sequence[Row], contest: Contest, view: View) -> str:
    name = "all tasks" if task == ALL else wording.task(task)
    lines = [row for row in votes if row["task"] == task]
    found = {who_of(row): row for row in beside if row["task"] == task and row["people"] == "real"}
    head = f'<tr class="cc-task"><th colspan="5" scope="rowgroup">{escape(name)}</th></tr>'
    return f"<tbody>{head}{''.join(_line(row, found.get(who_of(row)), contest, view) for row in lines)}</tbody>"


def _line(row: Row, beside: Row | None, contest: Contest, view: View) -> str:
    p = "" if row["sign_test_p"] is None else ("&lt; 0.001" if row["sign_test_p"] < 0.001 else f"{row['sign_test_p']:.3f}")
    left = ", ".join(f"{n:,} {wording.reason(name)}" for name, n in row["excluded"].items())
    counts = f"{wording.count(row['votes'], 'vote')} on {wording.count(row['pairs'], 'pair')}"
    small = f'<small class="cc-detail" title="left out: {escape(left)}">{counts}</small>' if left else _detail(counts)
    return (
        f'<tr><th scope="row">{escape(who_of(row))}{small}</th><td class="cc-vote-bar-cell">{_bar(row, contest, view)}</td>'
        f'<td class="cc-number"{_title(row)}>{_share(row)}</td><td class="cc-number">{p}</td>'
        f"<td>{_beside(row, beside, view)}</td></tr>"
    )


def _bar(row: Row, contest: Contest, view: View) -> str:
    return f'<span class="cc-vote-bar">{"".join(_segments(row, contest, view))}</span>' if row["votes"] else "no votes"


def _segments(row: Row, contest: Contest, view: View) -> Iterator[str]:
    chose = {"a_wins": contest.a, "b_wins": contest.b} | {name: name for name in _SAYS}
    told = {"a_wins": f"for {contest.a}", "b_wins": f"for {contest.b}"} | _SAYS
    for part in _PARTS:
        if n := row[part]:
            href = view.address(task=row["task"], who=who_of(row), chose=chose[part], page=1)
            share = 100 * n / row["votes"]
            said = f"{who_of(row)}: {n:,} {told[part]} ({share:.0f} %)"
            yield (
                f'<a href="{escape(href)}" data-part="{part}" style="flex-grow:{n}" title="{escape(said)}"'
                f' aria-label="{escape(said)}">{n:,}</a>'
            )


def _share(row: Row) -> str:
    if row["value"] is None:
        return "–" + _detail("undefined")
    bounds = interval_of(row)
    return f"{row['value']:.3f}{_detail(bounds)}"


def _title(row: Row) -> str:
    return f' title="{escape(row["reason"] or row["method"])}"'


def _beside(row: Row, beside: Row | None, view: View) -> str:
    """Whether a scorer prefers whom people prefer, and the pairs on which it does not."""
    if row["kind"] == "people" or beside is None:
        return ""
    order = {True: "same order", False: "other order", None: "no order"}[beside["same_order"]]
    mark = {True: "ok", False: "bad", None: "none"}[beside["same_order"]]
    said = f'<span class="cc-badge cc-badge--{mark}">{order}</span>'
    if not beside["opposed"]:
        return said + _detail(f"of {wording.count(beside['n_items'], 'pair')} none opposed" if beside["n_items"] else "")
    href = view.address(task=row["task"], who=who_of(row), chose=OPPOSED, page=1)
    told = f"{beside['opposed']:,} of {wording.count(beside['n_items'], 'pair')} opposed"
    return f'{said}<small class="cc-detail"><a href="{escape(href)}">{told}</a></small>'


def _detail(text: str) -> str:
    return f'<small class="cc-detail">{escape(text)}</small>' if text else ""
