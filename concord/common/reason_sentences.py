"""Sentences of reasons, remarks and methods: what the codes of ``agreement.reasons`` say, each by one template, the same on
pages, in reports and in JSON.

A template is a text with the code's values in braces, or a function of them. Behind a colon stands what a value becomes:
``{n:,}`` a number as Python formats it, ``{n:s}`` the s of a plural, ``{names: and }`` several ones with this between them,
``{who:'s}`` whose it is. Those of methods are a module beside this one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from numbers import Integral
from typing import Any, Final

from agreement.reasons import Coded, Method, Party, Reason, ReasonCode, RemarkCode
from concord.common import wording
from concord.common.method_sentences import METHODS, TWO_VALUES

Template = str | Callable[..., str]

_PARTIES: Final[Mapping[Party, str]] = {
    Party.SCORER: "the scorer",
    Party.RATER: "the rater",
    Party.PEOPLE: "people",
    Party.SIMULATED_PEOPLE: "simulated people",
    Party.MEAN_OF_PEOPLE: "people's mean",
    Party.OTHERS: "the others",
    Party.MEAN_OF_OTHERS: "the others' mean",
    Party.FIRST_VARIABLE: "the first variable",
    Party.SECOND_VARIABLE: "the second variable",
    Party.SCORE_OF_MODEL: "the model's score",
    Party.SCORE_OF_PEOPLE: "people's score",
    Party.PASSES_LESS_PEOPLE: "what it passes less what people pass",
    Party.FAILS_OF_PEOPLE: "what people fail",
    Party.LENGTH_OF_PROMPT: "the prompt's length",
    Party.LENGTH_OF_QUESTION: "the question's length",
    Party.LENGTH_OF_REASON: "the reason's length",
    Party.NUMBER_OF_VOTES: "the number of votes",
    Party.METRIC: "the metric",
}


class _Who(str):
    """A party; ``'s`` says whose something is."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if spec == "'s":
            return f"{self}'" if self == _PARTIES[Party.OTHERS] else f"{self}'s"
        return super().__format__(spec)


class _Count(int):
    """A whole number; ``s`` is the s of what there are several of."""

    def __format__(self, spec: str) -> str:
        if spec == "s":
            return "" if self == 1 else "s"
        return super().__format__(spec)


class _Several(tuple[Any, ...]):
    """Values, between which the text behind the colon stands."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return spec.join(format(value) for value in self)


def _undefined_in_tasks(tasks: tuple[str, ...], reasons: tuple[str, ...]) -> str:
    where = f"undefined in the task{'s' if len(tasks) > 1 else ''} {', '.join(tasks)}"
    return f"{where}: {'; '.join(sorted(set(reasons)))}" if reasons else where


def _constant(names: tuple[str, ...]) -> str:
    return f"{' and '.join(names)} {'are' if len(names) > 1 else 'is'} constant"


def _too_few_crossed(persons: int, units: int) -> str:
    return f"all {persons} persons together rated {'one unit' if units else 'no unit'}; two or more are needed"


def _no_persons(instead: tuple[str, ...]) -> str:
    serve = f"{wording.listed(instead)} {'serve' if len(instead) > 1 else 'serves'} instead"
    return f"slots are not individuals, so no pair of persons can be formed; {serve}"


def _each_side(sides: tuple[tuple[str, str], ...]) -> str:
    return "; ".join(f"{name}: {reason}" for name, reason in sides)


def _single_label(persons: int) -> str:
    return f"undefined for {'every person' if persons else 'people'}: one side used a single label or value"


def _too_few_to_decide(clusters: str, more: int | None) -> str:
    enough = f": about {more:,} more are enough in four of five studies like this one" if more is not None else ""
    return f"too few {clusters} to decide{enough}"


def _besides_left_out(reason: str, left_out: tuple[tuple[str, int], ...]) -> str:
    others = ", ".join(f"{wording.reason(name)}: {n:,}" for name, n in left_out)
    return f"{reason} ({others})"


def _any_order(reasons: tuple[str, ...]) -> str:
    return "; ".join(sorted(set(reasons)))


def _answers_outstanding(unanswered: int, drawn: int, campaign: str, fixed: bool) -> str:
    waiting = f"{unanswered} of {wording.count(drawn, 'drawn image')} of campaign {campaign} wait for people"
    return f"{waiting}: labels count when all are answered{', as the order is fixed' if fixed else ''}"


def _settled(p: float) -> str:
    apart = f"both sides tell every two generators apart (p < {p} or > {1 - p})"
    return f"{apart}, so it is nearly pairwise accuracy of generators"


REASONS: Final[Mapping[ReasonCode, Template]] = {
    ReasonCode.NO_INTERVAL: "no interval: {reason}",
    ReasonCode.NO_INTERVAL_FOR_OTHER_PEOPLE: ("no interval for other people: undefined without one of these {persons}"),
    ReasonCode.ONE_CLUSTER: "one {cluster}",
    ReasonCode.ONE_CLUSTER_IN_A_TASK: "a task has one {cluster}",
    ReasonCode.TOO_MANY_UNITS: "not made for so many units",
    ReasonCode.UNDEFINED_WITHOUT_ONE: "undefined without one of the {n} {clusters}",
    ReasonCode.SAME_WITHOUT_ANY: "the same whichever of the {n} {clusters} is left out",
    ReasonCode.FEW_INFORMATIVE: "only {few} of {n} {clusters} tell more than all the others do; {needed} are needed",
    ReasonCode.UNDEFINED_IN_TASKS: _undefined_in_tasks,
    ReasonCode.FEWER_THAN_TWO_UNITS: "fewer than two units to compare",
    ReasonCode.CONSTANT: _constant,
    ReasonCode.NOT_A_NUMBER: "it is not a number",
    ReasonCode.NOT_BOTH_YES_AND_NO: "{who:'s} answers are not both yes and no",
    ReasonCode.NO_PAIRED_UNIT: "no unit has two or more ratings",
    ReasonCode.ONE_UNIT: "there are ratings of one unit only",
    ReasonCode.NOTHING_VARIES: "all ratings have the same value",
    ReasonCode.SAME_VALUE: "all ratings that can be paired have the same value, so chance alone would agree",
    ReasonCode.ONE_PERSON: "fewer than two persons rated anything",
    ReasonCode.TOO_FEW_CROSSED: _too_few_crossed,
    ReasonCode.OPPOSITE_ORDER: "two persons in opposite order leave it 0 / 0",
    ReasonCode.ONE_LABEL_ON_SCALE: "the scale has a single label",
    ReasonCode.ONE_LABEL_USED: "all ratings use a single label",
    ReasonCode.ONE_LABEL_OF_BOTH: "both raters used a single label",
    ReasonCode.NO_COMMON_UNIT: "the raters share no unit",
    ReasonCode.NEGATIVE_RATIO: "a ratio scale has no negative values",
    ReasonCode.UNDEFINED_FOR_ONE_GENERATOR: "undefined for one of the generators",
    ReasonCode.NOBODY_RATED: "nobody rated its images here",
    ReasonCode.NO_RATINGS: "there are no ratings",
    ReasonCode.NO_PERSONS: _no_persons,
    ReasonCode.NO_PAIR_OF_PERSONS: "no two persons share a unit",
    ReasonCode.UNDEFINED_FOR_EVERY_PAIR: ("undefined for every pair of persons: one or both used a single label or value"),
    ReasonCode.NOTHING_SHARED: "{rater} and {other} share no unit",
    ReasonCode.NOTHING_OF_CLASS: "the scorer judged no unit of the class {certainty}",
    ReasonCode.HARDLY_ANY_OTHER_ANSWER: (
        "people's answers are other than the commonest one in {others} of {prompts} prompts only"
    ),
    ReasonCode.ALONE: "nobody else has judged this",
    ReasonCode.NO_JUDGEMENT_SHARED: "they share no judgement",
    ReasonCode.NO_SUCH_LABEL: "undefined: people have no such label",
    ReasonCode.NOTHING_SHARED_BY_SCORERS: "people judged no unit that both scorers judged",
    ReasonCode.EACH_SIDE: _each_side,
    ReasonCode.NO_PLACE: "people judged no unit of the scorer's twice or more",
    ReasonCode.NO_MAJORITY_OF_OTHERS: "on no unit do the others have a strict majority",
    ReasonCode.ONE_LABEL_ON_A_SIDE: _single_label,
    ReasonCode.AMONG_PEOPLE: "among people: {reason}",
    ReasonCode.SCORER_UNDEFINED: "the scorer's own number is undefined on these units",
    ReasonCode.NO_INTERVALS_MADE: "no intervals",
    ReasonCode.TOO_FEW_PERSONS: "told for one task or all images with five or more identified persons",
    ReasonCode.SAW_LABELS: "no verdict, as its settings were chosen with these people's labels in view",
    ReasonCode.FINER_THAN_PEOPLE: f"not below people, but {TWO_VALUES}, so no more can be told",
    ReasonCode.TOO_FEW_TO_DECIDE: _too_few_to_decide,
    ReasonCode.TOO_FEW_PROMPTS_OR_PEOPLE: "too few prompts or people to decide",
    ReasonCode.ONE_SCORE: "the scorer's scores are all the same",
    ReasonCode.WITHOUT_FOLD: "without fold {fold} of {folds}, {reason}",
    ReasonCode.FEWER_THAN_FOLDS: "{n} {clusters} cannot be dealt into {folds} folds",
    ReasonCode.NO_VERDICT_OF_SCORER: "the scorer has no verdict",
    ReasonCode.UNDEFINED_WITHOUT_FOLD: "without fold {fold} of {folds} it is undefined at every value",
    ReasonCode.SETTING_CHANGES_NOTHING: "no value of this setting changes a verdict that people can be compared with",
    ReasonCode.UNDEFINED_AT_EVERY_VALUE: "it is undefined at every value",
    ReasonCode.NO_ANSWERS: "nobody has answered",
    ReasonCode.SLOTS_HAVE_NO_MODEL: "slots are not individuals, and {model} weighs persons; majority serves instead",
    ReasonCode.NO_TWO_ABOUT_THE_SAME: "no two persons have answered about the same, so nothing tells whom to trust",
    ReasonCode.ONE_LABEL_TELLS_NOBODY: "all answers are one label, which tells nobody who knows from who guesses",
    ReasonCode.CHANCE_DECIDES: (
        "chance would decide whom to believe: starts of the model that are equally good end at opposite labels"
    ),
    ReasonCode.TOO_MANY_LABELS: "{labels:,} different labels; {model} takes {most}",
    ReasonCode.MODEL_WITHOUT_NUMBERS: "the model gives no numbers for these answers",
    ReasonCode.EVERYBODY_ALIKE: "majority counts everybody alike",
    ReasonCode.MODEL_FOR_EACH_TARGET: "each target has a model of its own: look at one target",
    ReasonCode.UNDEFINED_ANSWERS: "undefined for these answers",
    ReasonCode.OF_SEVERAL_MODELS: _any_order,
    ReasonCode.NO_CONSENSUS_OF_OTHERS: "nowhere do the others' answers make a consensus",
    ReasonCode.NO_REFIT: "that would take a fit without each prompt",
    ReasonCode.NO_UNIT_WITH_CONSENSUS: "no unit has a consensus",
    ReasonCode.NO_VOTE: "no vote counts",
    ReasonCode.NO_CLEAR_VOTE: "no vote has a clear preference",
    ReasonCode.NO_KNOWN_SIDE: "of no vote with a clear preference the chosen side is known",
    ReasonCode.NO_PAIR_OF_CLEAR_VOTES: "on no pair both people and this scorer have a clear preference",
    ReasonCode.NOT_CONNECTED: (
        "the generators fall into groups of which one never won against another: their strengths have no finite estimate"
    ),
    ReasonCode.NO_MAXIMUM: "some generator never won against another, and ties do not tell how much weaker it is",
    ReasonCode.EVERY_VOTE: "{generators:, } {ending} every vote, without a tie: no finite strength explains that",
    ReasonCode.FEWER_THAN_TWO_POINTS: "fewer than two generators and tasks have both votes and a mean",
    ReasonCode.SO_FEW_CLUSTERS: "{n} {cluster}",
    ReasonCode.UNDEFINED_RESAMPLES: "undefined in {left} of {resamples} resamples",
    ReasonCode.SAME_RESAMPLES: "the same in nearly all of {resamples} resamples of {n} {clusters}",
    ReasonCode.NO_IMAGE_WITH_ALL_CAPTIONS: "no image with a number for every caption",
    ReasonCode.NO_WINOGROUND_GROUP: "no group of two images with the same two captions, each right once",
    ReasonCode.NO_SCORE_BY_BOTH_PROMPTS: "no image has a score by both prompts",
    ReasonCode.SAME_SCORE_BY_BOTH_PROMPTS: "on every image both prompts have the same score",
    ReasonCode.NO_QUESTION_ANSWERED: "no question was answered",
    ReasonCode.NO_TEXT_WITH_SAME_QUESTIONS: "no text has images of both with the same questions",
    ReasonCode.NO_IMAGE_ASKED_THE_SAME: "no image was asked the same by both",
    ReasonCode.NOT_ANSWERED_BY_PEOPLE: "people have answered none of these questions",
    ReasonCode.NO_WRONG_ANSWERED_BY_PEOPLE: "people have answered none of the questions that it answers wrong",
    ReasonCode.FEWER_THAN_TWO_IMAGES_ANSWERED: "people have answered questions about fewer than two of these images",
    ReasonCode.NO_QUESTION_WITH_TWO_ANSWERS: "no question has two answers by people",
    ReasonCode.FLIPS_IMPORTED: "its judgements were imported as they are: nothing can be judged again",
    ReasonCode.FLIPS_AS_THEY_CAME: "its verdicts came as they are: nothing can be judged again",
    ReasonCode.FLIPS_NOT_READ: "it has not read the flipped prompts yet",
    ReasonCode.BESIDES_LEFT_OUT: _besides_left_out,
    ReasonCode.NO_IMAGE_JUDGED: "no image is decided",
    ReasonCode.NO_IMAGE_WITH_BOTH_OBJECTS: "no image in which both objects are there is decided",
    ReasonCode.NO_EQUIVALENT_PROMPTS: "no two equivalent prompts of each of which an image shows both objects",
    ReasonCode.EVERY_IMAGE_LABELLED: "people have labelled every image",
    ReasonCode.ONE_OF_TWO_HAS_NONE: "one of the two has none",
    ReasonCode.NEVER_SAID_BY_PEOPLE: "people say {answer} of no labelled image",
    ReasonCode.TOO_FEW_LABELLED_PROMPTS: "too few labelled prompts of yes, or of no, to know how the scorer errs",
    ReasonCode.NEVER_DIFFER: "people and scorer never differ, which does not show how the scorer errs",
    ReasonCode.TELLS_TOO_LITTLE: (
        "sensitivity + specificity - 1 may be as low as {youden:z.2f}: the scorer tells too little about people's labels"
    ),
    ReasonCode.TOO_FEW_LABELS: "{labels} label{labels:s} that chance drew: at least {needed} are needed",
    ReasonCode.TOO_FEW_LABELS_OF_ONE: (
        "{labels} label{labels:s} that chance drew of one of the two: at least {needed} are needed"
    ),
    ReasonCode.DIFFERENCES_BY_PPI: "differences are estimated by --method ppi",
    ReasonCode.RATES_OF_YES_AND_NO: "rates are of yes and no, and people say other things here",
    ReasonCode.SCORER_GIVES_NUMBERS: "the scorer gives numbers, not yes or no",
    ReasonCode.UNEQUAL_CHANCES: "labels were drawn with unequal chances; --method ppi weighs by them",
    ReasonCode.NO_MEAN_OF_LABELS: "people give labels without order, which have no mean",
    ReasonCode.JUDGED_NONE: "the scorer has judged none of these images",
    ReasonCode.MADE_WITH_LABELS_IN_VIEW: "the scorer was made, or its settings chosen, with these labels in view",
    ReasonCode.LABELLED_NONE: "people have labelled none of these images",
    ReasonCode.CHANCE_DREW_NONE: "chance drew none of these images for people",
    ReasonCode.NOT_DRAWN_BY_CHANCE: (
        "labels were not drawn by chance: let people answer a campaign that draws from all of these images, or count"
        " all labels if chance chose the images that have them"
    ),
    ReasonCode.ANSWERS_OUTSTANDING: _answers_outstanding,
    ReasonCode.NO_NAMED_PERSONS: "the file names no persons",
    ReasonCode.PERSON_APART: "{person} shares no rated image with the other persons, not even through others",
    ReasonCode.SHARES_ONE_PROMPT: "shares images of one prompt only",
    ReasonCode.ALL_RATINGS_EQUAL: "all ratings are equal, so nothing varies",
    ReasonCode.RATINGS_DO_NOT_VARY: "ratings vary neither between images nor within",
    ReasonCode.NO_PERSON_OF_TWO_PROMPTS: "the file names no persons, or no person rated images of two prompts",
    ReasonCode.NO_IMAGE_WITH_TWO_RATINGS: "no image has two ratings",
    ReasonCode.NO_IMAGE_WITH_TWO_KNOWN_RATINGS: "no image has two ratings, or persons are not known",
    ReasonCode.FEWER_THAN_TWO_PROMPTS: "fewer than two prompts have ratings; how much prompts differ is not known",
    ReasonCode.PLANNED_FOR_ANY_TWO: "planned for any two generators on the same prompts",
    ReasonCode.SAID_BY_METHOD: "{method}",
    ReasonCode.LABELS_WITHOUT_ORDER: "labels without order make no image better than another",
    ReasonCode.TIES_DO_AS_WELL: "calling every two images equally good does as well",
    ReasonCode.NO_PROMPT_WITH_TWO_IMAGES: "no prompt has two images that both sides rated",
    ReasonCode.NO_PAIR_OF_GENERATORS: "no two generators have images of the same prompt that both sides rated",
    ReasonCode.FEW_GENERATORS: "no verdict: of few generators, whose pairs hang together, a difference cannot be tested",
    ReasonCode.ONE_MEAN_OF_ALL: "one side gives all generators the same mean",
    ReasonCode.NOT_EVERY_TWO_SHARE: "not every two generators share a prompt",
    ReasonCode.GENERATORS_DECIDE_NOTHING: (
        "{generators} generators decide nothing: even the right order is a random one with probability {probability:.2g}"
    ),
    ReasonCode.RANDOM_AS_GOOD: "a random order is as good with probability {probability:.2g}",
    ReasonCode.TOO_FEW_PROMPTS: "fewer than {needed} prompts",
    ReasonCode.UNDEFINED_IN_RESAMPLES: "undefined in resamples of prompts",
    ReasonCode.SETTLED: _settled,
    ReasonCode.SAME_IN_DRAWS: "both sides' p differ alike in all draws, as far as {flips:,} flips can tell",
    ReasonCode.SAME_IN_RESAMPLES: "the same in all resamples of prompts",
    ReasonCode.SEVERAL: "{reasons:; }",
    ReasonCode.SLOTS_CANNOT_BE_LEFT_OUT: "people are anonymous (slots): the test leaves out persons, who must be identified",
    ReasonCode.NOT_ON_SCALE_OF_PEOPLE: "its score is not on people's scale, so the two cannot be compared",
    ReasonCode.TOO_FEW_PERSONS_SHARE: (
        "{persons} of {all} persons have {prompts} or more prompts in common with the scorer and another person; {needed} must"
    ),
    ReasonCode.DECISION_OF_EACH_PERSON: "a decision of each person",
}


def _verdict(
    verdict: str | None,
    reason: str | None,
    persons: int,
    margin: float,
    clusters: str,
    scorer: float,
    people: float,
    difference: float,
    low: float,
    high: float,
) -> str:
    who = f"these {persons} people" if persons else "these people"
    # another estimate than the scorer's own number, which stands beside it: so it is named; of two digits the difference
    # looks wrong
    numbers = (
        f"in one person's place it reaches {scorer:z.3f}, they reach {people:z.3f};"
        f" difference {difference:z.3f} ({low:z.3f} to {high:z.3f})"
    )
    if verdict is None:
        return f"{reason} ({who}): {numbers}"
    within = f" (within {margin:g})" if verdict == "equivalent" else ""
    return f"{wording.VERDICTS[verdict]} {who}{within}, on other {clusters}: {numbers}"


def _other_people(verdict: str | None, reason: str | None, low: float, high: float | None) -> str:
    around = f"{low:z.3f} to {high:z.3f}" if high is not None else ""
    return f"beside other people, on other prompts: {verdict or reason} ({around})"


def _agree_in(a: str, b: str, agreed: float) -> str:
    return f"{a} and {b} agree in {wording.percent(agreed)} of cases"


def _same_answer(a: str, b: str, agreed: float, yes: float) -> str:
    word = "yes" if yes > 0.5 else "no"
    start = _agree_in(a, b, agreed)
    return f"{start}, as both always say {word}. Kappa is undefined then: chance alone would agree as often."


def _beside_kappa(ac1: float | None, pabak: float | None) -> str:
    return f"AC1 {ac1:z.2f}, PABAK {pabak:z.2f}" if ac1 is not None and pabak is not None else ""


def _agreed(a: str, b: str, agreed: float, kappa: float, ac1: float | None, pabak: float | None) -> str:
    others = _beside_kappa(ac1, pabak)
    return f"{_agree_in(a, b, agreed)}; kappa is {kappa:z.2f}{f' ({others})' if others else ''}."


def _prevalence_paradox(
    a: str, b: str, agreed: float, kappa: float, ac1: float | None, pabak: float | None, yes: float, chance: float
) -> str:
    common = f"{wording.percent(max(yes, 1 - yes))} of their answers are {'yes' if yes > 0.5 else 'no'}"
    because = f"{common}, so that by chance alone they would agree in {wording.percent(chance)} of cases"
    return (
        f"{_agree_in(a, b, agreed)}, yet kappa is only {kappa:z.2f}. This is the prevalence paradox: {because}, and kappa"
        f" counts only what is beyond. Measures that expect less of chance stay high ({_beside_kappa(ac1, pabak)}). Kappa"
        f" here rests on the few {'no' if yes > 0.5 else 'yes'} answers: look at these cases before you trust either number."
    )


REMARKS: Final[Mapping[RemarkCode, Template]] = {
    RemarkCode.PARTS: "{parts:; }",
    RemarkCode.VERDICT: _verdict,
    RemarkCode.OTHER_PEOPLE: _other_people,
    RemarkCode.CORRECTED_VERDICT: (
        "beside these people p {p:z.3f}, of equivalence {p_equivalent:z.3f}; by Holm, which decides, {p_holm:z.3f} and"
        " {p_equivalent_holm:z.3f} over {verdicts} verdict{verdicts:s} of this statistic and generator: all scorers and tasks"
    ),
    RemarkCode.NOTHING_SHARED: "{a} and {b} share no judgement.",
    RemarkCode.ONE_ANSWER: _same_answer,
    RemarkCode.AGREED: _agreed,
    RemarkCode.PREVALENCE_PARADOX: _prevalence_paradox,
    RemarkCode.BETTER_THAN_RANDOM: "better than a random order",
    RemarkCode.SCORE_OF: "{who:'s} score",
}


@lru_cache(10_000)
def text(said: Coded) -> str:
    """Return what a reason, a method or a remark says, in words."""
    template = _template(said)
    values = {name: _formatted(value) for name, value in said.values}
    return template.format(**values) if isinstance(template, str) else template(**values)


def _template(said: Coded) -> Template:
    table: Any = REASONS if isinstance(said, Reason) else METHODS if isinstance(said, Method) else REMARKS
    template: Template = table[said.code]
    return template


def _formatted(value: Any) -> Any:
    """Return a value as a template takes it."""
    if isinstance(value, Coded):
        return _Who(text(value))
    if isinstance(value, Party):
        return _Who(_PARTIES[value])
    if isinstance(value, str):
        return _Who(value)
    if isinstance(value, tuple):
        return _Several(_formatted(part) for part in value)
    if isinstance(value, bool) or not isinstance(value, Integral):
        return value
    return _Count(value)


def text_or_none(said: Coded | None) -> str | None:
    """Return what it says, in words; None where there is nothing."""
    return None if said is None else text(said)


def worded(data: Any) -> Any:
    """Return a row, or rows, as JSON has them: every reason, method and remark in words."""
    if isinstance(data, Coded):
        return text(data)
    if isinstance(data, dict):
        return {name: worded(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return type(data)(worded(value) for value in data)
    return data
