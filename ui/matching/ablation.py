"""Accuracy by trials, steps and seed (SelfEval, appendix C): each setting of steps and seed is a rater of its own; fewer trials
are its first ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agreement import Options
from agreement.matching import by_trials
from agreement.study.cells import ALL
from data.store.judgements.scorer_evidence import CaptionChoice
from ui.matching.frames import trials_of
from ui.matching.rows import Row, figure_row


@dataclass(frozen=True, slots=True)
class Setting:
    """One point of the grid, and the rater that it is."""

    rater: str
    steps: int
    seed: int


def table(
    found: Sequence[CaptionChoice], grid: Iterable[Setting], trials: Sequence[int], options: Options | None = None
) -> list[Row]:
    """A row for each suite, generator, task (and all together), setting and number of trials that the rater has."""
    made: list[Row] = []
    for setting in grid:
        mine = [one for one in found if one.rater_id == setting.rater]
        for suite, generator, task in _places(mine):
            some = [one for one in mine if (one.suite, one.generator) == (suite, generator) and task in (ALL, one.task)]
            known = trials_of(some)
            if known is None:
                continue
            aggregate = some[0].settings.get("aggregate", "jensen")
            figures = by_trials(known.fits, known.right, known.clusters, aggregate, options, generator, setting.rater)
            named = {"task": task, "steps": setting.steps, "seed": setting.seed}
            made += [
                figure_row(one, suite) | named | {"trials": int(one.group), "left_out": len(some) - one.n}
                for one in figures
                if int(one.group) in trials
            ]
    return made


def grid_of(found: Iterable[CaptionChoice]) -> dict[tuple[str, str], list[Setting]]:
    """Raters that differ in steps or seed alone, two or more, by what they have in common: as text, and a title."""
    named: dict[str, CaptionChoice] = {}
    for one in found:
        if isinstance(one.settings.get("steps"), int) and isinstance(one.settings.get("seed"), int) and "terms" in one.payload:
            named.setdefault(one.rater_id, one)
    alike: dict[tuple[str, str], list[Setting]] = {}
    for rater, one in named.items():
        rest = {name: value for name, value in sorted(one.settings.items()) if name not in ("steps", "seed")}
        title = f"{one.scorer or 'scorer'} with {one.settings.get('model', 'its model')}"
        key = (repr((one.scorer, rest)), title)
        alike.setdefault(key, []).append(Setting(rater, one.settings["steps"], one.settings["seed"]))
    return {key: sorted(of, key=lambda one: (one.steps, one.seed)) for key, of in alike.items() if len(of) > 1}


def _places(mine: Iterable[CaptionChoice]) -> list[tuple[str, str, str]]:
    """Suite, generator and task, all tasks first."""
    found = {(one.suite, one.generator, task) for one in mine for task in (ALL, one.task)}
    return sorted(found, key=lambda place: (place[0], place[1], place[2] != ALL, place[2]))
