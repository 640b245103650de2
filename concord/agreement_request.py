"""The request of ``agreement``: what is compared, and how. Nothing heavy is imported, as it makes the command's options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

from concord.common.options import Intervals
from data.requests import Request, Setting

if TYPE_CHECKING:
    from agreement import Options

By = Literal["target", "certainty"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRequest(Request):
    """A request for the agreement of a selection: statistics, intervals, levels of people."""

    statistics: Annotated[tuple[str, ...], Setting("Only these statistics.", flags="--statistic")] = ()
    all_statistics: Annotated[bool, Setting("Show all statistics, not only the main ones of each scale.")] = False
    by: Annotated[
        tuple[By, ...],
        Setting("target: one row per object, relation or question; certainty: scorers also by how far people agree."),
    ] = ()
    compare_with: Annotated[
        tuple[str, ...],
        Setting(
            "Also compare scorers' scores, by rank, with people's answers of this aspect. Repeatable.",
            flags="--compare-with",
            metavar="ASPECT",
        ),
    ] = ()
    compare: Annotated[bool, Setting("Also compare scorers with each other: which one agrees better with people?")] = False
    thresholds: Annotated[
        bool,
        Setting("Also turn scores into yes/no decisions, at the threshold that agrees best with people (cross-validated)."),
    ] = False
    consensus: Annotated[
        tuple[Literal["majority", "dawid_skene", "mace"], ...],
        Setting("Add a consensus of people as a rater, and compare each person with the others. Repeatable."),
    ] = ()
    people_as: Annotated[
        Literal["each", "majority", "mean"] | None,
        Setting("How human ratings are aggregated for comparison with a scorer."),
    ] = None
    intervals: Intervals = True
    ceiling: Annotated[bool, Setting("Show human agreement next to each scorer's, and a verdict.")] = True
    margin: Annotated[
        float | None,
        Setting(
            "Equivalence margin: differences from human agreement up to this are equal (shares 0.05, coefficients 0.1).",
            minimum=0.001,
            maximum=1.0,
        ),
    ] = None
    seed: Annotated[int, Setting("Random seed of cross-validation folds, permutations and crowd models.", minimum=0)] = 0

    def options(self) -> Options:
        """Return what the engine is to compute."""
        from agreement import Options

        return Options(
            statistics=self.statistics or None,
            by_target="target" in self.by,
            by_certainty="certainty" in self.by,
            people_as=self.people_as,
            intervals=self.intervals,
            ceiling=self.ceiling,
            margin=self.margin,
            seed=self.seed,
            compare_with=self.compare_with,
        )
