"""Wording: names, plain explanations and numbers in words, the same on pages, in reports and on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agreement.catalogue import DEFINITIONS, Statistic
from agreement.suite_metrics.catalogue import METRICS

STATISTICS: Final[dict[str, Statistic]] = {**DEFINITIONS, **METRICS}
"""Every statistic by name, those of suites' own metrics too."""

ASPECTS: dict[str, str] = {
    "correct": "all that the prompt asks is there",
    "present": "the object is there",
    "count": "how many there are",
    "color": "the asked colour is there",
    "position": "the asked relation holds",
    "material": "it is of the asked material",
    "size": "it has the asked size",
    "depth": "it is in front or behind as asked",
    "distance": "it is near or far as asked",
    "answer": "the answer to a question",
    "faithfulness": "how faithful the image is to the prompt, 1-5",
    "caption_fit": "how well the caption fits, 1-4, as GenEval’s authors asked it",
    "realism": "how realistic the object is, 1-3, as GenEval’s authors asked it",
    "caption_match": "how well the caption fits, 1-4",
    "shape_realism": "how realistic the object’s shape is, 1-3",
    "quality": "image quality, 1-5",
    "scene": "how likely the scene is, 1-5",
    "merged": "whether the objects are merged",
    "preference": "which image is better",
    "caption": "which caption fits",
    "score": "a scorer’s number",
    "flipped": "a scorer’s number by the flipped prompt",
}

_TASKS = {"all": "all images", "tasks_mean": "average over tasks"}
_REASONS = {
    "repeat": "answered twice by the same person",
    "cannot_tell": "“cannot tell”",
    "not_finite": "a caption without a number",
    "no_scale": "evidence without the model's scale",
    "incomplete_group": "not two images with the same two captions",
    "saw_evidence": "given after seeing the evidence",
    "surplus": "more people than were asked for",
    "selected": "of an image picked by hand or by chances that differ, which is not compared",
    "not_drawn": "of images that chance did not draw",
    "hidden": "hidden for the trial",
    "single_rating": "the only rating of its image",
    "gold": "a check with a known answer",
    "training": "given for training",
    "no_value": "without a value on its scale",
    "off_scale": "off the scale, as they were written",
    "unreadable": "an answer that cannot be read",
    "no_people": "a scorer’s, where no person has judged",
    "no_scorer_value": "people’s, where the scorer has no value",
    "tied_majority": "images on which no answer has a majority",
    "slot": "anonymous ratings (slots)",
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


def people(kind: str) -> str:
    """People who are real or simulated."""
    return "simulated people" if kind == "simulated" else "people"


def title(statistic: str) -> str:
    return STATISTICS[statistic].title if statistic in STATISTICS else statistic


_SYMBOLS: Final = {
    "cohen_kappa": "κ", "cohen_kappa_quadratic": "κ²", "spearman": "ρ", "pearson": "r", "gwet_ac1": "AC1", "auc": "AUC",
    "percent_agreement": "agree", "krippendorff_alpha_interval": "α", "krippendorff_alpha_ordinal": "α", "gwet_ac2": "AC2",
}  # fmt: skip


def symbol(statistic: str) -> str:
    """Return a statistic's short name, such as ``κ``, for where there is little room."""
    return _SYMBOLS.get(statistic, title(statistic))


def meaning(statistic: str) -> str:
    return STATISTICS[statistic].meaning if statistic in STATISTICS else ""


def count(number: int, noun: str) -> str:
    """``1 image``, ``2,000 images``; people are irregular."""
    plural = {"person": "people", "person’s answer": "people’s answers"}.get(noun, noun + "s")
    return f"{number:,} {noun if number == 1 else plural}"


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def sentence(message: object) -> str:
    """An error or a text as a sentence, with a capital and a full stop."""
    text = " ".join(str(message).split())
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def two(value: float) -> str:
    """With two digits."""
    return f"{value:z.2f}"


def percent(value: float) -> str:
    """A share in percent; 0% and 100% are said only where nothing or everything is meant."""
    for digits in range(4):
        text = f"{value:.{digits}%}"
        if value in (0.0, 1.0) or float(text[:-1]) not in (0.0, 100.0):
            return text
    return "almost all" if value > 0.5 else "almost none"


VERDICTS = {"below": "below", "equivalent": "equivalent to", "above": "above"}
"""Words for a scorer's standing; whom it stands beside follows."""


def verdict(standing: str, beside: str = "people") -> str:
    """Return a scorer's standing beside people in words; ``beside``: what the people are called."""
    return f"{VERDICTS[standing]} {beside}" if standing in VERDICTS else standing


def duration(seconds: float) -> str:
    """``8 s``, ``4 min``, ``1 h 20 min``: as exact as an estimate can be."""
    whole = max(1, round(seconds))
    if whole < 90:
        return f"{whole} s"
    minutes = round(whole / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"
