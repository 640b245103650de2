"""What the papers print about their human studies, number by number, with where it stands. Data only: no formulas.

Of VISOR nothing is here: of its human answers nothing is at hand (its study folder holds images alone), so none of its human
numbers (Section 5.3, Tables IV and V) is determined. SelfEval prints totals of votes, its answers were not released: what
follows from the totals is in ``data.studies.selfeval``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

ALL: Final = "all"
TASKS_MEAN: Final = "tasks_mean"

Quantity = Literal["value", "items", "items_with", "ratings", "ratings_per_item", "prompts"]
"""Of a row of `agreement`: its value; its items; the items that its value is the share of; its ratings, also by item; and
the prompts of its items."""


@dataclass(frozen=True, slots=True)
class Number:
    """One printed number, and the row of `agreement` that answers it.

    Attributes:
        called: what the paper calls it.
        where: table or section of the paper.
        printed: as printed; its digits after the point are those that are compared.
        statistic: its true name, one of `agreement.STATISTICS`.
        percent: the paper prints hundredths.
        beside: statistics that it is or may be taken for, shown beside it.
        if_different: what is known of the reason, should ours differ.
    """

    called: str
    where: str
    printed: str
    statistic: str
    quantity: Quantity = "value"
    percent: bool = False
    generator: str = ALL
    task: str = ALL
    rater: str | None = None
    beside: tuple[str, ...] = ()
    if_different: str = ""


@dataclass(frozen=True, slots=True)
class Open:
    """Printed numbers that the released answers do not determine, and why."""

    what: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class Study:
    """A paper's human study.

    Attributes:
        suite, aspect: what its numbers are about.
        sources: the generators that the paper pools, by their names in the released files, with the paper's own names.
        notes: what must be known to read the numbers.
    """

    paper: str
    suite: str
    aspect: str
    sources: Mapping[str, str]
    numbers: tuple[Number, ...]
    notes: tuple[str, ...] = ()
    open: tuple[Open, ...] = ()


def _human(generator: str, name: str, printed: str) -> Number:
    return Number(f"Human, {name}", "Table 2", printed, "mean", generator=generator)


def _interannotator(called: str, task: str, printed: str) -> Number:
    return Number(f"Interannotator, {called}", "Table 5", printed, "percent_agreement_first_vs_rest", task=task)


def _kappa(called: str, task: str, printed: str) -> Number:
    return Number(f"Interannotator kappa, {called}", "Table 4", printed, "cohen_kappa_first_vs_rest", task=task)


_GENEVAL_SOURCES: Final = {"clip": "CLIP retrieval", "sdv2": "SDv2.1", "if-xl": "IF-XL"}

GENEVAL: Final = Study(
    paper="Ghosh, Hajishirzi, Schmidt: GenEval (2023), arXiv 2310.11513",
    suite="geneval",
    aspect="correct",
    sources=_GENEVAL_SOURCES,
    numbers=(
        _human("clip", "CLIP retrieval", "0.42"),
        _human("sdv2", "SDv2.1", "0.57"),
        _human("if-xl", "IF-XL", "0.72"),
        _interannotator("Overall", TASKS_MEAN, "0.878"),
        _interannotator("Single object", "single_object", "0.990"),
        _interannotator("Two object", "two_object", "0.872"),
        _interannotator("Counting", "counting", "0.901"),
        _interannotator("Colors", "colors", "0.854"),
        _interannotator("Position", "position", "0.797"),
        _interannotator("Attribute binding", "color_attr", "0.853"),
        Number(
            "Interannotator agreement", "Sections 1, 4", "88", "percent_agreement_first_vs_rest", percent=True, task=TASKS_MEAN
        ),
        Number("Unanimous examples", "Section 4", "860", "unanimous_share", quantity="items_with"),
        _kappa("Colors", "colors", "0.55"),
        _kappa("Attribute binding", "color_attr", "0.65"),
        Number("Annotations", "Sections 1, 4; App. D", "6,000", "mean", quantity="ratings"),
        Number("Images", "Sections 1, 4", "1,200", "mean", quantity="items"),
        *(
            number
            for generator, name in _GENEVAL_SOURCES.items()
            for number in (
                Number(f"Images, {name}", "Section 4, App. D", "400", "mean", quantity="items", generator=generator),
                Number(f"Prompts, {name}", "App. D", "100", "mean", quantity="prompts", generator=generator),
                Number(
                    f"Annotations of each image, {name}",
                    "App. D",
                    "5",
                    "mean",
                    quantity="ratings_per_item",
                    generator=generator,
                ),
            )
        ),
    ),
    notes=(
        "Interannotator is the first annotation of each image in file order against its other four, so it depends on the "
        "file's order; percent_agreement of all pairs does not.",
        "Human is the mean over all annotations, while the column Overall beside it is a mean over tasks.",
    ),
    open=(
        Open(
            "GenEval's and CLIPScore's agreement with people (83 %, 80 %; 91 %, 87 % where people are unanimous; per task)",
            "Sections 1, 4; App. A.2; Tables 4, 5",
            "the scorers' verdicts are not in the released files",
        ),
        Open("agreement and kappa per task as bars and curves", "Figures 3, 7, 8", "drawn, not printed"),
        Open("about 1 to 2 minutes for each annotation", "App. D", "a range in words, which no rounding decides"),
    ),
)

_LIKERT: Final = "Section 5.1, App. C.1"
_METRICS: Final = (
    ("BLEU-4", "bleu", "18.3", "18.8"),
    ("ROUGE-L", "rouge", "32.9", "24.5"),
    ("METEOR", "meteor", "34.0", "27.4"),
    ("SPICE", "spice", "32.8", "23.2"),
    ("CLIPScore", "clipscore_vitb32", "33.2", "23.1"),
    ("TIFA (VILT)", "tifa_vilt", "49.3", "38.2"),
    ("TIFA (OFA)", "tifa_ofa-large", "49.6", "37.2"),
    ("TIFA (GIT)", "tifa_git-large", "54.5", "42.6"),
    ("TIFA (BLIP-2)", "tifa_blip2-flant5xl", "55.9", "43.6"),
    ("TIFA (mPLUG)", "tifa_mplug-large", "59.7", "47.2"),
)
"""Table 2: the paper's name, the name in the file, "Spearman's rho", "Kendall's tau"."""

TIFA: Final = Study(
    paper="Hu et al.: TIFA (2023), arXiv 2303.11897",
    suite="tifa",
    aspect="faithfulness",
    sources={
        "mini_dalle": "minDALL-E",
        "vq_diffusion": "VQ-Diffusion",
        "stable_diffusion_v1_1": "Stable Diffusion v1.1",
        "stable_diffusion_v1_5": "Stable Diffusion v1.5",
        "stable_diffusion_v2_1": "Stable Diffusion v2.1",
    },
    numbers=(
        *(
            Number(f"Spearman's rho, {name}", "Table 2", rho, "pearson", percent=True, rater=rater, beside=("spearman",))
            for name, rater, rho, _ in _METRICS
        ),
        *(
            Number(f"Kendall's tau, {name}", "Table 2", tau, "kendall_tau_b", percent=True, rater=rater)
            for name, rater, _, tau in _METRICS
        ),
        Number(
            "Krippendorff's alpha, Likert scores",
            _LIKERT,
            "0.67",
            "krippendorff_alpha_interval",
            beside=("krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "krippendorff_alpha_ratio"),
            if_different="the paper does not say which alpha; interval is the nearest, and 0.67 only if cut, not rounded",
        ),
        Number("Annotations", _LIKERT, "1600", "mean", quantity="ratings"),
        Number("Images", _LIKERT, "800", "mean", quantity="items"),
        Number("Text inputs", _LIKERT, "160", "mean", quantity="prompts"),
        Number("Annotations of each image", _LIKERT, "2", "mean", quantity="ratings_per_item"),
    ),
    notes=(
        "What the paper calls Spearman's rho is Pearson's r: the notebook released with the data calls numpy's corrcoef. "
        "The true Spearman stands beside it.",
        "Kendall's tau is tau-b.",
    ),
    open=(
        Open(
            "accuracy of VQA models, and TIFA scores against people's (76.1 to 84.5; 60.9 to 76.8)",
            "Table 3, Figure 11",
            "people's answers to the questions are not in the released file",
        ),
        Open(
            "Krippendorff's alpha of human VQA (0.88; 1029 questions on 126 images)",
            "Section 5.4, App. C.2",
            "these answers neither",
        ),
        Open("7 of 1000 questions not reasonable", "Section 3.2", "these judgements are not in the released file"),
        Open("20 graduate students", "App. C.1", "annotators have no ids"),
    ),
)

STUDIES: Final[dict[str, Study]] = {"geneval": GENEVAL, "tifa": TIFA}
