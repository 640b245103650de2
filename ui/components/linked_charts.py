"""Figures whose marks are links to their images. Colours are Okabe and Ito's, apart for all readers.

A mark's link is an annotation over it, as Plotly lets only these be clicked; text is escaped, as Plotly reads a little HTML.
``LogAxis`` is a logarithmic axis of shares on which 0 has a position of its own: a logarithm has none for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Final

from ui.components import chart_colors
from ui.components.charts import error_bars, legend, name_rows, plain, short
from ui.components.plotly_text import escaped, in_lines, linked

if TYPE_CHECKING:
    import plotly.graph_objects as go


_MOST_TICKS: Final = 6
_LEAST_SPAN: Final = 0.6
_STRIP: Final = 0.16
_MARGIN: Final = 0.05


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

    def options(self) -> dict[str, Any]:
        """Plotly's ``range``, ``tickvals`` and ``ticktext``."""
        ticks = {log10(share): f"{100 * share:g}\u00a0%" for share in self._ticks()}
        left = self.split
        if self.zeros:
            left -= _STRIP * self._span
            ticks = {(left + self.split) / 2: "0"} | ticks
        right = self.high + _MARGIN * self._span
        return {"range": [left, right], "tickvals": [*ticks], "ticktext": [*ticks.values()]}

    def _ticks(self) -> list[float]:
        """Powers of ten; between them 2 and 5 where there are few."""
        powers = range(floor(self.low), ceil(self.high) + 1)
        for digits in ((1, 2, 5), (1, 3), (1,)):
            inside = [d * 10.0**k for k in powers for d in digits if self.split <= log10(d) + k <= self.high]
            if len(inside) <= _MOST_TICKS:
                break
        return inside[:: max(1, ceil(len(inside) / _MOST_TICKS))]


_SYMBOLS: Final = ("circle", "square", "diamond", "triangle-up", "x", "star", "hexagon")
_ROW: Final = 44
_SERIES: Final = 17
_GAP: Final = 0.1
_LINKED: Final = 300
"""So many links are in a panel at most: a page with thousands of them is slow."""
_BARRED: Final = 60
# what may stand in an address as it is, though Python writes it otherwise: Plotly would encode it a second time
_PLAIN: Final = {"%2F": "/", "%3A": ":", "%40": "@", "%2C": ",", "%3F": "?", "%3B": ";", "%24": "$", "%3D": "="}
_TWICE: Final = ("%26", "%23", "%2B")


@dataclass(frozen=True, slots=True)
class Mark:
    """One number.

    Attributes:
        value: 0 to 1; None: nothing is drawn.
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


def heat(rows: Sequence[str], columns: Sequence[str], cells: Sequence[Sequence[Mark]], axes: tuple[str, str]) -> go.Figure:
    """A table of shares: blue what is as asked, orange what is not, the darker the more. ``axes``: names of x and y."""
    import plotly.graph_objects as go

    figure = go.Figure(
        go.Heatmap(
            z=[[_signed(mark) for mark in row] for row in cells],
            x=list(range(len(columns))),
            y=list(range(len(rows))),
            zmin=-1,
            zmax=1,
            colorscale=[[0, chart_colors.WRONG], [0.5, chart_colors.EMPTY], [1, chart_colors.RIGHT]],
            showscale=False,
            xgap=3,
            ygap=3,
            hoverinfo="skip",
        )
    )
    for y, row in enumerate(cells):
        for x, mark in enumerate(row):
            if mark.value is not None:
                _annotate(figure, x, y, mark, mark.text, _legible(_shade(mark)) if mark.value else chart_colors.FAINT)
    plain(figure, height=(112 if axes[0] else 68) + _ROW * len(rows))
    figure.update_xaxes(**_named(columns), title=escaped(axes[0]), side="top", showgrid=False, zeroline=False)
    name_rows(figure, _short(rows))
    figure.update_yaxes(title=escaped(axes[1]))
    figure.update_layout(margin={"t": 92 if axes[0] else 48, "b": 12})
    return figure


def dots(labels: Sequence[str], series: Sequence[Series], axis: str, *, line: float | None = None) -> go.Figure:
    """Shares with intervals, a row for each label and in it a mark for each series; ``line``: a value to compare with."""
    import plotly.graph_objects as go

    figure = go.Figure()
    step = 0.72 / max(len(series), 1)
    for k, each in enumerate(series):
        at = [n + (k - (len(series) - 1) / 2) * step for n in range(len(labels))]
        known = [(y, mark) for y, mark in zip(at, each.marks, strict=True) if mark.value is not None]
        bars = _bars([mark for _, mark in known], _hue(each, k))
        where = {"x": [mark.value for _, mark in known], "y": [y for y, _ in known], "error_x": bars}
        figure.add_trace(go.Scatter(**where, **_looks(each, k, size=11), mode="markers"))
        for y, mark in known:
            _cover(figure, mark.value, y, mark)
    if line is not None:
        figure.add_vline(line, line={"color": chart_colors.REFERENCE, "dash": "dot"})
    # a heading above, an axis below; each row as high as its marks need
    plain(figure, height=112 + len(labels) * max(34, 14 + _SERIES * len(series)))
    figure.update_xaxes(title=escaped(axis), range=[-0.02, 1.02], tickformat=".0%")
    name_rows(figure, _short(labels))
    for n in range(1, len(labels)):
        figure.add_hline(n - 0.5, line={"color": chart_colors.GRID, "width": 1})
    return legend(figure, several=len(series) > 1)


def stacked(labels: Sequence[str], parts: Sequence[Series], axis: str) -> go.Figure:
    """Shares of a whole side by side, a bar for each label; the parts in the palette's order, with their shares on them."""
    import plotly.graph_objects as go

    figure = go.Figure()
    start = [0.0] * len(labels)
    for k, part in enumerate(parts):
        widths = [mark.value or 0.0 for mark in part.marks]
        figure.add_trace(
            go.Bar(
                name=escaped(part.name),
                x=widths,
                y=list(range(len(labels))),
                base=list(start),
                orientation="h",
                width=0.66,
                marker={"color": _color(k), "line": {"color": chart_colors.PAPER, "width": 1}},
                hoverinfo="skip",
            )
        )
        for y, (mark, width) in enumerate(zip(part.marks, widths, strict=True)):
            if width:
                _annotate(figure, start[y] + width / 2, y, mark, mark.text if width > 0.03 else "│", _legible(_rgb(_color(k))))
            start[y] += width
    plain(figure, height=120 + _ROW * len(labels))
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(title=escaped(axis), range=[0, 1], tickformat=".0%")
    name_rows(figure, _short(labels))
    return legend(figure, several=True)


def lines(x: Sequence[str], series: Sequence[Series], axes: tuple[str, str], at: str = "") -> go.Figure:
    """A line for each series over ``x``, with its intervals; ``at``: the place on x that is marked."""
    import plotly.graph_objects as go

    figure = go.Figure()
    for k, each in enumerate(series):
        shift = (k - (len(series) - 1) / 2) * 0.04
        known = [(n + shift, mark) for n, mark in enumerate(each.marks) if mark.value is not None]
        bars = _bars([mark for _, mark in known], _hue(each, k))
        where = {"x": [n for n, _ in known], "y": [mark.value for _, mark in known], "error_y": bars}
        line = {"color": _hue(each, k), "width": 2, "dash": "dash" if each.reference else "solid"}
        figure.add_trace(go.Scatter(**where, **_looks(each, k, size=10), mode="lines+markers", line=line))
        for n, mark in known:
            _cover(figure, n, mark.value, mark)
    if at in x:
        figure.add_vline(list(x).index(at), line={"color": chart_colors.REFERENCE, "dash": "dot"})
    plain(figure, height=420)
    figure.update_xaxes(**_named(x), title=escaped(axes[0]), range=[-0.4, len(x) - 0.6], showgrid=False, zeroline=False)
    figure.update_yaxes(title=escaped(axes[1]), tickformat=".0%", rangemode="tozero")
    return legend(figure, several=True)


def scatter(at: Sequence[float], series: Sequence[Series], axis: str) -> go.Figure:
    """Shares over another share ``at``, a panel for each series with a mark for each place; that axis is logarithmic.

    Marks at 0 stand apart. In a panel of more than _LINKED places no mark is a link of its own: the page follows a click to the
    address that each has as ``customdata``.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    over = LogAxis.of(at)
    positions, few = over.positions(at), len(at) <= _LINKED
    width = (1 + _GAP) / max(len(series), 1) - _GAP
    plain(figure, height=440)
    for k, each in enumerate(series):
        n, color = str(k + 1) if k else "", _color(k)
        known = [(x, mark) for x, mark in zip(positions, each.marks, strict=True) if mark.value is not None]
        looks = {"size": 10 if few else 6, "color": color, "symbol": _SYMBOLS[k], "opacity": 0.8 if few else 0.45}
        hover: dict[str, Any] = {"hoverinfo": "skip"}
        if not few:
            marks = [mark for _, mark in known]
            notes = [in_lines(mark.note) for mark in marks]
            hover = {"hoverinfo": "text", "hovertext": notes, "customdata": [mark.href for mark in marks]}
        bars = _bars([mark for _, mark in known], color) | {"thickness": 1, "width": 0} if len(at) <= _BARRED else None
        x, y = [position for position, _ in known], [mark.value for _, mark in known]
        figure.add_trace(
            go.Scatter(x=x, y=y, mode="markers", marker=looks, error_y=bars, xaxis=f"x{n}", yaxis=f"y{n}", **hover)
        )
        for position, mark in known if few else ():
            unseen: dict[str, Any] = {"opacity": 0, "font": {"size": 16}, "xref": f"x{n}", "yref": f"y{n}"}
            _annotate(figure, position, mark.value, mark, "■", chart_colors.INK, **unseen)
        if over.zeros:
            line = {"color": chart_colors.REFERENCE, "dash": "dot", "width": 1}
            ends = {"x0": over.split, "x1": over.split, "y0": 0, "y1": 1}
            figure.add_shape(type="line", line=line, xref=f"x{n}", yref=f"y{n} domain", **ends)
        start = k * (width + _GAP)
        across = {"domain": [start, start + width], "anchor": f"y{n}", "title": escaped(axis), **over.options()}
        upwards = {"anchor": f"x{n}", "title": escaped(each.name), "range": [-0.04, 1.04], "tickformat": ".0%"}
        grid = {"gridcolor": chart_colors.GRID, "zeroline": False, "automargin": True}
        figure.update_layout({f"xaxis{n}": across | grid, f"yaxis{n}": upwards | grid})
    return figure


def _signed(mark: Mark) -> float | None:
    if mark.value is None or mark.right is None:
        return None if mark.value is None else 0.0
    return mark.value if mark.right else -mark.value


def _annotate(figure: go.Figure, x: Any, y: Any, mark: Mark, text: str, color: str, **options: Any) -> None:
    """A text that is a link and tells more when pointed at."""
    shown = in_lines(text)
    href = _href(mark.href)
    if href:
        shown = linked(shown, href, color)
    font = {"color": color, "size": 13} | options.pop("font", {})
    figure.add_annotation(x=x, y=y, text=shown, showarrow=False, font=font, hovertext=in_lines(mark.note), **options)


def _cover(figure: go.Figure, x: Any, y: Any, mark: Mark) -> None:
    """What is clicked and pointed at in place of a marker: nothing to be seen, as large as a finger needs."""
    _annotate(figure, x, y, mark, "■", chart_colors.INK, opacity=0, font={"size": 24})


def _href(address: str) -> str:
    """An address as Plotly leaves it alone; empty where it would not, for the table beneath has the link, too."""
    if any(code in address for code in _TWICE):
        return ""
    for code, sign in _PLAIN.items():
        address = address.replace(code, sign)
    return escaped(address)


def _bars(marks: Sequence[Mark], color: str) -> dict[str, Any]:
    return error_bars(marks, color)


def _short(labels: Sequence[str]) -> list[str]:
    return [escaped(short(label)) for label in labels]


def _named(labels: Sequence[str]) -> dict[str, Any]:
    return {"tickvals": list(range(len(labels))), "ticktext": _short(labels)}


def _color(k: int) -> str:
    return chart_colors.SERIES[k % len(chart_colors.SERIES)]


def _hue(each: Series, k: int) -> str:
    return chart_colors.FAINT if each.reference else _color(k)


def _looks(each: Series, k: int, size: int) -> dict[str, Any]:
    """A series' name and marker, which is not pointed at itself."""
    line = {"width": 2, "color": chart_colors.FAINT} if each.reference else {}
    symbol = "diamond-open" if each.reference else _SYMBOLS[k % len(_SYMBOLS)]
    marker = {"size": size, "color": _hue(each, k), "symbol": symbol, "line": line}
    return {"name": escaped(short(each.name)), "marker": marker, "hoverinfo": "skip"}


_Rgb = tuple[float, float, float]


def _rgb(color: str) -> _Rgb:
    red, green, blue = (int(color[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return red, green, blue


def _shade(mark: Mark) -> _Rgb:
    """The colour that a cell of ``heat`` has."""
    signed = _signed(mark) or 0.0
    full, empty = _rgb(chart_colors.RIGHT if signed > 0 else chart_colors.WRONG), _rgb(chart_colors.EMPTY)
    red, green, blue = (b + abs(signed) * (a - b) for a, b in zip(full, empty, strict=True))
    return red, green, blue


def _legible(ground: _Rgb) -> str:
    """Ink or paper, whichever has the higher contrast with a colour (WCAG 2, relative luminance)."""

    def contrast(ink: str) -> float:
        low, high = sorted((_luminance(_rgb(ink)), _luminance(ground)))
        return (high + 0.05) / (low + 0.05)

    return max((chart_colors.INK, chart_colors.PAPER), key=contrast)


def _luminance(color: _Rgb) -> float:
    parts = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
