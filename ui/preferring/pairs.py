"""The pairs behind a number: who chose what on each of them, those first on which scorers and people are opposed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agreement.preferences import Vote, winners
from agreement.preferences.votes import Contest
from agreement.study.cells import ALL
from data.store.browse.contents import PEOPLE
from ui.preferring.voters import Poll, Voter

OPPOSED: Final = "opposed"
"""In the place of what was chosen: pairs on which this scorer, or any, prefers the one and most people the other."""
LEFT_OUT: Final = "left out"
"""The same: votes that do not count."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Which pairs: of two generators, in a task, by a voter (``key_of``) who chose this; ``all`` is any."""

    contest: Contest
    task: str = ALL
    who: str = ALL
    chose: str = ALL


@dataclass(frozen=True, slots=True)
class Shown:
    """One pair.

    Attributes:
        chosen: by voter how often what was chosen; of what does not count how often it is left out.
        preferred: what most people chose, None where two are chosen as often or nobody's vote counts.
        opposed: scorers that prefer the other one than people.
    """

    item_id: str
    task: str
    chosen: Mapping[str, Mapping[str, int]]
    preferred: str | None
    opposed: frozenset[str]


def key_of(voter: Voter) -> str:
    """A voter's name, of a scorer with what its votes follow from."""
    return voter.name if voter.kind == "people" else f"{voter.name} ({voter.by})"


def contests(poll: Poll) -> list[Contest]:
    """All two generators that met, those with more votes first."""
    found = Counter(vote.contest for voter in poll.people() or poll.voters for vote in voter.votes)
    return sorted(found, key=lambda contest: (-found[contest], contest))


def listed(poll: Poll, asked: Asked) -> list[Shown]:
    """The pairs that are asked for; of simulated people only where no real ones have voted, people's preference is theirs."""
    votes: dict[str, dict[str, list[Vote]]] = {}
    for voter in poll.voters:
        for vote in voter.votes:
            if vote.contest == asked.contest and asked.task in (ALL, vote.task):
                votes.setdefault(vote.pair, {}).setdefault(key_of(voter), []).append(vote)
    crowd = next((key_of(voter) for voter in poll.people()), PEOPLE)
    scorers = [key_of(voter) for voter in poll.voters if voter.kind == "scorer"]
    shown = [_shown(pair, by, crowd, scorers) for pair, by in votes.items()]
    kept = [one for one in shown if _fits(one, asked)]
    return sorted(kept, key=lambda one: (-len(one.opposed), -_differing(one, scorers), one.item_id))


def _shown(pair: str, by: Mapping[str, list[Vote]], crowd: str, scorers: list[str]) -> Shown:
    chosen = {who: dict(Counter(vote.chose or LEFT_OUT for vote in votes)) for who, votes in by.items()}
    preferred = winners(by.get(crowd, ())).get(pair)
    any_vote = next(iter(next(iter(by.values()))))
    two = (any_vote.first, any_vote.second)
    its = {who: next(iter(chosen[who])) for who in scorers if who in chosen}
    opposed = frozenset(who for who, name in its.items() if preferred in two and name in two and name != preferred)
    return Shown(pair, any_vote.task, chosen, preferred, opposed)


def _fits(one: Shown, asked: Asked) -> bool:
    if asked.chose == OPPOSED:
        return asked.who in one.opposed or (asked.who == ALL and bool(one.opposed))
    voters = one.chosen.values() if asked.who == ALL else [one.chosen.get(asked.who, {})]
    return any(asked.chose in chosen or (asked.chose == ALL and chosen) for chosen in voters)


def _differing(one: Shown, scorers: list[str]) -> int:
    """How many scorers choose something else than most people."""
    return sum(one.preferred is not None and one.preferred not in one.chosen.get(who, {one.preferred: 1}) for who in scorers)
