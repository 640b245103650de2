"""Flags: what is odd about a person's work, in three kinds, each with a sentence that holds its numbers.

- *checks*: the campaign's own rule has paused them for wrong checks (``data.campaigns.checks``).
- *pattern*: they give one set of answers whatever is shown, or answer faster than anybody can look.
- *information*: all else. It is a reason to look, and convicts nobody: only the first two kinds are preselected when people
  are revoked together.

Among the last are **soft** tests, of checks, of agreement with the others and of competence (agreement with the label that a
model of everybody's reliability finds most probable without the person's own answer). Each is an exact test of "this
person is attentive": with so many wrong, how probable is it that somebody attentive has as many or more? The tail is that of
the Poisson-binomial distribution (``quality.tail``).

Family-wise error. A person is looked at after every ``CHECK_STEP`` checks and after every ``ANSWER_STEP`` comparisons, not
in between, so that looking at the page more often changes nothing. The m-th look may err with a probability of ``risk / (m
(m + 1))``; as 1/2 + 1/6 + 1/12 + ... is 1, a test errs with ``risk`` at most, however long somebody works. There are four of
them: checks, agreement and competence over all, and both checks and competence since the ``WINDOW``-th last check, so that
somebody who turns careless late is seen. Each gets ``SOFT_RISK`` / 4. So somebody attentive has a soft flag with a probability
of ``SOFT_RISK`` at most, whatever the tests have in common (Bonferroni). This holds at the edge, for somebody who is just
attentive; others are flagged more rarely (Hoeffding 1956).

*Attentive* means: right on checks at their pass marks; and beside the others a kappa of at least ``ATTENTIVE_SHARE`` of the
median person's. All tests but that of the checks flag only somebody whose interval also reaches down to chance: who
differs from the others and knows something is no guesser. The median is taken as known, which is an approximation in small
crowds: below ``FEWEST_PEOPLE`` people there is no such test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final, Literal

from annotation.quality import Sameness, Speed, tail
from annotation.questionnaires.base import TICKED, Questionnaire
from data.campaigns.checks import accepted_answers
from data.campaigns.pace import quick_answers_text

Kind = Literal["checks", "pattern", "information"]
KINDS: Final[tuple[Kind, ...]] = ("checks", "pattern", "information")
CONVICTING: Final[tuple[Kind, ...]] = ("checks", "pattern")
"""Kinds that are preselected when people are revoked together."""

SOFT_RISK: Final = 0.05
TEST_RISK: Final = SOFT_RISK / 4
"""The most that one of the four soft tests flags somebody attentive, however often one looks."""
CHECK_STEP: Final = 6
WINDOW: Final = 12
"""Checks that the latest work is seen by."""
ANSWER_STEP: Final = 12
ANSWER_WINDOW: Final = 36
ATTENTIVE_SHARE: Final = 0.8
"""As far above chance as a pass mark of 0.9 is where two answers are possible."""
FEWEST_PEOPLE: Final = 5
LEAST_KAPPA: Final = 0.2
"""Where the median person's kappa is below this, the crowd as a whole answers by chance, and nobody is told from it."""


@dataclass(frozen=True, slots=True)
class Flag:
    """Something odd about a person's work. ``code`` names the rule, ``sentence`` says what was seen, with its numbers."""

    kind: Kind
    code: str
    sentence: str

    @property
    def soft(self) -> bool:
        """Return True if this is one of the soft tests."""
        return self.code in SOFT_CODES


SOFT_CODES: Final = ("low checks", "chance agreement", "no competence", "careless lately")


@dataclass(frozen=True, slots=True)
class AttentionTrial:
    """Something that a person got right or wrong.

    Attributes:
        right: True if it was right.
        attentive: the lowest probability with which somebody attentive is right.
        guessing: the probability with which somebody is right who does not look; None: not known.
        check: True if it is a gold or attention item, False if a comparison with the others.
    """

    right: bool
    attentive: float
    guessing: float | None
    check: bool


@dataclass(frozen=True, slots=True)
class LowShare:
    """A share of right trials that is too low for somebody attentive.

    Attributes:
        trials: those that it is the share of.
        low, high: Clopper and Pearson's exact 99 % interval of the share.
    """

    trials: Sequence[AttentionTrial]
    low: float
    high: float

    @property
    def right(self) -> int:
        return sum(trial.right for trial in self.trials)

    @property
    def attentive(self) -> float:
        """Number of right ones expected at least of somebody attentive."""
        return sum(trial.attentive for trial in self.trials)

    @property
    def guessing(self) -> float | None:
        """Number of right ones expected of somebody who guesses; None where it is not known of all."""
        known = [trial.guessing for trial in self.trials if trial.guessing is not None]
        return sum(known) if len(known) == len(self.trials) else None


def low_share(trials: Sequence[AttentionTrial], step: int, *, by_chance: bool) -> LowShare | None:
    """Return the share of right ones among all trials up to the last look if it is too low, else None.

    Args:
        trials: in the order of answering.
        step: trials between two looks; what came after the last look is left out.
        by_chance: only a share whose interval reaches down to guessing counts.
    """
    looks = len(trials) // step
    return _too_low(trials[: looks * step], looks, by_chance=by_chance)


def low_lately(trials: Sequence[AttentionTrial]) -> LowShare | None:
    """Return the share of right ones since the ``WINDOW``-th last check if it is too low, else None.

    The checks and the comparisons between them count alike. Looks are taken from the ``WINDOW``-th check on. Where a campaign
    has no checks, the window holds the last ``ANSWER_WINDOW`` comparisons.
    """
    marks = [n for n, trial in enumerate(trials, 1) if trial.check]
    window, step = WINDOW, CHECK_STEP
    if not marks:
        marks, window, step = list(range(1, len(trials) + 1)), ANSWER_WINDOW, ANSWER_STEP
    looks = (len(marks) - window) // step + 1
    if looks < 1:
        return None
    last = window + (looks - 1) * step
    first = marks[last - window - 1] if last > window else 0
    return _too_low(trials[first : marks[last - 1]], looks, by_chance=True)


def _too_low(trials: Sequence[AttentionTrial], looks: int, *, by_chance: bool) -> LowShare | None:
    if not trials:
        return None
    hits = sum(trial.right for trial in trials)
    if tail([1 - trial.attentive for trial in trials], len(trials) - hits) >= TEST_RISK / (looks * (looks + 1)):
        return None
    low = LowShare(trials, *exact_interval(hits, len(trials)))
    return None if by_chance and low.guessing is not None and low.low > low.guessing / len(trials) else low


def guessing_chance(questionnaire: Questionnaire, expected: Mapping[str, Any]) -> float | None:
    """Return the probability of answering all of ``expected`` rightly if every option is as likely; None without options.

    Of a list to tick from, each set of options is as likely. Nobody guesses a text or a number.
    """
    chance = 1.0
    questions = {question.id: question for question in questionnaire.questions}
    for name, right in expected.items():
        question = questions.get(name)
        if question is None or question.kind in ("text", "number") or not question.options:
            return None
        possible = 2 ** len(question.options) - 1 if question.kind in TICKED else len(question.options)
        chance *= min(1.0, len(accepted_answers(right)) / possible)
    return chance if expected else None


def exact_interval(hits: int, n: int) -> tuple[float, float]:
    """Clopper and Pearson's 99 % interval (1934) of the share of ``hits`` in ``n`` independent trials (n > 0)."""
    from scipy.special import betaincinv  # takes half a second to load, and most people have no such flag

    low = 0.0 if hits == 0 else float(betaincinv(hits, n - hits + 1, 0.005))
    return low, 1.0 if hits == n else float(betaincinv(hits + 1, n - hits, 0.995))


@dataclass(frozen=True, slots=True)
class Beside:
    """A person beside the others' labels: ``equal`` in the order of answering, and the ``chance`` and ``kappa`` of it."""

    equal: Sequence[bool]
    chance: float
    kappa: float


def trials_beside(person: Beside, everybody: Sequence[Beside]) -> list[AttentionTrial]:
    """Return a person's comparisons as trials; none if the crowd is too small or too much at odds to tell anybody from it."""
    kappas = [other.kappa for other in everybody if len(other.equal) >= ANSWER_STEP and other.kappa == other.kappa]
    if len(kappas) < FEWEST_PEOPLE or (typical := median(kappas)) < LEAST_KAPPA:
        return []
    floor = person.chance + ATTENTIVE_SHARE * typical * (1 - person.chance)
    return [AttentionTrial(equal, floor, person.chance, check=False) for equal in person.equal]


@dataclass(frozen=True, slots=True)
class AttentionEvidence:
    """All that is known of a person's work, in numbers; None: not known, or does not apply.

    Attributes:
        paused: why the campaign's rule has paused them; ``paused_by_pace``: True if it was for quick answers.
        checks: answers to gold and attention items; ``lately``: these and ``competence``, in the order of answering.
        agreement: answers beside what more than half of the others say.
        competence: the same beside the label of a model without their own answer, and ``kappa`` of these.
        same_network: how many people came from their network, themselves among them.
        own_browsers: how often another browser of their own network came with their id.
        other_ids: with how many other people's ids they came.
    """

    paused: str | None = None
    paused_by_pace: bool = False
    sameness: Sameness | None = None
    speed: Speed | None = None
    checks: Sequence[AttentionTrial] = ()
    agreement: Sequence[AttentionTrial] = ()
    competence: Sequence[AttentionTrial] = ()
    lately: Sequence[AttentionTrial] = ()
    kappa: float | None = None
    same_network: int = 0
    own_browsers: int = 0
    other_ids: int = 0


def flags(evidence: AttentionEvidence) -> tuple[Flag, ...]:
    """Return all flags of a person, what convicts first."""
    raised = [*_checks(evidence), *_patterns(evidence), *_soft(evidence), *_arrivals(evidence)]
    return tuple(raised)


def _checks(evidence: AttentionEvidence) -> list[Flag]:
    if evidence.paused is None or evidence.paused_by_pace:
        return []
    return [Flag("checks", "failed checks", f"paused: {evidence.paused}")]


def _patterns(evidence: AttentionEvidence) -> list[Flag]:
    raised = []
    same, speed = evidence.sameness, evidence.speed
    if same is not None and same.flagged and same.share is not None and same.others is not None:
        says = f"repeats the answer before in {same.share:.0%} of {same.n}, where others say that in {same.others:.0%}"
        raised.append(Flag("pattern", "straight-lining", says))
    if evidence.paused_by_pace:
        raised.append(Flag("pattern", "quick answers", f"paused: {evidence.paused}"))
    elif speed is not None and speed.often_quick:
        raised.append(Flag("pattern", "quick answers", quick_answers_text(speed.hurried, speed.n)))
    return raised


def _soft(evidence: AttentionEvidence) -> list[Flag]:
    raised = []
    if low := low_share(evidence.checks, CHECK_STEP, by_chance=False):
        raised.append(Flag("information", "low checks", f"{low.right} of {len(low.trials)} checks right; {_expected(low)}"))
    if low := low_share(evidence.agreement, ANSWER_STEP, by_chance=True):
        says = f"agrees with most others on {_share(low)}, no better than chance; {_expected(low)}"
        raised.append(Flag("information", "chance agreement", says))
    if low := low_share(evidence.competence, ANSWER_STEP, by_chance=True):
        says = f"competence {evidence.kappa or 0:.2f} (0 guesses, 1 is always right): {_share(low)} as a model of all expects"
        raised.append(Flag("information", "no competence", says))
    if low := low_lately(evidence.lately):
        says = f"lately right or as expected on {_share(low)}, no better than chance; {_expected(low)}"
        raised.append(Flag("information", "careless lately", says))
    return raised


def _expected(low: LowShare) -> str:
    guess = "" if low.guessing is None else f", guessing {low.guessing:.1f}"
    return f"somebody attentive gets {low.attentive:.1f} or more{guess}"


def _share(low: LowShare) -> str:
    n = len(low.trials)
    return f"{low.right} of {n} ({low.right / n:.0%}, 99 % {low.low:.0%} to {low.high:.0%})"


def _arrivals(evidence: AttentionEvidence) -> list[Flag]:
    raised = []
    speed = evidence.speed
    if speed is not None and speed.flagged and speed.seconds is not None and speed.campaign is not None:
        says = f"median {speed.seconds:.1f} s an answer, everybody’s is {speed.campaign:.1f} s"
        raised.append(Flag("information", "fast", says))
    if speed is not None and speed.hurried and not speed.often_quick and not evidence.paused_by_pace:
        raised.append(Flag("information", "some quick answers", quick_answers_text(speed.hurried, speed.n)))
    if evidence.same_network > 1:
        raised.append(Flag("information", "same network", f"{evidence.same_network} people came from one network"))
    if evidence.own_browsers:
        says = f"another browser came with this id {_times(evidence.own_browsers)}, without the re-entry code"
        raised.append(Flag("information", "another browser", says))
    if evidence.other_ids:
        people = "1 other person" if evidence.other_ids == 1 else f"{evidence.other_ids} other people"
        raised.append(Flag("information", "somebody else’s id", f"came with the id of {people}, and was not let in"))
    return raised


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n} times"
