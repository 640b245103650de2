"""What a report draws, as HTML and SVG that need no script: numbers as dots with their intervals, prompts better, the same and
worse as bars, two generators' pictures side by side, and agreement along a threshold.

Each drawing has a table of the same numbers, for formats that have no pictures. Styles are in ``templates/report.css`` and
``assets/css/dots.css``, which Studio has, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import htpy
from htpy import Element, Node

from agreement import ThresholdCurve
from agreement.estimate import WithInterval
from agreement.generators import GeneratorDifference
from concord.common import wording
from concord.common.table import Cell, Column, Table, TableRow, cell, numbers
from concord.comparison.model_comparison import PromptPair
from concord.reporting.first_page import BestTwo
from data.aspects import YES_NO_ASPECTS
from ui.components.dots import Axis, axis_of, axis_scale, dot, interval_text


@dataclass(frozen=True, slots=True)
class DotRow:
    """A line of a chart of dots.

    Attributes:
        name: what the number is of.
        number: with its interval; without a value the line says why in `after`.
        kind: whose colour it has: `people`, `scorer` or `simulated`.
        n: on how many images it rests.
        before: a short text in front of the name, such as a rank.
        level: people's own number by the same statistic.
        after: cells behind the number; one with `content` is drawn.
    """

    name: str
    number: WithInterval
    kind: str
    n: int
    before: str = ""
    level: WithInterval | None = None
    after: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True)
class DotTitles:
    """The headings of a chart of dots: of the column in front, of the names, of the numbers, and of those behind."""

    name: str
    number: str
    before: str = ""
    after: tuple[str, ...] = ()


def dot_chart(rows: Sequence[DotRow], titles: DotTitles, *, zero: bool = False, chance: float | None = None) -> Element:
    """Return rows on one axis, from 0 on if `zero`; `chance` is a dashed line."""
    axis = dot_axis([row.number for row in rows], [row.level for row in rows], zero=zero, chance=chance)
    head = [
        titles.before and htpy.th(scope="col"),
        htpy.th(scope="col", class_="text")[titles.name],
        htpy.th(class_="dots")[axis_scale(axis, 2 if len(axis.ticks) > 5 else 1)],
        htpy.th(scope="col")[titles.number],
        [htpy.th(scope="col", class_="text")[title] for title in titles.after],
    ]
    body = [
        htpy.tr[
            titles.before and htpy.td(class_="rank")[row.before],
            htpy.th(scope="row", class_="text")[row.name],
            htpy.td(class_="dots")[_dot(row, axis, chance)],
            htpy.td[number_with_interval(row.number)],
            [htpy.td(class_="text")[cast(Node, each.content or each.text)] for each in row.after],
        ]
        for row in rows
    ]
    return htpy.table(class_="chart")[htpy.thead[htpy.tr[head]], htpy.tbody[body]]


def dot_axis(
    rows: Sequence[WithInterval | None],
    levels: Sequence[WithInterval | None] = (),
    *,
    zero: bool = False,
    chance: float | None = None,
) -> Axis:
    """Return an axis on which all of these stand."""
    ends = [end for row in (*rows, *levels) if row is not None for end in (row.value, row.low, row.high) if end is not None]
    return axis_of([*ends, *([] if chance is None else [chance])], 4, zero=zero)


def _dot(row: DotRow, axis: Axis, chance: float | None) -> Node:
    return "" if row.number.value is None else dot(row.number, axis, row.kind, chance=chance, level=row.level)


def number_with_interval(row: WithInterval) -> Node:
    """Return a number with its interval beside it."""
    if row.value is None:
        return "–"
    return [htpy.data(value=repr(row.value))[wording.two(row.value)], " ", htpy.small[interval_text(row)]]


def dot_table(caption: str, rows: Sequence[DotRow], titles: DotTitles) -> Table:
    """Return the numbers of a chart of dots as a table."""
    with_level = any(row.level is not None and row.level.value is not None for row in rows)
    columns = (
        *([Column(titles.before)] if titles.before else []),
        Column(titles.name),
        *numbers(titles.number, "95 % interval", "Images"),
        *(numbers("One person in its place") if with_level else ()),
        *(Column(title) for title in titles.after),
    )
    body = []
    for row in rows:
        level = row.level
        beside = "" if level is None or level.value is None else f"{wording.two(level.value)} {interval_text(level)}"
        body.append(
            TableRow(
                (
                    *([Cell(row.before)] if titles.before else []),
                    Cell(row.name),
                    cell(row.number.value, "z.2f", "–"),
                    Cell(interval_text(row.number) or "–"),
                    Cell(f"{row.n:,}"),
                    *([Cell(beside)] if with_level else []),
                    *(Cell(each.text) for each in row.after),
                )
            )
        )
    return Table(caption, columns, tuple(body), 2 if titles.before else 1)


def outcomes(difference: GeneratorDifference) -> Cell:
    """Return on how many prompts the first generator is better, the same and worse, as a bar and as a text."""
    counts = {"better": difference.wins, "same": difference.ties, "worse": difference.losses}
    parts = [htpy.span(class_=f"is-{name}", style=f"flex-grow: {n}")[f"{n:,}"] for name, n in counts.items() if n]
    text = f"{difference.wins:,} / {difference.ties:,} / {difference.losses:,}"
    return Cell(text, content=htpy.span(class_="outcomes")[parts])


def pair_pictures(two: BestTwo, rater: str, aspect: str, pictures: Mapping[str, str]) -> Element:
    """Return prompts with a picture of each generator side by side and what `rater` says of it.

    Args:
        two: the generators.
        rater: whose answers these are.
        aspect: what they are about.
        pictures: addresses of the pictures by image; images without one are left out.
    """
    names = (two.difference.first, two.difference.second)
    cells = []
    for pair in two.pairs:
        sides = zip(names, (pair.second_items, pair.first_items), (pair.second, pair.first), strict=True)
        cells.append(
            htpy.div(class_="pair")[
                htpy.div(class_="two")[[_side(two, pictures, *side, rater, aspect) for side in sides]],
                htpy.p[htpy.b[pair.text]],
            ]
        )
    return htpy.div(class_="pairs")[cells]


def _side(
    two: BestTwo, pictures: Mapping[str, str], name: str, items: Sequence[str], mean: float, rater: str, aspect: str
) -> Element:
    # of several images the one that is most like the generator's mean on this prompt
    shown = [item for item in items if pictures.get(item)]
    found = min(shown, key=lambda item: abs((two.images[item].mean or 0.0) - mean), default=None)
    image: Node = htpy.span(class_="none")["no picture"]
    said = mean_text(mean, rater, aspect)
    if found is not None:
        image = htpy.img(src=pictures[found], alt=name)
        answers = two.images[found]
        people = aspect in YES_NO_ASPECTS and rater in ("people", "simulated people")
        said = f"{answers.yes} of {answers.n} say yes" if people else mean_text(answers.mean or 0.0, rater, aspect)
    return htpy.figure[image, htpy.figcaption[htpy.b[name], htpy.small[said]]]


def mean_text(mean: float, rater: str, aspect: str) -> str:
    """Return a mean answer in words."""
    if aspect in YES_NO_ASPECTS:
        return f"{rater}: {wording.percent(round(mean, 2))} yes"
    return f"{rater}: {wording.two(mean)}"


def pair_table(caption: str, two: BestTwo, rater: str) -> Table:
    """Return the prompts on which two generators differ most, with both means."""
    names = (two.difference.first, two.difference.second)
    rows = tuple(_pair_row(pair) for pair in two.pairs)
    return Table(caption, (Column("Prompt"), *numbers(*(f"{name}, {rater}" for name in names))), rows)


def _pair_row(pair: PromptPair) -> TableRow:
    return TableRow((Cell(pair.text), cell(pair.second, "z.2f"), cell(pair.first, "z.2f")))


_LEFT, _RIGHT, _TOP, _BOTTOM = 30, 212, 6, 108


def threshold_curve(curve: ThresholdCurve) -> Element:
    """Return agreement along a scorer's threshold with its interval as a band; the best cut is dotted."""
    points = list(zip(curve.cuts, curve.values, curve.low, curve.high, strict=True))
    known = [(at, value) for at, value, _, _ in points if value is not None]
    ends = [end for _, *numbers_ in points for end in numbers_ if end is not None]
    across, upwards = axis_of([at for at, _ in known], 3), axis_of(ends, 4)
    first, last = known[0][0], known[-1][0]

    def x(value: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * ((value - first) / ((last - first) or 1.0)), 1)

    def y(value: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * upwards.percent(value) / 100, 1)

    band = [(at, low, high) for at, _, low, high in points if low is not None and high is not None]
    around = [(x(at), y(high)) for at, _, high in band] + [(x(at), y(low)) for at, low, _ in reversed(band)]
    best = curve.threshold
    return htpy.svg(
        class_="curve", viewbox="0 0 220 126", role="img", aria_label=f"Agreement along the threshold of {curve.rater}"
    )[
        [_line("grid", _LEFT, y(tick), _RIGHT, y(tick)) for tick in upwards.ticks],
        [_label(_LEFT - 4, y(tick) + 3, upwards.text(tick), "end") for tick in upwards.ticks],
        [_label(x(at), _BOTTOM + 14, f"{at:.3g}", anchor) for at, anchor in ((first, "start"), (last, "end"))],
        len(around) > 2 and htpy.polygon(class_="band", points=_points(around)),
        htpy.polyline(class_="line", points=_points([(x(at), y(value)) for at, value in known])),
        best is not None and _line("best", x(best), _TOP, x(best), _BOTTOM),
        best is not None and _label(x(best), _BOTTOM + 14, f"{best:.3g}", "middle"),
        htpy.title[f"{across.text(first)} to {across.text(last)}"],
    ]


def _points(places: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x},{y}" for x, y in places)


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Element:
    return htpy.line(class_=kind, x1=f"{x1}", y1=f"{y1}", x2=f"{x2}", y2=f"{y2}")


def _label(x: float, y: float, words: str, anchor: str) -> Element:
    return htpy.text(x=f"{x}", y=f"{y}", text_anchor=anchor)[words]
