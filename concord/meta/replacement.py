"""May a scorer replace people? One sentence, from the alternative annotator test and the human ceiling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from agreement.estimate import Estimate
from agreement.meta.alternative_annotator import WINNING_RATE, AlternativeAnnotator
from agreement.report.ceiling import SAW_LABELS
from agreement.study.cells import ALL
from concord.common import reason_sentences, wording
from concord.common.estimate_table import glance

Answer = Literal["yes", "perhaps", "no", "unknown"]
ANSWERS: Final[Mapping[Answer, str]] = {"yes": "Yes", "perhaps": "Perhaps", "no": "No", "unknown": "Not known"}


@dataclass(frozen=True, slots=True)
class Replacement:
    """Whether a scorer may replace people on an aspect.

    Attributes:
        answer: yes where it passes the test and is not below people; no where it is below them and does not pass;
            perhaps where one of the two speaks for it alone, or they contradict each other; else unknown.
        evidence: what the test and the ceiling say, a sentence each.
        agreement: the row of the agreement report behind the ceiling; None without one.
        test: the test's row; None where there is none.
    """

    scorer: str
    answer: Answer
    evidence: tuple[str, str]
    agreement: Estimate | None
    test: AlternativeAnnotator | None

    @property
    def on_scale(self) -> bool:
        """True if the scorer gives people's aspect itself, not a score of its own."""
        return self.test is None or self.test.on_scale

    @property
    def sentence(self) -> str:
        """The answer with its evidence."""
        return f"{self.scorer}: {ANSWERS[self.answer].lower()}. {' '.join(self.evidence)}"


def replacements(
    tests: Sequence[AlternativeAnnotator], raters: Sequence[Estimate], task: str, people: str
) -> list[Replacement]:
    """Return one for each scorer of an aspect, the most promising first.

    Args:
        tests: rows of `alt-test`.
        raters: rows of `agreement` about scorers.
        task: whose rows are read.
        people: real or simulated ones.
    """
    cell = (task, ALL, people)
    by_test = {
        str(row.scorer): row for row in tests if row.statistic == WINNING_RATE and (row.task, row.generator, row.people) == cell
    }
    by_ceiling: dict[str, Estimate] = {}
    here = [row for row in raters if (row.task, row.generator, row.people) == cell]
    for beside in glance(here)[0]:
        if beside.value is not None and beside.target is None:
            by_ceiling.setdefault(beside.rater, beside)
    names = sorted(by_test.keys() | by_ceiling.keys())
    made = []
    for name in names:
        test, row = by_test.get(name), by_ceiling.get(name)
        verdict = row.ceiling.verdict.verdict if row and row.ceiling else None
        answer = _answer(test.passes if test else None, verdict)
        made.append(Replacement(name, answer, (_by_test(test), _by_ceiling(row)), row, test))
    order = list(ANSWERS)
    return sorted(made, key=lambda each: (order.index(each.answer), -_value(each.agreement), each.scorer))


def _value(row: Estimate | None) -> float:
    return -1.0 if row is None or row.value is None else row.value


def _answer(passes: bool | None, verdict: str | None) -> Answer:
    good = verdict in ("equivalent", "above")
    if passes and good:
        return "yes"
    if passes or good:
        return "perhaps"
    return "no" if verdict == "below" else "unknown"


def _by_test(test: AlternativeAnnotator | None) -> str:
    if test is None or test.value is None:
        reason = reason_sentences.text_or_none(test.reason) if test else "nothing to test"
        return f"The alternative annotator test is not possible: {reason}."
    return (
        f"It {'passes' if test.passes else 'does not pass'} the alternative annotator test: it does as well as"
        f" {test.persons_won} of {len(test.persons)} people (ε = {test.epsilon:g}; half are needed)."
    )


def _by_ceiling(row: Estimate | None) -> str:
    ceiling = row and row.ceiling
    if not row or not ceiling:
        return "How far people agree with each other is not known."
    title = wording.title(row.statistic)
    if ceiling.verdict.verdict_reason == SAW_LABELS:
        return f"It agrees with people by {title} {wording.two(row.value or 0.0)}, but it saw these labels."
    if ceiling.value is None or ceiling.verdict.scorer is None:
        return f"How far people agree with each other is not known: {reason_sentences.text_or_none(ceiling.reason)}."
    # another estimate than its agreement with all of them, which stands elsewhere: so it is named
    against = (
        f"in one person's place it reaches {title} {wording.two(ceiling.verdict.scorer)}, people {wording.two(ceiling.value)}"
    )
    if ceiling.verdict.verdict:
        return f"Its agreement with people is {wording.verdict(ceiling.verdict.verdict, 'theirs')}: {against}."
    reason = reason_sentences.text_or_none(ceiling.verdict.verdict_reason)
    return f"Its agreement is not clearly above or below theirs, {reason}: {against}."
