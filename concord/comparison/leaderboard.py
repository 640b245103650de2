"""The leaderboard of a suite: generators in the order that people give them, every rater's mean beside, and the images on which
a scorer and people part ways.

Generators are ordered by people where people have judged two or more of them, by simulated people where no person has
answered, else by the scorer that gives the same aspect, else by a score. The numbers, and what is said of the best one, are
those of ``concord.headlines``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import pandas as pd

from agreement import Options
from agreement.estimate import Estimate
from agreement.generators import GeneratorDifference, RankSet, compare_generators, leader, rank_sets
from concord.agreement import judgements_of, means, recall
from concord.common import live_updates
from concord.common.people_kinds import PeopleKind, leading_kind
from concord.headlines import (
    FEWEST_ANSWERS,
    FEWEST_PROMPTS,
    GeneratorHeadline,
    PeopleLevel,
    agrees,
    answers_by,
    few,
    generator_headline,
    order_of,
    people_level,
    prompts_by_cell,
    verdict_beside_people,
)
from concord.scope import Scope
from data.aspects import YES_NO_ASPECTS
from data.selection import EVERYTHING, PEOPLE, SIMULATED, Selection
from data.store.browse import contents
from data.store.core.store import Store
from data.store.judgements import remarks

ALL: Final = "all"
SCORE: Final = "score"
BY_TASK: Final = "task:"
"""Before a task's name, where rows are sorted by it."""
BOARD: Final = Options(each_generator=False, matrix=False, ceiling=True)
"""What the board reads of the agreement report: the same call as Trust's, so that it is computed once."""

Kind = Literal["people", "simulated", "scorer"]


@dataclass(frozen=True, slots=True)
class BoardRater:
    """A column of the board.

    Attributes:
        name: the scorer's, or ``people``, ``simulated people``.
        aspect: whose mean is given; ``score`` of a scorer that gives numbers alone.
        statistic: ``cohen_kappa``, or ``spearman`` of a score, of a scorer beside people.
        agreement: that statistic; None where it is not defined, and of people, whose level is one person in a scorer's place.
        agrees: whether it is above 0 for sure.
        level: people's own level on the same images, or why there is none.
        standing: where it stands beside people, in words.
    """

    name: str
    kind: Kind
    aspect: str
    statistic: str = "cohen_kappa"
    agreement: Estimate | None = None
    agrees: bool = False
    level: PeopleLevel | None = None
    standing: str = ""


@dataclass(frozen=True, slots=True)
class ContestedImage:
    """An image that a scorer and people see differently.

    Attributes:
        text: its prompt's, or its id; sha256: of its picture, None without one.
        scorer: its mean verdict, 0 to 1, or its score's rank among all (0 to 1).
        higher: whether the scorer thinks more of the image than people do.
        yes, n: how many of the people say yes; of other scales their mean, as ``mean``.
    """

    item: str
    scorer: float
    higher: bool
    verdict: str
    yes: int
    n: int
    mean: float
    text: str
    sha256: str | None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All that the board shows of a scope.

    Attributes:
        aspect: what people's mean is of.
        task: the only one that rows are about, or `all`.
        raters: columns: people first, then scorers by their agreement with people.
        generators: rows, the best first.
        cells: by generator, rater and task.
        order: the rater and the task that the rows are sorted by.
        ranks: by generator the places that it may have by `order`; empty where nothing may be ranked.
        unranked: why there are no ranks; empty where there are.
        headline: what may be said of the best generator by the first rater; None where it has rated none.
        contested: the most contested images first that have no verdict, of ``contested_by``: the scorer closest to people.
        disagreements: on how many images its verdict is not most people's, and nobody has decided who is right.
        people: whether the people beside whom scorers stand are real or simulated ones (`people_kinds`); None: there are none.
        prompts, images, persons: that the first rater's numbers rest on.
        intervals: whether intervals have been made.
        only: the generators that the scope names; empty for all.
    """

    suite: str
    aspect: str
    task: str
    raters: tuple[BoardRater, ...]
    generators: tuple[str, ...]
    tasks: tuple[str, ...]
    cells: Mapping[tuple[str, str, str], Estimate]
    order: tuple[str, str]
    ranks: Mapping[str, RankSet]
    unranked: str
    headline: GeneratorHeadline | None
    contested: tuple[ContestedImage, ...]
    contested_by: str | None
    disagreements: int
    people: PeopleKind | None
    prompts: int
    images: int
    persons: int
    intervals: bool
    only: tuple[str, ...] = ()

    @property
    def leads(self) -> tuple[GeneratorDifference, ...]:
        """The best generator less each other one, by the first rater, in the order of ``generators``."""
        return self.headline.leads if self.headline else ()

    @property
    def contested_by_rank(self) -> bool:
        """True if the scorer beside people gives scores alone, so that the two meet by rank."""
        return any(each.name == self.contested_by and each.aspect == SCORE for each in self.raters)

    @property
    def closest_scorer(self) -> BoardRater | None:
        """The scorer that is closest to people, of those that give the same verdicts."""
        scorers = [each for each in self.raters if each.kind == "scorer" and each.agreement is not None]
        return scorers[0] if scorers else None


@live_updates.cached(maxsize=64)
def leaderboard(
    store: Store, scope: Scope, sort: str = "", within: Selection = EVERYTHING, *, intervals: bool = True
) -> Leaderboard:
    """Return the board of a scope, computed once for all who look while the project stays as it is.

    Args:
        store: the open project.
        scope: what `open_scope` found of it; a suite that has judgements, and a question.
        sort: whose mean orders the rows: a rater's name, or `task:NAME` for the first rater's mean of that task.
        within: the judgements that count, besides the scope's; all by default.
        intervals: whether intervals and ranks are made; quick without.
    """
    judged = contents.judged_suites(store)[scope.suite]
    aspect, selection = scope.aspect, scope.within(within)
    options = Options(statistics=("mean",), intervals=intervals)
    rows: dict[tuple[str, str, str], Estimate] = {}
    raters: dict[str, BoardRater] = {}
    for row in recall(store, selection, options).among_people:
        real = row.people == "real"
        name = PEOPLE if real else SIMULATED
        raters.setdefault(name, BoardRater(name, "people" if real else "simulated", aspect))
        rows[row.generator, name, row.task] = row
    for row in means(store, replace(selection, aspect=()), options):
        if row.aspect in (aspect, SCORE):
            name = row.rater
            # a scorer that gives verdicts has its score on its own page
            if name not in raters or raters[name].aspect == SCORE or row.aspect == aspect:
                raters[name] = BoardRater(name, "scorer", row.aspect)
                if row.aspect == aspect or (row.generator, name, row.task) not in rows:
                    rows[row.generator, name, row.task] = row
    ratings = judgements_of(store, replace(selection, aspect=()))
    ratings = ratings[ratings.excluded.isna() & np.isfinite(ratings.number) & ratings.aspect.isin((aspect, SCORE))]
    asked = ratings[(ratings.kind == "human") & (ratings.aspect == aspect)]
    people = leading_kind(asked[~asked.simulated].item.nunique(), asked[asked.simulated].item.nunique())
    tasks = dict(ratings.drop_duplicates("item").set_index("item").task)
    answers = {each.name: answers_by(ratings, each.aspect, each.name) for each in raters.values()}
    prompts = {name: prompts_by_cell(own, tasks) for name, own in answers.items()}
    cells = {
        (generator, name, task): replace(row, n_prompts=prompts[name].get((generator, task), row.n_prompts))
        for (generator, name, task), row in rows.items()
    }
    here = scope.task or ALL
    columns = _ordered(_with_agreement(store, raters, scope, selection, people, intervals=intervals), cells, people)
    first = columns[0] if columns else None
    generators = [name for name in judged.generators if name in scope.generator or not scope.generator]
    by_first = _means_by(cells, first.name, here, generators) if first is not None else {}
    said, about = None, ratings.iloc[:0]
    if first is not None:
        about = ratings[_by(ratings, first) & (ratings.aspect == first.aspect)]
        about = about if here == ALL else about[about.task == here]
        said = generator_headline(first.name, by_first, answers_by(about, first.aspect, first.name))
    order = _order(sort, columns, here, judged.tasks)
    by_order = _means_by(cells, order[0], order[1], generators)
    ordered = order_of(by_order)
    ranks, unranked = ranks_of(answers.get(order[0]), tasks, order[1], ordered) if intervals else ({}, "")
    best = next((each for each in columns if each.kind == "scorer" and each.agreement is not None), None)
    of_task = ratings if here == ALL else ratings[ratings.task == here]
    contested = _contested(of_task, best, aspect, people) if best is not None and people else []
    settled = {each.item_id for each in remarks.verdicts(store) if each.aspect == aspect}
    contested = [each for each in contested if each.item not in settled]
    binary = best is not None and best.aspect in YES_NO_ASPECTS
    opposed = [each for each in contested if binary and abs(each.scorer - each.mean) > 0.5]
    return Leaderboard(
        suite=scope.suite,
        aspect=aspect,
        task=here,
        raters=tuple(columns),
        generators=(*ordered, *sorted(set(generators) - set(ordered))),
        tasks=tuple(judged.tasks) if len(judged.tasks) > 1 and here == ALL else (),
        cells=cells,
        order=order,
        ranks=ranks,
        unranked=unranked,
        headline=said,
        contested=_with_previews(store, contested[:MOST_CONTESTED]),
        contested_by=best.name if best is not None and contested else None,
        disagreements=len(opposed),
        people=people,
        prompts=about.prompt.nunique(),
        images=about.item.nunique(),
        persons=about.rater.nunique(),
        intervals=intervals,
        only=scope.generator,
    )


def board_sentence(board: Leaderboard) -> tuple[str, str]:
    """Return the sentence that answers which generator is best, and what stands small behind it; empty without numbers."""
    said = board.headline
    if said is None or not board.raters:
        return "", ""
    first = board.raters[0]
    if first.kind == "scorer" and board.people is None and len(board.generators) > 1:
        return f"{first.name} puts {said.generator} first; nobody has checked it", ""
    if first.kind == "simulated":
        return f"By simulated people: {said.main.replace(f' by {SIMULATED}', '', 1)}", said.rest
    return said.main, said.rest


def _means_by(
    cells: Mapping[tuple[str, str, str], Estimate], rater: str, task: str, generators: Sequence[str]
) -> dict[str, Estimate]:
    """Return a rater's mean of each generator in a task, where there is one."""
    found = {name: cells.get((name, rater, task)) for name in generators}
    return {name: row for name, row in found.items() if row is not None and row.value is not None}


def _order(sort: str, columns: Sequence[BoardRater], task: str, tasks: Sequence[str]) -> tuple[str, str]:
    """Return the rater and the task that rows are sorted by; the first rater's mean where `sort` names nothing here."""
    first = columns[0].name if columns else ""
    if sort.startswith(BY_TASK) and sort.removeprefix(BY_TASK) in tasks:
        return first, sort.removeprefix(BY_TASK)
    return (sort if any(each.name == sort for each in columns) else first), task


def ranks_of(
    answers: pd.DataFrame | None, tasks: Mapping[str, str | None], task: str, ordered: Sequence[str]
) -> tuple[dict[str, RankSet], str]:
    """Return the places that each generator may have by a rater's answers, or why there are none."""
    if answers is None or len(ordered) < 2:
        return {}, ""
    own = answers[answers.generator.isin(ordered)]
    if task != ALL:
        own = own[own.item.str.split("\n").str[0].map(tasks) == task]
    prompts = own.prompt.nunique()
    if prompts < FEWEST_PROMPTS:
        return {}, f"too few prompts to rank ({prompts} of {FEWEST_PROMPTS})"
    if len(own) < FEWEST_ANSWERS:
        return {}, f"too few answers to rank ({len(own)} of {FEWEST_ANSWERS})"
    differences = compare_generators(own)
    return rank_sets(differences, leader((each for each in differences if not few(each)), len(ordered))), ""


MOST_CONTESTED: Final = 8


def _with_agreement(
    store: Store,
    raters: Mapping[str, BoardRater],
    scope: Scope,
    selection: Selection,
    people: str | None,
    *,
    intervals: bool,
) -> list[BoardRater]:
    """Return the columns with how far each agrees with people, by the scope's statistic where the rater can have it."""
    if people is None:
        return list(raters.values())
    report = recall(store, selection, replace(BOARD, intervals=intervals))
    about = (scope.task or ALL, people, None)
    rows = {(row.rater, row.statistic): row for row in report.raters if (row.task, row.people, row.target) == about}
    columns = []
    for each in raters.values():
        usual = "cohen_kappa" if each.aspect in YES_NO_ASPECTS else "spearman"
        row = rows.get((each.name, scope.statistic)) or rows.get((each.name, usual))
        if row is not None and row.value is not None:
            each = replace(
                each,
                statistic=row.statistic,
                agreement=row,
                agrees=agrees(row),
                level=people_level(row),
                standing=verdict_beside_people(row),
            )
        columns.append(each)
    return columns


def _with_previews(store: Store, images: Sequence[ContestedImage]) -> tuple[ContestedImage, ...]:
    previews = contents.item_previews(store, [each.item for each in images])
    found = [(each, previews.get(each.item)) for each in images]
    return tuple(
        each if preview is None else replace(each, text=preview.text or each.text, sha256=preview.sha256)
        for each, preview in found
    )


def _ordered(
    columns: Sequence[BoardRater], cells: Mapping[tuple[str, str, str], Estimate], people: PeopleKind | None
) -> list[BoardRater]:
    """People first, then scorers that give verdicts, then scores; of each the one that agrees best with people first.

    Real people stand behind all others as long as simulated ones lead (``people``).
    """

    alone = len({generator for generator, _, _ in cells if generator != ALL}) == 1

    def key(rater: BoardRater) -> tuple[int, float, str]:
        judged = sum(of == rater.name and task == ALL and generator != ALL for generator, of, task in cells)
        kinds = {"people": 0, "simulated": 0 if people == "simulated" else 3, "scorer": 1}
        # people who judged one generator alone, or too few images, order nothing
        few = (judged < 2 and not alone) or (rater.kind == "people" and people == "simulated")
        rank = 5 if few and rater.kind != "scorer" else kinds[rater.kind] + (rater.aspect == SCORE)
        return rank, -(rater.agreement.value or 0.0) if rater.agreement else 0.0, rater.name

    ordered = sorted(columns, key=key)
    several = any(key(each)[0] < 5 for each in ordered)
    return ordered if several else sorted(columns, key=lambda each: (each.kind == "scorer", each.name))


def _by(ratings: pd.DataFrame, rater: BoardRater) -> pd.Series:
    if rater.kind == "scorer":
        return (ratings.rater == rater.name) & (ratings.kind == "scorer")
    return (ratings.kind == "human") & (ratings.simulated == (rater.kind == "simulated"))


def _part(rank: float) -> str:
    """Return in which part of all images a scorer's rank puts one, such as ``upper 17 %``."""
    side, share = ("upper", 1 - rank) if rank > 0.5 else ("lower", rank)
    return f"{side} {max(share, 0.01):.0%}".replace("%", "\u00a0%")


def _contested(ratings: pd.DataFrame, scorer: BoardRater, aspect: str, people: str) -> list[ContestedImage]:
    """Images by how far the scorer and people are apart, the farthest first; equally far ones by their ids."""
    answers = ratings[(ratings.kind == "human") & (ratings.simulated == (people == "simulated"))]
    mean = answers[answers.aspect == aspect].groupby("item").number.agg(average="mean", yes="sum", n="size")
    own = ratings[_by(ratings, scorer) & (ratings.aspect == scorer.aspect)].groupby("item").number.mean()
    both = mean.join(own.rename("scorer"), how="inner")
    binary = aspect in YES_NO_ASPECTS and scorer.aspect == aspect
    low = high = both.average
    if not binary:
        # images of the same answer share a span of ranks: a score anywhere within it contradicts nobody
        low, high = (both.average.rank(method=end) / len(both) for end in ("min", "max"))
        both = both.assign(scorer=both.scorer.rank(pct=True))
    apart = np.maximum(low - both.scorer, both.scorer - high).clip(lower=0)
    both = both.assign(higher=both.scorer > high, apart=apart).sort_values("apart", ascending=False, kind="stable")
    # of equally contested images one of each prompt first
    prompts = answers.drop_duplicates("item").set_index("item").prompt.reindex(both.index)
    both = both.assign(turn=both.groupby([prompts, both.apart]).cumcount())
    both = both.sort_values(["apart", "turn"], ascending=[False, True], kind="stable")
    return [
        ContestedImage(
            item=str(item),
            scorer=float(row.scorer),
            higher=bool(row.higher),
            verdict=("yes" if row.scorer > 0.5 else "no") if binary else _part(row.scorer),
            yes=round(float(row.yes)),
            n=int(row.n),
            mean=float(row.average),
            text=str(item),
            sha256=None,
        )
        for item, row in zip(both.index, both.itertuples(index=False), strict=True)
        if row.apart > 0
    ]
