"""All numbers of Tune as tables: means by generator and task, agreement by task, and how many verdicts flip, before and now."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from htpy import Node

from agreement.estimate import Estimate
from agreement.study.cells import ALL, TASKS_MEAN, Outcome
from concord.common import reason_sentences, wording
from concord.common.estimate_table import statistic_column
from concord.common.table import Cell, numbers
from concord.error_analysis.tuning import AGREEMENTS, SettingCurve, TunedScorer
from data.selection import SIMULATED, Selection
from ui.components.addresses import browse_address
from ui.components.tables import Cells, columns, explained, plain_table, span, table_element

_NOW: Final = {1: "correct now", 0: "wrong now", -1: "left open now"}


def all_numbers(tuned: TunedScorer) -> Node:
    """Return the tables."""
    return [_means(tuned), [_agreement(tuned, kind) for kind in tuned.kinds], _flips(tuned), _curve(tuned, tuned.curve)]


def _means(tuned: TunedScorer) -> Node:
    places = tuned.by_place
    generators = [name for name in places.generators if name != ALL]
    tasks = [name for name in places.tasks if name not in (ALL, TASKS_MEAN)]
    rows = [*generators, ALL] if len(generators) > 1 else generators
    heads = [*tasks, ALL, TASKS_MEAN] if len(tasks) > 1 else [ALL]
    lines: list[Cells] = []
    for generator in rows:
        cells: list[Cell] = []
        for task in heads:
            key = (generator, task)
            where = Selection(suite=(tuned.suite,), generator=(generator,), task=(task,))
            href = browse_address(where, rater=tuned.rater, by="correct", order="lowest")
            cells.append(replace(_number(places.shares_before.get(key), places.shares_now.get(key)), href=href))
        lines.append(["all generators" if generator == ALL else generator, *cells])
    table = plain_table("Share of correct images", columns("generator", *numbers(*map(wording.task, heads))), lines)
    return table_element(table)


def _agreement(tuned: TunedScorer, kind: str) -> Node:
    places = tuned.by_place
    now = {(task, name): made for (who, task, name), made in places.agreement_now.items() if who == kind}
    tasks = list(dict.fromkeys(task for task, _ in now))
    if len(tasks) < 4:  # one task, all, and their mean say the same
        tasks = [ALL]
    lines: list[Cells] = []
    for task in tasks:
        used = now[task, AGREEMENTS[0]].used
        cells = [_number(places.agreement_before.get((kind, task, name)), now[task, name]) for name in AGREEMENTS]
        lines.append([wording.task(task), f"{used.items:,}", f"{used.ratings:,}", *cells])
    heads = columns("task", *numbers("images", "answers"), *map(statistic_column, AGREEMENTS))
    who = "people" if kind == "real" else SIMULATED
    undefined = [
        Estimate(value=made.value, reason=made.reason, statistic=name, task=task) for (task, name), made in now.items()
    ]
    return [table_element(plain_table(f"Agreement with {who}", heads, lines)), explained(undefined, open_=False)]


def _number(before: Outcome | None, now: Outcome | None) -> Cell:
    """Return a number as it is now, with what it was where that is another."""
    if now is None:
        return Cell("")
    text, was = ("–" if made is None or made.value is None else f"{made.value:z.3f}" for made in (now, before))
    how = reason_sentences.text(now.how) if now.how is not None else ""
    note = reason_sentences.text_or_none(now.reason) or f"{how}; n = {now.used.items:,} images"
    return Cell(text, (f"was {was}",) if was != text else (), note)


def _flips(tuned: TunedScorer) -> Node:
    """Return how many verdicts flip, by task and by what they are now."""
    if not tuned.flips:
        return ""
    shown = [now for now in _NOW if any(flip.now == now for flip in tuned.flips)]
    tasks = sorted({flip.task for flip in tuned.flips})
    lines: list[Cells] = []
    for task in [*tasks, ALL] if len(tasks) > 1 else [ALL]:
        mine = [flip for flip in tuned.flips if task in (ALL, flip.task)]
        lines.append([wording.task(task), *(Cell(f"{sum(flip.now == now for flip in mine):,}") for now in shown)])
    return table_element(plain_table("Verdicts that flip", columns("task", *numbers(*(_NOW[now] for now in shown))), lines))


def _curve(tuned: TunedScorer, curve: SettingCurve | None) -> Node:
    if curve is None:
        return ""
    title = wording.title(tuned.objective)
    lines: list[Cells] = []
    for at, point in zip(curve.at, curve.points, strict=True):
        if point.value is None:
            lines.append([f"{at:g}", Cell("–", note=reason_sentences.text_or_none(point.reason) or "")])
            continue
        bounds = span(point.low, point.high, "z.3f")
        lines.append([f"{at:g}", Cell(f"{point.value:z.3f}", (bounds,) if bounds else (), exact=point.value)])
    name = curve.setting.knob.title
    return table_element(plain_table(f"{title} along {name}", columns(name, *numbers(title)), lines))
