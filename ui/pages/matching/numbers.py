"""The tables of the page Matching: every number with interval and n, leading to its images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agreement.study.cells import ALL
from concord.common import wording
from concord.matching import EVALUATIONS, Row, by_cell
from ui.components.table import Cell, heading, html_table
from ui.pages.matching.view import View

Line = list[str | Cell]
_NO_VALUE: Final = "–"
_SCORES: Final = {
    "text_score": "text score (chance .25)",
    "image_score": "image score (chance .25)",
    "group_score": "group score (chance .17)",
}


def cell(row: Row | None, href: str = "", digits: int = 3) -> Cell:
    """A number with interval and n."""
    if row is None:
        return Cell("")
    if row["value"] is None:
        return Cell(_NO_VALUE, "", row["reason"] or "")
    span = "" if row["low"] is None else f"{row['low']:.{digits}f} to {row['high']:.{digits}f}"
    left = "".join(f"\n{n:,} left out" for n in [sum(row["excluded"].values())] if n)
    return Cell(f"{row['value']:.{digits}f}", "\n".join(filter(None, (span, f"n = {row['n']:,}"))) + left, row["method"], href)


def accuracy(rows: Sequence[Row], view: View) -> str:
    """Tasks by scorers; beside them chance, and of all tasks posterior and rank."""
    found = {(task, rater): of for (_, _, task, rater), of in by_cell(rows).items()}
    raters = sorted({rater for _, rater in found})
    tasks = [ALL, *sorted({task for task, _ in found} - {ALL})]
    lines: list[Line] = []
    for task in tasks:
        of = [found.get((task, rater)) for rater in raters]
        chance = next((one["chance"] for one in of if one), None)
        cells: Line = [
            cell(one["accuracy"], view.address(task=task, who=rater, said="wrong", page=1)) if one else Cell("")
            for one, rater in zip(of, raters, strict=True)
        ]
        name = "all tasks" if task == ALL else wording.task(task)
        lines.append([name, Cell(f"{chance['value']:.3f}" if chance and chance["value"] is not None else _NO_VALUE), *cells])
    table = html_table("Accuracy: the right caption fits best, alone", ["task", Cell("chance"), *map(Cell, raters)], lines)
    return table + _further(found, raters)


def _further(found: dict[tuple[str, str], dict[str, Row]], raters: Sequence[str]) -> str:
    lines: list[Line] = [
        [rater, cell(of["accuracy_less_chance"]), cell(of["posterior"]), cell(of["rank"], digits=2), cell(of.get(EVALUATIONS))]
        for rater in raters
        if (of := found.get((ALL, rater)))
    ]
    posterior, rank = Cell("posterior of the right caption"), Cell("rank of the right caption")
    head: Line = ["scorer", Cell("above chance"), posterior, rank, Cell("evaluations made")]
    return html_table("All tasks together", head, lines)


def winoground(rows: Sequence[Row]) -> str:
    """Text, image and group score of each scorer; nothing where there are no groups."""
    whole = [row for row in rows if row["task"] == ALL]
    if not whole:
        return ""
    raters = sorted({row["rater"] for row in whole})
    of = {(row["rater"], row["statistic"]): row for row in whole}
    lines: list[Line] = [[rater, *(cell(of.get((rater, name))) for name in _SCORES)] for rater in raters]
    told = (
        "Two images and two captions, each right about one: text: each image takes its caption; image: each caption its image."
    )
    return heading("Winoground", told) + html_table("Shares of groups", ["scorer", *map(Cell, _SCORES.values())], lines)


def votes(rows: Sequence[Row], view: View) -> str:
    """Images of the listed task on which only one of two scorers is right (SelfEval, Figure 5)."""
    lines: list[Line] = []
    for row in (row for row in rows if row["task"] == view.task):
        where = {"task": row["task"], "said": "right", "page": 1}
        both = f"both {row['both']:,}, neither {row['neither']:,}"
        lines.append(
            [
                row["a"],
                Cell(f"{row['only_a']:,}", href=view.address(who=row["a"], **where)),
                row["b"],
                Cell(f"{row['only_b']:,}", href=view.address(who=row["b"], **where)),
                Cell(
                    f"{row['value']:+.3f}",
                    "" if row["low"] is None else f"{row['low']:+.3f} to {row['high']:+.3f}",
                    row["method"],
                ),
                Cell(f"{row['n']:,}", both),
            ]
        )
    if not lines:
        return ""
    head: Line = ["a", Cell("only a is right"), "b", Cell("only b is right"), Cell("difference"), Cell("images")]
    return heading("Votes", "Images on which only one of two scorers picks the right caption.") + html_table(
        "Votes", head, lines
    )
