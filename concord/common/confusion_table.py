"""Two raters' answers crossed, as a table: how often the one says this where the other says that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from concord.common import wording
from concord.common.table import Cell, Column, Table, TableRow


@dataclass(frozen=True, slots=True)
class Crossings:
    """Two raters' labels crossed.

    Attributes:
        a, b: their names; `a` in rows.
        labels: of both.
        counts: how often, `counts[row][column]`.
        images: on how many images, by the two labels, where that is another number than the counts.
    """

    a: str
    b: str
    labels: Sequence[str]
    counts: Sequence[Sequence[int]]
    images: Mapping[tuple[str, str], int] = field(default_factory=dict)


def confusion_table(caption: str, crossed: Crossings, link: Callable[[str, str], str] | None = None) -> Table:
    """Return the crossed counts with their sums, the cells shaded by their share of the largest count.

    Args:
        caption: the table's title.
        crossed: whose answers.
        link: gives the address of the images on which the two say these labels.
    """
    most = max((n for row in crossed.counts for n in row), default=0)

    def cell(a_says: str, b_says: str, count: int) -> Cell:
        if not count:
            return Cell("0", exact=0)
        images = crossed.images.get((a_says, b_says))
        details = () if images is None else (wording.count(images, "image"),)
        href = link(a_says, b_says) if link else ""
        return Cell(f"{count:,}", details, href=href, exact=count, shade=count / most, agrees=a_says == b_says)

    def line(label: str, counts: Sequence[int]) -> TableRow:
        crossings = (cell(label, other, count) for other, count in zip(crossed.labels, counts, strict=True))
        return TableRow((Cell(label), *crossings, _sum(counts)))

    columns = [sum(column) for column in zip(*crossed.counts, strict=True)]
    total = TableRow((Cell("in all"), *map(_number, columns), _sum(columns)), "cc-total")
    heads = (Column(f"{crossed.a} says"), *(Column(label, number=True) for label in (*crossed.labels, "in all")))
    verb = "say" if crossed.b.endswith("people") else "says"
    rows = (*(line(label, counts) for label, counts in zip(crossed.labels, crossed.counts, strict=True)), total)
    return Table(caption, heads, rows, over=f"{crossed.b} {verb}")


def _number(count: int) -> Cell:
    return Cell(f"{count:,}", exact=count)


def _sum(counts: Sequence[int]) -> Cell:
    return _number(sum(counts))
