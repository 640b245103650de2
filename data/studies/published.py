"""What the papers print about their human studies, number by number, with the table or section. Data only: no formulas.

GenEval and TIFA: ``STUDIES``, compared with the released answers.

SelfEval's Tables 2 and 3 (Rambhatla and Misra 2023, arXiv 2311.10708, section 4.2): votes and metrics by task. Printed are
totals: how many clear votes each of two models got in a task, and one value of each metric. Ties were not published, nor were
prompts, images, and who voted and how many did; so of a vote only its task and its winner are known.

VISOR (Gokhale et al. 2022, Tables IV and V): ``VISOR_PRINTED``. The answers behind these numbers were not released (its study
folder holds images alone), so they are listed beside ours and are not compared. Generators are called as in the released
images.
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
class PrintedNumber:
    """One printed number, and the row of `agreement` that answers it.

    Attributes:
        called: what the paper calls it.
        where: table or section of the paper.
        printed: as printed; its digits after the point are those that are compared.
        statistic: its true name, one of `agreement.STATISTICS`.
        percent: the paper prints hundredths.
        beside: statistics that it is or may be taken for, shown beside it.
        if_different: what is known of the reason, should ours differ.
        aspect: what it is about, where that is not the study's.
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
    aspect: str = ""


@dataclass(frozen=True, slots=True)
class UndeterminedNumbers:
    """Printed numbers that the released answers do not determine, and why."""

    what: str
    where: str
    why: str


@dataclass(frozen=True, slots=True)
class PublishedStudy:
    """A paper's human study.

    Attributes:
        suite, aspect: what its numbers are about.
        sources: the generators that the paper pools, by their names in the released files, with the paper's own names.
        notes: what must be known to read the numbers.
        claim, files_say, consequence: the study's chapter of the audit; ``{NAME}`` stands for our number of that name,
            ``{NAME|OTHER}`` for what is shown beside it.
    """

    paper: str
    suite: str
    aspect: str
    sources: Mapping[str, str]
    numbers: tuple[PrintedNumber, ...]
    notes: tuple[str, ...] = ()
    open: tuple[UndeterminedNumbers, ...] = ()
    claim: str = ""
    files_say: str = ""
    consequence: str = ""


def _human(generator: str, name: str, printed: str) -> PrintedNumber:
    return PrintedNumber(f"Human, {name}", "Table 2", printed, "mean", generator=generator)


def _interannotator(called: str, task: str, printed: str) -> PrintedNumber:
    return PrintedNumber(f"Interannotator, {called}", "Table 5", printed, "percent_agreement_first_vs_rest", task=task)


def _kappa(called: str, task: str, printed: str) -> PrintedNumber:
    return PrintedNumber(f"Interannotator kappa, {called}", "Table 4", printed, "cohen_kappa_first_vs_rest", task=task)


_GENEVAL_SOURCES: Final = {"clip": "CLIP retrieval", "sdv2": "SDv2.1", "if-xl": "IF-XL"}

GENEVAL: Final = PublishedStudy(
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
        PrintedNumber(
            "Interannotator agreement", "Sections 1, 4", "88", "percent_agreement_first_vs_rest", percent=True, task=TASKS_MEAN
        ),
        PrintedNumber("Unanimous examples", "Section 4", "860", "unanimous_share", quantity="items_with"),
        _kappa("Colors", "colors", "0.55"),
        _kappa("Attribute binding", "color_attr", "0.65"),
        PrintedNumber("Annotations", "Sections 1, 4; App. D", "6,000", "mean", quantity="ratings"),
        PrintedNumber("Images", "Sections 1, 4", "1,200", "mean", quantity="items"),
        *(
            number
            for generator, name in _GENEVAL_SOURCES.items()
            for number in (
                PrintedNumber(f"Images, {name}", "Section 4, App. D", "400", "mean", quantity="items", generator=generator),
                PrintedNumber(f"Prompts, {name}", "App. D", "100", "mean", quantity="prompts", generator=generator),
                PrintedNumber(
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
        UndeterminedNumbers(
            "GenEval's and CLIPScore's agreement with people (83 %, 80 %; 91 %, 87 % where people are unanimous; per task)",
            "Sections 1, 4; App. A.2; Tables 4, 5",
            "the scorers' verdicts are not in the released files",
        ),
        UndeterminedNumbers("agreement and kappa per task as bars and curves", "Figures 3, 7, 8", "drawn, not printed"),
        UndeterminedNumbers(
            "about 1 to 2 minutes for each annotation", "App. D", "a range in words, which no rounding decides"
        ),
    ),
    claim="Five people see each image; their agreement is 0.878, and generators score 0.42, 0.57 and 0.72.",
    files_say="{same} of {determined} numbers that the two released sources of three decide are as printed; SDv2.1 has"
    " {Human, SDv2.1}, IF-XL {Human, IF-XL}.",
    consequence="What can be checked holds. The third source (CLIP retrieval) was not among the files, and the printed"
    " agreement is that of an image's first annotation with the others, so it depends on the file's order.",
)

_TIFA_LIKERT: Final = "Section 5.1, App. C.1"
_TIFA_METRICS: Final = (
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

TIFA: Final = PublishedStudy(
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
            PrintedNumber(f"Spearman's rho, {name}", "Table 2", rho, "pearson", percent=True, rater=rater, beside=("spearman",))
            for name, rater, rho, _ in _TIFA_METRICS
        ),
        *(
            PrintedNumber(f"Kendall's tau, {name}", "Table 2", tau, "kendall_tau_b", percent=True, rater=rater)
            for name, rater, _, tau in _TIFA_METRICS
        ),
        PrintedNumber(
            "Krippendorff's alpha, Likert scores",
            _TIFA_LIKERT,
            "0.67",
            "krippendorff_alpha_interval",
            beside=("krippendorff_alpha_nominal", "krippendorff_alpha_ordinal", "krippendorff_alpha_ratio"),
            if_different="the paper does not say which alpha; interval is the nearest, and 0.67 only if cut, not rounded",
        ),
        PrintedNumber("Annotations", _TIFA_LIKERT, "1600", "mean", quantity="ratings"),
        PrintedNumber("Images", _TIFA_LIKERT, "800", "mean", quantity="items"),
        PrintedNumber("Text inputs", _TIFA_LIKERT, "160", "mean", quantity="prompts"),
        PrintedNumber("Annotations of each image", _TIFA_LIKERT, "2", "mean", quantity="ratings_per_item"),
    ),
    notes=(
        "What the paper calls Spearman's rho is Pearson's r: the notebook released with the data calls numpy's corrcoef. "
        "The true Spearman stands beside it.",
        "Kendall's tau is tau-b.",
    ),
    open=(
        UndeterminedNumbers(
            "accuracy of VQA models, and TIFA scores against people's (76.1 to 84.5; 60.9 to 76.8)",
            "Table 3, Figure 11",
            "people's answers to the questions are not in the released file",
        ),
        UndeterminedNumbers(
            "Krippendorff's alpha of human VQA (0.88; 1029 questions on 126 images)",
            "Section 5.4, App. C.2",
            "these answers neither",
        ),
        UndeterminedNumbers(
            "7 of 1000 questions not reasonable", "Section 3.2", "these judgements are not in the released file"
        ),
        UndeterminedNumbers("20 graduate students", "App. C.1", "annotators have no ids"),
    ),
    claim="TIFA correlates with people's ratings better than other metrics (Spearman's rho 0.597 with mPLUG), and people agree"
    " with each other (alpha 0.67).",
    files_say="{same} of {determined} numbers are as printed. What is called Spearman's rho is Pearson's r; the true rho of"
    " TIFA with mPLUG is {Spearman's rho, TIFA (mPLUG)|spearman}. Alpha is {Krippendorff's alpha, Likert scores} if the scale"
    " counts as an interval scale, {Krippendorff's alpha, Likert scores|krippendorff_alpha_ordinal} if it is ordinal.",
    consequence="The order of the metrics stands. Whoever compares a new metric with this table by rank correlation has to use"
    " the rank correlation of the old ones, too.",
)

STUDIES: Final[dict[str, PublishedStudy]] = {"geneval": GENEVAL, "tifa": TIFA}


SELFEVAL_PAPER: Final = "SelfEval, arXiv 2311.10708"
SELFEVAL_TASKS: Final = ("attribute", "color", "count", "shape", "spatial")
"""Attribute binding, color, count, shape, spatial: the columns, each of two models."""


@dataclass(frozen=True, slots=True)
class SelfEvalMetric:
    """A row of a table.

    Attributes:
        printed: by column, as printed; exponents as in ``-8.6E14``.
        lower_is_better: an arrow down stands beside it; its values are stored negated, so that more is better.
    """

    name: str
    printed: str
    lower_is_better: bool = False

    @property
    def rater_id(self) -> str:
        """What it is called here: the user's own CLIPScore, say, is another rater."""
        return f"{self.name} (printed{', negated' if self.lower_is_better else ''})"

    @property
    def values(self) -> tuple[float, ...]:
        """By column, larger is better."""
        return tuple(-float(text) if self.lower_is_better else float(text) for text in self.printed.split())


@dataclass(frozen=True, slots=True)
class SelfEvalTable:
    """One table: two models with different text encoders.

    Attributes:
        humans: winning votes by column: of each task first the model with CLIP, then that with T5.
    """

    where: str
    suite: str
    models: tuple[str, str]
    humans: tuple[int, ...]
    metrics: tuple[SelfEvalMetric, ...]


SELFEVAL_PIXEL: Final = SelfEvalTable(
    "Table 2",
    "selfeval-pdm",
    ("PDM-CLIP", "PDM-T5"),
    (24, 117, 29, 42, 41, 69, 30, 7, 19, 72),
    (
        SelfEvalMetric("CLIPScore", "0.90 0.98 0.89 0.91 0.81 0.76 0.86 0.82 0.76 0.78"),
        SelfEvalMetric(
            "MID", "-8.6E14 -2.1E14 -2.7E5 -1.8E5 -8.6E3 -1.1E4 -4.6E3 -2.6E3 -1.0E15 -5.6E15", lower_is_better=True
        ),
        SelfEvalMetric("VPEval", "61.6 63.1 86.9 86.0 16.7 31.9 94.6 91.9 18.1 25.3"),
        SelfEvalMetric("LLMScore", "6.6 8.2 15.5 15.8 7.3 9.2 10.82 9.9 23.5 25.6"),
        SelfEvalMetric("SelfEval", "50.4 53.3 28.5 30.8 22.8 25.2 33.2 34.3 33.6 34.0"),
    ),
)
SELFEVAL_LATENT: Final = SelfEvalTable(
    "Table 3",
    "selfeval-ldm",
    ("LDM-CLIP", "LDM-T5"),
    (14, 140, 27, 69, 11, 140, 25, 48, 21, 73),
    (
        SelfEvalMetric("CLIPScore", "0.89 0.99 0.85 0.80 0.76 0.80 0.76 0.86 0.75 0.83"),
        SelfEvalMetric(
            "MID", "-8.1E14 -1.3E14 -1.1E5 -1.1E5 -2.1E4 -7.6E3 -1.1E3 -2.1E3 4.33E14 -8.0E15", lower_is_better=True
        ),
        SelfEvalMetric("VPEval", "60.4 66.0 87.5 85.7 64.7 18.9 92.9 92.2 34.1 23.4"),
        SelfEvalMetric("LLMScore", "9.2 9.1 15.4 17.3 9.6 8.4 11.6 10.6 21.4 23.1"),
        SelfEvalMetric("SelfEval", "51.0 54.1 33.0 34.4 24.4 26.3 33.8 33.5 33.4 35.8"),
    ),
)
SELFEVAL_TABLES: Final = (SELFEVAL_PIXEL, SELFEVAL_LATENT)


@dataclass(frozen=True, slots=True)
class SelfEvalClaim:
    """What the paper says in words of these numbers; ``key`` names how ``reproduce selfeval`` decides it."""

    key: str
    where: str
    words: str


SELFEVAL_CLAIMS: Final = (
    SelfEvalClaim(
        "pdm_each_disagrees", "Section 4.3", "On the PDMs, each metric disagreed with human judgment on at least one split"
    ),
    SelfEvalClaim(
        "ldm_two_disagree_less",
        "Section 4.3",
        "On the LDMs, CLIPScore and SelfEval are the only two with significantly less disagreement with human raters",
    ),
    SelfEvalClaim("ldm_others_negative", "Section 4.3", "On the LDMs, all metrics except SelfEval have a negative correlation"),
    SelfEvalClaim("pdm_others_positive", "Figure 6", "Existing metrics show good correlation with pixel diffusion models"),
    SelfEvalClaim("selfeval_positive", "Figure 6", "SelfEval positively correlates with both types of models"),
)
"""Figure 6 itself is drawn, its correlations are not printed."""


def selfeval_votes(table: SelfEvalTable) -> Mapping[str, Mapping[str, int]]:
    """Winning votes by task and model."""
    return {
        task: dict(zip(table.models, table.humans[2 * k : 2 * k + 2], strict=True)) for k, task in enumerate(SELFEVAL_TASKS)
    }


def selfeval_values(table: SelfEvalTable, metric: SelfEvalMetric) -> Mapping[str, Mapping[str, float]]:
    """A metric's values by task and model, larger is better."""
    return {
        task: dict(zip(table.models, metric.values[2 * k : 2 * k + 2], strict=True)) for k, task in enumerate(SELFEVAL_TASKS)
    }


_VISOR_GENERATORS: Final = ("cogview2", "dallev2", "stable-diffusion", "sd_cdm")
_VISOR_QUESTIONS: Final[Mapping[str, str]] = {
    "Image Quality": "65.47/52.93 75.02/62.33 69.86/55.31 72.59/57.99",
    "Scene Likelihood": "64.40/50.78 72.13/59.62 69.47/52.35 67.19/53.99",
    "Num. Objects": "79.63/50.03 87.09/46.39 81.41/46.06 80.28/45.74",
    "Object A": "100.0/33.00 99.64/8.02 100.0/18.56 100.0/20.04",
    "Object B": "100.0/32.75 100.0/13.39 100.0/22.44 100.0/25.51",
    "Spatial Relation": "100.0/23.33 100.0/47.90 100.0/30.79 100.0/25.00",
    "Merged/Distinct": "100.0/43.02 99.64/58.85 100.0/39.95 100.0/38.60",
}
_VISOR_METRICS: Final[Mapping[str, str]] = {
    "OA": "73.07 73.87 79.25 80.21",
    "VISOR_uncond": "88.48 77.41 88.43 88.80",
    "VISOR_cond": "75.02 75.62 76.95 74.69",
}


def _visor_cells() -> dict[tuple[str, str, str], str]:
    cells = {}
    for question, line in _VISOR_QUESTIONS.items():
        for generator, cell in zip(_VISOR_GENERATORS, line.split(), strict=True):
            majority, unanimous = cell.split("/")
            cells[question, generator, "majority_share"] = majority
            cells[question, generator, "unanimous_share"] = unanimous
    for metric, line in _VISOR_METRICS.items():
        for generator, cell in zip(_VISOR_GENERATORS, line.split(), strict=True):
            cells[metric, generator, "percent_agreement"] = cell
    return cells


VISOR_PRINTED: Final[Mapping[tuple[str, str, str], str]] = _visor_cells()
"""In per cent, as printed, by (row of the table, generator, statistic)."""
