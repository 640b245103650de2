"""Where scorers' answers cross people's: confusion tables, over all generators and tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from agreement import Options, PairReport, pair_report
from concord.agreement import Rows
from concord.common import wording
from data.store.core.frame import Scales
from ui.report.content import Cell, Heading, Section, Table
from ui.report.material import Material
from ui.report.tables import ALL

MOST_LABELS = 8
_WHAT = (
    "Each rating by people beside the scorer’s own counts once, over all generators and tasks; the scorer’s answers are in "
    "rows, people’s in columns. The dark diagonal is where they say the same."
)


@dataclass(frozen=True, slots=True)
class Confusion:
    """Answers crossed: ``table[row][column]`` counts ratings; ``rater`` in rows, people in columns."""

    suite: str
    aspect: str
    people: str
    rater: str
    labels: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]

    def rows(self) -> Iterator[dict[str, Any]]:
        """For machines: one row per cell."""
        about = {"suite": self.suite, "aspect": self.aspect, "people": self.people, "rater": self.rater}
        for label, counts in zip(self.labels, self.table, strict=True):
            for other, n in zip(self.labels, counts, strict=True):
                yield about | {"rater_says": label, "people_say": other, "n_ratings": int(n)}


def confusions(
    said: pd.DataFrame, scales: Scales, rows: Rows, options: Options, tell: Callable[[int, int], None]
) -> list[Confusion]:
    """Of each scorer that gives people's own labels, aspects with more than MOST_LABELS labels aside."""
    pairs = [
        (row["suite"], row["aspect"], row["people"], row["rater"])
        for row in rows["raters"]
        if row["statistic"] == "percent_agreement" and row["value"] is not None
        and (row["generator"], row["task"], row["target"]) == (ALL, ALL, None)
    ]  # fmt: skip
    found = []
    for n, (suite, aspect, people, rater) in enumerate(pairs):
        tell(n, len(pairs))
        met = _met(said[said["suite"] == suite], scales, (aspect, people, rater), options)
        if met and 2 <= len(met.labels) <= MOST_LABELS:
            found.append(Confusion(suite, aspect, people, rater, met.labels, met.table))
    return found


def _met(said: pd.DataFrame, scales: Scales, about: tuple[str, str, str], options: Options) -> PairReport | None:
    aspect, people, rater = about
    quick = Options(statistics=("percent_agreement",), intervals=False, seed=options.seed)
    try:
        return pair_report(said, scales, aspect, rater, options=quick, simulated=people == "simulated")
    except ValueError:  # they share nothing
        return None


def section(material: Material) -> Section | None:
    """The tables."""
    if not material.confusions:
        return None
    return Section("Where answers cross", (_WHAT,), tables=tuple(_table(one) for one in material.confusions))


def _table(one: Confusion) -> Table:
    who = "simulated people" if one.people == "simulated" else "people"
    most = max(max(row) for row in one.table) or 1
    headings = [Heading(f"{one.rater} says", number=False), *(Heading(f"{who} say {label}") for label in one.labels)]
    body = []
    for label, counts in zip(one.labels, one.table, strict=True):
        cells = (Cell(f"{n:,}", shade=(n / most, label == other)) for other, n in zip(one.labels, counts, strict=True))
        body.append((Cell(label), *cells, Cell(f"{sum(counts):,}")))
    totals = [sum(column) for column in zip(*one.table, strict=True)]
    body.append((Cell("in all"), *(Cell(f"{n:,}") for n in (*totals, sum(totals)))))
    return Table(f"{one.suite}: {wording.aspect(one.aspect)}: {one.rater}", (*headings, Heading("in all")), tuple(body))
