"""A confusion table as HTML; each number leads to the images behind it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from concord.common import wording
from ui.components.table import WRAP


@dataclass(frozen=True, slots=True)
class Crossings:
    """Two sides' labels crossed.

    Attributes:
        a, b: their names; ``a`` in rows.
        labels: of both.
        counts: how often, ``counts[row][column]``.
        images: on how many images.
    """

    a: str
    b: str
    labels: Sequence[str]
    counts: Sequence[Sequence[int]]
    images: dict[tuple[str, str], int]


def confusion_table(caption: str, crossed: Crossings, link: Callable[[str, str], str]) -> str:
    """The table; ``link`` gives the address of two labels' images, an empty one standing for any."""
    most = max((n for row in crossed.counts for n in row), default=0)
    verb = "say" if crossed.b.endswith("people") else "says"
    head = "".join(f'<th scope="col" class="cc-number">{escape(label)}</th>' for label in crossed.labels)
    body = "".join(_row(crossed, n, most, link) for n in range(len(crossed.labels)))
    columns = [sum(row[n] for row in crossed.counts) for n in range(len(crossed.labels))]
    totals = "".join(f'<td class="cc-number">{n:,}</td>' for n in [*columns, sum(columns)])
    return (
        f'{WRAP}<table class="cc-table cc-confusion"><caption>{escape(caption)}</caption>'
        f'<thead><tr><td></td><th scope="colgroup" colspan="{len(crossed.labels) + 1}">{escape(crossed.b)} {verb}</th></tr>'
        f'<tr><th scope="col">{escape(crossed.a)} says</th>{head}<th scope="col" class="cc-number">in all</th></tr></thead>'
        f'<tbody>{body}<tr class="cc-total"><th scope="row">in all</th>{totals}</tr></tbody></table></div>'
    )


def _row(crossed: Crossings, n: int, most: int, link: Callable[[str, str], str]) -> str:
    label, counts = crossed.labels[n], crossed.counts[n]
    cells = []
    for other, count in zip(crossed.labels, counts, strict=True):
        images = crossed.images.get((label, other), 0)
        text = "0"
        if count:
            text = f'<a href="{escape(link(label, other))}">{count:,}</a><small class="cc-detail">'
            text += f"{wording.count(images, 'image')}</small>"
        side = "cc-beyond" if label == other else "cc-below"
        shade = f'style="--shade: {count / most:.2f}" data-side="{side}"' if count else ""
        cells.append(f'<td class="cc-number" {shade}>{text}</td>')
    return f'<tr><th scope="row">{escape(label)}</th>{"".join(cells)}<td class="cc-number">{sum(counts):,}</td></tr>'
