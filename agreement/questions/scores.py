"""TIFA's scores of generators: of all images, element type, text source and number of entities (Figures 7 to 9).

``tifa`` is the mean over texts of the mean over their images of formula 1; the paper has one image of each text.
``accuracy`` is the share of right answers among all questions of a kind, whatever their image, as in the paper's released
code. Beside a reference (real photographs, as in Figures 8 to 10) stand differences to it, on the texts that both have
images of. How much the scores depend on the VQA model (section 5.4) is told by correlations of two models' scores per
image.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal

import numpy as np
import pandas as pd

from agreement.inference.intervals import CONTRAST_OF_SHARES, CORRECTED, SHARE, Deletions, Interval, ValueRange
from agreement.numeric import FloatArray, IntArray, ratio, share_of, sums_by
from agreement.reasons import Method, MethodCode, Name, Reason, ReasonCode, Remark, RemarkCode
from agreement.statistics import correlation
from agreement.statistics.correlation import Units
from agreement.study.cells import Options, Outcome, Used, compact, interval, merged, outcome

ALL = "all"
MODEL_COLUMNS = (
    "rater", "item", "prompt", "generator", "source", "question", "wording", "element_type", "element", "answer", "chosen",
)  # fmt: skip
"""Columns of a model's answers: one row per (rater, item, question). ``answer`` is the question's own, of a faithful image."""
PEOPLE_COLUMNS = ("item", "prompt", "question", "wording", "person", "label", "excluded", "seq")
"""Columns of people's answers; ``label`` None where they cannot tell; ``excluded`` says why an answer does not count."""
ENTITIES = frozenset({"object", "animal/human", "animal", "human", "food"})
"""The types of elements that are entities (Figure 9)."""

Unit = Literal["images", "questions", "wrong answers", "groups"]


@dataclass(frozen=True)
class StatisticKey:
    """What a number is about.

    Attributes:
        by, group: what of the images or questions it is about, such as ``element_type`` and ``color``; ``all`` and ``all``.
        rater: whose answers; None for people's own agreement. ``other``: the model that it is compared with.
        generator: whose images; ``all`` for all together.
        suite: the suite of the images; the caller names it.
        people: the kind of people that raters are compared with, real or simulated; empty without people. The
            caller names it.
    """

    by: str = ALL
    group: str = ALL
    rater: str | None = None
    generator: str = ALL
    other: str | None = None
    suite: str = ""
    people: str = ""


@dataclass(frozen=True, kw_only=True)
class GroupStatistic(StatisticKey):
    """One number.

    Attributes:
        statistic: what it is.
        unit: what `n` counts.
        outcome: the value, or why there is none.
        bounds: 95 % interval, by the jackknife over prompts.
        method: how both were made.
    """

    statistic: str
    unit: Unit
    outcome: Outcome
    bounds: Interval
    method: Method

    @property
    def n(self) -> int:
        """How many units it rests on."""
        return self.n_items if self.unit == "images" else self.n_questions

    @property
    def n_items(self) -> int:
        """Number of images that the statistic rests on."""
        return self.outcome.used.items

    @property
    def n_questions(self) -> int:
        """Number of questions that the statistic rests on."""
        return self.outcome.used.ratings

    @property
    def n_prompts(self) -> int:
        """Number of prompts that the statistic rests on."""
        return self.outcome.used.clusters

    @property
    def value(self) -> float | None:
        """The number; None where it is undefined."""
        return self.outcome.value

    @property
    def reason(self) -> Reason | None:
        """Why there is no number; None where there is one."""
        return self.outcome.reason

    @property
    def excluded(self) -> Mapping[str, int]:
        """Number of units left out, by reason."""
        return self.outcome.used.excluded

    @property
    def low(self) -> float | None:
        """The lower end of the interval; None without one."""
        return self.bounds.low

    @property
    def high(self) -> float | None:
        """The upper end of the interval; None without one."""
        return self.bounds.high


def figure(
    statistic: str,
    key: StatisticKey,
    unit: Unit,
    values: FloatArray,
    reason: Reason | None,
    used: Used,
    how: Method,
    kind: ValueRange,
) -> GroupStatistic:
    """A figure from its value and the replicates after it."""
    made = outcome(np.asarray(values, float), reason, used, how)
    bounds, method = interval(made, kind)
    reported = replace(made, deviations=None)
    return GroupStatistic(**vars(key), statistic=statistic, unit=unit, outcome=reported, bounds=bounds, method=method)


def deletions_of(options: Options | None) -> Deletions:
    """What the jackknife of all figures of a report leaves out."""
    return Deletions((options or Options()).intervals)


def check_answers(frame: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """The frame, whose order says nothing, in one order.

    Raises:
        ValueError: a column is missing, or an answer is there twice.
    """
    missing = [name for name in columns if name not in frame.columns]
    if missing:
        raise ValueError(f"the frame of answers lacks the columns {', '.join(missing)}; it needs {', '.join(columns)}")
    names = [name for name in ("rater", "prompt", "item", "question", "person", "seq") if name in columns]
    rows = frame.sort_values(names, kind="stable", ignore_index=True)
    if "rater" in columns and rows.duplicated(["rater", "item", "question"]).any():
        raise ValueError("a rater has two answers to one question about an image")
    return rows


def images(answers: pd.DataFrame) -> pd.DataFrame:
    """The images behind one model's answers, a row each, in their order.

    Columns: ``item, prompt, generator, source, score`` (TIFA's formula 1: the share of answers equal to the question's own),
    ``questions`` (how many), ``entities`` (distinct ones that are asked for), ``asked`` (a code of the set of questions in
    their wordings: equal where the same was asked).
    """
    # a code of each question in its wording; sums of them (modulo 2^64) tell sets of questions apart
    rows = answers.assign(
        right=answers.answer == answers.chosen,
        asked=(np.asarray(pd.util.hash_pandas_object(answers[["question", "wording"]], index=False), np.uint64)),
    )
    by_image = rows.groupby("item", sort=True).agg(
        prompt=("prompt", "first"),
        generator=("generator", "first"),
        source=("source", "first"),
        score=("right", "mean"),
        questions=("right", "size"),
        asked=("asked", "sum"),
    )
    things = rows[rows.element_type.isin(ENTITIES)]
    named = things.assign(thing=things.element.str.strip().str.casefold())
    entities = named.groupby("item").thing.nunique().reindex(by_image.index, fill_value=0).astype(int)
    return by_image.assign(entities=entities).reset_index()


def count_reasons(reasons: pd.Series) -> dict[str, int]:
    """How often each reason is there, by name."""
    return merged([{str(name): int(n) for name, n in reasons.value_counts().items()}])


def codes(values: pd.Series) -> IntArray:
    """Codes in the order of the values."""
    return np.asarray(pd.factorize(values, sort=True)[0], np.int64)


Grouping = Literal["all", "element_type", "source", "entities"]
GROUPINGS: Final[tuple[Grouping, ...]] = ("all", "element_type", "source", "entities")
TIFA, ACCURACY = "tifa", "accuracy"
LESS_REFERENCE: Final = "_less_reference"
NOTHING, NOTHING_SHARED = Reason(ReasonCode.NO_QUESTION_ANSWERED), Reason(ReasonCode.NO_TEXT_WITH_SAME_QUESTIONS)
_HOW: Final = {TIFA: Method(MethodCode.MEAN_OVER_TEXTS), ACCURACY: Method(MethodCode.RIGHT_ANSWERS)}


def scores(answers: pd.DataFrame, options: Options | None = None, reference: str | None = None) -> list[GroupStatistic]:
    """Every rater's scores of every generator: ``tifa`` of all images, by text source and by number of entities, ``accuracy``
    of all questions and by element type.

    Args:
        answers: columns ``MODEL_COLUMNS``.
        options: `intervals` is read.
        reference: a generator; differences to it follow each number.

    Raises:
        ValueError: a column is missing, or an answer is there twice.
    """
    deletions, rows = deletions_of(options), check_answers(answers, MODEL_COLUMNS)
    figures: list[GroupStatistic] = []
    for rater, mine in rows.groupby("rater", sort=True):
        table = _table(mine)
        for by in GROUPINGS:
            kinds = {"all": (TIFA, ACCURACY), "element_type": (ACCURACY,)}.get(by, (TIFA,))
            for statistic in kinds:
                figures += _of(table, str(rater), by, statistic, deletions, reference)
    return figures


def _table(mine: pd.DataFrame) -> pd.DataFrame:
    """One rater's answers with what they are grouped by and whether they are right."""
    whole = images(mine).set_index("item")
    more = {name: mine.item.map(whole[name]) for name in ("entities", "asked", "score", "questions")}
    return mine.assign(right=mine.answer == mine.chosen, all=ALL, **more)


@dataclass(frozen=True)
class _Sums:
    """What a statistic needs of one generator's texts by group: its share is ``top`` / ``bottom``; both (texts, groups)."""

    texts: list[str]
    top: FloatArray
    bottom: FloatArray
    images: IntArray
    questions: IntArray
    asked: list[int | None]

    def take(self, texts: list[str]) -> _Sums:
        index = {name: k for k, name in enumerate(self.texts)}
        rows = np.array([index[name] for name in texts], np.int64)
        answered = [self.asked[k] for k in rows]
        return _Sums(texts, self.top[rows], self.bottom[rows], self.images[rows], self.questions[rows], answered)


def _of(
    table: pd.DataFrame, rater: str, by: Grouping, statistic: str, deletions: Deletions, reference: str | None
) -> Iterator[GroupStatistic]:
    groups = sorted(table[by].unique())
    made = {str(name): _sums(rows, by, groups, statistic) for name, rows in table.groupby("generator", sort=True)}
    beside = made.get(reference) if reference is not None else None
    for generator, sums in made.items():
        for k, group in enumerate(groups):
            if sums.bottom[:, k].any():
                key = StatisticKey(by, str(group), rater, generator)
                there = sums.bottom[:, k] > 0
                used, values = _used(sums, k), _ratios(deletions, sums.top[there, k], sums.bottom[there, k])
                yield figure(statistic, key, _unit(statistic), values, NOTHING, used, _HOW[statistic], SHARE)
        if beside is not None and generator != reference:
            yield from _less(
                deletions, statistic, [StatisticKey(by, str(g), rater, generator) for g in groups], sums, beside, reference
            )


def _sums(rows: pd.DataFrame, by: str, groups: list[object], statistic: str) -> _Sums:
    prompt, texts = pd.factorize(rows.prompt, sort=True)
    codes = pd.Categorical(rows[by], categories=groups).codes.astype(np.int64)
    shape = (len(texts), len(groups))
    cell = prompt * len(groups) + codes

    def summed(places: IntArray, weights: FloatArray) -> FloatArray:
        return sums_by(places, shape[0] * shape[1], weights).reshape(shape)

    firsts = ~rows.assign(cell=cell).duplicated(["item", "cell"]).to_numpy()
    n_images, n_questions = summed(cell[firsts], np.ones(int(firsts.sum()))), summed(cell, np.ones(len(rows)))
    if statistic == TIFA:
        # where images are grouped, all of an image's questions are in its group
        score = ratio(summed(cell[firsts], rows.score.to_numpy(float)[firsts]), n_images)
        bottom = (n_images > 0).astype(float)
        top = np.where(bottom > 0, np.nan_to_num(score), 0.0)
    else:
        top, bottom = summed(cell, rows.right.to_numpy(float)), n_questions
    sets = rows.groupby("prompt", sort=True).asked.agg(low="min", high="max")
    same = [int(low) if low == high else None for low, high in zip(sets.low, sets.high, strict=True)]
    return _Sums([*map(str, texts)], top, bottom, n_images.astype(np.int64), n_questions.astype(np.int64), same)


def _ratios(deletions: Deletions, top: FloatArray, bottom: FloatArray) -> FloatArray:
    """The ratio of sums over texts, then that without each text: (1 + texts,)."""
    weights = deletions.weights(top.size)
    return ratio(weights @ top, weights @ bottom)


def _unit(statistic: str) -> Unit:
    return "questions" if statistic.startswith(ACCURACY) else "images"


def _used(sums: _Sums, k: int) -> Used:
    return Used(int(sums.images[:, k].sum()), int(sums.questions[:, k].sum()), int((sums.images[:, k] > 0).sum()))


def _less(
    deletions: Deletions, statistic: str, places: list[StatisticKey], sums: _Sums, beside: _Sums, reference: str | None
) -> Iterator[GroupStatistic]:
    """The differences to the reference, by group."""
    theirs = dict(zip(beside.texts, beside.asked, strict=True))
    both = {name for name in sums.texts if name in theirs}
    asked = zip(sums.texts, sums.asked, strict=True)
    shared = [name for name, questions in asked if questions is not None and theirs.get(name) == questions]
    mine, other = sums.take(shared), beside.take(shared)
    for k, key in enumerate(places):
        if not sums.bottom[:, k].any():
            continue
        there = (mine.bottom[:, k] > 0) | (other.bottom[:, k] > 0)
        each = [_ratios(deletions, side.top[there, k], side.bottom[there, k]) for side in (mine, other)]
        present = {name for name, n in zip(sums.texts, sums.images[:, k], strict=True) if n}
        left = {"not_shared": len(present - both), "other_version": len((present & both) - {*shared})}
        used = replace(_used(mine, k), excluded=merged([left]))
        how = Method(MethodCode.LESS_REFERENCE, each=_HOW[statistic], reference=reference)
        name = statistic + LESS_REFERENCE
        yield figure(name, key, _unit(statistic), each[0] - each[1], NOTHING_SHARED, used, how, CONTRAST_OF_SHARES)


SPEARMAN = "spearman"
NO_PAIR = Reason(ReasonCode.NO_IMAGE_ASKED_THE_SAME)
_HOW_MODELS = Method(MethodCode.SCORES_OF_TWO_MODELS)
SAME_ANSWERS: Final = "same_answers"
_HOW_SAME: Final = Method(MethodCode.SAME_ANSWERS)


def between_models(answers: pd.DataFrame, options: Options | None = None) -> list[GroupStatistic]:
    """Of every two raters Spearman's rho of their scores per image, and the share of the same answers; what was asked otherwise
    is counted apart. A judge beside itself on another day: its drift.

    Args:
        answers: columns ``MODEL_COLUMNS``.
        options: `intervals` is read.

    Raises:
        ValueError: a column is missing, or an answer is there twice.
    """
    deletions, rows = deletions_of(options), check_answers(answers, MODEL_COLUMNS)
    made = {str(rater): images(mine).set_index("item") for rater, mine in rows.groupby("rater", sort=True)}
    figures: list[GroupStatistic] = []
    for a, b in combinations(made, 2):
        pair = made[a].join(made[b][["score", "asked"]].add_suffix("_b"), how="inner")
        same = pair[pair.asked == pair.asked_b]
        only = len(made[a]) + len(made[b]) - 2 * len(pair)
        excluded = merged([{"other_version": len(pair) - len(same), "not_shared": only}])
        x, y = same.score.to_numpy(float), same.score_b.to_numpy(float)
        used = Used(len(same), int(same.questions.sum()), same.prompt.nunique(), excluded)
        key, names = StatisticKey(rater=a, other=b), (Remark(RemarkCode.SCORE_OF, who=a), Remark(RemarkCode.SCORE_OF, who=b))
        figures.append(correlated(deletions, key, x, y, codes(same.prompt), used, _HOW_MODELS, names))
        figures.append(_same_answers(deletions, key, *(rows[rows.rater == rater] for rater in (a, b))))
    return figures


def _same_answers(deletions: Deletions, key: StatisticKey, a: pd.DataFrame, b: pd.DataFrame) -> GroupStatistic:
    pair = a.merge(b[["item", "question", "wording", "chosen"]], on=["item", "question"], suffixes=("", "_b"))
    same = pair[pair.wording == pair.wording_b]
    excluded = merged([{"other_version": len(pair) - len(same), "not_shared": len(a) + len(b) - 2 * len(pair)}])
    prompt, texts = pd.factorize(same.prompt, sort=True)
    places, equal = prompt.astype(np.int64), np.asarray(same.chosen == same.chosen_b, float)
    share = share_of(equal, np.ones(len(same)), places, deletions.weights(len(texts)))
    used = Used(same.item.nunique(), len(same), len(texts), excluded)
    return figure(SAME_ANSWERS, key, "questions", share, NO_PAIR, used, _HOW_SAME, SHARE)


def correlated(
    deletions: Deletions,
    key: StatisticKey,
    x: FloatArray,
    y: FloatArray,
    prompt: IntArray,
    used: Used,
    how: Method,
    names: tuple[Name, Name],
) -> GroupStatistic:
    """Spearman's rho of two scores per image, with its interval by prompt."""
    cluster = compact(prompt)
    weights = deletions.weights(cluster.size)
    if x.size < 2:
        values, reason = np.full(len(weights), np.nan), NO_PAIR if not x.size else correlation.why_undefined(x, y, names)
    else:
        values = correlation.spearman(x, y, Units(cluster.codes, cluster.size), weights)
        reason = correlation.why_undefined(x, y, names)
    return figure(SPEARMAN, key, "images", values, reason, used, how, CORRECTED)
