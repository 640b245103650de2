"""What each remark says: what a number means beside others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agreement.reasons import RemarkCode
from concord.common import wording
from concord.common.sentences.template import Template


def _verdict(
    verdict: str | None,
    reason: str | None,
    persons: int,
    margin: float,
    clusters: str,
    scorer: float,
    people: float,
    difference: float,
    low: float,
    high: float,
) -> str:
    who = f"these {persons} people" if persons else "these people"
    # another estimate than the scorer's own number, which stands beside it: so it is named; of two digits the difference
    # looks wrong
    numbers = (
        f"in one person's place it reaches {scorer:z.3f}, they reach {people:z.3f};"
        f" difference {difference:z.3f} ({low:z.3f} to {high:z.3f})"
    )
    if verdict is None:
        return f"{reason} ({who}): {numbers}"
    within = f" (within {margin:g})" if verdict == "equivalent" else ""
    return f"{wording.VERDICTS[verdict]} {who}{within}, on other {clusters}: {numbers}"


def _other_people(verdict: str | None, reason: str | None, low: float, high: float | None) -> str:
    around = f"{low:z.3f} to {high:z.3f}" if high is not None else ""
    return f"beside other people, on other prompts: {verdict or reason} ({around})"


def _agree_in(a: str, b: str, agreed: float) -> str:
    return f"{a} and {b} agree in {wording.percent(agreed)} of cases"


def _same_answer(a: str, b: str, agreed: float, yes: float) -> str:
    word = "yes" if yes > 0.5 else "no"
    start = _agree_in(a, b, agreed)
    return f"{start}, as both always say {word}. Kappa is undefined then: chance alone would agree as often."


def _beside_kappa(ac1: float | None, pabak: float | None) -> str:
    return f"AC1 {ac1:z.2f}, PABAK {pabak:z.2f}" if ac1 is not None and pabak is not None else ""


def _agreed(a: str, b: str, agreed: float, kappa: float, ac1: float | None, pabak: float | None) -> str:
    others = _beside_kappa(ac1, pabak)
    return f"{_agree_in(a, b, agreed)}; kappa is {kappa:z.2f}{f' ({others})' if others else ''}."


def _prevalence_paradox(
    a: str, b: str, agreed: float, kappa: float, ac1: float | None, pabak: float | None, yes: float, chance: float
) -> str:
    common = f"{wording.percent(max(yes, 1 - yes))} of their answers are {'yes' if yes > 0.5 else 'no'}"
    because = f"{common}, so that by chance alone they would agree in {wording.percent(chance)} of cases"
    return (
        f"{_agree_in(a, b, agreed)}, yet kappa is only {kappa:z.2f}. This is the prevalence paradox: {because}, and kappa"
        f" counts only what is beyond. Measures that expect less of chance stay high ({_beside_kappa(ac1, pabak)}). Kappa"
        f" here rests on the few {'no' if yes > 0.5 else 'yes'} answers: look at these cases before you trust either number."
    )


REMARKS: Final[Mapping[RemarkCode, Template]] = {
    RemarkCode.PARTS: "{parts:; }",
    RemarkCode.VERDICT: _verdict,
    RemarkCode.OTHER_PEOPLE: _other_people,
    RemarkCode.CORRECTED_VERDICT: (
        "beside these people p {p:z.3f}, by Holm {p_holm:z.3f} over {verdicts} verdict{verdicts:s}"
        " of this statistic and generator: all scorers and tasks"
    ),
    RemarkCode.NOTHING_SHARED: "{a} and {b} share no judgement.",
    RemarkCode.ONE_ANSWER: _same_answer,
    RemarkCode.AGREED: _agreed,
    RemarkCode.PREVALENCE_PARADOX: _prevalence_paradox,
    RemarkCode.BETTER_THAN_RANDOM: "better than a random order",
    RemarkCode.SCORE_OF: "{who:'s} score",
}
