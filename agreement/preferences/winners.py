"""Pair by pair: whom people prefer, and whether a scorer prefers the same one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agreement.preferences.measured import Hits, Measured, share
from agreement.preferences.votes import Contest, Vote, clusters_of, grouped
from agreement.study.cells import ALL, Options

NOT_SHARED: Final = "on no pair both people and this scorer have a clear preference"


def winners(votes: Sequence[Vote]) -> dict[str, str | None]:
    """By pair what most votes chose: a generator, both, none or tie; None where two are chosen as often."""
    found: dict[str, Counter[str]] = {}
    for vote in votes:
        if vote.excluded is None and vote.chose is not None:
            found.setdefault(vote.pair, Counter())[vote.chose] += 1
    return {pair: _most(chosen) for pair, chosen in found.items()}


def _most(chosen: Counter[str]) -> str | None:
    (best, times), *others = chosen.most_common(2)
    return None if others and others[0][1] == times else best


@dataclass(frozen=True)
class Beside:
    """A scorer beside people on two generators, in one task or in all.

    Attributes:
        same_order: whether more of its clear votes are for whom more of people's are (the cells of SelfEval's Tables 2 and
            3); None where either has as many for both, or none.
        same: pairs on which both have a clear preference: the share on which it is the same, 0 to 1.
        opposed: on so many pairs it is the other one.
    """

    task: str
    contest: Contest
    same_order: bool | None
    same: Measured
    opposed: int


def beside(people: Sequence[Vote], scorer: Sequence[Vote], options: Options | None = None) -> list[Beside]:
    """Each two generators that both have voted on, in each task and in all together."""
    wanted = options or Options()
    theirs, its = (grouped([v for v in votes if v.excluded is None], lambda v: v.contest) for votes in (people, scorer))
    found = []
    for contest in theirs:
        if contest in its:
            tasks = [*grouped(theirs[contest], lambda v: v.task), ALL]
            found += [_beside(task, contest, theirs[contest], its[contest], wanted) for task in tasks]
    return found


def _beside(task: str, contest: Contest, people: Sequence[Vote], scorer: Sequence[Vote], options: Options) -> Beside:
    theirs, its = ([v for v in votes if task in (ALL, v.task)] for votes in (people, scorer))
    order = same_order(_clear(theirs), _clear(its))
    preferred, mine = winners(theirs), {vote.pair: vote for vote in its if vote.clear}
    shared = [vote for pair, vote in mine.items() if preferred.get(pair) in (contest.a, contest.b)]
    yes = [vote.chose == preferred[vote.pair] for vote in shared]
    hits = Hits(yes, clusters_of(shared), len(shared), {})
    how = "share of the same preference on pairs where most people, and the scorer, prefer one"
    return Beside(task, contest, order, share(hits, options, how, NOT_SHARED), len(yes) - sum(yes))


def _clear(votes: Sequence[Vote]) -> Mapping[str, int]:
    return Counter(str(vote.chose) for vote in votes if vote.clear)


def same_order(one: Mapping[str, float], other: Mapping[str, float]) -> bool | None:
    """Whether two mappings of the same two names to numbers put them in the same order; None where one is a tie or empty."""
    names = sorted({*one, *other})
    if len(names) != 2:
        # all of both are for the same one
        return True if len(names) == 1 and one and other else None
    a, b = (values.get(names[0], 0) - values.get(names[1], 0) for values in (one, other))
    return None if not a or not b else (a > 0) == (b > 0)
