"""One generator against another: the paired difference over prompts, in all and by task, and the prompts it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from agreement.generators import GeneratorDifference
from agreement.inference.hypothesis_tests import holm
from concord.agreement import judgements_of
from concord.common import live_updates
from concord.comparison.same_prompts import PromptImage
from concord.headlines import (
    ALL,
    answers_by,
    compare_two,
    prompts_by_cell,
)
from data.selection import EVERYTHING, PEOPLE, SIMULATED, Selection
from data.store.browse import contents
from data.store.core import frame
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class RatedAspect:
    """What generators can be compared by: a rater (``people``, ``simulated people`` or a scorer) and an aspect it rates."""

    rater: str
    aspect: str


@dataclass(frozen=True, slots=True)
class PromptPair:
    """A prompt that both generators were asked.

    Attributes:
        text: the prompt.
        first, second: the mean over each generator's images of the mean answer about each.
        first_items, second_items: the images.
    """

    prompt: str
    text: str
    task: str | None
    first: float
    second: float
    first_items: tuple[str, ...]
    second_items: tuple[str, ...]

    @property
    def change(self) -> float:
        """How much higher the second one is; a regression is negative."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class ModelComparison:
    """Two generators of a suite, compared by one rater's aspect.

    Attributes:
        overall: the second generator less the first; None where they share no prompt.
        by_task: the same of each task with its name, corrected for their number (Holm).
        pairs: the prompts, the largest regressions first, and of equal ones by their ids.
        answers: by image the sum of the answers about it, and how many they are.
    """

    first: str
    second: str
    overall: GeneratorDifference | None
    by_task: tuple[tuple[str, GeneratorDifference], ...]
    pairs: tuple[PromptPair, ...]
    answers: Mapping[str, tuple[float, int]]


@live_updates.cached(maxsize=32)
def rated_aspects(store: Store, suite: str) -> tuple[RatedAspect, ...]:
    """By what generators of a suite can be compared: people first, then scorers by name."""
    ratings = _ratings(store, suite)
    named = ratings.assign(who=_who(ratings))[["who", "aspect"]].drop_duplicates()
    order = {PEOPLE: 0, SIMULATED: 2}
    every = [RatedAspect(str(row.who), str(row.aspect)) for row in named.itertuples()]
    return tuple(sorted(every, key=lambda each: (order.get(each.rater, 1), each.rater, each.aspect != "correct", each.aspect)))


@live_updates.cached(maxsize=32)
def rated_generators(store: Store, suite: str, by: RatedAspect) -> frozenset[str]:
    """The generators of a suite of which there are such ratings."""
    return frozenset(map(str, _rated(_ratings(store, suite), by).generator.unique()))


@live_updates.cached(maxsize=32)
def compare_models(
    store: Store, suite: str, first: str, second: str, by: RatedAspect, task: str = "", within: Selection = EVERYTHING
) -> ModelComparison:
    """Compare two generators of a suite, computed once for all who look while the project stays as it is.

    Args:
        store: the open project.
        suite: whose prompts both were asked.
        first: the one before.
        second: the one that is compared with it: differences are its mean less the first one's.
        by: whose answers, and about what.
        task: the only one that counts; empty for all.
        within: the judgements that count, besides the suite's; all by default.
    """
    ratings = _ratings(store, suite, within)
    rows = _rated(ratings, by)
    rows = rows[rows.generator.isin((first, second))]
    if task:
        rows = rows[rows.task == task]
    overall = compare_two(answers_by(rows, by.aspect, by.rater), second, first)
    differences = (
        (str(name), compare_two(answers_by(part, by.aspect, by.rater), second, first)) for name, part in rows.groupby("task")
    )
    tasks = [(name, made) for name, made in differences if made is not None]
    corrected = holm([made.p for _, made in tasks])
    by_task = tuple((name, replace(made, p_holm=p)) for (name, made), p in zip(tasks, corrected, strict=True))
    said = rows.groupby("item").number.agg(["sum", "size"])
    answers = {str(item): (float(total), int(n)) for item, total, n in said.itertuples()}
    pairs = _pairs(store, rows, first, second)
    return ModelComparison(first, second, overall, by_task if len(by_task) > 1 else (), pairs, answers)


def pair_images(store: Store, made: ModelComparison, pairs: Sequence[PromptPair]) -> dict[str, PromptImage]:
    """Return the images of some prompts of a comparison with their pictures and what was answered about each, by item."""
    items = [item for pair in pairs for item in (*pair.first_items, *pair.second_items)]
    previews = contents.item_previews(store, items)
    images = {}
    for item in items:
        total, n = made.answers[item]
        preview = previews.get(item)
        images[item] = PromptImage(item, preview.sha256 if preview else None, total / n, round(total), n)
    return images


@live_updates.cached(maxsize=32)
def prompts_by_task(store: Store, selection: Selection, people: str) -> dict[str, int]:
    """Return on how many prompts people (or `simulated people`) have answered, by task."""
    answers = frame.frame(store, selection)
    tasks = dict(answers.drop_duplicates("item").set_index("item").task)
    (aspect,) = selection.aspect
    cells = prompts_by_cell(answers_by(answers, aspect, people), tasks)
    return {task: n for (generator, task), n in cells.items() if generator == ALL}


def _ratings(store: Store, suite: str, within: Selection = EVERYTHING) -> pd.DataFrame:
    """The ratings of a suite that count and are numbers."""
    ratings = judgements_of(store, replace(within, suite=(suite,), aspect=(), generator=()))
    counts: pd.DataFrame = ratings[ratings.excluded.isna() & np.isfinite(ratings.number) & ratings.target.isna()]
    return counts


def _rated(ratings: pd.DataFrame, by: RatedAspect) -> pd.DataFrame:
    chosen: pd.DataFrame = ratings[(_who(ratings) == by.rater) & (ratings.aspect == by.aspect)]
    return chosen


def _who(ratings: pd.DataFrame) -> pd.Series:
    people = pd.Series(np.where(ratings.simulated, SIMULATED, PEOPLE), ratings.index)
    return ratings.rater.where(ratings.kind != "human", people)


def _pairs(store: Store, rows: pd.DataFrame, first: str, second: str) -> tuple[PromptPair, ...]:
    means = rows.groupby(["prompt", "generator", "item"]).number.mean().groupby(["prompt", "generator"]).mean().unstack()
    if not {first, second} <= set(means.columns):
        return ()
    means = means.dropna(subset=[first, second])
    items: dict[tuple[str, str], list[str]] = {}
    tasks: dict[str, str | None] = {}
    for row in rows.drop_duplicates("item").sort_values("item").itertuples():
        items.setdefault((str(row.prompt), str(row.generator)), []).append(str(row.item))
        tasks[str(row.prompt)] = row.task if isinstance(row.task, str) else None
    examples = {prompt: items[prompt, first][0] for prompt in map(str, means.index)}
    looks = contents.item_previews(store, list(examples.values()))
    pairs = [
        PromptPair(
            prompt=prompt,
            text=(look.text if (look := looks.get(examples[prompt])) else None) or prompt,
            task=tasks[prompt],
            first=float(before),
            second=float(after),
            first_items=tuple(items[prompt, first]),
            second_items=tuple(items[prompt, second]),
        )
        for prompt, before, after in zip(map(str, means.index), means[first], means[second], strict=True)
    ]
    return tuple(sorted(pairs, key=lambda pair: (round(pair.change, 12), pair.prompt)))
