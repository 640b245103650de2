"""The view of A/B votes, as its address says it, and what its menus offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from agreement.preferences.votes import BOTH, CANNOT_TELL, NONE, TIE, Contest
from agreement.study.cells import ALL
from concord.common import wording
from concord.comparison.preferences import LEFT_OUT, OPPOSED, Poll, contests
from ui.shell.view import Choice, View

_AGAINST: Final = " against "
_CHOSE: Final = {
    BOTH: "both", NONE: "neither", TIE: "a tie", LEFT_OUT: "votes that do not count",
    OPPOSED: "people and scorer opposed", CANNOT_TELL: "cannot tell",
}  # fmt: skip


@dataclass(frozen=True)
class VotesView(View):
    """What is shown: of a suite two generators; listed are pairs of a ``task``, on which ``who`` ``chose`` this.

    ``page`` counts from 1.
    """

    PATH: ClassVar = "/results/votes"
    suite: str = ""
    two: str = ""
    task: str = ALL
    who: str = ALL
    chose: str = ALL
    page: int = 1


def named(contest: Contest) -> str:
    """Two generators as the address has them."""
    return f"{contest.a}{_AGAINST}{contest.b}"


def poll_of(polls: Sequence[Poll], view: VotesView) -> Poll | None:
    """The suite that is shown."""
    return next((poll for poll in polls if poll.suite == view.suite), None)


def contest_of(poll: Poll, view: VotesView) -> Contest:
    """The two generators that are shown."""
    listed = contests(poll)
    return next((contest for contest in listed if named(contest) == view.two), listed[0])


def choices(polls: Sequence[Poll], values: Mapping[str, str | None]) -> dict[str, Choice]:
    """What each control offers, and the nearest to what is asked for."""
    suite = Choice.among([poll.suite for poll in polls], values.get("suite"))
    poll = poll_of(polls, VotesView(suite.value or ""))
    if poll is None:
        return dict.fromkeys(("suite", "two", "task", "who", "chose"), Choice([], ""))
    two = Choice.among(map(named, contests(poll)), values.get("two"))
    contest = contest_of(poll, VotesView(poll.suite, two.value or ""))
    mine = [vote for voter in poll.voters for vote in voter.votes if vote.contest == contest]
    tasks = {ALL: "all tasks"} | {task: wording.task(task) for task in sorted({vote.task for vote in mine})}
    who = {ALL: "anybody"} | {voter.voter: voter.voter for voter in poll.voters}
    chosen = {vote.chose or LEFT_OUT for vote in mine}
    chose = {ALL: "anything", OPPOSED: _CHOSE[OPPOSED], contest.a: contest.a, contest.b: contest.b}
    chose |= {name: title for name, title in _CHOSE.items() if name in chosen}
    return {
        "suite": suite,
        "two": two,
        "task": Choice.among(tasks, values.get("task")),
        "who": Choice.among(who, values.get("who")),
        "chose": Choice.among(chose, values.get("chose")),
    }
