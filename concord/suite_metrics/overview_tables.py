"""Tables of suites' metrics, for Overview and the report: a line for each generator and rater, a column for each metric."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from agreement.estimate import ALL, Estimate
from agreement.suite_metrics.catalogue import METRICS_OF_KIND
from concord.common import wording
from concord.common.estimate_table import Names, estimate_cell, estimates_table
from concord.common.table import Table
from data.selection import PEOPLE, SIMULATED

_KIND_OF: Final = {metric.name: kind for kind, metrics in METRICS_OF_KIND.items() for metric in metrics}
_TITLES: Final = {"visor": "VISOR", "geneval": "GenEval", "tifa": "TIFA", "selfeval": "SelfEval"}


def rater_name(row: Estimate) -> str:
    """Return the scorer, or people or simulated people, that an estimate is of."""
    return row.rater or (SIMULATED if row.people == "simulated" else PEOPLE)


def _generator(row: Estimate) -> str:
    return "all generators" if row.generator == ALL else row.generator


_NAMES: Final[Names] = {"Generator": _generator, "Rater": rater_name}


def metric_tables(rows: Iterable[Estimate], order: Sequence[str] = ()) -> list[Table]:
    """Return for each suite and kind of metrics a table of all images, and folded ones of each task and element type.

    ``order``: the generators that stand first, such as from the best on.
    """
    tables: list[Table] = []
    for caption, part in _by_kind(rows, order):
        whole = [row for row in part if row.task == ALL and row.target is None]
        tasks = [row for row in part if row.task != ALL and row.target is None]
        targets = [row for row in part if row.target is not None]
        tables.append(_table(caption, _NAMES, whole))
        further: list[tuple[str, str, Callable[[Estimate], str], Sequence[Estimate]]] = [
            ("each task", "Task", lambda row: wording.task(row.task), tasks),
            ("each element type", "Element type", lambda row: row.target or "", targets),
        ]
        tables += [
            replace(_table(f"{caption}: {title}", {**_NAMES, column: of}, some), folded=True)
            for title, column, of, some in further
            if some
        ]
    return tables


def _by_kind(rows: Iterable[Estimate], order: Sequence[str]) -> Iterator[tuple[str, list[Estimate]]]:
    """Yield the rows of each suite and kind of metrics with a caption; generators without the all of a single one."""
    parts: dict[tuple[str, str], list[Estimate]] = {}
    for row in rows:
        parts.setdefault((row.suite, _KIND_OF[row.statistic]), []).append(row)
    place = {name: n for n, name in enumerate(order)} | {ALL: len(order) + 1}
    for (suite, kind), part in parts.items():
        generators = {row.generator for row in part} - {ALL}
        shown = [row for row in part if len(generators) != 1 or row.generator != ALL]
        lines = sorted(shown, key=lambda row: (place.get(row.generator, len(order)), row.generator, row.rater, row.people))
        yield f"{suite}: {_TITLES[kind]}’s own metrics", lines


def _table(caption: str, names: Names, rows: Sequence[Estimate]) -> Table:
    statistics = [name for name in _KIND_OF if any(row.statistic == name for row in rows)]
    return estimates_table(caption, names, rows, lambda row, _: estimate_cell(row), statistics=statistics)
