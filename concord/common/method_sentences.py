"""Sentences of methods: how a value and its interval were made. ``concord.common.reason_sentences`` fills in the values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from agreement.inference.hypothesis_tests import DRAWN
from agreement.inference.intervals import LEVEL
from agreement.reasons import MethodCode
from concord.common import wording

TWO_VALUES: Final = "a person's yes or no is a score of only two values"


def _scale(scale: str) -> str:
    return {"": "", "fisher_z": " on Fisher's z scale", "logit": " on the logit scale"}[scale]


def _jackknife(groups: int, n: int, clusters: str, persons: int, freedom: float, by_chi_square: bool, scale: str) -> str:
    over = f"{groups} {clusters}" if groups == n else f"{groups} groups of {n} {clusters}"
    if persons:
        over += f" and {persons} persons, both as random"
    student = f"t with {freedom:.4g} degrees of freedom"
    if by_chi_square:
        student += f" and chi-square with {persons - 1}, for persons who differ normally,"
        return f"{LEVEL}% jackknife over {over}, {student}{_scale(scale)} of an intraclass correlation"
    return f"{LEVEL}% jackknife over {over}, {student}{_scale(scale)}"


def _clopper_pearson(n: int, clusters: str, because: str) -> str:
    apart = {
        "same": ", which are all alike",
        "nearly_same": ", which are nearly all alike",
        "few_values": f", as {clusters} with one image each take few values",
    }[because]
    return f"{LEVEL}% interval by Clopper and Pearson, as of {n} {clusters}{apart}"


def _these_people(persons: int, low: float | None, high: float | None) -> str:
    around = "no interval" if low is None or high is None else f"{low:z.3f} to {high:z.3f}"
    return f"of these {persons} people, on other prompts: {around}"


def _mean_over_tasks(n: int, each: str | None) -> str:
    how = f"unweighted mean over {n} task{'s' if n != 1 else ''}"
    return f"{how}, in each: {each}" if each else how


def _mean_over_pairs(defined: int, pairs: int) -> str:
    every = f"{pairs} pair{'s' if pairs > 1 else ''} of persons"
    return f"mean over {defined} of {every}, undefined for the others" if defined < pairs else f"mean over {every}"


_AGAINST_OTHERS: Final = {
    "each": "against each rating by the others",
    "majority": "against the strict majority of the others by unit",
    "mean": "against the mean of the others by unit",
}


def _rating_left_out(people_as: str) -> str:
    return f"one rating out: each rating in turn {_AGAINST_OTHERS[people_as]}, pooled"


def _person_left_out(people_as: str, persons: int, defined: int) -> str:
    over = f"{defined} of {persons} persons, undefined for the others" if defined < persons else f"{persons} persons"
    return f"one person out: each person in turn {_AGAINST_OTHERS[people_as]}, mean over {over}"


def _sign_flips(swaps: int, exact: bool) -> str:
    which = f"all {swaps:,}" if exact else f"{DRAWN:,} drawn"
    return f"p by sign flips: the scorers' judgements of prompts swapped, {which}"


def _drawn_in_campaign(campaign: str, with_chances: bool, unanswered: int, drawn: int) -> str:
    how = "labels drawn with stored chances" if with_chances else "labels drawn by chance"
    waiting = f"{unanswered:,} of {wording.count(drawn, 'drawn image')} have no answer: right only if chance chose which"
    return f"{how} in campaign {campaign}{f' ({waiting})' if unanswered else ''}"


def _consensus_label(consensus: str) -> str:
    return {
        "majority": "the label of more than half of the answers",
        "dawid_skene": "Dawid and Skene's model, the most probable label",
        "mace": "MACE, the most probable label",
    }[consensus]


def _percentiles(n: int, clusters: str, resamples: int, seed: int, left_out: int) -> str:
    over = f"{LEVEL}% percentile bootstrap over {n} {clusters}, {resamples} resamples, seed {seed}"
    return f"{over}, {left_out} undefined ones left out" if left_out else over


def _first_trials(aggregate: str, n: int, trials: int) -> str:
    mean = {"jensen": "mean", "lse": "log of the mean likelihood"}[aggregate]
    return f"fits are the {mean} of the first {n} of {trials} trials"


def _mean_by_both_prompts(people: bool) -> str:
    over = "people's ratings" if people else "the images"
    return f"mean over {over} with a score by both prompts"


def _preferred_prompt(people: bool) -> str:
    by_mean = ", by the mean of each one's ratings" if people else ""
    return f"share of the images with two different scores{by_mean}"


def _variance_components(prompts: int, known: tuple[tuple[str, float], ...], missing: tuple[str, ...]) -> str:
    shares = ", ".join(f"{name} {value:.3g}" for name, value in known)
    untold = f"; {' and '.join(missing)} cannot be separated from the others" if missing else ""
    return f"from variance components over {prompts} prompts: {shares}{untold}"


def _seated(seat: str) -> str:
    return f", each {seat} against each other one" if seat else ""


def _pairs_in_right_order(epsilon: str, seat: str) -> str:
    chosen = {"given": "given", "of_others": "of other prompts", "0": "0"}[epsilon]
    return f"mean over prompts of the share of pairs in the right order, epsilon {chosen}{_seated(seat)}"


def _generators_in_same_order(seat: str) -> str:
    return f"share of pairs of generators whose means are in the same order{_seated(seat)}"


def _tau_of_generators(seat: str) -> str:
    return f"Kendall's tau-b of the generators' means{_seated(seat)}"


def _soft_accuracy(seat: str) -> str:
    less = "1 less the mean difference of one-sided p of pairs of generators, by sign flips over prompts"
    return f"{less}{_seated(seat)}"


METHODS: Final[Mapping[MethodCode, str | Callable[..., str]]] = {
    MethodCode.PARTS: "{parts:; }",
    MethodCode.CLOPPER_PEARSON: _clopper_pearson,
    MethodCode.JACKKNIFE: _jackknife,
    MethodCode.THESE_PEOPLE: _these_people,
    MethodCode.MEAN_OVER_TASKS: _mean_over_tasks,
    MethodCode.MEAN_OF_IMAGES: "mean over images of people's mean rating",
    MethodCode.BY_UNIT: "people's ratings by unit",
    MethodCode.CHANCE_FROM_ALL: "chance from all units, agreement from those with two ratings or more",
    MethodCode.ICC_1: "one-way random effects, single ratings, by unit",
    MethodCode.ICC_2: (
        "two-way random effects, absolute agreement, single ratings; the units that all {persons} persons rated"
    ),
    MethodCode.FIRST_AGAINST_REST: "each unit's first rating against each other one",
    MethodCode.MEAN_OVER_PAIRS: _mean_over_pairs,
    MethodCode.AGAINST_EACH: ("{rater} against each rating by {others}, so that an image counts as often as it was rated"),
    MethodCode.AGAINST_MAJORITY: "{rater} against {others:'s} strict majority by unit",
    MethodCode.AGAINST_MEAN: "{rater} against {others:'s} mean by unit",
    MethodCode.OWN_MEAN: "the rater's own mean over the units it shares with people",
    MethodCode.MEAN_OF_SCORER: "mean over the scorer's judgements",
    MethodCode.TWO_RATERS: "the two raters' values by unit",
    MethodCode.SHARE_OF_YES: "share of yes of {who}",
    MethodCode.ONE_RATING_OUT: _rating_left_out,
    MethodCode.ONE_PERSON_OUT: _person_left_out,
    MethodCode.SAME_PLACES: "the scorer in the same places",
    MethodCode.SAME_PLACES_LESS_PEOPLE: "the scorer in the same places less people",
    MethodCode.TWO_VALUES: TWO_VALUES,
    MethodCode.ONE_LESS_OTHER: "{a} less {b}, each: {each}; on the units that both scorers judged",
    MethodCode.NO_P_SAW_LABELS: ("no p, as the settings of {scorer} were chosen with these people's labels in view"),
    MethodCode.SIGN_FLIPS: _sign_flips,
    MethodCode.HOLM: "Holm over {comparisons} comparison{comparisons:s} of this statistic and generator",
    MethodCode.CUT_OUT_OF_FOLD: (
        "yes if {number} > t, t the best by {objective} on the other folds; {folds} folds of {clusters}, seeded"
    ),
    MethodCode.CUT_ON_ALL: (
        '{objective} of "yes if {number} > t" with people, people as {people_as}, on all data: no fold left out'
    ),
    MethodCode.BAND: f"band: {LEVEL}% jackknife over {{n}} {{clusters}} at each cut",
    MethodCode.SHARE_OF_YES_OF_SCORER: "the share of yes among the scorer's verdicts",
    MethodCode.CONSENSUS_LABEL: _consensus_label,
    MethodCode.FITTED_ONCE: "fitted once, on all generators and tasks, not without each prompt",
    MethodCode.TWO_CONSENSUSES: "two consensuses of the same people",
    MethodCode.SCORER_BESIDE_CONSENSUS: "the scorer beside the consensus of people ({consensus})",
    MethodCode.PERSON_BESIDE_CONSENSUS: "the person beside the consensus of the others' answers ({consensus})",
    MethodCode.RATES_WITH_PERSON: "the model's rates were estimated with the person's answers, too",
    MethodCode.BESIDE_CONSENSUS_OF_OTHERS: "each answer by people against the consensus of the others' answers ({consensus})",
    MethodCode.MEAN_OF_CONSENSUS: "mean of the consensus over its units ({consensus})",
    MethodCode.PERSON_AGAINST_MAJORITY: "the person's answers against the strict majority of the others by unit",
    MethodCode.EXPECTED_ACCURACY: (
        "by Dawid and Skene's model how often the person recognises a label, mean over labels by how common they are"
    ),
    MethodCode.COMPETENCE: "how probable it is by MACE that the person knew rather than guessed",
    MethodCode.DIFFERENCE_OF_MEANS: "difference of means over shared prompts, images weigh equally",
    MethodCode.SHARE_OF_VOTES: "share of {generator} among votes with a clear preference",
    MethodCode.SHARE_OF_LEFT: "share of left among votes with a clear preference whose side is known",
    MethodCode.CHANGED_BY_ORDER: "share of the pairs on which its choice changes when the images change places",
    MethodCode.SAME_PREFERENCE: "share of the same preference on pairs where most people, and the scorer, prefer one",
    MethodCode.LOG_STRENGTH: "Bradley-Terry log strength with Davidson's ties, mean 0",
    MethodCode.RHO_OF_VOTES: "Spearman's rho over generators and tasks of votes with a clear preference and the metric's mean",
    MethodCode.PERCENTILES: _percentiles,
    MethodCode.MATCHED_RIGHT: "share of images whose right caption fits best, alone; a tie is not right",
    MethodCode.MATCHED_BY_CHANCE: "mean of 1/C over the same images",
    MethodCode.MATCHED_LESS_CHANCE: "accuracy less the mean of 1/C over the same images",
    MethodCode.SHARE_OF_SOFTMAX: "mean share of the right caption in a softmax over the captions",
    MethodCode.MEAN_PLACE: "mean place of the right caption, 1 the best; captions that fit as well count half",
    MethodCode.FIRST_TRIALS: _first_trials,
    MethodCode.ONLY_FIRST_RIGHT_LESS_SECOND: (
        "images on which only the first is right less those on which only the second is, as a share of all that both judged"
    ),
    MethodCode.TEXT_SCORE: (
        "share of groups in which each image's right caption fits it better than the other; a tie is not right"
    ),
    MethodCode.IMAGE_SCORE: (
        "share of groups in which each caption fits its image better than the other image; a tie is not right"
    ),
    MethodCode.GROUP_SCORE: "share of groups with both",
    MethodCode.MEAN_BY_BOTH_PROMPTS: _mean_by_both_prompts,
    MethodCode.PREFERRED_PROMPT: _preferred_prompt,
    MethodCode.MEAN_OVER_TEXTS: "mean over texts of the mean over their images",
    MethodCode.RIGHT_ANSWERS: "share of right answers, all questions pooled",
    MethodCode.LESS_REFERENCE: "{each}, less the same of {reference}, over the texts that both have images of, asked the same",
    MethodCode.SCORES_OF_TWO_MODELS: "scores per image of two models, asked the same",
    MethodCode.SAME_ANSWERS: "share of the questions about an image, in the same words, to which both gave the same answer",
    MethodCode.OF_WRONG_ANSWERS: "share of the wrong answers that people have answered, too",
    MethodCode.EQUAL_ANSWERS: "share of the answers equal to people's",
    MethodCode.EQUAL_ANSWERS_OF_PASSES: "share of the answers equal to people's, where those are as a faithful image asks for",
    MethodCode.EQUAL_ANSWERS_OF_FAILS: (
        "share of the answers equal to people's, where those are not as a faithful image asks for"
    ),
    MethodCode.ANSWERS_OF_PASSES: "share of people's answers that are as a faithful image asks for",
    MethodCode.UNDECIDED_QUESTIONS: "share of the questions asked of people on which they have no majority, or cannot tell",
    MethodCode.SHARE_OF_NO: "share of no in people's answers to questions of yes and no",
    MethodCode.YES_LESS_YES_OF_PEOPLE: (
        "share of yes in its answers less that in people's, questions of yes and no that people have decided"
    ),
    MethodCode.TIFA_BESIDE_PEOPLE: (
        "TIFA per image by the model's and by people's answers, both from the questions that people have answered"
    ),
    MethodCode.LENGTH_BESIDE: "length of the {text} in characters, and {other}, by question",
    MethodCode.CHOICES_BY_QUESTION: "people's choices by question, those that two or more have answered",
    MethodCode.SUITE_METRIC: lambda metric: wording.STATISTICS[metric].formula,
    MethodCode.PEOPLE_BY_MAJORITY: "people by the strict majority of those who answered about an image",
    MethodCode.DRAWN_AS_TOLD: "labels drawn by chance, as you say",
    MethodCode.DRAWN_IN_CAMPAIGN: _drawn_in_campaign,
    MethodCode.TRIAL: "a trial with {n} of {labelled} labelled images, seed {seed}",
    MethodCode.EVERY_IMAGE_LABELLED: "people have labelled every image",
    MethodCode.DIFFERENCE_OF_ESTIMATES: "difference of two estimates",
    MethodCode.ROGAN_GLADEN: "Rogan-Gladen",
    MethodCode.LABELS_ALONE_SAME_SCORE: (
        "mean of the labels alone: the scorer gives every image the same score, up to rounding, so there is no lambda"
    ),
    MethodCode.LABELS_ALONE_NOT_SURER: "mean of the labels alone: the scorer does not make it surer",
    MethodCode.PREDICTION_POWERED: "prediction-powered mean, lambda {power:.3g}",
    MethodCode.FROM_BOTH_INTERVALS: "95% interval from the intervals of both",
    MethodCode.WILSON_NEARLY_ALIKE: "95% interval by Wilson, as of {n} {clusters}, which are nearly all alike",
    MethodCode.WILSON_OF_ERRORS: "95% interval by Wilson for the {errors} of {n} {clusters} where people and scorer differ",
    MethodCode.BY_MOMENTS: "by moments, of ratings that differ in prompt, person or both",
    MethodCode.CHI_SQUARE: "95% interval by chi-square with {freedom} degrees of freedom, for persons who differ normally",
    MethodCode.LEAST_SQUARES: "rating = unit + person, least squares; persons' effects are 0 on average",
    MethodCode.VARIANCE_COMPONENTS: _variance_components,
    MethodCode.PAIRS_IN_RIGHT_ORDER: _pairs_in_right_order,
    MethodCode.GENERATORS_IN_SAME_ORDER: _generators_in_same_order,
    MethodCode.TAU_OF_GENERATORS: _tau_of_generators,
    MethodCode.SOFT_ACCURACY_OF_GENERATORS: _soft_accuracy,
    MethodCode.RANK_SET: "place by the mean; rank set by paired differences over prompts, sign flips, Holm at 5 %",
    MethodCode.PERCENTILES_OF_DRAWS: "95% percentiles of p from normal draws with the jackknife's covariance over prompts",
    MethodCode.PERCENTILE_BOOTSTRAP: "95% percentile bootstrap over prompts",
    MethodCode.EVALUATIONS: "{done:,} of {full:,} trials x captions x steps",
    MethodCode.PERSONS_WON_AGAINST: (
        "share of {persons} persons won against, epsilon {epsilon:g}, Benjamini-Yekutieli at {level:g}"
    ),
    MethodCode.AT_LEAST_AS_NEAR: "mean over persons of how often at least as near",
}
