"""Who may not have looked: straight-liners and speeders, told by rules that stand on the Campaigns page. A flag is a reason to
look, never a verdict: nothing is left out because of it.

*Straight-liners* give one and the same set of answers whatever is shown (invariant responding: Johnson 2005, Journal of
Research in Personality 39; Meade and Craig 2012, Psychological Methods 17). A long run of equal answers proves nothing where
the items give it (nine pictures of ten show what they should). So each answer is compared with the person's answer before it
to an item of the same shape (as many questions of the same kinds): does it repeat that one, and how often do the others say
that very thing of this item? The latter is the chance with which an attentive person would repeat themselves there. Flagged is
who repeats themselves in at least ``SAME_SHARE`` of ``FEWEST`` comparisons or more, at least ``ABOVE_OTHERS`` above the
others, if so many would come about with a chance below ``CHANCE`` / (n (n + 1)), n being the comparisons (the exact tail of
the sum of unequal coins, the Poisson-binomial distribution). These limits add up to ``CHANCE``, so that it bounds the error
although the rule is applied after every answer.

*Speeders*: whose median active seconds are below a third of the campaign's (the median of all people's medians, so that nobody
counts more for answering more). Time relative to the median is the usual sign (Leiner 2019, Survey Research Methods 13), and
a third of it lies within the range of cuts that are tried (Greszki, Meyer and Schoen 2015, Public Opinion Quarterly 79).
Besides, answers below ``pace.QUICK_SECONDS`` are counted one by one: nobody looks at a picture and answers in less.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

import numpy as np

from annotation.questionnaires.base import TICKED, Question, Questionnaire, is_blank, same, says_blank, visible
from data.aspects import CANNOT_TELL
from data.campaigns import pace

FEWEST: Final = 10
"""With fewer answers nobody is flagged."""
SAME_SHARE: Final = 0.75
ABOVE_OTHERS: Final = 0.25
CHANCE: Final = 0.001
FAST: Final = 1 / 3

Pattern = tuple[Any, ...]
"""What somebody pressed, question by question: positions of options, so that "always the first one" is one pattern even
where the questions differ."""


@dataclass(frozen=True, slots=True)
class TimedAnswer:
    """One person's answers to one item; ``seconds`` is their active time, None if it is unknown."""

    person: str
    item_id: str
    shape: tuple[str, ...]
    pattern: Pattern
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Sameness:
    """How often a person repeats themselves.

    Attributes:
        n: answers with one before them of the same shape.
        share: of these, that repeat it; None for none. ``others``: the mean share of the others' answers to the same items
            that say that very thing, None where nobody else has answered any of them.
        longest: the longest run of equal answers of one shape (the "long string").
        chance: of so many repetitions or more if each came as it comes to the others; None as ``others``.
    """

    n: int
    share: float | None
    others: float | None
    longest: int
    chance: float | None

    @property
    def flagged(self) -> bool:
        """Whether this is a straight-liner."""
        if self.share is None or self.others is None or self.chance is None or self.n < FEWEST:
            return False
        # these limits add up to CHANCE, however often somebody looks
        chance = CHANCE / (self.n * (self.n + 1))
        return self.share >= SAME_SHARE and self.share - self.others >= ABOVE_OTHERS and self.chance < chance


@dataclass(frozen=True, slots=True)
class Speed:
    """A person's median active seconds over ``n`` timed answers, and the campaign's median; None without any.

    ``hurried`` is how many of them took less than ``pace.QUICK_SECONDS``.
    """

    n: int
    seconds: float | None
    campaign: float | None
    hurried: int = 0

    @property
    def flagged(self) -> bool:
        """Whether this is a speeder."""
        if self.n < FEWEST or self.seconds is None or self.campaign is None:
            return False
        return self.seconds < FAST * self.campaign

    @property
    def often_quick(self) -> bool:
        """Return True if quick answers are a pattern."""
        return pace.often_quick(self.hurried, self.n)


def pattern(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> Pattern:
    """What these answers look like to the hand: free texts are left out, as nobody types the same twice."""
    blanks: Pattern = tuple(f"blank {blank.member}" for blank in questionnaire.blanks if says_blank(answers, blank))
    shown = set(visible(questionnaire, answers))
    questions = [question for question in questionnaire.questions if question.id in shown and question.kind != "text"]
    return blanks + tuple(_pressed(question, answers.get(question.id)) for question in questions)


def shape(questionnaire: Questionnaire) -> tuple[str, ...]:
    """What makes two items alike to the hand: the kinds of their questions, in order."""
    return tuple(question.kind for question in questionnaire.questions)


def _pressed(question: Question, answer: Any) -> Any:
    if is_blank(answer):
        return None
    if answer == CANNOT_TELL or question.kind == "number":
        return answer
    chosen = answer if question.kind in TICKED and isinstance(answer, list) else [answer]
    places = [n for n, option in enumerate(question.options) if any(same(value, option.value) for value in chosen)]
    return tuple(places)


def sameness(answers: Sequence[TimedAnswer]) -> dict[str, Sameness]:
    """How alike everybody's answers are, by person, one answer for each person and item, in the order of giving."""
    at: dict[str, Counter[Pattern]] = {}
    by_person: dict[str, list[TimedAnswer]] = {}
    for answer in answers:
        at.setdefault(answer.item_id, Counter())[answer.pattern] += 1
        by_person.setdefault(answer.person, []).append(answer)
    return {person: _sameness(own, at) for person, own in by_person.items()}


def _sameness(own: Sequence[TimedAnswer], at: Mapping[str, Counter[Pattern]]) -> Sameness:
    before: dict[tuple[str, ...], Pattern] = {}
    run: dict[tuple[str, ...], int] = {}
    shares, chances, repeats, longest = [], [], [], 1
    for answer in own:
        last = before.get(answer.shape)
        before[answer.shape] = answer.pattern
        run[answer.shape] = run.get(answer.shape, 0) + 1 if answer.pattern == last else 1
        longest = max(longest, run[answer.shape])
        if last is None:
            continue
        repeats.append(answer.pattern == last)
        others = at[answer.item_id].total() - 1
        alike = at[answer.item_id][last] - (answer.pattern == last)
        if others:
            shares.append(alike / others)
        # with half an answer of each kind added: what few others have not said is not impossible
        chances.append((alike + 0.5) / (others + 1))
    n, k = len(repeats), sum(repeats)
    if not shares:
        return Sameness(n, k / n if n else None, None, longest, None)
    return Sameness(n, k / n, sum(shares) / len(shares), longest, tail(chances, k))


def tail(chances: Sequence[float], k: int) -> float:
    """The chance that ``k`` or more of these independent events happen; exact, in ``len(chances)`` times ``k`` steps."""
    # the chance of 0, 1, ... events among those seen so far; the last place: of k or more
    so_far = np.zeros(k + 1)
    so_far[0] = 1.0
    for chance in chances:
        moved = so_far[:-1] * chance
        so_far[:-1] -= moved
        so_far[1:] += moved
    return float(so_far[k])


def speeds(answers: Sequence[TimedAnswer]) -> dict[str, Speed]:
    """How fast everybody is, by person."""
    timed: dict[str, list[float]] = {}
    for answer in answers:
        seconds = timed.setdefault(answer.person, [])
        if answer.seconds is not None:
            seconds.append(answer.seconds)
    medians = {person: median(seconds) for person, seconds in timed.items() if seconds}
    campaign = median(medians.values()) if medians else None
    return {
        person: Speed(len(seconds), medians.get(person), campaign, sum(second < pace.QUICK_SECONDS for second in seconds))
        for person, seconds in timed.items()
    }
