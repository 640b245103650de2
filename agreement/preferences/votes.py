"""Votes between two images of one prompt: wins of either generator, ties, clear preferences, and the sign test.

SelfEval (section 4.1) has people choose one image, "both" or "none", and reports only votes with a clear preference. The
ties are kept here and shown beside them. What a scorer's two values would have it vote (section 4.2 and Figure 5), whom
people prefer pair by pair, and whether the scorer prefers the same one, follow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final, Literal, TypeVar

from agreement.estimate import Estimate
from agreement.estimates import Clusters, share_estimate
from agreement.inference.hypothesis_tests import mcnemar_exact
from agreement.reasons import Method, MethodCode, Reason, ReasonCode
from agreement.study.cells import ALL, Options, merged

CANNOT_TELL: Final = "cannot_tell"
BOTH: Final = "both"
NONE: Final = "none"
TIE: Final = "tie"
"""A scorer's two numbers are equal: which says neither that both images are right nor that none is."""
NO_VOTE: Final = Reason(ReasonCode.NO_VOTE)
NOT_CLEAR: Final = Reason(ReasonCode.NO_CLEAR_VOTE)
NO_SIDE: Final = Reason(ReasonCode.NO_KNOWN_SIDE)


@dataclass(frozen=True, slots=True)
class Vote:
    """One vote on one pair.

    Attributes:
        first, second: the two generators; which of them is named first means nothing.
        chose: one of the two, ``BOTH``, ``NONE`` or ``TIE``; None where the vote does not count.
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
R = TypeVar("R", bound="VoterKey")


@dataclass(frozen=True, slots=True, kw_only=True)
class VoterKey:
    """The one whose votes (or means) a result is about; the caller of this package names them.

    Attributes:
        suite: the suite of the pairs.
        rater: `people`, `simulated people`, or a scorer's name.
        kind: whether people or a scorer vote.
        people: the kind of people who vote, or who a scorer stands beside; None for a scorer alone.
        by: what the votes follow from: `preference` is a vote itself.
    """

    suite: str = ""
    rater: str = ""
    kind: Literal["people", "scorer"] = "people"
    people: Literal["real", "simulated"] | None = None
    by: Literal["preference", "correct", "score"] = "preference"

    @property
    def voter(self) -> str:
        """The name of the people, or of the scorer with what its votes follow from."""
        return self.rater if self.kind == "people" else f"{self.rater} ({self.by})"

    def name_voter(self, result: R, people: Literal["real", "simulated"] | None = None) -> R:
        """Return a result as one of this voter, beside these people if they are given."""
        return replace(result, suite=self.suite, rater=self.rater, kind=self.kind, people=people or self.people, by=self.by)


@dataclass(frozen=True, slots=True)
class VoteCounts(VoterKey):
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
    share: Estimate
    sign_test_p: float | None

    @property
    def clear(self) -> int:
        """Votes with a clear preference."""
        return self.a_wins + self.b_wins

    @property
    def votes(self) -> int:
        """All that count."""
        return self.clear + self.both + self.none + self.tie


def count_votes(votes: Sequence[Vote], options: Options | None = None) -> list[VoteCounts]:
    """Each two generators, in each task and in all together (``all``, last)."""
    wanted = options or Options()
    return [
        _count(task, contest, part, wanted)
        for contest, mine in grouped(votes, lambda vote: vote.contest).items()
        for task, part in [*grouped(mine, lambda vote: vote.task).items(), (ALL, mine)]
    ]


def grouped(votes: Iterable[Vote], key: Callable[[Vote], K]) -> dict[K, list[Vote]]:
    """Votes by something, in its order."""
    by_key: dict[K, list[Vote]] = {}
    for vote in votes:
        by_key.setdefault(key(vote), []).append(vote)
    return {name: by_key[name] for name in sorted(by_key)}


def left_out(votes: Iterable[Vote]) -> Mapping[str, int]:
    """Votes that do not count, by reason."""
    return merged([Counter(vote.excluded for vote in votes if vote.excluded is not None)])


def clusters_of(votes: Sequence[Vote]) -> Clusters:
    """The votes' prompts."""
    return Clusters.of([vote.prompt for vote in votes], [vote.pair for vote in votes])


def _count(task: str, contest: Contest, votes: Sequence[Vote], options: Options) -> VoteCounts:
    counting = [vote for vote in votes if vote.excluded is None]
    clear = [vote for vote in counting if vote.clear]
    chosen = Counter(vote.chose for vote in counting)
    excluded = left_out(votes)
    for_a, for_b = chosen[contest.a], chosen[contest.b]
    reason = NOT_CLEAR if counting else NO_VOTE
    hits = [vote.chose == contest.a for vote in clear]
    how = Method(MethodCode.SHARE_OF_VOTES, generator=contest.a)
    return VoteCounts(
        task,
        contest,
        for_a,
        chosen[BOTH],
        chosen[NONE],
        chosen[TIE],
        for_b,
        excluded.get(CANNOT_TELL, 0),
        len({vote.pair for vote in counting}),
        share_estimate(hits, clusters_of(clear), options, how, reason, excluded),
        mcnemar_exact(for_a, for_b) if clear else None,
    )


@dataclass(frozen=True, slots=True)
class SideChoice(VoterKey):
    """How often the left image was chosen, of clear votes whose side is known.

    Attributes:
        share: of left, 0 to 1; one half without a bias, as sides are by chance.
        sign_test_p: as of ``VoteCounts``.
        unknown: clear votes whose side is not known.
    """

    left: int
    right: int
    share: Estimate
    sign_test_p: float | None
    unknown: int


def side_choices(votes: Sequence[Vote], options: Options | None = None) -> SideChoice:
    """Over all votes, whatever the task and the generators."""
    clear = [vote for vote in votes if vote.excluded is None and vote.clear]
    known = [vote for vote in clear if vote.side is not None]
    hits = [vote.side == "left" for vote in known]
    left, reason = sum(hits), NO_SIDE if clear else NOT_CLEAR
    how = Method(MethodCode.SHARE_OF_LEFT)
    estimate = share_estimate(hits, clusters_of(known), options or Options(), how, reason, left_out(votes))
    p = mcnemar_exact(left, len(known) - left) if known else None
    return SideChoice(left, len(known) - left, estimate, p, len(clear) - len(known))


ORDERS: Final = ("kept", "left", "right", "mixed")
"""What became of a judge's choice when the images changed places: the same image, the same side, a tie in one order only."""


@dataclass(frozen=True, slots=True)
class OrderBias(VoterKey):
    """A judge's pairs, each judged in both orders.

    Attributes:
        kept, left, right, mixed: pairs by what became of the choice, as ``ORDERS`` says.
        changed: share of the pairs on which it is not kept, 0 to 1.
        sign_test_p: that left and right are equally often the side that is chosen in both orders; as of ``VoteCounts``.
    """

    kept: int
    left: int
    right: int
    mixed: int
    changed: Estimate
    sign_test_p: float | None

    @property
    def pairs(self) -> int:
        """The number of pairs that were judged in both orders."""
        return self.kept + self.left + self.right + self.mixed


def order_bias(votes: Sequence[Vote], options: Options | None = None) -> OrderBias:
    """Position bias; ``chose`` of each vote is one of ``ORDERS``."""
    known = [vote for vote in votes if vote.excluded is None and vote.chose in ORDERS]
    kept, left, right, mixed = (sum(vote.chose == order for vote in known) for order in ORDERS)
    changed = [vote.chose != "kept" for vote in known]
    how = Method(MethodCode.CHANGED_BY_ORDER)
    estimate = share_estimate(changed, clusters_of(known), options or Options(), how, NO_VOTE, left_out(votes))
    p = mcnemar_exact(left, right) if left or right else None
    return OrderBias(kept, left, right, mixed, estimate, p)


ValueAspect = Literal["correct", "score"]
"""``correct``: "only one model is right" (Figure 5), else both or none; ``score``: the larger one, equal ones are a tie."""
NO_VALUE: Final = "no_scorer_value"


@dataclass(frozen=True, slots=True)
class PairValues:
    """A scorer's values of a pair's images, in the order of ``first`` and ``second``; None: it has none.

    Of ``correct`` they are 1 (yes) and 0 (no).
    """

    pair: str
    task: str
    prompt: str | None
    first: str
    second: str
    of_first: float | None
    of_second: float | None


def implied_votes(pairs: Sequence[PairValues], way: ValueAspect) -> list[Vote]:
    """The votes that follow; a pair one of whose images has no value does not count (``no_scorer_value``)."""
    votes = []
    for two in pairs:
        x, y, chose = two.of_first, two.of_second, None
        if x is not None and y is not None and isfinite(x) and isfinite(y):
            same = TIE if way == "score" else BOTH if x else NONE
            chose = same if x == y else two.first if x > y else two.second
        why = NO_VALUE if chose is None else None
        votes.append(Vote(two.pair, two.task, two.prompt, two.first, two.second, chose, None, why))
    return votes


NOT_SHARED: Final = Reason(ReasonCode.NO_PAIR_OF_CLEAR_VOTES)


def winners(votes: Sequence[Vote]) -> dict[str, str | None]:
    """By pair what most votes chose: a generator, both, none or tie; None where two are chosen as often."""
    by_pair: dict[str, Counter[str]] = {}
    for vote in votes:
        if vote.excluded is None and vote.chose is not None:
            by_pair.setdefault(vote.pair, Counter())[vote.chose] += 1
    won: dict[str, str | None] = {}
    for pair, chosen in by_pair.items():
        (best, times), *others = chosen.most_common(2)
        won[pair] = None if others and others[0][1] == times else best
    return won


@dataclass(frozen=True, slots=True)
class OrderAgreement(VoterKey):
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
    same: Estimate
    opposed: int


def order_agreement(people: Sequence[Vote], scorer: Sequence[Vote], options: Options | None = None) -> list[OrderAgreement]:
    """Each two generators that both have voted on, in each task and in all together."""
    wanted = options or Options()
    theirs, its = (grouped([v for v in votes if v.excluded is None], lambda v: v.contest) for votes in (people, scorer))
    agreements = []
    for contest in theirs:
        if contest in its:
            tasks = [*grouped(theirs[contest], lambda v: v.task), ALL]
            agreements += [_order_agreement(task, contest, theirs[contest], its[contest], wanted) for task in tasks]
    return agreements


def _order_agreement(
    task: str, contest: Contest, people: Sequence[Vote], scorer: Sequence[Vote], options: Options
) -> OrderAgreement:
    theirs, its = ([v for v in votes if task in (ALL, v.task)] for votes in (people, scorer))
    order = same_order(_clear(theirs), _clear(its))
    preferred, mine = winners(theirs), {vote.pair: vote for vote in its if vote.clear}
    shared = [vote for pair, vote in mine.items() if preferred.get(pair) in (contest.a, contest.b)]
    yes = [vote.chose == preferred[vote.pair] for vote in shared]
    how = Method(MethodCode.SAME_PREFERENCE)
    same = share_estimate(yes, clusters_of(shared), options, how, NOT_SHARED)
    return OrderAgreement(task, contest, order, same, len(yes) - sum(yes))


def _clear(votes: Sequence[Vote]) -> Mapping[str, int]:
    return Counter(str(vote.chose) for vote in votes if vote.clear)


def same_order(order: Mapping[str, float], other: Mapping[str, float]) -> bool | None:
    """Whether two mappings of the same two names to numbers put them in the same order; None where one is a tie or empty."""
    names = sorted({*order, *other})
    if len(names) != 2:
        # all of both are for the same one
        return True if len(names) == 1 and order and other else None
    a, b = (values.get(names[0], 0) - values.get(names[1], 0) for values in (order, other))
    return None if not a or not b else (a > 0) == (b > 0)
