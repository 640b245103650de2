"""Votes counted: wins of either generator, ties, clear preferences, the sign test, and which side was chosen.

SelfEval (section 4.1) has people choose one image, "both" or "none", and reports only votes with a clear preference. The ties
are kept here and shown beside them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from agreement.inference.significance import mcnemar_exact
from agreement.preferences.measured import Clusters, Hits, Measured, share
from agreement.study.cells import ALL, Options
from agreement.study.outcome import merged

CANNOT_TELL: Final = "cannot_tell"
BOTH: Final = "both"
NONE: Final = "none"
TIE: Final = "tie"
"""A scorer's two numbers are equal: which says neither that both images are right nor that none is."""
TIES: Final = (BOTH, NONE, TIE)
NO_VOTE: Final = "no vote counts"
NOT_CLEAR: Final = "no vote has a clear preference"
NO_SIDE: Final = "of no vote with a clear preference the chosen side is known"


@dataclass(frozen=True, slots=True)
class Vote:
    """One vote on one pair.

    Attributes:
        first, second: the two generators; which of them is named first means nothing.
        chose: one of the two, or one of ``TIES``; None where the vote does not count.
        side: where the chosen image stood, if that is known.
        excluded: why it does not count (``cannot_tell``, ``repeat``, ...); None if it does.
    """

    pair: str
    task: str
    prompt: str | None
    first: str
    second: str
    chose: str | None
    side: Literal["left", "right"] | None = None
    excluded: str | None = None

    @property
    def clear(self) -> bool:
        """Whether it is for one of the two."""
        return self.chose in (self.first, self.second)

    @property
    def contest(self) -> Contest:
        """The two, in the order of their names."""
        return Contest(min(self.first, self.second), max(self.first, self.second))


@dataclass(frozen=True, slots=True, order=True)
class Contest:
    """Two generators."""

    a: str
    b: str


K = TypeVar("K", str, Contest)


@dataclass(frozen=True)
class Counted:
    """Votes on two generators in one task, or in all.

    Attributes:
        a_wins, b_wins: clear preferences; ``both``, ``none``, ``tie``: the others.
        cannot_tell: who could not tell; not among the votes.
        share: of the clear preferences those for a, 0 to 1.
        sign_test_p: two-sided exact binomial p of the clear preferences at one half. It takes votes as independent, which
            several votes on one prompt are not. None where there is none.
    """

    task: str
    contest: Contest
    a_wins: int
    both: int
    none: int
    tie: int
    b_wins: int
    cannot_tell: int
    pairs: int
    share: Measured
    sign_test_p: float | None

    @property
    def clear(self) -> int:
        """Votes with a clear preference."""
        return self.a_wins + self.b_wins

    @property
    def votes(self) -> int:
        """All that count."""
        return self.clear + self.both + self.none + self.tie


def counted(votes: Sequence[Vote], options: Options | None = None) -> list[Counted]:
    """Each two generators, in each task and in all together (``all``, last)."""
    wanted = options or Options()
    return [
        _count(task, contest, part, wanted)
        for contest, mine in grouped(votes, lambda vote: vote.contest).items()
        for task, part in [*grouped(mine, lambda vote: vote.task).items(), (ALL, mine)]
    ]


def grouped(votes: Iterable[Vote], key: Callable[[Vote], K]) -> dict[K, list[Vote]]:
    """Votes by something, in its order."""
    found: dict[K, list[Vote]] = {}
    for vote in votes:
        found.setdefault(key(vote), []).append(vote)
    return {name: found[name] for name in sorted(found)}


def left_out(votes: Iterable[Vote]) -> Mapping[str, int]:
    """Votes that do not count, by reason."""
    return merged([Counter(vote.excluded for vote in votes if vote.excluded is not None)])


def clusters_of(votes: Sequence[Vote]) -> Clusters:
    """The votes' prompts."""
    return Clusters.of([vote.prompt for vote in votes], [vote.pair for vote in votes])


def _count(task: str, contest: Contest, votes: Sequence[Vote], options: Options) -> Counted:
    counting = [vote for vote in votes if vote.excluded is None]
    clear = [vote for vote in counting if vote.clear]
    said = Counter(vote.chose for vote in counting)
    excluded = left_out(votes)
    for_a, for_b = said[contest.a], said[contest.b]
    reason = NOT_CLEAR if counting else NO_VOTE
    hits = Hits([vote.chose == contest.a for vote in clear], clusters_of(clear), len({v.pair for v in clear}), excluded)
    how = f"share of {contest.a} among votes with a clear preference"
    return Counted(
        task,
        contest,
        for_a,
        said[BOTH],
        said[NONE],
        said[TIE],
        for_b,
        excluded.get(CANNOT_TELL, 0),
        len({vote.pair for vote in counting}),
        share(hits, options, how, reason),
        mcnemar_exact(for_a, for_b) if clear else None,
    )


@dataclass(frozen=True)
class Side:
    """How often the left image was chosen, of clear votes whose side is known.

    Attributes:
        share: of left, 0 to 1; one half without a bias, as sides are by chance.
        sign_test_p: as of ``Counted``.
        unknown: clear votes whose side is not known.
    """

    left: int
    right: int
    share: Measured
    sign_test_p: float | None
    unknown: int


def sided(votes: Sequence[Vote], options: Options | None = None) -> Side:
    """Over all votes, whatever the task and the generators."""
    clear = [vote for vote in votes if vote.excluded is None and vote.clear]
    known = [vote for vote in clear if vote.side is not None]
    left = sum(vote.side == "left" for vote in known)
    hits = Hits([vote.side == "left" for vote in known], clusters_of(known), len({v.pair for v in known}), left_out(votes))
    how = "share of left among votes with a clear preference whose side is known"
    found = share(hits, options or Options(), how, NO_SIDE if clear else NOT_CLEAR)
    p = mcnemar_exact(left, len(known) - left) if known else None
    return Side(left, len(known) - left, found, p, len(clear) - len(known))
