"""TIFA's and SelfEval's metrics as estimates: of scorers by their answers, of people by what most of them answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
import pandas as pd

from agreement.estimate import ALL, Estimate
from agreement.matching import ACCURACY as MATCHED
from agreement.matching import LIFT, matching_statistics
from agreement.questions.people import DECIDED, people_answers
from agreement.questions.scores import ACCURACY, MODEL_COLUMNS, TIFA, GroupStatistic, count_reasons, scores
from agreement.reasons import Method, MethodCode, joined
from agreement.report.scorer_human import strict_majority
from agreement.study.cells import Options, merged
from agreement.suite_metrics.catalogue import METRICS, SELFEVAL_ABOVE_CHANCE, SELFEVAL_ACCURACY, TIFA_ACCURACY, TIFA_SCORE

_NAMES: Final[Mapping[str, str]] = {
    TIFA: TIFA_SCORE,
    ACCURACY: TIFA_ACCURACY,
}
_MATCHING_NAMES: Final[Mapping[str, str]] = {MATCHED: SELFEVAL_ACCURACY, LIFT: SELFEVAL_ABOVE_CHANCE}
_BY_MAJORITY: Final = Method(MethodCode.PEOPLE_BY_MAJORITY)
QUESTION_COLUMNS: Final = ("generator", "source", "element_type", "element", "answer")
"""The columns about a question, beside those of people's answers (`questions.people`)."""
_PEOPLE: Final = "people"


def tifa_metrics(answers: pd.DataFrame, options: Options) -> list[Estimate]:
    """Return each scorer's TIFA of all texts and by text source, and its accuracy of all questions and by element type.

    Args:
        answers: a suite's answers, with the columns `questions.scores.MODEL_COLUMNS`.
        options: `intervals` is read.
    """
    return [_tifa(row) for row in scores(answers, options) if _is_reported(row)]


def tifa_metrics_of_people(answers: pd.DataFrame, people: str, options: Options) -> list[Estimate]:
    """Return the same of people; their answer to a question is what more than half of them say, and others are left out.

    Args:
        answers: answers of one kind of people, with the columns `questions.people.PEOPLE_COLUMNS` and `QUESTION_COLUMNS`;
            those of questions that are not known count for nothing.
        people: `real` or `simulated`.
        options: `intervals` is read.
    """
    known = answers[answers.answer.notna() & answers.wording.notna()]
    if known.empty:
        return []
    said = people_answers(known)
    key = ["item", "question", "wording"]
    questions = known.drop_duplicates(key)[[*key, *QUESTION_COLUMNS]]
    decided = said[said.state == DECIDED].merge(questions, on=key).assign(rater=_PEOPLE).rename(columns={"label": "chosen"})
    undecided = count_reasons(said.state[said.state != DECIDED])
    made = scores(decided[[*MODEL_COLUMNS]], options) if len(decided) else []
    return [_of_people(_tifa(row), people, undecided if row.by == ALL else {}) for row in made if _is_reported(row)]


def _is_reported(row: GroupStatistic) -> bool:
    """Return True for numbers of all, of an element type, and of a text source that has a name."""
    return row.by in (ALL, "element_type") or (row.by == "source" and bool(row.group))


def selfeval_metrics(answers: pd.DataFrame, options: Options) -> list[Estimate]:
    """Return each scorer's accuracy and accuracy less chance, of all images and by task.

    Args:
        answers: a suite's answers, with the columns `matching.COLUMNS`.
        options: `intervals` is read.
    """
    return [_selfeval(row) for row in matching_statistics(answers, options) if row.statistic in _MATCHING_NAMES]


def selfeval_metrics_of_people(
    judgements: pd.DataFrame, captions: Mapping[str, tuple[Sequence[str], int]], people: str, options: Options
) -> list[Estimate]:
    """Return the same of people; they choose the caption of an image that more than half of them choose.

    Images without such a caption are left out (`not_finite`).

    Args:
        judgements: a long frame of judgements of the aspect `caption` by one kind of people.
        captions: the captions of each prompt, and the place of the right one; judgements of others count for nothing.
        people: `real` or `simulated`.
        options: `intervals` is read.
    """
    rows = judgements[judgements.excluded.isna() & judgements.label.notna() & judgements.prompt.isin(captions.keys())]
    rows = rows.sort_values("seq", kind="stable").drop_duplicates(["item", "rater"])
    if rows.empty:
        return []
    unit, items = pd.factorize(rows.item, sort=True)
    label, names = pd.factorize(rows.label, sort=True)
    most = strict_majority(unit.astype(np.int64), len(items), label.astype(np.int64), len(names)).label
    first = rows.drop_duplicates("item").set_index("item")
    table = []
    for item, code in zip(items, most, strict=True):
        about = first.loc[item]
        offered, right = captions[about.prompt]
        fits = [None] * len(offered) if code < 0 else [float(caption == names[code]) for caption in offered]
        table.append((_PEOPLE, item, about.prompt, None, about.task or "", about.generator or "", fits, right, np.nan))
    columns = ["rater", "item", "prompt", "group", "task", "generator", "fits", "right", "posterior"]
    made = matching_statistics(pd.DataFrame(table, columns=columns).astype({"group": object}), options)
    return [_of_people(_selfeval(row), people, {}) for row in made if row.statistic in _MATCHING_NAMES]


def _tifa(row: GroupStatistic) -> Estimate:
    made = _estimate(row, _NAMES[row.statistic])
    return replace(made, task=row.group) if row.by == "source" else replace(made, target=row.group) if row.by != ALL else made


def _selfeval(row: GroupStatistic) -> Estimate:
    return replace(_estimate(row, _MATCHING_NAMES[row.statistic]), task=row.group)


def _estimate(row: GroupStatistic, statistic: str) -> Estimate:
    return Estimate(
        suite=row.suite,
        generator=row.generator,
        aspect=METRICS[statistic].aspect,
        statistic=statistic,
        rater=row.rater or "",
        kind="scorer",
        value=row.value,
        low=row.low,
        high=row.high,
        n_items=row.n_items,
        n_ratings=row.n_questions,
        n_prompts=row.n_prompts,
        excluded=row.excluded,
        reason=row.reason,
        method=row.method,
    )


def _of_people(row: Estimate, people: str, undecided: Mapping[str, int]) -> Estimate:
    excluded = merged([row.excluded, undecided])
    return replace(row, rater="", people=people, kind="human", excluded=excluded, method=joined(row.method, _BY_MAJORITY))
