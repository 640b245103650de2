"""The catalogue of statistics: which there are, in the order of reports, and which make sense on which scale.

`DEFINITIONS` says every one in words: name, meaning, formula, range, source.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from agreement.inference.intervals import AUC, COEFFICIENT, CORRECTED, NUMBER, SHARE, ValueRange

PeopleAs = Literal["each", "majority", "mean"]
STATISTICS = (
    "mean",
    "percent_agreement",
    "percent_agreement_first_vs_rest",
    "unanimous_share",
    "majority_share",
    "cohen_kappa",
    "cohen_kappa_first_vs_rest",
    "cohen_kappa_linear",
    "cohen_kappa_quadratic",
    "fleiss_kappa",
    "gwet_ac1",
    "gwet_ac2",
    "pabak",
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_ratio",
    "icc_1",
    "icc_2",
    "pearson",
    "spearman",
    "kendall_tau_b",
    "kendall_tau_c",
    "auc",
)
ON_REQUEST = frozenset({"krippendorff_alpha_ratio", "kendall_tau_c"})
CORRELATIONS = frozenset({"pearson", "spearman", "kendall_tau_b", "kendall_tau_c"})
FIRST_VS_REST = frozenset({"percent_agreement_first_vs_rest", "cohen_kappa_first_vs_rest"})
NUMBER_ALPHAS = frozenset({"krippendorff_alpha_interval", "krippendorff_alpha_ratio"})
ICCS = frozenset({"icc_1", "icc_2"})
TWO_RATERS = frozenset({"cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "pabak"})
_MANY_RATERS_ONLY = FIRST_VS_REST | {"unanimous_share", "majority_share", "fleiss_kappa"}
_ORDER = frozenset({"cohen_kappa_linear", "cohen_kappa_quadratic", "gwet_ac2", "krippendorff_alpha_ordinal"})
_LABELS = frozenset({"percent_agreement", "cohen_kappa", "gwet_ac1", "pabak", "krippendorff_alpha_nominal"}) | _MANY_RATERS_ONLY
_NUMBERS = frozenset({"mean", "pearson"}) | NUMBER_ALPHAS | ICCS
# A score against another aspect shares no unit of measurement with it: only order and correlation can be compared.
OF_SCORES = CORRELATIONS | {"auc"}

# Shown at a glance, the primary statistic of a scale first. The scale is the first one whose primary statistic there is.
AMONG_AT_A_GLANCE = (
    ("krippendorff_alpha_ordinal", "gwet_ac2", "percent_agreement"),
    # the mean over pairs of persons (Cohen's kappa) has no value for slots
    ("fleiss_kappa", "percent_agreement", "gwet_ac1"),
    ("pearson", "spearman", "krippendorff_alpha_interval"),
)
TWO_AT_A_GLANCE = (
    ("cohen_kappa_quadratic", "spearman", "percent_agreement"),
    ("cohen_kappa", "percent_agreement", "gwet_ac1"),
    # a score beside yes or no
    ("auc", "spearman", "pearson"),
    ("pearson", "spearman", "krippendorff_alpha_interval"),
)


@dataclass(frozen=True)
class Measure:
    """Properties of one (suite, aspect) for statistics: its scale, whether its numbers count, whether it is yes/no.

    Attributes:
        ends: the numbers of the lowest and the highest level of an ordinal scale.
    """

    kind: str
    numeric: bool
    binary: bool
    labels: int
    ends: tuple[float, float] | None = None

    @property
    def ordinal(self) -> bool:
        """Whether the labels have an order."""
        return self.kind == "ordinal"

    def among(self) -> frozenset[str]:
        """Statistics among people that make sense."""
        statistics: frozenset[str] = frozenset()
        if self.kind != "interval":
            statistics |= _LABELS
        if self.kind == "ordinal":
            statistics |= _ORDER
        if self.numeric:
            statistics |= _NUMBERS
        if self.kind != "nominal":
            statistics |= CORRELATIONS - {"pearson"}
        return statistics | {"mean"} if self.binary else statistics

    def two_raters(self) -> frozenset[str]:
        """Statistics of one rater against another, or against people, that make sense."""
        statistics = self.among() - _MANY_RATERS_ONLY - ICCS
        return statistics | CORRELATIONS if self.binary else statistics


_SHARES = frozenset({"percent_agreement", "percent_agreement_first_vs_rest", "unanimous_share", "majority_share"})
_STEADY = frozenset({"gwet_ac1", "gwet_ac2", "pabak"})


def value_range_of(statistic: str, *, binary: bool, ends: tuple[float, float] | None = None) -> ValueRange:
    """Return the range of a statistic's values, for its interval; `binary`: of yes or no; `ends`: those of its scale."""
    if statistic == "mean":
        if ends is not None and not binary:
            return replace(NUMBER, low=ends[0], high=ends[1], straight=True)
        return SHARE if binary else NUMBER
    if statistic == "auc":
        return AUC
    if statistic in _STEADY:
        return COEFFICIENT
    return SHARE if statistic in _SHARES else CORRECTED


def select_statistics(names: frozenset[str], wanted: tuple[str, ...] | None) -> tuple[str, ...]:
    """`names` in report order: those wanted by name, or all but the ones made only on request."""
    return tuple(s for s in STATISTICS if s in names and (s not in ON_REQUEST if wanted is None else s in wanted))


def people_as(statistic: str, option: PeopleAs | None) -> PeopleAs | None:
    """How people enter a comparison with a scorer under an option (None: the default); None if that makes no sense."""
    ways: tuple[PeopleAs, ...] = ("each", "majority")
    if statistic in CORRELATIONS:
        ways = ("mean",)
    elif statistic in NUMBER_ALPHAS:
        ways = ("each", "mean")
    if option is None:
        return ways[0]
    return option if option in ways else None


def at_a_glance(names: Collection[str], *, among: bool) -> tuple[str, ...]:
    """The primary one of these statistics first, and two beside it; `among`: of many people, not of two raters.

    All of `names` where none of them is a scale's primary statistic.
    """
    scales = AMONG_AT_A_GLANCE if among else TWO_AT_A_GLANCE
    glance = next((scale for scale in scales if scale[0] in names), tuple(names))
    return tuple(name for name in glance if name in names)


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic's name on screen, one sentence on how to read it, its formula, what values it can have, and its source."""

    title: str
    meaning: str
    formula: str
    range: str
    source: str


NOTATION = (
    "A unit is what is judged: an image, or one object, relation or question of it. nᵢₖ: how many raters gave unit i the "
    "label k; nᵢ: how many rated it; K: labels on the scale, and of a nominal scale that names "
    "none all that are used of it in the project; πₖ: the mean of nᵢₖ / nᵢ over units. oₖₗ: the share of pairs of "
    "ratings in which the first is k and the second l; rₖ and sₗ: its margins."
)
_COHEN_1968 = "Cohen 1968, Psychological Bulletin 70"
_GWET_2014 = "Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed."
_GENEVAL = "Ghosh et al. 2023 (GenEval), there “interannotator agreement”"
_VISOR = "Gokhale et al. 2022 (VISOR), Table IV"
_ALPHA = "α = 1 − (n − 1) Σ oₖₗ dₖₗ / Σ nₖ nₗ dₖₗ over coincidences o with margins n"
_KRIPPENDORFF = "Krippendorff 2011, Computing Krippendorff’s Alpha-Reliability"
_SHROUT = "Shrout and Fleiss 1979, Psychological Bulletin 86"

DEFINITIONS: dict[str, Statistic] = {
    "mean": Statistic(
        "Mean",
        "The average value; for yes/no the share of yes.",
        "Σ x / n",
        "as the values; 0 to 1 for yes/no",
        "arithmetic mean",
    ),
    "percent_agreement": Statistic(
        "Agreement",
        "How often two raters of an image say the same, whatever chance would give.",
        "two raters: p = Σ oₖₖ; several: the mean over units with nᵢ ≥ 2 of Σₖ nᵢₖ (nᵢₖ − 1) / (nᵢ (nᵢ − 1))",
        "0 to 1",
        f"Fleiss 1971; {_GWET_2014}",
    ),
    "percent_agreement_first_vs_rest": Statistic(
        "Agreement, first vs rest",
        "The first rating of an image against each other one, as GenEval’s paper counts.",
        "share of the pairs (a unit’s first rating, each other one) that are equal",
        "0 to 1",
        _GENEVAL,
    ),
    "unanimous_share": Statistic(
        "Unanimous",
        "Share of images on which all raters say the same.",
        "units with all ratings equal / units with nᵢ ≥ 2",
        "0 to 1",
        _VISOR,
    ),
    "majority_share": Statistic(
        "Majority",
        "Share of images on which more than half of the raters say the same.",
        "units with nᵢₖ > nᵢ / 2 for some k / units with nᵢ ≥ 2",
        "0 to 1",
        _VISOR,
    ),
    "cohen_kappa": Statistic(
        "Cohen’s κ",
        "Agreement of two raters beyond chance: 1 perfect, 0 as by chance.",
        "κ = (p − pₑ) / (1 − pₑ), p = Σ oₖₖ, pₑ = Σ rₖ sₖ; among people the mean over pairs of persons",
        "at most 1; 0 as by chance",
        "Cohen 1960, Educational and Psychological Measurement 20",
    ),
    "cohen_kappa_first_vs_rest": Statistic(
        "Cohen’s κ, first vs rest",
        "Cohen’s κ of the first rating against the others.",
        "κ of the pairs (a unit’s first rating, each other one)",
        "at most 1; 0 as by chance",
        _GENEVAL,
    ),
    "cohen_kappa_linear": Statistic(
        "Cohen’s κ, linear",
        "Cohen’s κ that forgives near misses in proportion.",
        "κ = 1 − Σ vₖₗ oₖₗ / Σ vₖₗ rₖ sₗ, v = |k − l|",
        "at most 1; 0 as by chance",
        _COHEN_1968,
    ),
    "cohen_kappa_quadratic": Statistic(
        "Cohen’s κ, quadratic",
        "Cohen’s κ that forgives near misses by their square.",
        "κ = 1 − Σ vₖₗ oₖₗ / Σ vₖₗ rₖ sₗ, v = (k − l)²",
        "at most 1; 0 as by chance",
        _COHEN_1968,
    ),
    "fleiss_kappa": Statistic(
        "Fleiss’ κ",
        "Agreement of any number of raters beyond chance, any number per image.",
        "κ = (p − pₑ) / (1 − pₑ), p as under Agreement, pₑ = Σ πₖ²",
        "at most 1; 0 as by chance",
        f"Fleiss 1971, Psychological Bulletin 76; unequal numbers of raters: {_GWET_2014}",
    ),
    "gwet_ac1": Statistic(
        "Gwet’s AC1",
        "Agreement beyond chance that stays sensible when nearly all answers are alike.",
        "AC1 = (p − pₑ) / (1 − pₑ), p as under Agreement, pₑ = Σ πₖ (1 − πₖ) / (K − 1)",
        "at most 1; 0 as by chance",
        "Gwet 2008, British Journal of Mathematical and Statistical Psychology 61",
    ),
    "gwet_ac2": Statistic(
        "Gwet’s AC2",
        "AC1 for ordered answers: near misses count for something.",
        "as AC1, a pair counting w = 1 − (k − l)² / (K − 1)², pₑ = Σ w / (K (K − 1)) · Σ πₖ (1 − πₖ)",
        "at most 1; 0 as by chance",
        _GWET_2014,
    ),
    "pabak": Statistic(
        "PABAK",
        "Kappa as it would be if all answers were equally frequent.",
        "(K p − 1) / (K − 1), p = Σ oₖₖ",
        "−1 / (K − 1) to 1",
        "Byrt, Bishop and Carlin 1993, Journal of Clinical Epidemiology 46; Brennan and Prediger 1981",
    ),
    "krippendorff_alpha_nominal": Statistic(
        "Krippendorff’s α",
        "Agreement beyond chance, any raters, missing answers allowed.",
        f"{_ALPHA}; d = 1 for k ≠ l",
        "at most 1; 0 as by chance",
        _KRIPPENDORFF,
    ),
    "krippendorff_alpha_ordinal": Statistic(
        "Krippendorff’s α, ordinal",
        "Alpha that knows the answers’ order.",
        "α with d = (nₖ + … + nₗ − (nₖ + nₗ) / 2)²",
        "at most 1; 0 as by chance",
        _KRIPPENDORFF,
    ),
    "krippendorff_alpha_interval": Statistic(
        "Krippendorff’s α, interval",
        "Alpha that takes differences at face value.",
        "α with d = (k − l)²",
        "at most 1; 0 as by chance",
        _KRIPPENDORFF,
    ),
    "krippendorff_alpha_ratio": Statistic(
        "Krippendorff’s α, ratio",
        "Alpha for quantities with a true zero.",
        "α with d = ((k − l) / (k + l))²",
        "at most 1; 0 as by chance",
        _KRIPPENDORFF,
    ),
    "icc_1": Statistic(
        "ICC(1,1)",
        "Share of the spread that is between images; each may have raters of its own.",
        "(MSB − MSW) / (MSB + (n₀ − 1) MSW), n₀ = (N − Σ nᵢ² / N) / (n − 1) for N ratings of n units",
        "−1 / (n₀ − 1) to 1",
        _SHROUT,
    ),
    "icc_2": Statistic(
        "ICC(2,1)",
        "The same where the same raters judge all images; raters who are stricter count as disagreement.",
        "(MSB − MSE) / (MSB + (k − 1) MSE + k (MSJ − MSE) / n) for k raters of n units",
        "at most 1; 0 where images do not differ",
        _SHROUT,
    ),
    "pearson": Statistic(
        "Pearson’s r", "Linear correlation with people’s mean.", "r = Sxy / √(Sxx Syy)", "−1 to 1", "Pearson 1895"
    ),
    "spearman": Statistic(
        "Spearman’s ρ",
        "Correlation of ranks: does one go up when the other does?",
        "r of the ranks, equal values sharing their mean rank",
        "−1 to 1",
        "Spearman 1904",
    ),
    "kendall_tau_b": Statistic(
        "Kendall’s τ-b",
        "Pairs in the same order less pairs in the opposite order, ties allowed for.",
        "(C − D) / √(pairs untied in x · pairs untied in y)",
        "−1 to 1",
        "Kendall 1945, Biometrika 33",
    ),
    "kendall_tau_c": Statistic(
        "Kendall’s τ-c",
        "As τ-b, for scales of unequal length.",
        "2 m (C − D) / (n² (m − 1)), m the smaller number of distinct values",
        "−1 to 1",
        "Stuart 1953, Biometrika 40",
    ),
    "auc": Statistic(
        "AUC",
        "Chance that a right image gets a higher score than a wrong one.",
        "P(score of a yes > score of a no) + P(equal) / 2",
        "0 to 1; 0.5 as by chance",
        "Mann and Whitney 1947; Hanley and McNeil 1982",
    ),
}
