"""The leaderboard of a suite: generators in the order that people give them, every rater's mean beside, and the images on which
a scorer and people part ways.

Generators are ordered by people where people have judged two or more of them, else by the scorer that gives the same aspect,
else by simulated people or a score. The numbers are those of the report (``mean``, ``cohen_kappa``, ``spearman``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from agreement import Options
from agreement.generators import GeneratorDifference, compare_generators
from concord.agreement import means, recall
from concord.common import live_updates
from data.aspects import YES_NO_ASPECTS
from data.store.browse import contents
from data.store.core import frame
from data.store.core.selection import PEOPLE, SIMULATED, Selection
from data.store.core.store import Store
from data.store.judgements import remarks

ALL: Final = "all"
SCORE: Final = "score"
MAIN_ASPECTS: Final = ("correct", "faithfulness", "caption_fit")
"""What people's answers are summed up by, in this order of preference."""
BOARD: Final = Options(each_generator=False, matrix=False, ceiling=True)
"""What the board reads of the agreement report: the same call as the Agreement page's, so that it is computed once."""

Kind = Literal["people", "simulated", "scorer"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its 95 % interval and n.

    Attributes:
        value: None where it is undefined, and ``reason`` says why.
        low, high: None where there is no interval.
        images, ratings: how many it rests on.
    """

    value: float | None
    low: float | None
    high: float | None
    images: int
    ratings: int
    reason: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Estimate:
        """Of a row of the agreement report."""
        return cls(row["value"], row["low"], row["high"], row["n_items"], row["n_ratings"], row["reason"] or "")


@dataclass(frozen=True, slots=True)
class BoardRater:
    """A column of the board.

    Attributes:
        name: the scorer's, or ``people``, ``simulated people``.
        aspect: whose mean is given; ``score`` of a scorer that gives numbers alone.
        statistic: ``cohen_kappa``, or ``spearman`` of a score; of people among themselves or of the scorer beside people.
        agreement: that statistic; None where it is not defined.
        ceiling: people's own level on the same images, beside a scorer.
        standing: ``above``, ``equivalent`` or ``below`` people, where the data tell.
    """

    name: str
    kind: Kind
    aspect: str
    statistic: str = "cohen_kappa"
    agreement: Estimate | None = None
    ceiling: float | None = None
    standing: str | None = None


@dataclass(frozen=True, slots=True)
class ContestedImage:
    """An image that a scorer and people see differently.

    Attributes:
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


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All that the board shows of a suite.

    Attributes:
        aspect: what people's mean is of.
        raters: columns; the first one orders the generators.
        generators: rows, the best first.
        cells: by generator, rater and task.
        leads: the best generator less each other one, by the first rater, in the order of ``generators``.
        contested: the most contested images first that have no verdict, of ``contested_by``: the scorer closest to people.
        disagreements: on how many images its verdict is not most people's, and nobody has decided who is right.
        people: whether people's answers are real, simulated, or there are none.
        prompts, images, persons: that the first rater's numbers rest on.
    """

    suite: str
    aspect: str
    raters: tuple[BoardRater, ...]
    generators: tuple[str, ...]
    tasks: tuple[str, ...]
    cells: Mapping[tuple[str, str, str], Estimate]
    leads: tuple[GeneratorDifference, ...]
    contested: tuple[ContestedImage, ...]
    contested_by: str | None
    disagreements: int
    people: Literal["real", "simulated"] | None
    prompts: int
    images: int
    persons: int

    @property
    def best_scorer(self) -> BoardRater | None:
        """The scorer that is closest to people, of those that give the same verdicts."""
        scorers = [each for each in self.raters if each.kind == "scorer" and each.agreement is not None]
        return scorers[0] if scorers else None


@live_updates.cached(maxsize=32)
def leaderboard(store: Store, suite: str, *, intervals: bool = True) -> Leaderboard:
    """The board of a suite that has judgements, computed once for all who look while the project stays as it is."""
    judged = contents.judged_suites(store)[suite]
    aspect = next((name for name in MAIN_ASPECTS if name in judged.aspects), next(iter(judged.aspects), "correct"))
    options = Options(statistics=("mean",), intervals=intervals)
    selection = Selection(suite=(suite,), aspect=(aspect,))
    cells: dict[tuple[str, str, str], Estimate] = {}
    raters: dict[str, BoardRater] = {}
    for row in recall(store, selection, options)["among_people"]:
        real = row["people"] == "real"
        name = PEOPLE if real else SIMULATED
        raters.setdefault(name, BoardRater(name, "people" if real else "simulated", aspect))
        cells[row["generator"], name, row["task"]] = Estimate.of(row)
    for row in means(store, Selection(suite=(suite,)), options):
        if row["aspect"] in (aspect, SCORE):
            name = row["rater"]
            # a scorer that gives verdicts has its score on its own page
            if name not in raters or raters[name].aspect == SCORE or row["aspect"] == aspect:
                raters[name] = BoardRater(name, "scorer", row["aspect"])
                if row["aspect"] == aspect or (row["generator"], name, row["task"]) not in cells:
                    cells[row["generator"], name, row["task"]] = Estimate.of(row)
    ratings = frame.frame(store, Selection(suite=(suite,)))
    ratings = ratings[ratings["excluded"].isna() & np.isfinite(ratings["number"]) & ratings["aspect"].isin((aspect, SCORE))]
    people: Literal["real", "simulated"] | None = "real" if PEOPLE in raters else "simulated" if SIMULATED in raters else None
    columns = _ordered(_with_agreement(store, raters, selection, people, intervals=intervals), cells)
    generators, leads, about = _order(judged.generators, columns[0] if columns else None, cells, ratings)
    best = next((each for each in columns if each.kind == "scorer" and each.agreement is not None), None)
    contested = _contested(ratings, best, aspect, people) if best is not None and people else []
    settled = {each.item_id for each in remarks.verdicts(store) if each.aspect == aspect}
    contested = [each for each in contested if each.item not in settled]
    binary = best is not None and best.aspect in YES_NO_ASPECTS
    opposed = [each for each in contested if binary and abs(each.scorer - each.mean) > 0.5]
    return Leaderboard(
        suite=suite,
        aspect=aspect,
        raters=tuple(columns),
        generators=tuple(generators),
        tasks=tuple(judged.tasks) if len(judged.tasks) > 1 else (),
        cells=cells,
        leads=tuple(leads),
        contested=tuple(contested[:MOST_CONTESTED]),
        contested_by=best.name if best is not None and contested else None,
        disagreements=len(opposed),
        people=people,
        prompts=about["prompt"].nunique(),
        images=about["item"].nunique(),
        persons=about["rater"].nunique(),
    )


MOST_CONTESTED: Final = 8


def _with_agreement(
    store: Store,
    raters: Mapping[str, BoardRater],
    selection: Selection,
    people: str | None,
    *,
    intervals: bool,
) -> list[BoardRater]:
    """The columns with how far each agrees with people."""
    if people is None:
        return list(raters.values())
    report = recall(store, selection, replace(BOARD, intervals=intervals))
    rows = {
        (row.get("rater", PEOPLE if people == "real" else SIMULATED), row["statistic"]): row
        for section in ("among_people", "raters")
        for row in report[section]
        if (row["task"], row["people"]) == (ALL, people)
    }
    columns = []
    for each in raters.values():
        binary = each.aspect in YES_NO_ASPECTS
        wanted = ("cohen_kappa", "fleiss_kappa") if binary else ("spearman", "krippendorff_alpha_ordinal")
        row = next((rows[each.name, name] for name in wanted if (each.name, name) in rows), None)
        if row is not None and row["value"] is not None:
            own, standing = ((row.get("ceiling") or {}).get(name) for name in ("value", "verdict"))
            each = replace(each, statistic=row["statistic"], agreement=Estimate.of(row), ceiling=own, standing=standing)
        columns.append(each)
    return columns


def _ordered(columns: Sequence[BoardRater], cells: Mapping[tuple[str, str, str], Estimate]) -> list[BoardRater]:
    """People first, then scorers that give verdicts, then scores; of each the one that agrees best with people first."""

    def key(rater: BoardRater) -> tuple[int, float, str]:
        judged = sum(of == rater.name and task == ALL and generator != ALL for generator, of, task in cells)
        kinds = {"people": 0, "simulated": 3, "scorer": 1}
        # people who judged one generator alone order nothing
        rank = 5 if judged < 2 and rater.kind != "scorer" else kinds[rater.kind] + (rater.aspect == SCORE)
        return rank, -(rater.agreement.value or 0.0) if rater.agreement else 0.0, rater.name

    ordered = sorted(columns, key=key)
    several = any(key(each)[0] < 5 for each in ordered)
    return ordered if several else sorted(columns, key=lambda each: (each.kind == "scorer", each.name))


def _order(
    names: Sequence[str],
    rater: BoardRater | None,
    cells: Mapping[tuple[str, str, str], Estimate],
    ratings: pd.DataFrame,
) -> tuple[list[str], list[GeneratorDifference], pd.DataFrame]:
    """Generators from the best down, the best less each other one, and the ratings that this rests on."""
    if rater is None:
        return list(names), [], ratings.iloc[:0]

    def value(name: str) -> float:
        cell = cells.get((name, rater.name, ALL))
        return -np.inf if cell is None or cell.value is None else cell.value

    ordered = sorted(names, key=lambda name: (-value(name), name))
    about = ratings[_by(ratings, rater) & (ratings["aspect"] == rater.aspect)]
    rated = about.rename(columns={"number": "value"})[["prompt", "generator", "value"]]
    if not ordered or ordered[0] not in set(rated["generator"]):
        return ordered, [], about
    made = {each.second: each for each in compare_generators(rated, ordered[0])}
    return ordered, [made[name] for name in ordered if name in made], about


def _by(ratings: pd.DataFrame, rater: BoardRater) -> pd.Series:
    if rater.kind == "scorer":
        return (ratings["rater"] == rater.name) & (ratings["kind"] == "scorer")
    return (ratings["kind"] == "human") & (ratings["simulated"] == (rater.kind == "simulated"))


def _contested(ratings: pd.DataFrame, scorer: BoardRater, aspect: str, people: str) -> list[ContestedImage]:
    """Images by how far the scorer and people are apart, the farthest first; equally far ones by their ids."""
    answers = ratings[(ratings["kind"] == "human") & (ratings["simulated"] == (people == "simulated"))]
    mean = answers[answers["aspect"] == aspect].groupby("item")["number"].agg(average="mean", yes="sum", n="size")
    own = ratings[_by(ratings, scorer) & (ratings["aspect"] == scorer.aspect)].groupby("item")["number"].mean()
    both = mean.join(own.rename("scorer"), how="inner")
    binary = aspect in YES_NO_ASPECTS and scorer.aspect == aspect
    low = high = both["average"]
    if not binary:
        # images of the same answer share a span of ranks: a score anywhere within it contradicts nobody
        low, high = (both["average"].rank(method=end) / len(both) for end in ("min", "max"))
        both["scorer"] = both["scorer"].rank(pct=True)
    both["higher"] = both["scorer"] > high
    both["apart"] = np.maximum(low - both["scorer"], both["scorer"] - high).clip(lower=0)
    both = both.sort_values("apart", ascending=False, kind="stable")
    # of equally contested images one of each prompt first
    prompts = answers.drop_duplicates("item").set_index("item")["prompt"].reindex(both.index)
    both["turn"] = both.groupby([prompts, both["apart"]]).cumcount()
    both = both.sort_values(["apart", "turn"], ascending=[False, True], kind="stable")
    return [
        ContestedImage(
            item=str(item),
            scorer=float(row.scorer),
            higher=bool(row.higher),
            verdict=("yes" if row.scorer > 0.5 else "no") if binary else f"rank {row.scorer:.0%}",
            yes=round(float(row.yes)),
            n=int(row.n),
            mean=float(row.average),
        )
        for item, row in zip(both.index, both.itertuples(index=False), strict=True)
        if row.apart > 0
    ]


def main_suite(store: Store) -> str | None:
    """The suite that opens first: where people and scorers judged most images together, else where most is judged."""
    suites = contents.judged_suites(store)
    if not suites:
        return None
    meetings = contents.meetings(store)
    return max(sorted(suites), key=lambda name: meetings.get(name, (0, 0, 0)))
