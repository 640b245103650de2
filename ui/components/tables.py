"""Tables as HTML, every cell escaped: plain ones, estimates with n and interval, and confusion tables whose numbers lead to
images.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from html import escape
from typing import Final, TypeVar

from agreement import catalogue
from agreement.estimate import Estimate
from agreement.reasons import Reason
from concord.common import sentences, wording
from concord.headlines import verdict_beside_people

T = TypeVar("T")
WRAP: Final = '<div class="cc-table-wrap" tabindex="0" role="group" aria-label="A table; arrows scroll it">'
"""Around a table that may be wider than its place, which is scrolled by keys, too."""


@dataclass(frozen=True, slots=True)
class HtmlCell:
    """What a cell says.

    Attributes:
        text: large; ``detail``: small, beneath; ``note``: shown when pointed at.
        href: where a click leads, inside the app.
        number: whether it is set as a number; ``kind``: another class.
    """

    text: str
    detail: str = ""
    note: str = ""
    href: str = ""
    number: bool = True
    kind: str = ""


Cells = Sequence[str | HtmlCell]
"""A row of a table, or its headers; plain strings are texts."""


class _Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def html(text: str) -> HtmlCell:
    """A cell of HTML that its maker has escaped."""
    return HtmlCell(_Html(text), number=False)


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table, with a class of its own."""

    cells: Cells
    kind: str = ""


def html_table(caption: str, headers: Cells, rows: Sequence[Cells | Line], kind: str = "") -> str:
    """A table whose first column names the row; plain strings are texts, as headers of numbers they stand above these.

    ``kind``: a class of its own.
    """
    lines = [row if isinstance(row, Line) else Line(row) for row in rows]
    numbers = {k for line in lines for k, cell in enumerate(line.cells) if isinstance(cell, HtmlCell) and cell.number}
    heads = [
        header if isinstance(header, HtmlCell) else HtmlCell(header, number=k in numbers) for k, header in enumerate(headers)
    ]
    head = "".join(_html("th", 'scope="col"', cell) for cell in heads)
    body = ""
    for line in lines:
        name, *rest = (_cell(cell) for cell in line.cells)
        cells = _html("th", 'scope="row"', name) + "".join(_html("td", "", cell) for cell in rest)
        body += f"<tr{f' class={line.kind}' if line.kind else ''}>{cells}</tr>"
    return (
        f'{WRAP}<table class="cc-table {kind}"><caption>{escape(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def small(text: str) -> str:
    """A detail beneath; nothing for none."""
    return f'<small class="cc-detail">{escape(text)}</small>' if text else ""


def span(low: float | None, high: float | None, form: str = "z.2f") -> str:
    """An interval in words, such as ``0.31 to 0.46``; nothing where an end is missing."""
    if low is None or high is None:
        return ""
    return f"{low:{form}} to {high:{form}}"


def bracketed(low: float | None, high: float | None) -> str:
    """An interval behind its number, small, as HTML; nothing where an end is missing."""
    return "" if low is None or high is None else f" <small>[{wording.two(low)}, {wording.two(high)}]</small>"


def first_sentence(sentence: str, facts: str = "") -> str:
    """What a page says first, as HTML, and in plain text what that rests on."""
    below = f'<p class="cc-subline">{escape(facts)}</p>' if facts else ""
    return f'<h1 class="cc-headline">{sentence}</h1>{below}'


def when(moment: datetime | None) -> str:
    """A moment, which the browser shows in the reader's own time; nothing for none."""
    if moment is None:
        return ""
    there = moment.astimezone(UTC)
    return f'<time class="cc-when" datetime="{there.isoformat(timespec="seconds")}">{there:%Y-%m-%d %H:%M} UTC</time>'


def bullets(lines: Iterable[str]) -> str:
    """A list of plain texts; nothing for none."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return f'<ul class="cc-list">{items}</ul>' if items else ""


def code(line: str) -> str:
    """A command as it is typed."""
    return f'<code class="cc-code">{escape(line)}</code>'


def commands(lines: Iterable[str]) -> str:
    """A list of commands."""
    return f'<ul class="cc-list">{"".join(f"<li>{code(line)}</li>" for line in lines)}</ul>'


def paged(listed: Sequence[T], page: int, size: int, address: Callable[..., str]) -> tuple[Sequence[T], str]:
    """What is on a page of a list, from 1, or on its last, and where the other pages are, as ``pager`` has it."""
    pages = max(1, -(-len(listed) // size))
    page = min(page, pages)
    return listed[(page - 1) * size : page * size], pager(page, pages, address)


def pager(page: int, pages: int, address: Callable[..., str]) -> str:
    """Where the other pages of a list are; ``address`` takes the number as ``page``."""
    if pages == 1:
        return ""
    before = f'<a href="{escape(address(page=page - 1))}" rel="prev">Previous</a>' if page > 1 else ""
    after = f'<a href="{escape(address(page=page + 1))}" rel="next">Next</a>' if page < pages else ""
    return f'<p class="cc-note cc-pages">{before}<span>page {page:,} of {pages:,}</span>{after}</p>'


def note(text: str, kind: str = "") -> str:
    """A paragraph of plain text."""
    return f'<p class="cc-note {kind}">{escape(text)}</p>'


def linked_note(text: str, href: str, link: str, rest: str = "") -> str:
    """A paragraph with a link in it, inside the app."""
    return f'<p class="cc-note">{escape(text)} <a href="{escape(href)}">{escape(link)}</a> {escape(rest)}</p>'


def heading(text: str, below: str = "") -> str:
    """A section's heading, and a paragraph beneath it."""
    return f'<h2 class="cc-section">{escape(text)}</h2>' + (note(below) if below else "")


def _cell(value: str | HtmlCell) -> HtmlCell:
    return value if isinstance(value, HtmlCell) else HtmlCell(value, number=False)


def _html(tag: str, attributes: str, cell: HtmlCell) -> str:
    named = cell.kind or ("cc-number" if cell.number else "")
    kind = f' class="{named}"' if named else ""
    title = f' title="{escape(cell.note)}"' if cell.note else ""
    return f"<{tag} {attributes}{kind}{title}>{_inner(cell)}</{tag}>"


def _inner(cell: HtmlCell) -> str:
    text = cell.text if isinstance(cell.text, _Html) else escape(cell.text)
    if cell.href:
        text = f'<a href="{escape(cell.href)}">{text}</a>'
    return text + small(cell.detail)


def number(row: Estimate | None) -> HtmlCell:
    """An estimate as a table's cell."""
    if row is None:
        return HtmlCell("")
    if row.value is None:
        return HtmlCell("–", "undefined", sentences.text_or_none(row.reason) or "")
    interval = span(row.low, row.high) or ("no interval" if row.method.without_interval else "")
    ceiling = row.ceiling
    # what one person in its place reaches on the same images, and where that leaves the scorer
    beside = []
    if ceiling and ceiling.value is not None:
        beside.append(f"one person {ceiling.value:z.2f}")
    if ceiling and (verdict := verdict_beside_people(row)):
        beside.append(verdict)
    lines = [interval, *beside, "saw these labels" if row.saw_labels else ""]
    note = f"{sentences.text(row.method)}; n = {row.n_items:,} images, {row.n_ratings:,} answers"
    if ceiling and ceiling.verdict.words:
        note += f". Beside one person in its place: {sentences.text(ceiling.verdict.words)}"
    return HtmlCell(f"{row.value:z.3f}", "\n".join(line for line in lines if line), note)


def statistics_table(caption: str, name: str, rows: Sequence[Estimate], label: Callable[[Estimate], str]) -> str:
    """A row per label and a column per statistic, both in the order of ``rows``; nothing for no rows."""
    if not rows:
        return ""
    shown = list(dict.fromkeys(row.statistic for row in rows))
    lines: dict[str, dict[str, Estimate]] = {}
    for row in rows:
        lines.setdefault(label(row), {})[row.statistic] = row
    titles = [HtmlCell(wording.title(s), note=catalogue.DEFINITIONS[s].meaning) for s in shown]
    body: list[Cells] = []
    for text, line in lines.items():
        widest = max(line.values(), key=lambda row: int(row.n_items))
        counts = [HtmlCell(f"{widest.n_items:,}"), HtmlCell(f"{max(row.n_ratings for row in line.values()):,}")]
        body.append([text, *counts, *(_of_its_own(line.get(s), widest.n_items) for s in shown)])
    return html_table(caption, [name, "images", "answers", *titles], body)


def explained(rows: Iterable[Estimate], *, open_: bool) -> str:
    """Why numbers are missing, each reason once. The mean of the tasks only repeats its tasks' reasons."""
    reasons: dict[Reason, dict[str, None]] = {}
    for row in rows:
        if row.value is None and row.reason and row.task != "tasks_mean":
            reasons.setdefault(row.reason, {})[wording.title(row.statistic)] = None
    if not reasons:
        return ""
    lines = "".join(note(f"{', '.join(names)}: {sentences.text(reason)}.") for reason, names in reasons.items())
    alone = " open" if open_ else ""
    return f'<details class="cc-why"{alone}><summary>Why some numbers are undefined (–)</summary>{lines}</details>'


def _of_its_own(row: Estimate | None, n: int) -> HtmlCell:
    """The number, and how many images it rests on where that is not what its line says."""
    cell = number(row)
    if row is None or row.value is None or row.n_items == n:
        return cell
    return replace(cell, detail="\n".join(part for part in (cell.detail, f"{row.n_items:,} images") if part))


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
        shade = f'style="--shade: {count / most:z.2f}" data-side="{side}"' if count else ""
        cells.append(f'<td class="cc-number" {shade}>{text}</td>')
    return f'<tr><th scope="row">{escape(label)}</th>{"".join(cells)}<td class="cc-number">{sum(counts):,}</td></tr>'
