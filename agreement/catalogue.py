"""Which statistics there are, in the order of reports, and which make sense on which scale."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from agreement.inference.jackknife import AREA, COEFFICIENT, CORRECTED, NUMBER, SHARE, Kind

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
    """What the statistics need to know of one (suite, aspect): its scale, whether its numbers count, whether it is yes/no."""

    kind: str
    numeric: bool
    binary: bool
    labels: int

    @property
    def ordinal(self) -> bool:
        """Whether the labels have an order."""
        return self.kind == "ordinal"

    def among(self) -> frozenset[str]:
        """Statistics among people that make sense."""
        found: frozenset[str] = frozenset()
        if self.kind != "interval":
            found |= _LABELS
        if self.kind == "ordinal":
            found |= _ORDER
        if self.numeric:
            found |= _NUMBERS
        if self.kind != "nominal":
            found |= CORRELATIONS - {"pearson"}
        return found | {"mean"} if self.binary else found

    def two_raters(self) -> frozenset[str]:
        """Statistics of one rater against another, or against people, that make sense."""
        found = self.among() - _MANY_RATERS_ONLY - ICCS
        return found | CORRELATIONS if self.binary else found


_SHARES = frozenset({"percent_agreement", "percent_agreement_first_vs_rest", "unanimous_share", "majority_share"})
_STEADY = frozenset({"gwet_ac1", "gwet_ac2", "pabak"})


def kind_of(statistic: str, *, binary: bool) -> Kind:
    """What values a statistic has, and so how its interval is made; `binary`: of yes or no."""
    if statistic == "mean":
        return SHARE if binary else NUMBER
    if statistic == "auc":
        return AREA
    if statistic in _STEADY:
        return COEFFICIENT
    return SHARE if statistic in _SHARES else CORRECTED


def chosen(names: frozenset[str], wanted: tuple[str, ...] | None) -> tuple[str, ...]:
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
    found = next((scale for scale in scales if scale[0] in names), tuple(names))
    return tuple(name for name in found if name in names)
