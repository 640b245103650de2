"""Figures as HTML and SVG whose marks are links to their images: tables of shares, dots with intervals, stacked bars, clouds.

Colours are Okabe and Ito's, apart for all readers; each mark says its number and what it is of where it is pointed at.
``LogAxis`` is a logarithmic axis of shares on which 0 has a position of its own: a logarithm has none for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Final

import htpy
from htpy import Element, Node

from ui.components import chart_colors
from ui.components.dots import Axis, axis_of, axis_scale, dot

_MOST_TICKS: Final = 6
_LEAST_SPAN: Final = 0.6
_STRIP: Final = 0.16
_MARGIN: Final = 0.05
_STRONG: Final = 0.55
"""From this share on a cell's text is light on its colour."""
SHARES: Final = Axis(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0), 2)
"""The axis of shares of a whole."""


@dataclass(frozen=True, slots=True)
class LogAxis:
    """Where shares stand, in powers of ten.

    Attributes:
        low, high: the powers of the smallest and the largest positive share.
        zeros: whether there is a share of 0; these stand left of ``split``.
    """

    low: float
    high: float
    zeros: bool

    @classmethod
    def of(cls, shares: Sequence[float]) -> LogAxis:
        """For shares from 0 to 1."""
        powers = [log10(share) for share in shares if share > 0] or [0.0]
        low, high = min(powers), max(powers)
        spare = max(0.0, _LEAST_SPAN - (high - low)) / 2
        return cls(low - spare, high + spare, len([share for share in shares if share > 0]) < len(shares))

    @property
    def split(self) -> float:
        """The left end of the positive shares."""
        return self.low - _MARGIN * self._span

    @property
    def _span(self) -> float:
        return self.high - self.low

    def positions(self, shares: Sequence[float]) -> list[float]:
        """Of each share; those of 0 side by side in their strip, in order."""
        n = sum(share <= 0 for share in shares)
        width = _STRIP * self._span
        positions, k = [], 0
        for share in shares:
            if share > 0:
                positions.append(log10(share))
                continue
            k += 1
            positions.append(self.split - width + width * (0.15 + 0.7 * (k - 0.5) / n))
        return positions

    def ticks(self) -> list[tuple[float, str]]:
        """Return where numbers stand, and how they are written; 0 in the middle of its strip."""
        known = [(log10(share), f"{100 * share:g}\u00a0%") for share in self._ticks()]
        return [((self.left + self.split) / 2, "0"), *known] if self.zeros else known

    @property
    def left(self) -> float:
        """The left end of all."""
        return self.split - (_STRIP * self._span if self.zeros else 0.0)

    @property
    def right(self) -> float:
        """The right end of all."""
        return self.high + _MARGIN * self._span

    def _ticks(self) -> list[float]:
        """Powers of ten; between them 2 and 5 where there are few."""
        powers = range(floor(self.low), ceil(self.high) + 1)
        for digits in ((1, 2, 5), (1, 3), (1,)):
            inside = [d * 10.0**k for k in powers for d in digits if self.split <= log10(d) + k <= self.high]
            if len(inside) <= _MOST_TICKS:
                break
        return inside[:: max(1, ceil(len(inside) / _MOST_TICKS))]


@dataclass(frozen=True, slots=True)
class Mark:
    """One number.

    Attributes:
        value: None: nothing is drawn.
        low, high: its interval, where there is one.
        note: shown when pointed at; ``href``: where a click leads; empty: nowhere.
        text: said on the mark; ``right``: whether it is as asked, None where that is no question.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    href: str = ""
    text: str = ""
    right: bool | None = None


@dataclass(frozen=True, slots=True)
class Series:
    """Marks of one name, one for each label of the figure; a ``reference`` to compare the others with looks unlike them."""

    name: str
    marks: Sequence[Mark]
    reference: bool = False


def heat(rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[Mark]], axes: tuple[str, str]) -> Element:
    """Return a table of shares: blue what is as asked, orange what is not, the darker the more.

    Args:
        rows: names of the lines.
        columns: names of the columns.
        cells: a mark for each line and column.
        axes: what columns and lines are.
    """
    corner = " \\ ".join(filter(None, (axes[1], axes[0])))
    heads = [htpy.th(scope="col")[name] for name in columns]
    lines = [
        htpy.tr[htpy.th(scope="row")[row], [_heat_cell(mark) for mark in marks]] for row, marks in zip(rows, cells, strict=True)
    ]
    return htpy.div(class_="cc-scroll", tabindex="0", role="group", aria_label="A figure; arrows scroll it")[
        htpy.table(class_="cc-heatmap")[htpy.thead[htpy.tr[htpy.td[corner], heads]], htpy.tbody[lines]]
    ]


def _heat_cell(mark: Mark) -> Element:
    if mark.value is None:
        return htpy.td(class_="is-empty")
    side = {True: "is-right", False: "is-wrong", None: "is-neither"}[mark.right]
    kinds = ["cc-heatmap-cell", side, mark.value >= _STRONG and "is-strong", not mark.value and "is-none"]
    return htpy.td(class_=kinds, style=f"--shade:{mark.value:z.3f}")[_linked(mark, mark.text)]


def dots(
    labels: Sequence[str], series: Sequence[Series], axis: str, *, scale: Axis = SHARES, chance: float | None = None
) -> Element:
    """Return numbers with intervals, a row for each label and in it a mark for each series.

    Args:
        labels: names of the rows.
        series: their marks.
        axis: what the numbers are.
        scale: where they stand.
        chance: a value to compare with, as a dashed line.
    """
    lines = [
        htpy.div(class_="cc-dots-row", role="listitem")[
            htpy.span(class_="cc-dots-label", title=label)[label],
            htpy.div[[_dot(each, n, k, scale, chance) for k, each in enumerate(series)]],
        ]
        for n, label in enumerate(labels)
    ]
    return htpy.figure(class_="cc-dots-figure")[
        _legend([each.name for each in series], [each.reference for each in series]) if len(series) > 1 else "",
        htpy.div(role="list")[lines],
        htpy.div(class_="cc-dots-row")[htpy.span, _scale(scale)],
        htpy.figcaption[axis],
    ]


def _scale(scale: Axis) -> Element:
    if scale is not SHARES:
        return axis_scale(scale)
    places = [htpy.i(style=f"left:{100 * tick:g}%")[f"{100 * tick:g}\u00a0%"] for tick in scale.ticks]
    return htpy.span(class_="cc-axis", aria_hidden="true")[places]


def _dot(series: Series, n: int, k: int, scale: Axis, chance: float | None) -> Node:
    mark = series.marks[n]
    if mark.value is None:
        return htpy.span(class_="cc-dots-none", title=f"{series.name}: no number")["–"]
    drawn = dot(mark, scale, "open" if series.reference else "scorer", chance=chance)
    return htpy.div(class_=["cc-dots-mark", series.reference and "is-reference"], style=f"--hue:{_hue(series, k)}")[
        _linked(mark, drawn)
    ]


def lines(x: Sequence[str], series: Sequence[Series], axes: tuple[str, str], at: str = "") -> Element:
    """Return a row for each place on an axis, a mark for each series; the place ``at`` is marked as the present one."""
    labels = [f"{place} (now)" if place == at else place for place in x]
    known = [end for each in series for mark in each.marks for end in (mark.value, mark.low, mark.high) if end is not None]
    scale = SHARES if all(0 <= number <= 1 for number in known) else axis_of(known)
    return dots(labels, series, f"{axes[1]}, by {axes[0]}", scale=scale)


def stacked(labels: Sequence[str], parts: Sequence[Series], axis: str) -> Element:
    """Return shares of a whole side by side, a bar for each label; the parts in the palette's order, their shares on them."""
    bars = [
        htpy.div(class_="cc-dots-row", role="listitem")[
            htpy.span(class_="cc-dots-label", title=label)[label],
            htpy.div(class_="cc-share-bar")[[_part(part.marks[n], k) for k, part in enumerate(parts) if part.marks[n].value]],
        ]
        for n, label in enumerate(labels)
    ]
    return htpy.figure(class_="cc-dots-figure")[
        _legend([part.name for part in parts]),
        htpy.div(role="list")[bars],
        htpy.div(class_="cc-dots-row")[htpy.span, _scale(SHARES)],
        htpy.figcaption[axis],
    ]


def _part(mark: Mark, k: int) -> Element:
    share = mark.value or 0.0
    style = f"flex-basis:{100 * share:z.2f}%;--hue:{_color(k)};color:{_legible(_rgb(_color(k)))}"
    return htpy.span(class_="cc-share-part", style=style)[_linked(mark, mark.text if share > 0.06 else "\u00a0")]


_WIDTH, _HEIGHT, _EDGE = 460, 320, 48


def scatter(at: Sequence[float], series: Sequence[Series], axis: str) -> Element:
    """Return shares over another share ``at``, a panel for each series with a mark for each place; that axis is logarithmic.

    Marks at 0 stand apart.
    """
    over = LogAxis.of(at)
    places = over.positions(at)
    panels = [_panel(each, k, places, over, axis) for k, each in enumerate(series)]
    return htpy.div(class_="cc-clouds")[panels]


def _panel(series: Series, k: int, places: Sequence[float], over: LogAxis, axis: str) -> Element:
    def across(place: float) -> str:
        return f"{_EDGE + (_WIDTH - _EDGE - 12) * (place - over.left) / (over.right - over.left):z.1f}"

    def upwards(share: float) -> str:
        return f"{12 + (_HEIGHT - _EDGE - 12) * (1 - share):z.1f}"

    ends = {"y1": upwards(0.0), "y2": upwards(1.0)}
    marks = [
        htpy.a({"href": mark.href or None, "aria-label": mark.note})[
            htpy.circle(cx=across(place), cy=upwards(mark.value), r="5")[htpy.title[mark.note]]
        ]
        for place, mark in zip(places, series.marks, strict=True)
        if mark.value is not None
    ]
    ticks = [
        [
            htpy.line(class_="cc-tuned-curve-grid", x1=f"{_EDGE}", x2=f"{_WIDTH - 12}", y1=upwards(share), y2=upwards(share)),
            htpy.text(x=f"{_EDGE - 6}", y=upwards(share - 0.012), text_anchor="end")[f"{100 * share:g}\u00a0%"],
        ]
        for share in SHARES.ticks
    ]
    names = [htpy.text(x=across(place), y=f"{_HEIGHT - 30}", text_anchor="middle")[name] for place, name in over.ticks()]
    return htpy.figure(class_="cc-cloud", style=f"--hue:{_color(k)}")[
        htpy.figcaption[series.name],
        htpy.svg(viewbox=f"0 0 {_WIDTH} {_HEIGHT}", role="group", aria_label=f"{series.name} over {axis}")[
            ticks,
            over.zeros and htpy.line(ends, class_="cc-tuned-curve-now", x1=across(over.split), x2=across(over.split)),
            names,
            htpy.text(x=f"{_WIDTH / 2:g}", y=f"{_HEIGHT - 8}", text_anchor="middle")[axis],
            marks,
        ],
    ]


def _linked(mark: Mark, content: Node) -> Node:
    """Return what stands for a mark, as a link to its images where it has any."""
    if not mark.href:
        return htpy.span(title=mark.note or None)[content]
    return htpy.a(href=mark.href, title=mark.note or None, aria_label=mark.note or None)[content]


def _legend(names: Sequence[str], references: Sequence[bool] = ()) -> Element:
    kinds = references or [False] * len(names)
    return htpy.p(class_="cc-legend")[
        [
            htpy.span[htpy.i(class_=["cc-point", plain and "is-reference"], style=f"background:{_color(k)}"), name]
            for k, (name, plain) in enumerate(zip(names, kinds, strict=True))
        ]
    ]


def _color(k: int) -> str:
    return chart_colors.SERIES[k % len(chart_colors.SERIES)]


def _hue(series: Series, k: int) -> str:
    return chart_colors.FAINT if series.reference else _color(k)


_Rgb = tuple[float, float, float]


def _rgb(color: str) -> _Rgb:
    red, green, blue = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue


def _legible(ground: _Rgb) -> str:
    """Return black or white, whichever has the higher contrast with a colour (WCAG 2, relative luminance)."""

    def contrast(ink: str) -> float:
        low, high = sorted((_luminance(_rgb(ink)), _luminance(ground)))
        return (high + 0.05) / (low + 0.05)

    return max((chart_colors.BLACK, chart_colors.PAPER), key=contrast)


def _luminance(color: _Rgb) -> float:
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
