"""How scores move with the detector's threshold, and with the seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from statistics import fmean, stdev

from scorers import failures
from scorers.failures import ANY
from scorers.failures.objects import CORRECT
from scorers.failures.thresholds_and_seeds import WRONG, threshold_group
from ui.components.table import Cell, html_table, note
from ui.failure_charts import dots, lines
from ui.pages.explore.pictures.shown import Drawn, Shown, listed, percent, score

_SCORE = "A score is the unweighted mean of the tasks’ shares of correct images, as GenEval’s overall score is made."


def thresholds(shown: Shown) -> Drawn:
    """Each generator's score over a grid of thresholds, and whether their order changes."""
    grid, names, own = shown.table.asked, shown.generators, _own(shown)
    each = [shown.series(name, _over(shown, name), by_task=True) for name in names]
    figure = lines(grid, each, ("confidence above which an object counts", "score"), own)
    counting = " GenEval’s threshold for counting stays as it is." if "counting_threshold" in shown.settings else ""
    below = note(f"{_SCORE} A number leads to the images that are correct at that threshold.{counting}")
    heads: list[str | Cell] = ["threshold", *map(Cell, names), *(["the best first"] if len(names) > 1 else [])]
    rows = [_at_threshold(shown, value, own) for value in grid]
    return Drawn(" ".join(_about_order(shown, own)), figure, below + html_table("Score by threshold", heads, rows))


def seeds(shown: Shown) -> Drawn:
    """Each generator's score by the image's number among its prompt's, and how far these are apart."""
    indexes, names = shown.table.asked, shown.generators
    each = [
        shown.series(f"image {index}", [shown.cell(index, CORRECT, name) for name in names], by_task=True) for index in indexes
    ]
    figure = dots(names, each, "score of the images of one number")
    below = note(
        f"{_SCORE} Images of one number were made from one seed where a generator was run as GenEval’s script does it, so the"
        " spread is what another seed would change."
    )
    named = (*(f"image {index}" for index in indexes), "all images", "wrong images", "spread")
    heads: list[str | Cell] = ["generator", *map(Cell, named)]
    rows = [_of_seeds(shown, name) for name in names]
    table = html_table("Score by the image’s number", heads, rows)
    return Drawn(" ".join(_about_seeds(shown)), figure, below + table)


def _over(shown: Shown, generator: str) -> list[failures.FailureCell]:
    """What is correct of a generator's images, group by group."""
    return [shown.cell(asked, CORRECT, generator) for asked in shown.table.asked]


def _at_threshold(shown: Shown, value: str, own: str) -> list[str | Cell]:
    told = [Cell(_ranking(_scores_at(shown, value)), number=False)] if len(shown.generators) > 1 else []
    scores = [shown.number(shown.cell(value, CORRECT, name), by_task=True) for name in shown.generators]
    return [f"{value} (the scorer’s own)" if value == own else value, *scores, *told]


def _of_seeds(shown: Shown, generator: str) -> list[str | Cell]:
    known = _scores(shown, generator)
    spread = Cell(f"{100 * stdev(known):.1f}", "points, standard deviation") if len(known) > 1 else Cell("–")
    each = [shown.number(cell, by_task=True) for cell in _over(shown, generator)]
    every = shown.number(shown.cell(ANY, CORRECT, generator), by_task=True)
    return [generator, *each, every, shown.count(shown.cell(ANY, WRONG, generator)), spread]


def _own(shown: Shown) -> str:
    """The scorer's own threshold as the table names it."""
    value = shown.settings.get("threshold")
    return threshold_group(float(value)) if isinstance(value, (int, float)) else ""


def _scores_at(shown: Shown, value: str) -> dict[str, float]:
    """Each generator's score at a threshold, the best first."""
    # without what floating point adds: equal scores are level
    scores = {name: round(score(shown.cell(value, CORRECT, name)).value or 0.0, 9) for name in shown.generators}
    return dict(sorted(scores.items(), key=lambda each: (-each[1], each[0])))


def _ranking(scores: Mapping[str, float]) -> str:
    """``a > b = c``."""
    told, last = "", 0.0
    for name, value in scores.items():
        told += f"{' = ' if value == last else ' > '}{name}" if told else name
        last = value
    return told


def _about_order(shown: Shown, own: str) -> Iterator[str]:
    grid = shown.table.asked
    each = {value: _scores_at(shown, value) for value in grid}
    first = own if own in grid else grid[0]
    if len(shown.generators) > 1:
        turns = [turn for a, b in combinations(each[first], 2) if (turn := _turn(a, b, each))]
        if turns:
            more = f"; so do {len(turns) - 1} more pairs" if len(turns) > 1 else ""
            yield f"Generators change places with the threshold: {turns[0]}{more}."
        else:
            yield f"The order of the generators is the same at all {len(grid)} thresholds: {_ranking(each[first])}."
    best = next(iter(each[first]))
    low, high = (percent(each[value][best]) for value in (grid[0], grid[-1]))
    yield f"From {grid[0]} to {grid[-1]} the score of {best} goes from {low} to {high}."


def _turn(a: str, b: str, each: Mapping[str, Mapping[str, float]]) -> str:
    """Where which of two generators is ahead, if that depends on the threshold."""
    ahead, behind = ([value for value, one in each.items() if sign * (one[a] - one[b]) > 0] for sign in (1, -1))
    return f"{a} is ahead of {b} at {listed(ahead)}, behind it at {listed(behind)}" if ahead and behind else ""


def _scores(shown: Shown, generator: str) -> list[float]:
    known = [score(cell).value for cell in _over(shown, generator)]
    return [value for value in known if value is not None]


def _about_seeds(shown: Shown) -> Iterator[str]:
    each = {name: _scores(shown, name) for name in shown.generators}
    told = [
        f"{name} scores {percent(fmean(values))} on average, with a standard deviation of {100 * stdev(values):.1f} points"
        for name, values in each.items()
        if len(values) > 1
    ]
    if not told:
        yield "There is one image of each prompt at most, so nothing tells what another seed would give."
        return
    yield f"Over the images’ numbers {listed(told)}."
    yield "Generators that are less far apart than that may stand in another order with other seeds."
