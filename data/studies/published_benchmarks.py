"""What five papers print about people and judges of text-to-image models, number by number. Data only: no formulas.

GenAI-Bench (Li et al. 2024), ImagenHub and VIEScore (Ku et al. 2023), TextNorm with its data TIA2 (ICLR 2024), and the votes of
GenAI-Arena (Jiang et al. 2024). The numbers of ImagenHub and VIEScore stand in the notebooks that they released.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from data.studies.benchmark_files import ARENA_SUITE, CONSISTENCY, GENAI_SUITE, IMAGENHUB_SUITE, QUALITY, TIA2_SUITE
from data.studies.published import PrintedNumber, PublishedStudy, UndeterminedNumbers

OVERALL: Final = "overall"
"""ImagenHub's and VIEScore's third aspect: the square root of the product of the two others. It is computed, not rated."""
AS_RELEASED: Final = "faithfulness, as released"
AS_RELEASED_ORDER: Final = "faithfulness, as released, by order"
_ASPECTS: Final = {"SC": CONSISTENCY, "PQ": QUALITY, "O": OVERALL}

_ALPHA: Final = "Krippendorff's alpha"
_WHICH_ALPHA: Final = "the paper does not say which alpha; no kind of it is 0.72 of these ratings"

GENAI_BENCH: Final = PublishedStudy(
    paper="Li et al.: GenAI-Bench (2024)",
    suite=GENAI_SUITE,
    aspect="faithfulness",
    sources={name: name for name in ("DALLE_3", "SDXL_Turbo", "DeepFloyd_I_XL_v1", "Midjourney_6", "SDXL_2_1", "SDXL_Base")},
    numbers=(
        PrintedNumber(
            f"{_ALPHA}, as released",
            "paper",
            "0.72",
            "krippendorff_alpha_interval",
            aspect=AS_RELEASED,
            beside=("krippendorff_alpha_ratio",),
            if_different=_WHICH_ALPHA,
        ),
        PrintedNumber(
            f"{_ALPHA}, as released, by order",
            "paper",
            "0.72",
            "krippendorff_alpha_ordinal",
            aspect=AS_RELEASED_ORDER,
            beside=("krippendorff_alpha_nominal",),
            if_different=_WHICH_ALPHA,
        ),
        PrintedNumber(
            f"{_ALPHA}, cleaned",
            "paper",
            "0.72",
            "krippendorff_alpha_interval",
            beside=("krippendorff_alpha_ordinal", "krippendorff_alpha_nominal", "krippendorff_alpha_ratio"),
            if_different=_WHICH_ALPHA,
        ),
    ),
    notes=(
        "Ratings off the scale 1 to 5 are as they were written in the lines “as released”, and left out in “cleaned”.",
        "The code that the authors released averages an image's three numbers without a check of the scale.",
    ),
    open=(
        UndeterminedNumbers(
            "agreement with people of VQAScore and other metrics",
            "paper",
            "their scores of these images are not released with the ratings",
        ),
        UndeterminedNumbers(
            "numbers of the subset of 527 prompts",
            "paper and released evaluation code",
            "they are metrics' agreement with people; the files of the subset hold ratings alone, no scores",
        ),
    ),
    claim="People agree well on how far an image follows its prompt: Krippendorff's alpha is 0.72.",
    files_say="Of 28,800 ratings on a scale from 1 to 5, two are 41 and 33. As released, interval alpha is"
    " {Krippendorff's alpha, as released} and ordinal alpha {Krippendorff's alpha, as released, by order}; without these two,"
    " interval alpha is {Krippendorff's alpha, cleaned} and ordinal alpha"
    " {Krippendorff's alpha, cleaned|krippendorff_alpha_ordinal}.",
    consequence="The claim stands in substance: 0.72 lies inside the interval of the cleaned alphas. Two slips of the"
    " keyboard move interval alpha by four hundredths, and each lifts an image's mean rating above 5 for whoever averages the"
    " file as it is. Check the scale before averaging.",
)

_HUB_GENERATORS: Final = ("DALLE", "DeepFloydIF", "OpenJourney", "SD", "SDXL", "Midjourney", "DALLE3")
_HUB_PRINTED: Final[Mapping[str, str]] = {
    "SC": ".37/.47 .53/.58 .46/.56 .55/.64 .49/.59 .44/.57 .47/.55",
    "PQ": ".39/.42 .21/.21 .24/.29 .23/.24 .36/.43 .05/.06 .06/.13",
    "O": ".27/.40 .32/.51 .30/.47 .38/.50 .37/.61 .34/.51 .19/.34",
}
"""By column of the table, and generator: Fleiss' kappa, and Krippendorff's ordinal alpha."""


def _imagenhub() -> Iterator[PrintedNumber]:
    for column, cells in _HUB_PRINTED.items():
        for generator, cell in zip(_HUB_GENERATORS, cells.split(), strict=True):
            names = ("Fleiss' kappa", "Krippendorff's alpha")
            statistics = ("fleiss_kappa", "krippendorff_alpha_ordinal")
            for name, statistic, printed in zip(names, statistics, cell.split("/"), strict=True):
                called = f"{name} {column}, {generator}"
                yield PrintedNumber(
                    called, "AnalyzeHumanEval.ipynb", f"0{printed}", statistic, generator=generator, aspect=_ASPECTS[column]
                )


IMAGENHUB: Final = PublishedStudy(
    paper="Ku et al.: ImagenHub (2023), text-guided image generation",
    suite=IMAGENHUB_SUITE,
    aspect=CONSISTENCY,
    sources={name: name for name in _HUB_GENERATORS},
    numbers=tuple(_imagenhub()),
    notes=(
        "Overall (O) is the square root of semantic consistency (SC) times perceptual quality (PQ), of each person's pair.",
    ),
    claim="Three persons rate seven generators; Fleiss' kappa and Krippendorff's alpha are printed by generator and aspect.",
    files_say="{same} of {determined} are as printed.",
    consequence="The table can be relied on. It also shows a limit: on the quality of images by Midjourney and"
    " DALLE3 people hardly agree beyond chance (alpha {Krippendorff's alpha PQ, Midjourney} and"
    " {Krippendorff's alpha PQ, DALLE3}), so that no judge can be held to agree with them there.",
)

_NOTEBOOK: Final = "analyze_json.ipynb"
_VIE_GENERATORS: Final = ("DALLE", "DeepFloydIF", "OpenJourney", "SD", "SDXL")
PEOPLE: Final = "people"
_VIE_AVERAGES: Final[Mapping[str, Mapping[str, str]]] = {
    PEOPLE: {"SC": "0.5044", "PQ": "0.3640", "O": "0.4652"},
    "gpt4o_0shot": {"SC": "0.4989"},
    "gemini_0shot": {"SC": "0.5123", "PQ": "0.1842", "O": "0.4359"},
    "CLIP_Score": {"SC": "-0.0817"},
}
_VIE_BY_GENERATOR: Final[Mapping[str, Mapping[str, str]]] = {
    PEOPLE: {
        "SC": "0.5019 0.5635 0.5321 0.5979 0.5807",
        "PQ": "0.4680 0.3029 0.3600 0.2772 0.4992",
        "O": "0.4348 0.5131 0.4861 0.4962 0.5896",
    },
    "gemini_0shot": {
        "SC": "0.4783 0.5528 0.5904 0.6104 0.5974",
        "PQ": "0.1336 0.0659 0.2523 0.1879 0.2920",
        "O": "0.3412 0.4361 0.5538 0.4544 0.5505",
    },
}
"""What the released notebook's cells show of each generator."""
_CLIPSCORE: Final = (
    "unrounded correlations give −0.0818; if each generator's correlation is first rounded to the four digits that the notebook"
    " prints, their average is −0.0817 as printed. Other roundings of scores and ratings, the order of summation and a true"
    " Fisher average do not give it"
)


def _viescore() -> Iterator[PrintedNumber]:
    for rater, columns in _VIE_AVERAGES.items():
        for column, printed in columns.items():
            why = _CLIPSCORE if rater == "CLIP_Score" else ""
            yield PrintedNumber(
                f"{rater} {column}, average", _NOTEBOOK, printed, "spearman", rater=rater, aspect=_ASPECTS[column],
                if_different=why,
            )  # fmt: skip
    for rater, columns in _VIE_BY_GENERATOR.items():
        for column, line in columns.items():
            for generator, printed in zip(_VIE_GENERATORS, line.split(), strict=True):
                called = f"{rater} {column}, {generator}"
                yield PrintedNumber(
                    called, _NOTEBOOK, printed, "spearman", generator=generator, rater=rater, aspect=_ASPECTS[column]
                )


VIESCORE: Final = PublishedStudy(
    paper="Ku et al.: VIEScore (2023), text-guided image generation",
    suite=IMAGENHUB_SUITE,
    aspect=CONSISTENCY,
    sources={name: name for name in _VIE_GENERATORS},
    numbers=tuple(_viescore()),
    notes=(
        "SC is semantic consistency (the image shows what the prompt asks for), PQ perceptual quality, O both. Judges named"
        " 0shot saw no examples first.",
        "The notebook's function average_correlation takes correlations for Fisher's z, which they are not, and transforms"
        " their mean back: it gives tanh(mean of rho). A judge's average goes through it once; people's numbers go through it"
        " once over the three persons, and their average a second time over the generators. “mean of rho” stands beside each.",
        "People meet the mean of the two others, a judge the mean of all three, which is a steadier target. “equal terms” is a"
        " judge against the mean of two, as people are, averaged over the three pairs of persons.",
        "“of four digits” averages the generators' correlations as the notebook prints them. The notebook itself prints no"
        " average of people's and CLIPScore's; of the other averages both ways give the printed digits.",
        "A judge's scores count only on images of which it has both; of two scores of one image the smaller counts.",
        "Overall multiplies tenths in floating point, which parts equal products (0.3 × 0.8, 0.4 × 0.6); so does ours here.",
    ),
    open=(
        UndeterminedNumbers("the other six tasks of the notebook", _NOTEBOOK, "they edit images or take more than a text"),
        UndeterminedNumbers("averages of GPT-4v, LLaVA, and of GPT-4o's PQ and O", "paper", "what is printed is not at hand"),
    ),
    claim="Language models judge semantic consistency about as well as people: the average correlation with people is 0.4989"
    " (GPT-4o) and 0.5123 (Gemini), that of people among themselves 0.5044.",
    files_say="{same} of {determined} numbers are as printed when they are averaged as the released notebook does it. It"
    " shrinks averages, people's twice and judges' once. The plain means of rho are {people SC, average|mean of rho} (people),"
    " {gpt4o_0shot SC, average|mean of rho} (GPT-4o) and {gemini_0shot SC, average|mean of rho} (Gemini). People meet two"
    " others, judges the steadier mean of three; on equal terms the judges have {gpt4o_0shot SC, average|equal terms} and"
    " {gemini_0shot SC, average|equal terms}.",
    consequence="On semantic consistency the judges are near people, but behind them: that the averages are equal comes from"
    " how they were made. On perceptual quality Gemini has {gemini_0shot PQ, average|equal terms} where people have"
    " {people PQ, average|mean of rho}. The correlations of single generators are not affected.",
)

TIA2: Final = PublishedStudy(
    paper="Confidence-aware reward (TextNorm, ICLR 2024): TIA2",
    suite=TIA2_SUITE,
    aspect="correct",
    sources={"sd2.1": "Stable Diffusion 2.1"},
    numbers=(),
    notes=(
        "Printed is the share of a prompt's 50 images that fit: an image fits if more than half of its valid labels say so, so"
        " that one yes and one no is a no. A label −1 is no answer.",
        "Prompts without a printed number are those on whose images people give one answer only, where AUROC is undefined.",
    ),
    open=(
        UndeterminedNumbers(
            "AUROC, average precision, Spearman and Kendall of five metrics by prompt",
            "alignment_scores_*.json",
            "the metrics' scores of single images are not released",
        ),
    ),
    claim="For 525 prompts the share of images that people find fitting is released beside five metrics' agreement with them.",
    files_say="{same} of {determined} shares are as released, by a strict majority of the valid labels.",
    consequence="The shares can be relied on. Who averages the labels has to leave −1 out, which is no answer; a majority"
    " is the same either way. That metrics agree with people as printed cannot be checked, as their scores of images are not"
    " released.",
)

_ARENA_FILE: Final = "GenAI-Bench (arena), image generation"
ARENA: Final = PublishedStudy(
    paper="Jiang et al.: GenAI-Arena (2024), votes with judges",
    suite=ARENA_SUITE,
    aspect="preference",
    sources={},
    numbers=(
        PrintedNumber("Accuracy, GPT-4o", _ARENA_FILE, "45.59", "percent_agreement", percent=True, rater="gpt4o"),
        PrintedNumber(
            "Accuracy, Gemini-1.5-pro",
            _ARENA_FILE,
            "44.67",
            "percent_agreement",
            percent=True,
            rater="gemini15pro",
            if_different="one answer, [[A=B]], is marked as right for a tie in the file, though it is none of the four votes;"
            " with the file's own marks it is as printed",
        ),
    ),
    notes=("An answer that names none of the four votes counts as wrong, as in the released files.",),
    claim="Asked which of two images is better, GPT-4o votes as people did in 45.59 % of votes, Gemini-1.5-pro in 44.67 %.",
    files_say="From the votes: {Accuracy, GPT-4o} (GPT-4o) and {Accuracy, Gemini-1.5-pro} (Gemini). The file marks one more of"
    " Gemini's answers as right: {Accuracy, Gemini-1.5-pro|as marked in the file}. If votes that Gemini wrote into a sentence"
    " are read, too, it has {Accuracy, Gemini-1.5-pro|votes in other words read, too}.",
    consequence="The numbers stand; one vote of 1,735 decides the second decimal. Which of the two judges is nearer to people"
    " depends on the question: by the share of equal votes they are as good as equal, by kappa, which takes chance into"
    " account, GPT-4o is ahead (below).",
)
