"""Yes/no agreement in plain words: why kappa may be low although two raters mostly agree.

The prevalence paradox (A. Feinstein and D. Cicchetti 1990): where nearly all answers are yes, chance alone agrees nearly
always, and kappa, which counts what goes beyond chance, falls. T. Byrt, J. Bishop and J. Carlin (1993) write kappa as
(PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2) with the prevalence index PI and the bias index BI; only PI can pull it below PABAK,
so the gap between the two measures the effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agreement.pair.rater_pair import Estimate

# Agreement is called high, and the gap between PABAK and kappa a paradox, from here on: a convention of ours.
HIGH, GAP = 0.75, 0.2
COEFFICIENTS = ("percent_agreement", "cohen_kappa", "gwet_ac1", "pabak")


@dataclass(frozen=True)
class Prevalence:
    """How common yes is on each side, what the two agree on, and a sentence about it.

    Attributes:
        yes_a: share of yes of `a`, over the same pairs.
        yes_b: share of yes of `b`.
        coefficients: percent agreement, kappa, AC1 and PABAK.
        paradox: whether agreement is high, kappa is not, and prevalence is why.
        sentence: what the numbers say.
    """

    yes_a: Estimate
    yes_b: Estimate
    coefficients: tuple[Estimate, ...]
    paradox: bool
    sentence: str

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        return {
            "yes_a": self.yes_a.to_dict(),
            "yes_b": self.yes_b.to_dict(),
            "coefficients": [each.to_dict() for each in self.coefficients],
            "paradox": self.paradox,
            "sentence": self.sentence,
        }


def prevalence(a: str, b: str, yes_a: Estimate, yes_b: Estimate, coefficients: tuple[Estimate, ...]) -> Prevalence:
    """Put the numbers of raters `a` and `b` together and explain them.

    Args:
        a: one rater's name.
        b: the other's, or people.
        yes_a: share of yes of `a`.
        yes_b: share of yes of `b`.
        coefficients: those of COEFFICIENTS.
    """
    values = {each.statistic: each.value for each in coefficients}
    agreed, pabak, kappa = (values.get(name) for name in ("percent_agreement", "pabak", "cohen_kappa"))
    paradox = agreed is not None and pabak is not None and kappa is not None and agreed >= HIGH and pabak - kappa >= GAP
    sentence = _sentence(a, b, yes_a.value, yes_b.value, values, paradox=paradox)
    return Prevalence(yes_a, yes_b, coefficients, paradox, sentence)


def _sentence(
    a: str, b: str, yes_a: float | None, yes_b: float | None, values: Mapping[str, float | None], *, paradox: bool
) -> str:
    agreed, kappa, ac1, pabak = (values.get(name) for name in COEFFICIENTS)
    if agreed is None or yes_a is None or yes_b is None:
        return f"{a} and {b} share no judgement."
    start = f"{a} and {b} agree in {share(agreed)} of cases"
    yes = (yes_a + yes_b) / 2
    if kappa is None:
        word = "yes" if yes > 0.5 else "no"
        return f"{start}, as both always say {word}. Kappa is undefined then: chance alone would agree as often."
    others = f"AC1 {ac1:.2f}, PABAK {pabak:.2f}" if ac1 is not None and pabak is not None else ""
    if not paradox:
        return f"{start}; kappa is {kappa:.2f} ({others})." if others else f"{start}; kappa is {kappa:.2f}."
    # kappa = (p_o - p_e) / (1 - p_e), solved for p_e
    chance = (agreed - kappa) / (1 - kappa)
    common = f"{share(max(yes, 1 - yes))} of their answers are {'yes' if yes > 0.5 else 'no'}"
    why = (
        f"{common}, so that by chance alone they would agree in {share(chance)} of cases, and kappa counts only what is beyond"
    )
    return (
        f"{start}, yet kappa is only {kappa:.2f}. This is the prevalence paradox: {why}. "
        f"Measures that expect less of chance stay high ({others}). Kappa here rests on the few "
        f"{'no' if yes > 0.5 else 'yes'} answers: look at these cases before you trust either number."
    )


def share(value: float) -> str:
    """A share in percent; 0% and 100% are said only where nothing or everything is meant."""
    for digits in range(4):
        text = f"{value:.{digits}%}"
        if value in (0.0, 1.0) or float(text[:-1]) not in (0.0, 100.0):
            return text
    return "almost all" if value > 0.5 else "almost none"
