"""A VQA model beside people who answered the same questions (TIFA, section 5.4 and appendix C.2): Table 3 and Figure 11.

People's answer to a question is what more than half of those say whose answers count; the paper has two people, and a third
where they differ. "Cannot tell" is an answer here: where most cannot tell, or no answer has more than half, nothing is
decided, and that is counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import pandas as pd

from agreement.inference.intervals import CONTRAST_OF_SHARES, CORRECTED, SHARE, Deletions, ValueRange
from agreement.numeric import FloatArray, IntArray, share_of
from agreement.questions.scores import (
    ALL,
    MODEL_COLUMNS,
    PEOPLE_COLUMNS,
    GroupStatistic,
    StatisticKey,
    Unit,
    check_answers,
    codes,
    correlated,
    count_reasons,
    deletions_of,
    figure,
)
from agreement.reasons import Method, MethodCode, Party, Reason, ReasonCode
from agreement.report.scorer_human import strict_majority
from agreement.statistics import many_raters
from agreement.study.cells import Options, Used, compact, first_of, merged, undefined

VQA_ACCURACY, TIFA_CORRELATION, ALPHA = "vqa_accuracy", "spearman_with_people", "krippendorff_alpha_nominal"
IMAGE_WRONG, VQA_WRONG = "image_wrong", "vqa_wrong"
ACCURACY_PASSES, ACCURACY_FAILS = "accuracy_passes", "accuracy_fails"
"""The accuracy where people pass the image (their answer is the question's own), and where they fail it."""
CONSTANT_ACCURACY: Final = "constant_accuracy"
"""That of a rater who does not look, and passes every image."""
YES_LESS_PEOPLE: Final = "yes_less_people"
"""Yes-bias: the share of yes among answers to questions of yes and no, less that among people's."""
CONSTANT_YES: Final = "constant_yes_less_people"
"""That of a rater who says yes to everything."""
LENGTH_BIAS: Final = {name: f"length_bias_{name}" for name in ("prompt", "question", "reason")}
"""Spearman's rho of the length of the prompt, the question or the judge's reason, and how much more it passes than people."""
_LENGTHS: Final = {
    "prompt": Party.LENGTH_OF_PROMPT,
    "question": Party.LENGTH_OF_QUESTION,
    "reason": Party.LENGTH_OF_REASON,
}
CONSTANT_LENGTH_BIAS: Final = {name: f"constant_{LENGTH_BIAS[name]}" for name in ("prompt", "question")}
"""That of a rater who passes every image: people pass long texts less often, or more."""
PEOPLE_UNDECIDED: Final = "people_undecided"
UNDECIDED, CANNOT_TELL, OTHER_VERSION, NOT_ASKED = APART = ("undecided", "cannot_tell", "other_version", "not_asked")
"""Why a model's answer has none of people beside it: no majority, most cannot tell, asked in other words, not asked."""
DECIDED: Final = "decided"
YES, NO = "yes", "no"
NOBODY, NO_WRONG, NO_SCORES = (
    Reason(ReasonCode.NOT_ANSWERED_BY_PEOPLE),
    Reason(ReasonCode.NO_WRONG_ANSWERED_BY_PEOPLE),
    Reason(ReasonCode.FEWER_THAN_TWO_IMAGES_ANSWERED),
)
_UNSURE: Final = "\0cannot_tell"
"""No choice has this text: questions' texts hold no NUL."""
_HOW_SPLIT: Final = Method(MethodCode.OF_WRONG_ANSWERS)
_HOW: Final = {
    VQA_ACCURACY: Method(MethodCode.EQUAL_ANSWERS),
    ACCURACY_PASSES: Method(MethodCode.EQUAL_ANSWERS_OF_PASSES),
    ACCURACY_FAILS: Method(MethodCode.EQUAL_ANSWERS_OF_FAILS),
    CONSTANT_ACCURACY: Method(MethodCode.ANSWERS_OF_PASSES),
    PEOPLE_UNDECIDED: Method(MethodCode.UNDECIDED_QUESTIONS),
    CONSTANT_YES: Method(MethodCode.SHARE_OF_NO),
    YES_LESS_PEOPLE: Method(MethodCode.YES_LESS_YES_OF_PEOPLE),
}
_WRONG_ANSWERS: Final[Unit] = "wrong answers"
_QUESTIONS: Final[Unit] = "questions"
_HOW_CORRELATION: Final = Method(MethodCode.TIFA_BESIDE_PEOPLE)


@dataclass(frozen=True)
class Split:
    """A model's wrong answers of one kind, by whose fault they are (Figure 11), and those of which nobody knows.

    Attributes:
        suite: the suite of the images; the caller names it.
        rater: the model.
        people: the kind of people, real or simulated; the caller names it.
        image_wrong: people's answer is not the question's own either; ``vqa_wrong``: it is.
        apart: how many have no answer by people, by reason (of ``APART``).
    """

    by: str
    group: str
    wrong: int
    image_wrong: int
    vqa_wrong: int
    apart: dict[str, int]
    rater: str = ""
    suite: str = ""
    people: str = ""

    @property
    def decided(self) -> int:
        """The number of wrong answers that people have answered, too."""
        return self.image_wrong + self.vqa_wrong

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of answers by name: all, ``IMAGE_WRONG``, ``VQA_WRONG`` and ``APART``."""
        return {"wrong": self.wrong, IMAGE_WRONG: self.image_wrong, VQA_WRONG: self.vqa_wrong} | self.apart


def people_answers(judgements: pd.DataFrame) -> pd.DataFrame:
    """People's answer to each question about each image, a row each: ``item, prompt, question, wording, state, label, votes``.

    ``state`` is ``decided``, ``undecided`` or ``cannot_tell``; ``label`` is the answer where it is decided, else None;
    ``votes`` counts people. Only answers that count or cannot tell are heard, of each person the first.

    Raises:
        ValueError: a column is missing.
    """
    votes = _votes(check_answers(judgements, PEOPLE_COLUMNS))
    if votes.empty:
        return pd.DataFrame(columns=["item", "prompt", "question", "wording", "state", "label", "votes"])
    unit = _units(votes)
    label, names = pd.factorize(votes.vote, sort=True)
    units = int(unit.max()) + 1
    most = strict_majority(unit, units, label.astype(np.int64), len(names)).label
    first = votes.assign(unit=unit).drop_duplicates("unit").sort_values("unit")
    said_most = [None if code < 0 else str(names[code]) for code in most]
    state = [UNDECIDED if text is None else CANNOT_TELL if text == _UNSURE else DECIDED for text in said_most]
    answer = [text if kind == DECIDED else None for text, kind in zip(said_most, state, strict=True)]
    answered = first[["item", "prompt", "question", "wording"]].reset_index(drop=True)
    return answered.assign(state=state, label=pd.Series(answer, dtype=object), votes=np.bincount(unit, minlength=units))


def _units(rows: pd.DataFrame) -> IntArray:
    """Codes of questions about images, each wording apart."""
    return np.asarray(rows.groupby(["item", "question", "wording"], sort=True, dropna=False).ngroup(), np.int64)


def _votes(judgements: pd.DataFrame) -> pd.DataFrame:
    """One row for each person and question: what counts, else that they cannot tell."""
    unsure = judgements.excluded.eq(CANNOT_TELL).to_numpy(bool)
    counts_ = judgements.excluded.isna().to_numpy(bool) & judgements.label.notna().to_numpy(bool)
    heard = judgements[unsure | counts_].assign(unsure=unsure[unsure | counts_])
    heard = heard.assign(vote=heard.label.where(~heard.unsure, _UNSURE)).sort_values(["unsure", "seq"], kind="stable")
    once = heard.drop_duplicates(["item", "question", "person"])
    return once.sort_values(["item", "question", "person"], kind="stable", ignore_index=True)


def with_people(answers: pd.DataFrame, judgements: pd.DataFrame) -> pd.DataFrame:
    """A model's answers with people's beside: the rows of ``answers`` with ``state`` (``decided`` or one of ``APART``),
    ``people`` (their answer where it is decided) and ``votes``.

    Raises:
        ValueError: a column is missing, or an answer is there twice.
    """
    rows, people = check_answers(answers, MODEL_COLUMNS), people_answers(judgements)
    key = ["item", "question", "wording"]
    same = people.dropna(subset=["wording"])
    places = same.set_index(pd.MultiIndex.from_frame(same[key].astype({"wording": object})))
    beside = places.reindex(pd.MultiIndex.from_frame(rows[key].astype({"wording": object})))
    state = beside.state.to_numpy(object)
    elsewhere = set(zip(people.item, people.question, strict=True))
    pairs = zip(state, rows.item, rows.question, strict=True)
    states = [s if isinstance(s, str) else OTHER_VERSION if (item, q) in elsewhere else NOT_ASKED for s, item, q in pairs]
    answer = [text if isinstance(text, str) else None for text in beside.label.to_numpy(object)]
    votes = beside.votes.fillna(0).to_numpy(np.int64)
    return rows.assign(state=states, people=pd.Series(answer, rows.index, dtype=object), votes=votes)


def splits(beside: pd.DataFrame) -> list[Split]:
    """Figure 11 of one model's answers (the frame that ``with_people`` returns): all of them, then by element type."""
    wrong = beside[beside.answer != beside.chosen]
    kinds = sorted(beside.element_type.unique())
    parts = [(ALL, ALL, wrong), *(("element_type", str(kind), wrong[wrong.element_type == kind]) for kind in kinds)]
    return [_split(by, group, rows) for by, group, rows in parts]


def _split(by: str, group: str, wrong: pd.DataFrame) -> Split:
    decided = wrong[wrong.state == DECIDED]
    right = int((decided.people == decided.answer).sum())
    apart = {name: int((wrong.state == name).sum()) for name in APART}
    return Split(by, group, len(wrong), len(decided) - right, right, apart)


def beside_people(answers: pd.DataFrame, judgements: pd.DataFrame, options: Options | None = None) -> list[GroupStatistic]:
    """Table 3 and Figure 11: people's own agreement; of each rater the accuracy with people as reference, the correlation of
    TIFA by its answers and by theirs, and the shares of its wrong answers that are the image's fault and its own. Beside the
    accuracy, also by element type: where people pass and where they fail, that of passing everything, and yes-bias. Where
    the answers have lengths of prompts, questions or reasons: length bias.

    Args:
        answers: columns ``MODEL_COLUMNS``.
        judgements: columns ``PEOPLE_COLUMNS``; of one kind of people, real or simulated.
        options: `intervals` is read.

    Raises:
        ValueError: a column is missing, or an answer is there twice.
    """
    deletions = deletions_of(options)
    beside = with_people(answers, judgements)
    figures = [_alpha(deletions, check_answers(judgements, PEOPLE_COLUMNS))]
    for rater, rows in beside.groupby("rater", sort=True):
        figures += _of_rater(deletions, str(rater), rows)
    return figures


def _of_rater(deletions: Deletions, rater: str, rows: pd.DataFrame) -> Iterator[GroupStatistic]:
    key = StatisticKey(rater=rater)
    decided = rows[rows.state == DECIDED]
    equal = np.asarray(decided.chosen == decided.people, float)
    apart = count_reasons(rows.state[rows.state != DECIDED])
    yield _share(deletions, VQA_ACCURACY, key, decided, equal, apart)
    yield _correlation(deletions, key, decided, apart)
    yield from _length_biases(deletions, key, decided, apart)
    kinds = sorted(rows.element_type.unique())
    for at in [key, *(StatisticKey("element_type", str(kind), rater) for kind in kinds)]:
        mine = rows if at.by == ALL else rows[rows.element_type == at.group]
        if at.by == ALL or (mine.state == DECIDED).any():
            yield from _accuracies(deletions, at, mine)
        wrong = mine[mine.answer != mine.chosen]
        known = wrong[wrong.state == DECIDED]
        left = count_reasons(wrong.state[wrong.state != DECIDED])
        fault = np.asarray(known.people != known.answer, float)
        yield _share(deletions, IMAGE_WRONG, at, known, fault, left)
        yield _share(deletions, VQA_WRONG, at, known, np.subtract(1.0, fault), left)


def _accuracies(deletions: Deletions, key: StatisticKey, rows: pd.DataFrame) -> Iterator[GroupStatistic]:
    """Of the questions that people have decided; the whole accuracy by element type only, as it stands in Table 3 already."""
    decided, apart = rows[rows.state == DECIDED], count_reasons(rows.state[rows.state != DECIDED])
    equal = np.asarray(decided.chosen == decided.people, float)
    passes = np.asarray(decided.people == decided.answer, bool)
    if key.by != ALL:
        yield _share(deletions, VQA_ACCURACY, key, decided, equal, apart)
    yield _share(deletions, ACCURACY_PASSES, key, decided[passes], equal[passes], apart)
    yield _share(deletions, ACCURACY_FAILS, key, decided[~passes], equal[~passes], apart)
    yield _share(deletions, CONSTANT_ACCURACY, key, decided, passes.astype(float), apart)
    chosen, people, answer = (decided[name].str.casefold() for name in ("chosen", "people", "answer"))
    polar = np.asarray(answer.isin((YES, NO)), bool)
    bias = np.asarray(chosen == YES, float) - np.asarray(people == YES, float)
    yield _share(deletions, YES_LESS_PEOPLE, key, decided[polar], bias[polar], apart, CONTRAST_OF_SHARES)
    yield _share(deletions, CONSTANT_YES, key, decided[polar], np.asarray(people != YES, float)[polar], apart)
    heard = rows[rows.state.isin((DECIDED, UNDECIDED, CANNOT_TELL))]
    left = count_reasons(rows.state[~rows.state.isin((DECIDED, UNDECIDED, CANNOT_TELL))])
    yield _share(deletions, PEOPLE_UNDECIDED, key, heard, np.asarray(heard.state != DECIDED, float), left)


def _share(
    deletions: Deletions,
    statistic: str,
    key: StatisticKey,
    rows: pd.DataFrame,
    hits: FloatArray,
    excluded: dict[str, int],
    kind: ValueRange = SHARE,
) -> GroupStatistic:
    prompt, texts = pd.factorize(rows.prompt, sort=True)
    share = share_of(hits, np.ones(len(rows)), prompt.astype(np.int64), deletions.weights(len(texts)))
    used = Used(rows.item.nunique(), len(rows), len(texts), excluded)
    how = _HOW.get(statistic)
    reason, unit = (NO_WRONG, _WRONG_ANSWERS) if how is None else (NOBODY, _QUESTIONS)
    return figure(statistic, key, unit, share, reason, used, how or _HOW_SPLIT, kind)


def _correlation(deletions: Deletions, key: StatisticKey, decided: pd.DataFrame, apart: dict[str, int]) -> GroupStatistic:
    rows = decided.assign(model=decided.chosen == decided.answer, human=decided.people == decided.answer)
    each = rows.groupby("item", sort=True).agg(prompt=("prompt", "first"), model=("model", "mean"), human=("human", "mean"))
    prompt = codes(each.prompt)
    used = Used(len(each), len(rows), each.prompt.nunique(), apart)
    x, y = each.model.to_numpy(float), each.human.to_numpy(float)
    names = (Party.SCORE_OF_MODEL, Party.SCORE_OF_PEOPLE)
    made = replace(correlated(deletions, key, x, y, prompt, used, _HOW_CORRELATION, names), statistic=TIFA_CORRELATION)
    return made if len(each) >= 2 else replace(made, outcome=undefined(NO_SCORES, used, made.outcome.how))


def _length_biases(
    deletions: Deletions, statistic_key: StatisticKey, decided: pd.DataFrame, apart: dict[str, int]
) -> Iterator[GroupStatistic]:
    people = np.asarray(decided.people == decided.answer, float)
    more = np.asarray(decided.chosen == decided.answer, float) - people
    for name, statistic in LENGTH_BIAS.items():
        if f"{name}_length" not in decided:
            continue
        length = decided[f"{name}_length"].to_numpy(float, na_value=np.nan)
        known = np.isfinite(length)
        rows = decided[known]
        left = merged([apart, {"no_length": int((~known).sum())}])
        used = Used(rows.item.nunique(), len(rows), rows.prompt.nunique(), left)
        sides = [(statistic, more, Party.PASSES_LESS_PEOPLE)]
        if name in CONSTANT_LENGTH_BIAS:
            sides.append((CONSTANT_LENGTH_BIAS[name], 1.0 - people, Party.FAILS_OF_PEOPLE))
        for key, side, other in sides:
            how, names = Method(MethodCode.LENGTH_BESIDE, text=name, other=other), (_LENGTHS[name], other)
            made = correlated(deletions, statistic_key, length[known], side[known], codes(rows.prompt), used, how, names)
            outcome = made.outcome if len(rows) else undefined(NOBODY, used, how)
            yield replace(made, statistic=key, unit=_QUESTIONS, outcome=outcome)


def _alpha(deletions: Deletions, judgements: pd.DataFrame) -> GroupStatistic:
    """Krippendorff's nominal alpha of people's choices; a unit is a question about an image, in its wording."""
    rows = judgements[judgements.excluded.isna() & judgements.label.notna()]
    rows = rows.drop_duplicates(["item", "question", "person"])
    left = count_reasons(judgements.excluded[judgements.excluded.notna()])
    unit = _units(rows)
    paired = np.bincount(unit)[unit] > 1 if len(rows) else np.zeros(0, bool)
    left = merged([left, {"single_rating": int((~paired).sum())}])
    rows, units = rows[paired], compact(unit[paired])
    prompt, label = compact(codes(rows.prompt)), compact(codes(rows.label))
    used = Used(rows.item.nunique(), units.size, prompt.size, left)
    how = Method(MethodCode.CHOICES_BY_QUESTION)
    if not units.size:
        nothing, reason = np.full(1, np.nan), Reason(ReasonCode.NO_QUESTION_WITH_TWO_ANSWERS)
        return figure(ALPHA, StatisticKey(), "questions", nothing, reason, used, how, CORRECTED)
    columns = many_raters.count_columns(
        units.codes, label.codes, first_of(units, prompt.codes), prompt.size, label.size, ordinal=False
    )
    sums = many_raters.CountSums.unpack(deletions.weights(prompt.size) @ columns, label.size, label.size)
    sample = many_raters.CountSums.unpack(columns.sum(0), label.size, label.size)
    reason = many_raters.why_undefined(ALPHA, sample)
    return figure(ALPHA, StatisticKey(), "questions", many_raters.FORMULAS[ALPHA](sums), reason, used, how, CORRECTED)
