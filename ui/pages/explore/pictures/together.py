"""How often pairs of classes are together in photographs, beside how often generators show them together (VISOR, Figure 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agreement.estimates import UnitCorrelation, correlate_units
from concord.common import wording
from data.formats.cooccurrence import Cooccurrence
from scorers.failures import ANY, FailureCell
from scorers.failures.objects import BOTH, HELD, as_required, class_pairs
from ui.components.table import Cell as HtmlCell
from ui.components.table import html_table, note
from ui.failure_charts import scatter
from ui.pages.explore.pictures.shown import Drawn, Shown, percent

_MOST_ROWS = 300
_NAMES = {BOTH: "both objects found", HELD: "as asked, where both are found"}


@dataclass(frozen=True, slots=True)
class _Pair:
    """A pair of classes that is asked for.

    Attributes:
        share: its P_COCO; None where the file does not have both classes.
        cells: what is shown of it, in the order of _NAMES.
    """

    asked: str
    share: float | None
    cells: tuple[FailureCell, ...]


def cooccurrence(shown: Shown) -> Drawn:
    """A mark for each pair of classes, and Spearman's rho."""
    known = shown.cooccurrence
    assert known is not None
    each = [
        _Pair(asked, known.share(*names), tuple(_cell(shown, asked, found) for found in _NAMES))
        for asked, names in class_pairs(shown.table).items()
        if shown.cell(asked).n
    ]
    placed = sorted((one for one in each if one.share is not None), key=lambda one: (-(one.share or 0), one.asked))
    strange = [one for one in each if one.share is None]
    if not placed:
        told = f"None of the {wording.count(len(each), 'pair')} of classes asked for is among those that {known.name} names."
        return Drawn(told, None, _below(known, placed, strange) + _table(shown, strange))
    series = [shown.series(name, [one.cells[k] for one in placed]) for k, name in enumerate(_NAMES.values())]
    figure = scatter([one.share or 0.0 for one in placed], series, f"images with both classes in {known.name}")
    rhos = _rhos(shown, placed)
    # the last row is what is drawn: all that are shown together
    lead = " ".join(_about(found, rho, known.name) for found, rho in zip(_NAMES, [*rhos.values()][-1], strict=True))
    tables = _correlations(rhos) + _table(shown, [*placed, *strange])
    return Drawn(lead, figure, _below(known, placed, strange) + tables)


def _cell(shown: Shown, asked: str, found: str, generator: str = ANY) -> FailureCell:
    who = generator or shown.generator
    return as_required(shown.table, asked, who) if found == HELD else shown.table.cell(asked, found, who)


def _rhos(shown: Shown, placed: Sequence[_Pair]) -> dict[str, list[UnitCorrelation]]:
    """By generator, and of all that are shown together (ANY) if they are several."""
    found = {}
    for name in (*shown.generators, *([ANY] if len(shown.generators) > 1 else [])):
        cells = [one.cells if name == ANY else [_cell(shown, one.asked, what, name) for what in _NAMES] for one in placed]
        found[name] = [_rho(placed, [some[k] for some in cells], what) for k, what in enumerate(_NAMES)]
    return found


def _rho(placed: Sequence[_Pair], cells: Sequence[FailureCell], found: str) -> UnitCorrelation:
    """Over the pairs of which there is an image to take a share of."""
    known = [(one.share or 0.0, cell.hits / cell.n) for one, cell in zip(placed, cells, strict=True) if cell.n]
    names = ("co-occurrence", f"the share of images ({_NAMES[found]})")
    return correlate_units("spearman", [x for x, _ in known], [y for _, y in known], names, "pair")


def _about(found: str, rho: UnitCorrelation, name: str) -> str:
    what = "Both objects are found" if found == BOTH else "Where both are found, images are as asked"
    if rho.value is None:
        return f"{_NAMES[found].capitalize()}: no correlation with co-occurrence, as {rho.reason}."
    span = f" (95\u00a0%: {_span(rho)})" if _span(rho) else ""
    number = f"Spearman’s rho {wording.two(rho.value)}{span}, {wording.count(rho.n, 'pair')}"
    if rho.low is None or rho.high is None or rho.low <= 0 <= rho.high:
        return f"{what} neither clearly more nor clearly less often for classes that are often together in {name} ({number})."
    return f"{what} {'more' if rho.value > 0 else 'less'} often for classes that are often together in {name} ({number})."


def _span(rho: UnitCorrelation) -> str:
    return "" if rho.low is None or rho.high is None else f"{wording.two(rho.low)} to {wording.two(rho.high)}"


def _below(known: Cooccurrence, placed: Sequence[_Pair], strange: Sequence[_Pair]) -> str:
    never = sum(one.share == 0 for one in placed)
    told = [
        f"Co-occurrence: images of {known.name} that hold both classes, of its {wording.count(known.images, 'image')} with"
        f" annotations (VISOR’s P_COCO), on a logarithmic axis. Never together: {wording.count(never, 'pair')}"
        + (", which stand apart, at 0, and are the lowest in every correlation." if never else ".")
    ]
    if strange:
        count = wording.count(len(strange), "pair")
        told.append(f"In no figure and no correlation, as {known.name} lacks a class of theirs: {count}.")
    told.append(
        "“As asked” is looked at where a relation or colours are asked; for VISOR’s relations it is VISOR_cond. Spearman’s rho"
        " is over pairs of classes; its 95\u00a0% interval takes pairs as independent."
    )
    return "".join(map(note, told))


def _correlations(rhos: Mapping[str, Sequence[UnitCorrelation]]) -> str:
    rows: list[list[str | HtmlCell]] = [[name or "all generators", *_correlated(some)] for name, some in rhos.items()]
    heads: list[str | HtmlCell] = ["generator", *map(HtmlCell, _NAMES.values())]
    return html_table("Spearman’s rho with co-occurrence", heads, rows)


def _correlated(rhos: Sequence[UnitCorrelation]) -> Iterator[HtmlCell]:
    for rho in rhos:
        value = "–" if rho.value is None else wording.two(rho.value)
        yield HtmlCell(value, f"{_span(rho) or rho.reason or 'no interval'}, {wording.count(rho.n, 'pair')}", rho.method)


def _table(shown: Shown, each: Sequence[_Pair]) -> str:
    """A row for each pair, the most often together first; of very many those of both ends."""
    half = _MOST_ROWS // 2
    some = each if len(each) <= _MOST_ROWS else [*each[:half], *each[-half:]]
    left = f" (the first and the last {half} of {len(each):,})" if len(some) < len(each) else ""
    heads: list[str | HtmlCell] = ["classes", HtmlCell("together"), HtmlCell("images"), *map(HtmlCell, _NAMES.values())]
    rows: list[list[str | HtmlCell]] = [
        [one.asked, _share(one), shown.count(shown.cell(one.asked)), *map(shown.number, one.cells)] for one in some
    ]
    return html_table(f"By pair of classes{left}", heads, rows)


def _share(one: _Pair) -> HtmlCell:
    if one.share is None:
        return HtmlCell("–", note="a class that the file does not name")
    return HtmlCell(told_share(one.share))


def told_share(share: float) -> str:
    """``0.62 %``; small ones are not rounded to nothing."""
    return f"{100 * share:.2g}\u00a0%" if share < 0.1 else percent(share)
