"""TIFA's scores of generators: of all images, element type, text source and number of entities (Figures 7 to 9).

``tifa`` is the mean over texts of the mean over their images of formula 1; the paper has one image of each text. ``accuracy``
is the share of right answers among all questions of a kind, whatever their image, as in the paper's released code. Beside a
reference (real photographs, as in Figures 8 to 10) stand differences to it, on the texts that both have images of.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import pandas as pd

from agreement.inference.jackknife import CONTRAST, SHARE
from agreement.numeric import FloatArray, IntArray, ratio, sums_by
from agreement.questions.figures import ALL, ASKED, Figure, Making, Place, Unit, checked, images
from agreement.study.cells import Options
from agreement.study.outcome import Used, merged

Grouping = Literal["all", "element_type", "source", "entities"]
GROUPINGS: Final[tuple[Grouping, ...]] = ("all", "element_type", "source", "entities")
TIFA, ACCURACY = "tifa", "accuracy"
LESS_REFERENCE: Final = "_less_reference"
NOTHING, NOTHING_SHARED = "no question was answered", "no text has images of both with the same questions"
_HOW: Final = {TIFA: "mean over texts of the mean over their images", ACCURACY: "share of right answers, all questions pooled"}
_HOW_LESS: Final = "{}, less the same of {}, over the texts that both have images of, asked the same"


def scores(asked: pd.DataFrame, options: Options | None = None, reference: str | None = None) -> list[Figure]:
    """Every rater's scores of every generator: ``tifa`` of all images, by text source and by number of entities, ``accuracy``
    of all questions and by element type.

    Args:
        asked: columns ``ASKED``.
        options: `intervals` is read.
        reference: a generator; differences to it follow each number.

    Raises:
        ValueError: a column is missing, or an answer is there twice.
    """
    making, rows = Making.of(options), checked(asked, ASKED)
    found: list[Figure] = []
    for rater, mine in rows.groupby("rater", sort=True):
        table = _table(mine)
        for by in GROUPINGS:
            kinds = {"all": (TIFA, ACCURACY), "element_type": (ACCURACY,)}.get(by, (TIFA,))
            for statistic in kinds:
                found += _of(table, str(rater), by, statistic, making, reference)
    return found


def _table(mine: pd.DataFrame) -> pd.DataFrame:
    """One rater's answers with what they are grouped by and whether they are right."""
    whole = images(mine).set_index("item")
    more = {name: mine["item"].map(whole[name]) for name in ("entities", "asked", "score", "questions")}
    return mine.assign(right=mine["answer"] == mine["chosen"], all=ALL, **more)


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
        place = {name: k for k, name in enumerate(self.texts)}
        rows = np.array([place[name] for name in texts], np.int64)
        asked = [self.asked[k] for k in rows]
        return _Sums(texts, self.top[rows], self.bottom[rows], self.images[rows], self.questions[rows], asked)


def _of(
    table: pd.DataFrame, rater: str, by: Grouping, statistic: str, making: Making, reference: str | None
) -> Iterator[Figure]:
    groups = sorted(table[by].unique())
    made = {str(name): _sums(rows, by, groups, statistic) for name, rows in table.groupby("generator", sort=True)}
    beside = made.get(reference) if reference is not None else None
    for generator, sums in made.items():
        for k, group in enumerate(groups):
            if sums.bottom[:, k].any():
                place = Place(by, str(group), rater, generator)
                there = sums.bottom[:, k] > 0
                used, values = _used(sums, k), _ratios(making, sums.top[there, k], sums.bottom[there, k])
                yield making.figure(statistic, place, _unit(statistic), values, NOTHING, used, _HOW[statistic], SHARE)
        if beside is not None and generator != reference:
            yield from _less(making, statistic, [Place(by, str(g), rater, generator) for g in groups], sums, beside, reference)


def _sums(rows: pd.DataFrame, by: str, groups: list[object], statistic: str) -> _Sums:
    prompt, texts = pd.factorize(rows["prompt"], sort=True)
    codes = pd.Categorical(rows[by], categories=groups).codes.astype(np.int64)
    shape = (len(texts), len(groups))
    cell = prompt * len(groups) + codes

    def summed(places: IntArray, weights: FloatArray) -> FloatArray:
        return sums_by(places, shape[0] * shape[1], weights).reshape(shape)

    one = ~rows.assign(cell=cell).duplicated(["item", "cell"]).to_numpy()
    n_images, n_questions = summed(cell[one], np.ones(int(one.sum()))), summed(cell, np.ones(len(rows)))
    if statistic == TIFA:
        # where images are grouped, all of an image's questions are in its group
        score = ratio(summed(cell[one], rows["score"].to_numpy(float)[one]), n_images)
        bottom = (n_images > 0).astype(float)
        top = np.where(bottom > 0, np.nan_to_num(score), 0.0)
    else:
        top, bottom = summed(cell, rows["right"].to_numpy(float)), n_questions
    sets = rows.groupby("prompt", sort=True)["asked"].agg(["min", "max"])
    same = [int(low) if low == high else None for low, high in zip(sets["min"], sets["max"], strict=True)]
    return _Sums([*map(str, texts)], top, bottom, n_images.astype(np.int64), n_questions.astype(np.int64), same)


def _ratios(making: Making, top: FloatArray, bottom: FloatArray) -> FloatArray:
    """The ratio of sums over texts, then that without each text: (1 + texts,)."""
    weights = making.deletions.weights(top.size)
    return ratio(weights @ top, weights @ bottom)


def _unit(statistic: str) -> Unit:
    return "questions" if statistic.startswith(ACCURACY) else "images"


def _used(sums: _Sums, k: int) -> Used:
    return Used(int(sums.images[:, k].sum()), int(sums.questions[:, k].sum()), int((sums.images[:, k] > 0).sum()))


def _less(
    making: Making, statistic: str, places: list[Place], sums: _Sums, beside: _Sums, reference: str | None
) -> Iterator[Figure]:
    """The differences to the reference, by group."""
    theirs = dict(zip(beside.texts, beside.asked, strict=True))
    both = [name for name in sums.texts if name in theirs]
    same = {name for name, asked in zip(sums.texts, sums.asked, strict=True) if asked is not None and theirs.get(name) == asked}
    shared = [name for name in both if name in same]
    mine, other = sums.take(shared), beside.take(shared)
    for k, place in enumerate(places):
        if not sums.bottom[:, k].any():
            continue
        there = (mine.bottom[:, k] > 0) | (other.bottom[:, k] > 0)
        each = [_ratios(making, one.top[there, k], one.bottom[there, k]) for one in (mine, other)]
        present = {name for name, n in zip(sums.texts, sums.images[:, k], strict=True) if n}
        left = {"not_shared": len(present - {*both}), "other_version": len((present & {*both}) - {*shared})}
        found = _used(mine, k)
        used = Used(found.items, found.ratings, found.clusters, merged([left]))
        how = _HOW_LESS.format(_HOW[statistic], reference)
        name = statistic + LESS_REFERENCE
        yield making.figure(name, place, _unit(statistic), each[0] - each[1], NOTHING_SHARED, used, how, CONTRAST)
