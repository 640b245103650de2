"""Places: where a rater puts each generator, as the leaderboard that is sorted by that rater ranks them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from agreement.generators import generator_means
from concord.common import live_updates
from concord.comparison.leaderboard import SCORE, ranks_of
from concord.headlines import answers_by
from data.selection import Selection
from data.store.core import frame
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class GeneratorPlace:
    """A generator's place by a rater.

    Attributes:
        place: by its mean; 1 is best.
        best, worst: the places that are within chance (`agreement.generators.RankSet`).
        prompts: that the rater's answers are about.
    """

    place: int
    best: int
    worst: int
    prompts: int


@live_updates.cached(maxsize=64)
def generator_places(store: Store, selection: Selection, task: str, rater: str) -> Mapping[str, GeneratorPlace]:
    """Return by generator its place by a rater, the best first; nothing where too little is there to rank.

    Args:
        store: the open project.
        selection: one suite and the question.
        task: `all`, or the only one that counts.
        rater: `people`, `simulated people`, or a scorer; of one that does not answer the question its score counts.
    """
    ratings = frame.frame(store, replace(selection, aspect=()))
    if task != "all":
        ratings = ratings[ratings.task == task]
    own = (answers_by(ratings, aspect, rater) for aspect in (*selection.aspect, SCORE))
    answers = next((each for each in own if len(each)), ratings.iloc[:0]).dropna(subset=["prompt", "generator"])
    means = generator_means(answers)
    ordered = sorted(means, key=lambda name: (-round(means[name], 12), name))
    ranks, _ = ranks_of(answers, {}, "all", ordered)
    return {
        name: GeneratorPlace(
            1 + sum(round(other, 12) > round(means[name], 12) for other in means.values()),
            ranks[name].best,
            ranks[name].worst,
            int(answers.prompt[answers.generator == name].nunique()),
        )
        for name in ordered
        if name in ranks
    }
