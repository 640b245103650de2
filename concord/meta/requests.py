"""The requests of meta-evaluation: ``estimate``, ``rank``, ``alt-test``, ``plan`` and ``rater-effects``.

Nothing heavy is imported, as they make the commands' options.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Final, Literal

from concord.common.options import Intervals, Scorers
from data.requests import Request, Setting

if TYPE_CHECKING:
    from agreement import Options
    from agreement.meta.estimates import EstimateOptions

MEAN: Final = "mean"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRequest(Request):
    """A request for a plan: the precision that is asked for, and the designs to compare."""

    half_width: Annotated[
        float | None, Setting("Wanted half width of 95 % intervals; default: 0.05 of people's scale.", minimum=1e-6)
    ] = None
    difference: Annotated[
        float | None,
        Setting("Difference of two generators to be found with power 0.8; default: 0.1 of the scale.", minimum=1e-6),
    ] = None
    statistics: Annotated[
        tuple[str, ...],
        Setting("What to plan; default: the mean, and the difference of two generators. Repeatable.", flags="--statistic"),
    ] = (MEAN,)
    images: Annotated[
        tuple[int, ...],
        Setting("Images of a prompt by each generator; default: as many as there are.", minimum=1, maximum=1000),
    ] = ()
    ratings: Annotated[
        tuple[int, ...], Setting("People's ratings of an image; default: 1, 2, 3 and 5.", minimum=1, maximum=1000)
    ] = ()
    persons: Annotated[int | None, Setting("People who share the work; default: as now.", minimum=1)] = None
    seed: Annotated[int, Setting("Random seed of the draw that leaves fewer images and ratings.", minimum=0)] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterEffectsRequest(Request):
    """For how many ratings of an image the coefficients of people's ratings are to be."""

    ratings: Annotated[
        tuple[int, ...],
        Setting("Ratings of an image, for the coefficients; default: 1, 3 and 5.", minimum=1, maximum=1000),
    ] = (1, 3, 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRequest(Request):
    """A request to compare scorers' rankings with people's."""

    scorer: Scorers = ()
    epsilon: Annotated[
        float | None,
        Setting("Scores that are at most so far apart are tied; default: what fits best on other prompts.", minimum=0.0),
    ] = None
    intervals: Intervals = True
    seed: Annotated[int, Setting("Random seed of cross-validation folds and resamples.", minimum=0)] = 0

    def options(self) -> Options:
        """Return what the engine is to compute."""
        from agreement import Options

        return Options(intervals=self.intervals, seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class AltTestRequest(Request):
    """A request to test scorers as stand-ins for people."""

    scorer: Scorers = ()
    epsilon: Annotated[
        float,
        Setting("What a person costs more: 0.2 experts, 0.15 skilled people, 0.1 a crowd.", minimum=0.0, maximum=1.0),
    ] = 0.1
    graded: Annotated[
        tuple[str, ...],
        Setting("A scorer whose score is a grade from 0 to 10: tenths of people's scale. Repeatable."),
    ] = ()
    intervals: Intervals = True

    def options(self) -> Options:
        """Return what the engine is to compute."""
        from agreement import Options

        return Options(intervals=self.intervals)


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateRequest(Request):
    """A request for estimates: of which generators, by which method, and why labels count as drawn by chance."""

    scorer: Scorers = ()
    method: Annotated[
        Literal["ppi", "corrected"],
        Setting(
            "ppi: prediction-powered mean; corrected: how often people would say yes, from the scorer's sensitivity and"
            " specificity."
        ),
    ] = "ppi"
    target: Annotated[
        Literal["prompts", "these"],
        Setting("What the estimate is about; prompts: new prompts of this kind; these: these very images."),
    ] = "prompts"
    against: Annotated[str | None, Setting("Also estimate each generator's difference from this one.", metavar="GENERATOR")] = (
        None
    )
    labelled_at_random: Annotated[bool, Setting("Count all labels: chance chose the images that have them.")] = False
    label_sample: Annotated[
        int | None,
        Setting("A trial: draw N labelled images, and hide the other labels.", metavar="N", minimum=4),
    ] = None
    seed: Annotated[int, Setting("Random seed of --label-sample.", minimum=0)] = 0

    def options(self) -> EstimateOptions:
        """Return what the engine is to compute."""
        from agreement.meta.estimates import EstimateOptions

        return EstimateOptions(
            self.method, self.target, self.labelled_at_random, self.label_sample, self.seed, self.against, self.scorer
        )
