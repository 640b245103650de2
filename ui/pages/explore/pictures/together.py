"""How often pairs of classes are together in photographs, beside how often generators show them together (VISOR, Figure 10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agreement.across import Across, across
from data.cooccurrence import Cooccurrence
from scorers.failures import ANY, Cell
from scorers.failures.together import BOTH, HELD, held, pairs
from ui import words
from ui.components.table import Cell as HtmlCell
from ui.components.table import html_table, note
from ui.failure_charts import scatter
from ui.pages.explore.pictures.shown import Drawn, Shown, percent, shared

_MOST_ROWS = 300
_NAMES = {BOTH: "both objects found", HELD: "as asked, where both are found"}


@dataclass(frozen=True, slots=True)
class _Pair:
    """A pair of classes that is asked for, and its P_COCO; None where the file does not have both classes."""

    asked: str
    share: float | None


def cooccurrence(shown: Shown) -> Drawn:
    """A mark for each pair of classes, and Spearman's rho."""
    known = shown.cooccurrence
    assert known is not None
    each = [_Pair(asked, known.share(*names)) for asked, names in pairs(shown.table).items() if shown.cell(asked).n]
    placed = sorted((one for one in each if one.share is not None), key=lambda one: (-(one.share or 0), one.asked))
    strange = [one for one in each if one.share is None]
    if not placed:
        told = f"None of the {words.count(len(each), 'pair')} of classes asked for is among those that {known.name} names."
        return Drawn(told, None, _below(known, placed, strange) + _table(shown, strange))
    at = [one.share or 0.0 for one in placed]
    series = [shown.series(name, [_cell(shown, one.asked, found) for one in placed]) for found, name in _NAMES.items()]
    figure = scatter(at, series, f"images with both classes in {known.name}")
    lead = " ".join(_about(found, rho, known.name) for found, rho in ((name, _rho(shown, placed, name)) for name in _NAMES))
    tables = _correlations(shown, placed) + _table(shown, [*placed, *strange])
    return Drawn(lead, figure, _below(known, placed, strange) + tables)


def _cell(shown: Shown, asked: str, found: str, generator: str = ANY) -> Cell:
    who = generator or shown.generator
    return held(shown.table, asked, who) if found == HELD else shown.table.cell(asked, found, who)


def _rho(shown: Shown, placed: Sequence[_Pair], found: str, generator: str = ANY) -> Across:
    """Over the pairs of which there is an image to take a share of."""
    points = [(one.share or 0.0, shared(_cell(shown, one.asked, found, generator)).value) for one in placed]
    known = [(x, y) for x, y in points if y is not None]
    names = ("co-occurrence", f"the share of images ({_NAMES[found]})")
    return across("spearman", [x for x, _ in known], [y for _, y in known], names, "pair")


def _about(found: str, rho: Across, name: str) -> str:
    what = "Both objects are found" if found == BOTH else "Where both are found, images are as asked"
    if rho.value is None:
        return f"{_NAMES[found].capitalize()}: no correlation with co-occurrence, as {rho.reason}."
    number = f"Spearman’s rho {_number(rho)}, {words.count(rho.n, 'pair')}"
    if rho.low is None or rho.high is None or rho.low <= 0 <= rho.high:
        return f"{what} neither clearly more nor clearly less often for classes that are often together in {name} ({number})."
    return f"{what} {'more' if rho.value > 0 else 'less'} often for classes that are often together in {name} ({number})."


def _number(rho: Across) -> str:
    if rho.value is None:
        return "–"
    span = (
        f" (95\u00a0%: {words.two(rho.low)} to {words.two(rho.high)})" if rho.low is not None and rho.high is not None else ""
    )
    return words.two(rho.value) + span


def _below(known: Cooccurrence, placed: Sequence[_Pair], strange: Sequence[_Pair]) -> str:
    never = sum(one.share == 0 for one in placed)
    told = [
        f"Co-occurrence: images of {known.name} that hold both classes, of its {words.count(known.images, 'image')} with"
        f" annotations (VISOR’s P_COCO), on a logarithmic axis. Never together: {words.count(never, 'pair')}"
        + (", which stand apart, at 0, and are the lowest in every correlation." if never else ".")
    ]
    if strange:
        count = words.count(len(strange), "pair")
        told.append(f"In no figure and no correlation, as {known.name} lacks a class of theirs: {count}.")
    told.append(
        "“As asked” is looked at where a relation or colours are asked; for VISOR’s relations it is VISOR_cond. Spearman’s rho"
        " is over pairs of classes; its 95\u00a0% bootstrap interval draws pairs as if they were independent."
    )
    return "".join(map(note, told))


def _correlations(shown: Shown, placed: Sequence[_Pair]) -> str:
    names = [*shown.generators, *([ANY] if len(shown.generators) > 1 else [])]
    rows: list[list[str | HtmlCell]] = [[name or "all generators", *_correlated(shown, placed, name)] for name in names]
    heads: list[str | HtmlCell] = ["generator"]
    for name in _NAMES.values():
        heads += [HtmlCell(f"rho, {name}"), HtmlCell("pairs")]
    return html_table("Spearman’s rho with co-occurrence", heads, rows)


def _correlated(shown: Shown, placed: Sequence[_Pair], generator: str) -> Iterator[HtmlCell]:
    for found in _NAMES:
        rho = _rho(shown, placed, found, generator)
        low_high = f"{words.two(rho.low)} to {words.two(rho.high)}" if rho.low is not None and rho.high is not None else ""
        yield HtmlCell(_number(rho).split(" ")[0], low_high, rho.reason or rho.method)
        yield HtmlCell(f"{rho.n:,}")


def _table(shown: Shown, each: Sequence[_Pair]) -> str:
    """A row for each pair, the most often together first; of very many those of both ends."""
    half = _MOST_ROWS // 2
    some = each if len(each) <= _MOST_ROWS else [*each[:half], *each[-half:]]
    left = f" (the first and the last {half} of {len(each):,})" if len(some) < len(each) else ""
    heads: list[str | HtmlCell] = ["classes", HtmlCell("together"), HtmlCell("images"), *map(HtmlCell, _NAMES.values())]
    rows: list[list[str | HtmlCell]] = [
        [
            one.asked,
            _share(one),
            shown.count(shown.cell(one.asked)),
            *(shown.number(_cell(shown, one.asked, name)) for name in _NAMES),
        ]
        for one in some
    ]
    return html_table(f"By pair of classes{left}", heads, rows)


def _share(one: _Pair) -> HtmlCell:
    if one.share is None:
        return HtmlCell("–", note="a class that the file does not name")
    return HtmlCell(told_share(one.share))


def told_share(share: float) -> str:
    """``0.62 %``; small ones are not rounded to nothing."""
    return f"{100 * share:.2g}\u00a0%" if share < 0.1 else percent(share)
