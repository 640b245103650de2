"""The metrics of suites: each with its name, formula, range, source and the aspects that it needs.

A kind of suite declares its metrics in `METRICS_OF_KIND`; the formulas are in `formulas`, `answers` and `visor`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from agreement.catalogue import Statistic
from agreement.reasons import ReasonCode

SuiteKind = Literal["visor", "geneval", "tifa", "selfeval"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric(Statistic):
    """A metric of a suite.

    Attributes:
        name: the `statistic` of its estimates.
        aspect: the aspect that its estimates are about.
        needs: the aspects that a rater must have judged.
        undefined: why it has no value where nothing qualifies.
    """

    name: str
    aspect: str
    needs: tuple[str, ...]
    undefined: ReasonCode


_SHARE: Final = "0 to 1"
_VISOR: Final = "Gokhale et al. 2022 (VISOR)"
_GENEVAL: Final = "Ghosh et al. 2023 (GenEval)"
_TIFA: Final = "Hu et al. 2023 (TIFA)"
_SELFEVAL: Final = "Rambhatla and Misra 2023 (SelfEval)"

VISOR_OA, VISOR_UNCOND, VISOR_COND, VISOR_CONSISTENCY = "visor_oa", "visor_uncond", "visor_cond", "visor_consistency"
VISOR_N: Final = {1: "visor_1", 2: "visor_2", 3: "visor_3", 4: "visor_4"}
"""VISOR_n by n; a prompt has four images in the paper."""

_VISOR_METRICS: Final = (
    Metric(
        name=VISOR_OA,
        title="VISOR: OA",
        meaning="Share of images that show both objects of a prompt with a relation (object accuracy).",
        formula="images with both objects / images",
        range=_SHARE,
        source=f"{_VISOR}, equation 1",
        aspect="present",
        needs=("present",),
        undefined=ReasonCode.NO_IMAGE_JUDGED,
    ),
    Metric(
        name=VISOR_UNCOND,
        title="VISOR: uncond",
        meaning="Share of images that show both objects in the asked relation.",
        formula="images with both objects in the relation / images",
        range=_SHARE,
        source=f"{_VISOR}, equation 2",
        aspect="correct",
        needs=("correct",),
        undefined=ReasonCode.NO_IMAGE_JUDGED,
    ),
    Metric(
        name=VISOR_COND,
        title="VISOR: cond",
        meaning="Share of the images with both objects that show them in the asked relation.",
        formula="images with both objects in the relation / images with both objects",
        range=_SHARE,
        source=f"{_VISOR}, equation 5",
        aspect="position",
        needs=("present", "correct"),
        undefined=ReasonCode.NO_IMAGE_WITH_BOTH_OBJECTS,
    ),
    *(
        Metric(
            name=name,
            title=f"VISOR: {n}",
            meaning=f"Share of prompts that show both objects in the asked relation in {n} of their images or more.",
            formula=f"prompts with at least {n} correct {'images' if n > 1 else 'image'} / prompts",
            range=_SHARE,
            source=f"{_VISOR}, equation 3; all prompts divide, as in its visor.py",
            aspect="correct",
            needs=("correct",),
            undefined=ReasonCode.NO_IMAGE_JUDGED,
        )
        for n, name in VISOR_N.items()
    ),
    Metric(
        name=VISOR_CONSISTENCY,
        title="VISOR: consistency",
        meaning="How often equivalent prompts (“a left of b”, “b right of a”) are drawn alike where both objects are there.",
        formula=(
            "of all pairs of an image of the one prompt and an image of the other, each with both objects: pairs with the same"
            " verdict / pairs; by relation of the prompt that names the object first that COCO names first, and the mean of the"
            " relations"
        ),
        range=_SHARE,
        source=f"{_VISOR}, Table VII; the paper prints no formula",
        aspect="position",
        needs=("present", "correct"),
        undefined=ReasonCode.NO_EQUIVALENT_PROMPTS,
    ),
)

GENEVAL_IMAGES, GENEVAL_ANY, GENEVAL_ALL = "geneval_correct_images", "geneval_any_of_n", "geneval_all_of_n"


def _geneval(name: str, title: str, meaning: str, formula: str, source: str) -> Metric:
    return Metric(
        name=name,
        title=title,
        meaning=meaning,
        formula=formula,
        range=_SHARE,
        source=source,
        aspect="correct",
        needs=("correct",),
        undefined=ReasonCode.NO_IMAGE_JUDGED,
    )


_GENEVAL_METRICS: Final = (
    _geneval(
        GENEVAL_IMAGES,
        "GenEval: correct images",
        "Share of images that show all that is asked; its mean over tasks is the paper’s overall score.",
        "correct images / images",
        f"{_GENEVAL}, section 5.1",
    ),
    _geneval(
        GENEVAL_ANY,
        "GenEval: any of N",
        "Share of prompts of which at least one image is correct.",
        "prompts with a correct image / prompts",
        "GenEval’s summary_scores.py, “% correct prompts”",
    ),
    _geneval(
        GENEVAL_ALL,
        "GenEval: all of N",
        "Share of prompts of which every image is correct.",
        "prompts whose images are all correct / prompts",
        "the counterpart of any of N",
    ),
)

TIFA_SCORE, TIFA_ACCURACY = "tifa_score", "tifa_accuracy"
_TIFA_METRICS: Final = (
    Metric(
        name=TIFA_SCORE,
        title="TIFA",
        meaning="Mean over texts of the share of questions about an image that are answered as the text says.",
        formula="Σ over texts of the mean over their images of right answers / questions, by the number of texts",
        range=_SHARE,
        source=f"{_TIFA}, formula 1",
        aspect="answer",
        needs=("answer",),
        undefined=ReasonCode.NO_QUESTION_ANSWERED,
    ),
    Metric(
        name=TIFA_ACCURACY,
        title="TIFA: accuracy",
        meaning="Share of questions that are answered as the text says; of each element type as a row with that target.",
        formula="right answers / questions",
        range=_SHARE,
        source=f"{_TIFA}, Figure 8 and Table 4",
        aspect="answer",
        needs=("answer",),
        undefined=ReasonCode.NO_QUESTION_ANSWERED,
    ),
)

SELFEVAL_ACCURACY, SELFEVAL_ABOVE_CHANCE = "selfeval_accuracy", "selfeval_above_chance"
_SELFEVAL_METRICS: Final = (
    Metric(
        name=SELFEVAL_ACCURACY,
        title="SelfEval: accuracy",
        meaning="Share of images whose right caption is chosen; a tie is not right.",
        formula="images with the right caption chosen / images",
        range=_SHARE,
        source=f"{_SELFEVAL}, section 4.1",
        aspect="caption",
        needs=("caption",),
        undefined=ReasonCode.NO_IMAGE_WITH_ALL_CAPTIONS,
    ),
    Metric(
        name=SELFEVAL_ABOVE_CHANCE,
        title="SelfEval: accuracy less chance",
        meaning="Accuracy less what choosing at random would give, as tasks have different numbers of captions.",
        formula="Σ (1 if the right one of C captions is chosen, else 0, less 1 / C) / images",
        range="−1/2 to 1",
        source=f"{_SELFEVAL}, Figure 4",
        aspect="caption",
        needs=("caption",),
        undefined=ReasonCode.NO_IMAGE_WITH_ALL_CAPTIONS,
    ),
)

METRICS_OF_KIND: Final[Mapping[SuiteKind, tuple[Metric, ...]]] = {
    "visor": _VISOR_METRICS,
    "geneval": _GENEVAL_METRICS,
    "tifa": _TIFA_METRICS,
    "selfeval": _SELFEVAL_METRICS,
}
"""The metrics of each kind of suite: SR2D and its variants, prompts in GenEval's form, questions, captions."""

METRICS: Final[Mapping[str, Metric]] = {metric.name: metric for metrics in METRICS_OF_KIND.values() for metric in metrics}
"""Every metric by name."""
