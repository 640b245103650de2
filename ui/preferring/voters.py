"""Who votes on a suite's pairs: people, simulated people, and each scorer in each way that its values imply a vote."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from agreement.preferences import CANNOT_TELL, MetricMean, ValueAspect, Vote, implied_votes
from agreement.preferences.votes import BOTH, NONE, PairValues
from data.store.analysis.preferences import GeneratorValue, ImageValue, PreferenceVote
from data.store.browse.contents import PEOPLE, SIMULATED

By = Literal["preference", "correct", "score"]
WAYS: Final[tuple[ValueAspect, ...]] = ("correct", "score")
NO_VALUE: Final = "no_value"


@dataclass(frozen=True, slots=True)
class Voter:
    """One who votes.

    Attributes:
        by: what the votes follow from: ``preference`` is a vote itself.
        people: ``real`` or ``simulated``; None of a scorer.
        raters: by position of each vote who gave it.
    """

    name: str
    kind: Literal["people", "scorer"]
    people: Literal["real", "simulated"] | None
    by: By
    votes: tuple[Vote, ...]
    raters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Metric:
    """A scorer's means by generator and task."""

    name: str
    by: By
    means: tuple[MetricMean, ...]


@dataclass(frozen=True, slots=True)
class Poll:
    """One suite: who votes, people first; and the scorers' means."""

    suite: str
    voters: tuple[Voter, ...]
    metrics: tuple[Metric, ...]

    def people(self) -> list[Voter]:
        """Real and simulated ones, as far as there are any."""
        return [voter for voter in self.voters if voter.kind == "people"]


def polls(
    told: Sequence[PreferenceVote], of_images: Sequence[ImageValue], of_generators: Sequence[GeneratorValue]
) -> list[Poll]:
    """By suite, sorted."""
    suites: dict[str, list[PreferenceVote]] = {}
    for one in told:
        suites.setdefault(one.suite, []).append(one)
    return [_poll(suite, mine, of_images, of_generators) for suite, mine in sorted(suites.items())]


def _poll(
    suite: str, told: Sequence[PreferenceVote], of_images: Sequence[ImageValue], of_generators: Sequence[GeneratorValue]
) -> Poll:
    voters = [*_people(told), *_judges(told), *_scorers({one.item_id: one for one in told}, of_images)]
    means: dict[tuple[str, By], list[MetricMean]] = {}
    for row in of_generators:
        if row.suite == suite:
            made = MetricMean(row.task, row.generator, row.prompt_id, row.total, row.n)
            means.setdefault((row.rater_id, _by(row.aspect)), []).append(made)
    metrics = [Metric(name, by, tuple(each)) for (name, by), each in sorted(means.items())]
    return Poll(suite, tuple(voters), tuple(metrics))


def _people(told: Sequence[PreferenceVote]) -> Iterator[Voter]:
    for simulated in (False, True):
        mine = [one for one in told if one.kind == "human" and one.simulated == simulated]
        if mine:
            name, kind = (SIMULATED, "simulated") if simulated else (PEOPLE, "real")
            votes = tuple(map(_vote, mine))
            yield Voter(name, "people", kind, "preference", votes, tuple(one.rater_id for one in mine))  # type: ignore[arg-type]


def _judges(told: Sequence[PreferenceVote]) -> Iterator[Voter]:
    """Scorers that look at both images and choose one themselves."""
    for name in sorted({one.rater_id for one in told if one.kind == "scorer"}):
        mine = [one for one in told if one.kind == "scorer" and one.rater_id == name]
        yield Voter(name, "scorer", None, "preference", tuple(map(_vote, mine)), (name,) * len(mine))


def _vote(one: PreferenceVote) -> Vote:
    known = one.label in (one.first, one.second, BOTH, NONE)
    why = one.excluded or (None if known else NO_VALUE if one.label else CANNOT_TELL)
    chose = one.label if why is None else None
    return Vote(one.item_id, one.task, one.prompt_id, one.first, one.second, chose, one.side, why)


def _scorers(pairs: Mapping[str, PreferenceVote], of_images: Sequence[ImageValue]) -> Iterator[Voter]:
    values: dict[tuple[str, By], dict[tuple[str, int], float]] = {}
    for one in of_images:
        if one.item_id in pairs:
            values.setdefault((one.rater_id, _by(one.aspect)), {})[one.item_id, one.position] = one.value
    for name, by in sorted(values):
        mine = values[name, by]
        twos = [_two(pair, mine) for pair in pairs.values()]
        votes = tuple(implied_votes(twos, "correct" if by == "correct" else "score"))
        yield Voter(name, "scorer", None, by, votes, (name,) * len(votes))


def _two(pair: PreferenceVote, values: Mapping[tuple[str, int], float]) -> PairValues:
    first, second = (values.get((pair.item_id, position)) for position in (0, 1))
    return PairValues(pair.item_id, pair.task, pair.prompt_id, pair.first, pair.second, first, second)


def _by(aspect: str) -> By:
    return "correct" if aspect == "correct" else "score"
