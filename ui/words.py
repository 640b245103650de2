"""Names and plain explanations of what the pages show."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Statistic:
    """A statistic's name on screen, and one sentence on how to read it."""

    title: str
    meaning: str


STATISTICS: dict[str, Statistic] = {
    "mean": Statistic("Mean", "The average value; for yes/no the share of yes."),
    "percent_agreement": Statistic("Agreement", "How often two raters of an image say the same, whatever chance would give."),
    "percent_agreement_first_vs_rest": Statistic(
        "Agreement, first vs rest", "The first rating of an image against each other one, as GenEval's paper counts."
    ),
    "unanimous_share": Statistic("Unanimous", "Share of images on which all raters say the same."),
    "majority_share": Statistic("Majority", "Share of images on which more than half of the raters say the same."),
    "cohen_kappa": Statistic("Cohen’s κ", "Agreement of two raters beyond chance: 1 perfect, 0 as by chance."),
    "cohen_kappa_first_vs_rest": Statistic("Cohen’s κ, first vs rest", "Cohen’s κ of the first rating against the others."),
    "cohen_kappa_linear": Statistic("Cohen’s κ, linear", "Cohen’s κ that forgives near misses in proportion."),
    "cohen_kappa_quadratic": Statistic("Cohen’s κ, quadratic", "Cohen’s κ that forgives near misses by their square."),
    "fleiss_kappa": Statistic("Fleiss’ κ", "Agreement of any number of raters beyond chance, any number per image."),
    "gwet_ac1": Statistic("Gwet’s AC1", "Agreement beyond chance that stays sensible when nearly all answers are alike."),
    "gwet_ac2": Statistic("Gwet’s AC2", "AC1 for ordered answers: near misses count for something."),
    "pabak": Statistic("PABAK", "Kappa as it would be if all answers were equally frequent."),
    "krippendorff_alpha_nominal": Statistic(
        "Krippendorff’s α", "Agreement beyond chance, any raters, missing answers allowed."
    ),
    "krippendorff_alpha_ordinal": Statistic("Krippendorff’s α, ordinal", "Alpha that knows the answers’ order."),
    "krippendorff_alpha_interval": Statistic("Krippendorff’s α, interval", "Alpha that takes differences at face value."),
    "krippendorff_alpha_ratio": Statistic("Krippendorff’s α, ratio", "Alpha for quantities with a true zero."),
    "pearson": Statistic("Pearson’s r", "Linear correlation with people’s mean."),
    "spearman": Statistic("Spearman’s ρ", "Correlation of ranks: does one go up when the other does?"),
    "kendall_tau_b": Statistic("Kendall’s τ-b", "Pairs in the same order less pairs in the opposite order, ties allowed for."),
    "kendall_tau_c": Statistic("Kendall’s τ-c", "As τ-b, for scales of unequal length."),
    "auc": Statistic("AUC", "Chance that a right image gets a higher score than a wrong one."),
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
}

_TASKS = {"all": "all images", "tasks_mean": "mean of the tasks"}
_REASONS = {
    "repeat": "answered twice by the same person",
    "cannot_tell": "“cannot tell”",
    "saw_evidence": "given after seeing the evidence",
    "surplus": "more people than were asked for",
    "single_rating": "the only rating of its image",
}


def task(name: str) -> str:
    return _TASKS.get(name, name.replace("_", " "))


def reason(name: str) -> str:
    return _REASONS.get(name, name.replace("_", " "))


def aspect(name: str) -> str:
    return f"“{name}” ({ASPECTS[name]})" if name in ASPECTS else f"“{name}”"


def title(statistic: str) -> str:
    return STATISTICS[statistic].title if statistic in STATISTICS else statistic


def count(number: int, noun: str) -> str:
    """``1 image``, ``2,000 images``; people are irregular."""
    plural = {"person": "people", "person’s answer": "people’s answers"}.get(noun, noun + "s")
    return f"{number:,} {noun if number == 1 else plural}"


def duration(seconds: float) -> str:
    """``8 s``, ``4 min``, ``1 h 20 min``: as exact as an estimate can be."""
    whole = max(1, round(seconds))
    if whole < 90:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
