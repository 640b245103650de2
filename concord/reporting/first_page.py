"""The answers on a report's first page: which generator is better, and how sure; and whom one may trust.

The numbers are those of Results (`leaderboard`, `compare_models`) and of Agreement (`trust`), by the same functions. A page is
about one suite and one question: what most people were asked, of questions that people sum an image up by the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from agreement.generators import GeneratorDifference
from concord.agreement import judgements_of
from concord.common import live_updates
from concord.comparison.leaderboard import SCORE, BoardRater, Leaderboard, leaderboard
from concord.comparison.model_comparison import PromptPair, RatedAspect, compare_models, pair_images
from concord.comparison.same_prompts import PromptImage
from concord.comparison.trust import Trust, trust
from concord.scope import MAIN_ASPECTS, Scope
from data.selection import Selection
from data.store.core.store import Store

_BETTER, _WORSE = 2, 1
"""So many prompts on which the best generator is better than the next one, and worse."""


@dataclass(frozen=True, slots=True)
class BestTwo:
    """The best generator beside the next one.

    Attributes:
        difference: of their means, the best less the next.
        pairs: prompts on which they differ most, those with the best one ahead first; `PromptPair.second` is the best one's.
        images: what was said of each of their images, by item.
    """

    difference: GeneratorDifference
    pairs: tuple[PromptPair, ...]
    images: Mapping[str, PromptImage]


@dataclass(frozen=True, slots=True)
class FirstPage:
    """What the first page of a report says.

    Attributes:
        project: its name.
        scope: the suite and the question.
        selection: the judgements that count.
        board: generators, the best first.
        trust: what each scorer may be used for.
        best_two: None where there are no two generators to compare, or intervals have not been made.
        scorers: how many scorers have judged the suite's images.
    """

    project: str
    scope: Scope
    selection: Selection
    board: Leaderboard
    trust: Trust
    best_two: BestTwo | None
    scorers: int

    @property
    def first(self) -> BoardRater | None:
        """The rater whose means order the generators."""
        return self.board.raters[0] if self.board.raters else None


@live_updates.cached(maxsize=32)
def main_question(store: Store, selection: Selection) -> Scope | None:
    """Return the suite and the question that a selection's report is about; None where nothing counts.

    Real people come before simulated ones, suites that scorers judged, too, before others, then those with more answers; of a
    suite's questions those that sum an image up come first.
    """
    ratings = judgements_of(store, selection)
    ratings = ratings[ratings.excluded.isna() & np.isfinite(pd.to_numeric(ratings.number, errors="coerce"))]
    if ratings.empty:
        return None
    human = ratings.kind == "human"
    sizes = pd.DataFrame(
        {
            "suite": ratings.suite,
            "aspect": ratings.aspect,
            "real": human & ~ratings.simulated.astype(bool),
            "human": human,
            "scorer": ratings.kind == "scorer",
        }
    )
    suites = sizes.groupby("suite")[["real", "human", "scorer"]].sum()
    order = {str(name): (row.real > 0, row.human > 0, row.scorer > 0, row.human, row.scorer) for name, row in suites.iterrows()}
    suite = max(sorted(order), key=order.__getitem__)
    aspects = sizes[sizes.suite == suite].groupby("aspect")[["real", "human", "scorer"]].sum()
    main = {name: -n for n, name in enumerate(MAIN_ASPECTS)}
    asked = {
        str(name): (row.real > 0, row.human > 0, name != SCORE, main.get(str(name), -len(main)), row.human)
        for name, row in aspects.iterrows()
    }
    return Scope(suite=suite, aspect=max(sorted(asked), key=asked.__getitem__), generator=selection.generator)


def first_page(store: Store, selection: Selection, *, intervals: bool = True) -> FirstPage | None:
    """Return the first page of a selection's report; None where nothing counts.

    Args:
        store: the open project.
        selection: the judgements that count.
        intervals: whether intervals, ranks and verdicts are made; quick without.
    """
    scope = main_question(store, selection)
    if scope is None:
        return None
    board = leaderboard(store, scope, "", selection, intervals=intervals)
    said = trust(store, scope.within(selection), intervals=intervals)
    ahead = board.leads[0] if board.leads and intervals else None
    scorers = sum(each.kind == "scorer" for each in board.raters)
    best_two = _best_two(store, board, ahead, selection) if ahead is not None else None
    return FirstPage(store.project.name, scope, selection, board, said, best_two, scorers)


def _best_two(store: Store, board: Leaderboard, ahead: GeneratorDifference, selection: Selection) -> BestTwo:
    first = board.raters[0]
    made = compare_models(store, board.suite, ahead.second, ahead.first, RatedAspect(first.name, first.aspect), "", selection)
    # the largest regressions stand first
    better = [pair for pair in reversed(made.pairs) if pair.change > 0][:_BETTER]
    worse = [pair for pair in made.pairs if pair.change < 0][:_WORSE]
    pairs = (*better, *worse)
    return BestTwo(ahead, pairs, pair_images(store, made, pairs))
