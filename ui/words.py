"""Names and plain explanations of what the pages show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic's name on screen, one sentence on how to read it, its formula, and where that comes from."""

    title: str
    meaning: str
    formula: str
    source: str


NOTATION = (
    "A unit is what is judged: an image, or one object, relation or question of it. nᵢₖ: how many raters gave unit i the "
    "label k; nᵢ: how many rated it; K: labels on the scale; πₖ: the mean of nᵢₖ / nᵢ over units. oₖₗ: the share of pairs of "
    "ratings in which the first is k and the second l; rₖ and sₗ: its margins."
)
_COHEN_1968 = "Cohen 1968, Psychological Bulletin 70"
_GWET_2014 = "Gwet 2014, Handbook of Inter-Rater Reliability, 4th ed."
_GENEVAL = "Ghosh et al. 2023 (GenEval), there “interannotator agreement”"
_VISOR = "Gokhale et al. 2022 (VISOR), Table IV"
_ALPHA = "α = 1 − (n − 1) Σ oₖₗ dₖₗ / Σ nₖ nₗ dₖₗ over coincidences o with margins n"
_KRIPPENDORFF = "Krippendorff 2011, Computing Krippendorff’s Alpha-Reliability"
_SHROUT = "Shrout and Fleiss 1979, Psychological Bulletin 86"

STATISTICS: dict[str, Statistic] = {
    "mean": Statistic("Mean", "The average value; for yes/no the share of yes.", "Σ x / n", "arithmetic mean"),
    "percent_agreement": Statistic(
        "Agreement",
        "How often two raters of an image say the same, whatever chance would give.",
        "two raters: p = Σ oₖₖ; several: the mean over units with nᵢ ≥ 2 of Σₖ nᵢₖ (nᵢₖ − 1) / (nᵢ (nᵢ − 1))",
        f"Fleiss 1971; {_GWET_2014}",
    ),
    "percent_agreement_first_vs_rest": Statistic(
        "Agreement, first vs rest",
        "The first rating of an image against each other one, as GenEval’s paper counts.",
        "share of the pairs (a unit’s first rating, each other one) that are equal",
        _GENEVAL,
    ),
    "unanimous_share": Statistic(
        "Unanimous",
        "Share of images on which all raters say the same.",
        "units with all ratings equal / units with nᵢ ≥ 2",
        _VISOR,
    ),
    "majority_share": Statistic(
        "Majority",
        "Share of images on which more than half of the raters say the same.",
        "units with nᵢₖ > nᵢ / 2 for some k / units with nᵢ ≥ 2",
        _VISOR,
    ),
    "cohen_kappa": Statistic(
        "Cohen’s κ",
        "Agreement of two raters beyond chance: 1 perfect, 0 as by chance.",
        "κ = (p − pₑ) / (1 − pₑ), p = Σ oₖₖ, pₑ = Σ rₖ sₖ; among people the mean over pairs of persons",
        "Cohen 1960, Educational and Psychological Measurement 20",
    ),
    "cohen_kappa_first_vs_rest": Statistic(
        "Cohen’s κ, first vs rest",
        "Cohen’s κ of the first rating against the others.",
        "κ of the pairs (a unit’s first rating, each other one)",
        _GENEVAL,
    ),
    "cohen_kappa_linear": Statistic(
        "Cohen’s κ, linear",
        "Cohen’s κ that forgives near misses in proportion.",
        "κ = 1 − Σ vₖₗ oₖₗ / Σ vₖₗ rₖ sₗ, v = |k − l|",
        _COHEN_1968,
    ),
    "cohen_kappa_quadratic": Statistic(
        "Cohen’s κ, quadratic",
        "Cohen’s κ that forgives near misses by their square.",
        "κ = 1 − Σ vₖₗ oₖₗ / Σ vₖₗ rₖ sₗ, v = (k − l)²",
        _COHEN_1968,
    ),
    "fleiss_kappa": Statistic(
        "Fleiss’ κ",
        "Agreement of any number of raters beyond chance, any number per image.",
        "κ = (p − pₑ) / (1 − pₑ), p as under Agreement, pₑ = Σ πₖ²",
        f"Fleiss 1971, Psychological Bulletin 76; unequal numbers of raters: {_GWET_2014}",
    ),
    "gwet_ac1": Statistic(
        "Gwet’s AC1",
        "Agreement beyond chance that stays sensible when nearly all answers are alike.",
        "AC1 = (p − pₑ) / (1 − pₑ), p as under Agreement, pₑ = Σ πₖ (1 − πₖ) / (K − 1)",
        "Gwet 2008, British Journal of Mathematical and Statistical Psychology 61",
    ),
    "gwet_ac2": Statistic(
        "Gwet’s AC2",
        "AC1 for ordered answers: near misses count for something.",
        "as AC1, a pair counting w = 1 − (k − l)² / (K − 1)², pₑ = Σ w / (K (K − 1)) · Σ πₖ (1 − πₖ)",
        _GWET_2014,
    ),
    "pabak": Statistic(
        "PABAK",
        "Kappa as it would be if all answers were equally frequent.",
        "(K p − 1) / (K − 1), p = Σ oₖₖ",
        "Byrt, Bishop and Carlin 1993, Journal of Clinical Epidemiology 46; Brennan and Prediger 1981",
    ),
    "krippendorff_alpha_nominal": Statistic(
        "Krippendorff’s α",
        "Agreement beyond chance, any raters, missing answers allowed.",
        f"{_ALPHA}; d = 1 for k ≠ l",
        _KRIPPENDORFF,
    ),
    "krippendorff_alpha_ordinal": Statistic(
        "Krippendorff’s α, ordinal",
        "Alpha that knows the answers’ order.",
        "α with d = (nₖ + … + nₗ − (nₖ + nₗ) / 2)²",
        _KRIPPENDORFF,
    ),
    "krippendorff_alpha_interval": Statistic(
        "Krippendorff’s α, interval", "Alpha that takes differences at face value.", "α with d = (k − l)²", _KRIPPENDORFF
    ),
    "krippendorff_alpha_ratio": Statistic(
        "Krippendorff’s α, ratio", "Alpha for quantities with a true zero.", "α with d = ((k − l) / (k + l))²", _KRIPPENDORFF
    ),
    "icc_1": Statistic(
        "ICC(1,1)",
        "Share of the spread that is between images; each may have raters of its own.",
        "(MSB − MSW) / (MSB + (n₀ − 1) MSW), n₀ = (N − Σ nᵢ² / N) / (n − 1) for N ratings of n units",
        _SHROUT,
    ),
    "icc_2": Statistic(
        "ICC(2,1)",
        "The same where the same raters judge all images; raters who are stricter count as disagreement.",
        "(MSB − MSE) / (MSB + (k − 1) MSE + k (MSJ − MSE) / n) for k raters of n units",
        _SHROUT,
    ),
    "pearson": Statistic("Pearson’s r", "Linear correlation with people’s mean.", "r = Sxy / √(Sxx Syy)", "Pearson 1895"),
    "spearman": Statistic(
        "Spearman’s ρ",
        "Correlation of ranks: does one go up when the other does?",
        "r of the ranks, equal values sharing their mean rank",
        "Spearman 1904",
    ),
    "kendall_tau_b": Statistic(
        "Kendall’s τ-b",
        "Pairs in the same order less pairs in the opposite order, ties allowed for.",
        "(C − D) / √(pairs untied in x · pairs untied in y)",
        "Kendall 1945, Biometrika 33",
    ),
    "kendall_tau_c": Statistic(
        "Kendall’s τ-c",
        "As τ-b, for scales of unequal length.",
        "2 m (C − D) / (n² (m − 1)), m the smaller number of distinct values",
        "Stuart 1953, Biometrika 40",
    ),
    "auc": Statistic(
        "AUC",
        "Chance that a right image gets a higher score than a wrong one.",
        "P(score of a yes > score of a no) + P(equal) / 2",
        "Mann and Whitney 1947; Hanley and McNeil 1982",
    ),
}

ASPECTS: dict[str, str] = {
    "correct": "all that the prompt asks is there",
    "present": "the object is there",
    "count": "how many there are",
    "color": "the asked colour is there",
    "position": "the asked relation holds",
    "answer": "the answer to a question",
    "faithfulness": "how faithful the image is to the prompt, 1-5",
    "caption_fit": "how well the caption fits, 1-4",
    "realism": "how realistic the object is, 1-3",
    "quality": "image quality, 1-5",
    "scene": "how likely the scene is, 1-5",
    "merged": "whether the objects are merged",
    "preference": "which image is better",
    "caption": "which caption fits",
    "score": "a scorer’s number",
    "flipped": "a scorer’s number by the flipped prompt",
}

_TASKS = {"all": "all images", "tasks_mean": "mean of the tasks"}
_REASONS = {
    "repeat": "answered twice by the same person",
    "cannot_tell": "“cannot tell”",
    "not_finite": "a caption without a number",
    "incomplete_group": "not two images with the same two captions",
    "saw_evidence": "given after seeing the evidence",
    "surplus": "more people than were asked for",
    "selected": "of an image picked by hand, where a campaign has others drawn by chance",
    "single_rating": "the only rating of its image",
    "gold": "a check with a known answer",
    "training": "given for training",
    "no_value": "without a value on its scale",
    "no_people": "a scorer’s, where no person has judged",
    "no_scorer_value": "people’s, where the scorer has no value",
    "tied_majority": "images on which no answer has a majority",
    "slot": "by nobody in particular (slots)",
    "undefined_pairs": "pairs of persons for whom it is undefined",
    "not_shared": "what only one of the two has judged",
    "not_crossed": "of images that not all of these raters judged",
    "other_certainty": "of images of another certainty",
    "unreadable_spec": "of prompts whose spec cannot be read",
    "no_relation": "of prompts without a relation",
    "no_color": "of prompts without a colour",
    "no_exact_number": "of prompts without an exact number",
    "same_kind": "of prompts whose things are of one kind",
    "same_color": "of prompts whose things have one colour",
    "too_many_colors": "of prompts with more than two coloured things",
    "unknown_color": "of prompts with a colour beside GenEval’s ten",
    "unsure_text": "texts that cannot be changed surely",
    "rated_directly": "ratings without the answers that they rest on",
    "another_questionnaire": "answers to a questionnaire that has no flipped reading",
    "no_verdict": "without a verdict by the true prompt",
    "no_flipped_verdict": "without a verdict by the flipped prompt",
    "no_score": "without a score by the true prompt",
    "no_flipped_score": "without a score by the flipped prompt",
    "not_seen": "images that it has not seen",
    "failed": "images that could not be looked at",
    "tied": "the same score by both prompts",
    "no_consensus": "without a consensus of the others",
    "fewer_than_three": "of images that fewer than three answered",
    "objects_missing": "of images in which not both objects are there",
}


def task(name: str) -> str:
    return _TASKS.get(name, name.replace("_", " "))


def reason(name: str) -> str:
    return _REASONS.get(name, name.replace("_", " "))


def aspect(name: str) -> str:
    return f"“{name}” ({ASPECTS[name]})" if name in ASPECTS else f"“{name}”"


def plain_aspect(name: str) -> str:
    """The same without what it means."""
    return name.replace("_", " ")


def title(statistic: str) -> str:
    return STATISTICS[statistic].title if statistic in STATISTICS else statistic


def meaning(statistic: str) -> str:
    return STATISTICS[statistic].meaning if statistic in STATISTICS else ""


def count(number: int, noun: str) -> str:
    """``1 image``, ``2,000 images``; people are irregular."""
    plural = {"person": "people", "person’s answer": "people’s answers"}.get(noun, noun + "s")
    return f"{number:,} {noun if number == 1 else plural}"


def two(value: float) -> str:
    """With two digits; what rounds to nothing has no sign."""
    text = f"{value:.2f}"
    return "0.00" if text == "-0.00" else text


def verdict(standing: str) -> str:
    """Where a scorer stands beside people, in words that need no other."""
    return {"below": "below people", "at": "at people’s level", "above": "above people"}.get(standing, standing)


def duration(seconds: float) -> str:
    """``8 s``, ``4 min``, ``1 h 20 min``: as exact as an estimate can be."""
    whole = max(1, round(seconds))
    if whole < 90:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
