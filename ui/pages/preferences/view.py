"""What the page Preferences is asked to show, and the address that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final
from urllib.parse import urlencode

from agreement.preferences.votes import BOTH, CANNOT_TELL, NONE, TIE, Contest
from agreement.study.cells import ALL
from concord.common import wording
from concord.preferences import LEFT_OUT, OPPOSED, Poll, contests, key_of
from ui.components.filters import Choice
from ui.root import at

PAGE: Final = "/studio/preferences"
ADDRESS: Final = ("suite", "two", "task", "who", "chose")
"""What has a control of its own, by its name in the address; ``page`` follows."""
_AGAINST: Final = " against "
_CHOSE: Final = {
    BOTH: "both", NONE: "neither", TIE: "a tie", LEFT_OUT: "votes that do not count",
    OPPOSED: "people and scorer opposed", CANNOT_TELL: "cannot tell",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class View:
    """What is shown: of a suite two generators; listed are pairs of a ``task``, on which ``who`` ``chose`` this.

    ``page`` counts from 1.
    """

    suite: str = ""
    two: str = ""
    task: str = ALL
    who: str = ALL
    chose: str = ALL
    page: int = 1

    def address(self, **changes: str | int) -> str:
        """Where this view is, with some of it changed; what stands for all is left out."""
        values = asdict(replace(self, **changes))  # type: ignore[arg-type]
        return at(f"{PAGE}?") + urlencode({name: value for name, value in values.items() if value not in ("", ALL, 1)})


def named(contest: Contest) -> str:
    """Two generators as the address has them."""
    return f"{contest.a}{_AGAINST}{contest.b}"


def poll_of(polls: Sequence[Poll], view: View) -> Poll | None:
    """The suite that is shown."""
    return next((poll for poll in polls if poll.suite == view.suite), None)


def contest_of(poll: Poll, view: View) -> Contest:
    """The two generators that are shown."""
    found = contests(poll)
    return next((contest for contest in found if named(contest) == view.two), found[0])


def choices(polls: Sequence[Poll], asked: Mapping[str, str | None]) -> dict[str, Choice]:
    """What each control offers, and the nearest to what is asked for."""
    suite = _among({poll.suite: poll.suite for poll in polls}, asked.get("suite"))
    poll = poll_of(polls, View(suite.value or ""))
    if poll is None:
        return {name: Choice([], "") for name in ADDRESS}
    two = _among({named(contest): named(contest) for contest in contests(poll)}, asked.get("two"))
    contest = contest_of(poll, View(poll.suite, two.value or ""))
    mine = [vote for voter in poll.voters for vote in voter.votes if vote.contest == contest]
    tasks = {ALL: "all tasks"} | {task: wording.task(task) for task in sorted({vote.task for vote in mine})}
    who = {ALL: "anybody"} | {key_of(voter): key_of(voter) for voter in poll.voters}
    chosen = {vote.chose or LEFT_OUT for vote in mine}
    chose = {ALL: "anything", OPPOSED: _CHOSE[OPPOSED], contest.a: contest.a, contest.b: contest.b}
    chose |= {name: title for name, title in _CHOSE.items() if name in chosen}
    return {
        "suite": suite,
        "two": two,
        "task": _among(tasks, asked.get("task")),
        "who": _among(who, asked.get("who")),
        "chose": _among(chose, asked.get("chose")),
    }


def _among(titles: Mapping[str, str], asked: str | None) -> Choice:
    value = asked if asked in titles else next(iter(titles), "")
    return Choice([(title, name) for name, title in titles.items()], value)


def view_of(polls: Sequence[Poll], asked: Mapping[str, str | None], page: str | None = None) -> View:
    """What is asked for by the names of the address, as far as there is such a thing."""
    chosen = {name: choice.value or "" for name, choice in choices(polls, asked).items()}
    number = int(page) if page and page.isdecimal() and 1 <= len(page) < 7 else 1
    return View(**chosen, page=max(number, 1))
