"""Coverage of rankings' intervals, and errors of the alternative annotator test, in simulated studies.

`python benchmarks/meta/ranking.py [--quick] [--studies N]`, seeds fixed. A cell of coverage is in doubt where its exact 99 %
Monte-Carlo interval excludes .93 to .97 (where more than a twentieth of the studies has no interval: lies below .93); a cell of
errors where at the edge of the null hypothesis more than .05 of the persons are won against, by the same interval. Of sixty
such cells one is in doubt by chance in almost half of all tables. So a cell in doubt is made again, of four times as many
studies with other seeds, and fails if it is in doubt again: by chance in fewer than one of a hundred tables.

Soft accuracy ends at 1, near which values are few and skewed, so that an interval no wider than their spread may hold their
mean in more than .97: it is in doubt above that only where it is more than 1.3 times as wide (as in `benchmarks/coverage.py`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[2])

import numpy as np

from agreement import Options
from agreement.meta.alternative_annotator import ADVANTAGE, alternative_annotator
from agreement.meta.ranking import PAIRWISE, SOFT, ranking
from agreement.meta.units import PeopleRatings, RatedUnits, ScorerValues
from agreement.statistics.scale import Scale
from agreement.study.cells import ALL
from benchmarks.coverage import LEAST, MOST, WIDEST, exact
from benchmarks.measuring import print_tables, study_options

TRUTH: Final = 4_000
AGAIN: Final = 4
"""So many times as many studies are made of a cell in doubt."""
_WHOLE: Final = Options(each_generator=False)
Estimate = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class RankingWorld:
    """A population of studies: persons and a scorer who look at images of several generators for the same prompts.

    Attributes:
        prompts, images: how many, and at most how many images of a generator for each (at least one).
        generators: how much better each is.
        persons: standard deviations of their errors; as many persons.
        scorer: that of the scorer's, beside the 1 by which images of a prompt differ; `sign` -1: it prefers the worse.
        alike: how much the errors of one prompt have in common (0 to 1).
        levels: people's, and with `on_scale` the scorer's.
    """

    prompts: int = 0
    images: int = 2
    generators: tuple[float, ...] = (0.0, 0.3, 0.6)
    persons: tuple[float, ...] = (0.7, 0.7, 0.7)
    scorer: float = 0.7
    sign: float = 1.0
    alike: float = 0.3
    levels: int = 5
    on_scale: bool = False


def study(world: RankingWorld, seed: Sequence[int]) -> RatedUnits:
    """One of them."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, world.images + 1, (world.prompts, len(world.generators)))
    prompt = np.repeat(np.arange(world.prompts), counts.sum(1))
    generator = np.concatenate([np.repeat(np.arange(len(row)), row) for row in counts])
    size = prompt.size

    def normal() -> Any:
        own, common = rng.normal(size=size), rng.normal(size=world.prompts)[prompt]
        return np.sqrt(1 - world.alike) * own + np.sqrt(world.alike) * common

    true = normal() + np.array(world.generators)[generator]
    cuts = np.linspace(-1.5, 2.0, world.levels + 1)[1:-1]
    levels = [np.digitize(true + spread * normal(), cuts) for spread in world.persons]
    score = world.sign * true + world.scorer * normal()
    label = np.digitize(score, cuts) if world.on_scale else np.full(size, -1)
    top = world.levels - 1
    value = np.concatenate(levels) / top
    people = PeopleRatings(
        np.tile(np.arange(size), len(levels)),
        np.repeat(np.arange(len(levels)), size),
        np.concatenate(levels),
        value,
        tuple(f"r{n}" for n in range(len(levels))),
        np.ones(len(levels), bool),
    )
    scorer = ScorerValues("f", label / top if world.on_scale else score, label, world.on_scale, saw_labels=False)
    return RatedUnits(
        suite="s",
        aspect="faithfulness",
        simulated=False,
        items=tuple(f"i{n:06}" for n in range(size)),
        prompt=prompt,
        task=np.full(size, -1),
        generator=generator,
        tasks=(),
        generators=tuple(f"g{n}" for n in range(len(world.generators))),
        by_prompt=True,
        scale=Scale.parse(f"ordinal:0-{top}"),
        low=0.0,
        high=float(top),
        people=people,
        mean=value.reshape(len(levels), size).mean(0),
        raters=np.full(size, len(levels)),
        scorers={"f": scorer},
    )


def estimates(world: RankingWorld, seed: Sequence[int]) -> dict[str, Estimate]:
    """Value and interval of each statistic with one."""
    units = study(world, seed)
    rows = [*ranking(units, _WHOLE), *alternative_annotator(units, _WHOLE)]
    return {
        f"{'scorer' if row.scorer else 'people'}: {row.statistic}": (row.value, row.low, row.high)
        for row in rows
        if row.task == ALL and row.statistic in (PAIRWISE, SOFT, ADVANTAGE)
    }


WORLDS: Final[Mapping[str, RankingWorld]] = {
    "good scorer": RankingWorld(),
    "poor scorer": RankingWorld(scorer=3.0),
    "adversarial scorer": RankingWorld(sign=-1.0),
    "unequal images, alike": RankingWorld(images=4, alike=0.7),
    "one image, two levels": RankingWorld(images=1, levels=2, persons=(0.5, 0.5, 0.5)),
    "on people’s scale": RankingWorld(on_scale=True),
}


@dataclass(frozen=True, slots=True)
class RankingCell:
    """A cell of a table, and whether it is in doubt."""

    text: str
    doubtful: bool = False


def settled(cells: Mapping[str, RankingCell], again: Callable[[], Mapping[str, RankingCell]]) -> dict[str, str]:
    """The texts of cells of the same studies; those in doubt are made again, and fail if they are in doubt again."""
    if not any(cell.doubtful for cell in cells.values()):
        return {key: cell.text for key, cell in cells.items()}
    more = again()
    return {
        key: f"{cell.text}, again {more[key].text}{' FAILS' if more[key].doubtful else ''}" if cell.doubtful else cell.text
        for key, cell in cells.items()
    }


def intervals(sizes: Sequence[int], studies: int, pool: ProcessPoolExecutor) -> Iterator[str]:
    """Coverage, a line a statistic; people's is the same in worlds that differ in the scorer."""
    printed: set[str] = set()
    for name, world in WORLDS.items():
        truth = estimates(replace(world, prompts=TRUTH), [0])

        def covered(
            size: int, seed: int, studies: int, world: RankingWorld = world, truth: Any = truth
        ) -> dict[str, RankingCell]:
            run = partial(estimates, replace(world, prompts=size))
            made = list(pool.map(run, [[seed, size, k] for k in range(studies)], chunksize=10))
            return {
                key: coverage(key, own, [each.get(key, (None, None, None)) for each in made])
                for key, (own, *_) in truth.items()
            }

        columns = [settled(covered(size, 1, studies), partial(covered, size, 3, AGAIN * studies)) for size in sizes]
        for key in truth:
            cells = " | ".join(column[key] for column in columns)
            own = truth[key][0]
            line = f"{key} | {'its own mean' if own is None or key.endswith(SOFT) else f'{own:.3f}'} | {cells} |"
            if any(column[key] for column in columns) and line not in printed:
                printed.add(line)
                yield f"| {name} | {line}"


def coverage(key: str, true: float | None, estimates: Sequence[Estimate]) -> RankingCell:
    """How often the interval holds the truth; of soft accuracy the mean, as p depends on how many prompts there are."""
    values = [value for value, _, _ in estimates if value is not None]
    made = [(low, high) for _, low, high in estimates if low is not None and high is not None]
    if not made:
        return RankingCell("")
    aim = float(np.mean(values)) if key.endswith(SOFT) or true is None else true
    hits = sum(low <= aim <= high for low, high in made)
    own = float(np.subtract(*np.quantile(values, [0.975, 0.025])))
    wide = float(np.mean([high - low for low, high in made])) / own if own else float("nan")
    low, high = exact(hits, len(made))
    # where many have no interval, those that are left are no sample of all: they may be too wide
    whole = len(made) > 0.95 * len(estimates)
    doubtful = high < LEAST or (low > MOST and whole and (wide > WIDEST or not key.endswith(SOFT)))
    none = f", {1 - len(made) / len(estimates):.0%} none" if len(made) < len(estimates) else ""
    return RankingCell(f"{hits / len(made):.3f} ({wide:.2f}x{none})", doubtful)


def won(world: RankingWorld, epsilon: float, seed: Sequence[int]) -> list[bool]:
    """Whether each person is won against, at .05 without correction."""
    rows = [row for row in alternative_annotator(study(world, seed), _WHOLE, epsilon=epsilon) if row.task == ALL]
    return [each.p < 0.05 for each in rows[0].persons]


def edge(world: RankingWorld) -> float:
    """Epsilon at the edge of the null hypothesis: the true mean of d, which is the same for persons who are alike."""
    (row, *_) = alternative_annotator(
        study(replace(world, prompts=20_000), [7]), Options(each_generator=False, intervals=False)
    )
    return float(np.mean([each.disadvantage - each.advantage for each in row.persons]))


def errors(sizes: Sequence[int], studies: int, pool: ProcessPoolExecutor) -> Iterator[str]:
    """Errors of the test at the edge, and its power at epsilon .2 of a scorer that is as good as people."""
    for images in (1, 4):
        for levels in (2, 5):
            world = RankingWorld(images=images, levels=levels, on_scale=True, scorer=0.9, alike=0.5, generators=(0.0, 0.3))
            null, real = edge(world), replace(world, scorer=0.7)

            def rates(size: int, seed: int, studies: int, edged: Any = ((world, null), (real, 0.2))) -> dict[str, RankingCell]:
                won_against = []
                for each, epsilon in edged:
                    run = partial(won, replace(each, prompts=size), epsilon)
                    # persons of one study are not independent: one of each
                    seeds = [[seed, size, k] for k in range(studies)]
                    won_against.append([made[0] for made in pool.map(run, seeds, chunksize=10) if made])
                wrongly, rightly = won_against
                text = f"{np.mean(wrongly):.3f} (power {np.mean(rightly):.2f})"
                return {"": RankingCell(text, exact(sum(wrongly), len(wrongly))[0] > 0.05)}

            cells = [settled(rates(size, 2, studies), partial(rates, size, 4, AGAIN * studies))[""] for size in sizes]
            yield f"| {levels} levels, up to {images} a generator and prompt | {null:.3f} | {' | '.join(cells)} |"


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    about = "Coverage and errors of rankings and the alternative annotator test."
    options = study_options(about, "few studies of few prompts").parse_args(arguments)
    quick, studies = options.quick, 10 if options.quick else options.studies
    covered, tested = ((15,), (30,)) if quick else ((10, 15, 30, 100), (30, 100))
    title = "Share of 95 % intervals that hold the truth (mean width beside the estimator's own; studies without one)"
    edged = "Share of persons won against at the edge of the null hypothesis, p < .05 (and by a scorer as good as they are)"
    of_intervals = ("world", "statistic", "truth", *(f"{size} prompts" for size in covered))
    of_errors = ("study", "epsilon", *(f"{size} prompts" for size in tested))
    with ProcessPoolExecutor(2) as pool:
        tables = (
            (f"{title}, {studies} studies a cell", of_intervals, intervals(covered, studies, pool)),
            (f"{edged}, {studies} studies a cell", of_errors, errors(tested, studies, pool)),
        )
        return print_tables(tables, quick=quick)


if __name__ == "__main__":
    sys.exit(main())
