"""What was asked for against what was found, as tables of shares: numbers, colours, relations; and pairs of supercategories."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from concord.common import wording
from scorers.failures import ANY, FailureCell
from scorers.failures.colors import NOT_FOUND
from scorers.failures.objects import (
    BOTH_BUT,
    CORRECT,
    GROUPS,
    NO_RELATION,
    NOT_BOTH,
    OPPOSITE,
    OPPOSITES,
    TOO_FEW,
    TOO_MANY,
    pair_name,
    split_pair,
)
from scorers.failures.tables import AS_ASKED, NOT_AS_ASKED
from scorers.visor.results import RELATIONS
from ui.components.table import Cell as HtmlCell
from ui.components.table import html_table, note
from ui.failure_charts import Mark, heat
from ui.pages.explore.pictures.shown import Drawn, Shown, percent, shared

_FEW = 8
"""Shares of fewer images are not called the highest or the lowest, where there are others."""
_AXES = ("found", "asked for")


def counts(shown: Shown) -> Drawn:
    """Asked and found numbers."""
    columns = [name for name in shown.table.found if name not in (AS_ASKED, TOO_FEW, TOO_MANY)]
    right, few, many = (shared(shown.cell(found=name)) for name in (AS_ASKED, TOO_FEW, TOO_MANY))
    lead = (
        f"In {percent(1 - (right.value or 0))} of {wording.count(right.n, 'image')} the number is not the asked one: too few in"
        f" {percent(few.value or 0)}, too many in {percent(many.value or 0)}."
    )
    worst = _commonest(shown, columns)
    if worst:
        lead += f" The most frequent mistake: asked for {worst.asked}, found {worst.found}, in {shown.briefly(worst)}."
    figure = _square(shown, columns, _is_same)
    return Drawn(lead, figure, _matrix(shown, columns) + _by_generator(shown, (AS_ASKED, TOO_FEW, TOO_MANY)))


def colors(shown: Shown) -> Drawn:
    """Asked and found colours."""
    columns = [name for name in shown.table.found if name not in (AS_ASKED, NOT_AS_ASKED, NOT_FOUND)]
    right, missing = shared(shown.cell(found=AS_ASKED)), shown.cell(found=NOT_FOUND)
    if right.value is None:
        return Drawn(f"Of {wording.count(missing.n, 'object')} of which a colour is asked none is found.", None, "")
    lead = f"{percent(right.value)} of {wording.count(right.n, 'object')} have the asked colour."
    worst = _commonest(shown, columns)
    if worst:
        lead += f" The most frequent mistake: {worst.asked} asked for, {worst.found} seen, on {shown.briefly(worst)}."
    below = note(f"Counted are objects, not images; {missing.hits:,} more of them were not found and are in no share.")
    tables = _matrix(shown, [*columns, NOT_FOUND]) + _by_generator(shown, (AS_ASKED, NOT_AS_ASKED, NOT_FOUND))
    return Drawn(lead, _square(shown, columns, _is_same, ("seen", "asked for")), below + tables)


def positions(shown: Shown) -> Drawn:
    """Asked and found relations: a bias shows as a column that is strong whatever was asked."""
    columns = [*RELATIONS, *([NO_RELATION] if NO_RELATION in shown.table.found else [])]
    apart = shown.cell(found=NOT_BOTH)
    if apart.hits == apart.n:
        return Drawn(f"In none of {wording.count(apart.n, 'image')} both objects of the asked relation are found.", None, "")
    below = note(
        "Counted are images in which both objects are found. Two relations can hold at once, such as left of and above, so a"
        " row may add up to more than 100\u00a0%: blue is as asked, orange the opposite or none, grey what was not asked about."
    )
    tables = _matrix(shown, [*columns, NOT_BOTH]) + _by_generator(shown, (AS_ASKED, OPPOSITE, NOT_BOTH))
    return Drawn(" ".join(_about_positions(shown)), _square(shown, columns, _is_opposite), below + tables)


def supercategories(shown: Shown) -> Drawn:
    """How often prompts with two objects come out right, by pair of supercategories."""
    pairs = [pair for pair in shown.table.asked if shown.cell(pair).n]
    groups = [name for name in GROUPS if any(name in split_pair(pair) for pair in pairs)]
    cells = [[_of_pair(shown, a, b) for b in groups] for a in groups]
    every = shared(shown.cell(found=CORRECT))
    lead = f"{percent(every.value or 0)} of {wording.count(every.n, 'image')} of two objects are correct."
    ranked = sorted((shown.cell(pair, CORRECT) for pair in pairs), key=lambda cell: -cell.hits / cell.n)
    enough = [cell for cell in ranked if cell.n >= _FEW] or ranked
    if len(enough) > 1:
        best, worst = enough[0], enough[-1]
        lead += f" Easiest: {best.asked}, {shown.briefly(best)}; hardest: {worst.asked}, {shown.briefly(worst)}."
    found = [name for name in (CORRECT, BOTH_BUT, NOT_BOTH) if name in shown.table.found]
    rows = [_row(shown, cell.asked, found, cell.asked) for cell in ranked]
    table = html_table("By pair, the easiest first", ["supercategories", *_heads(["images", *found])], rows)
    return Drawn(lead, heat(groups, groups, cells, ("", "")), table)


def _about_positions(shown: Shown) -> Iterator[str]:
    """The opposite that is found most often, and which relation is right how often."""
    groups = [asked for asked in shown.table.asked if shown.cell(asked).n]
    enough = [asked for asked in groups if shown.cell(asked).n >= _FEW] or groups
    opposites = [shown.cell(asked, OPPOSITES[asked]) for asked in enough]  # type: ignore[index]
    worst = max(opposites, key=lambda cell: cell.hits / cell.n)
    if worst.hits:
        yield f"Asked for “{worst.asked}”, “{worst.found}” is found in {shown.briefly(worst)} that show both objects."
    ranked = sorted((shown.cell(asked, AS_ASKED) for asked in enough), key=lambda cell: -cell.hits / cell.n)
    if len(ranked) > 1:
        best, least = ranked[0], ranked[-1]
        yield (
            f"Right most often: “{best.asked}”, in {shown.briefly(best)}; least often: “{least.asked}”, in"
            f" {shown.briefly(least)}."
        )
    else:
        yield f"“{ranked[0].asked}” is right in {shown.briefly(ranked[0])} that show both objects."


def _commonest(shown: Shown, columns: Sequence[str]) -> FailureCell | None:
    """What is found instead of what was asked most often of all."""
    wrong = [shown.cell(asked, found) for asked in shown.table.asked for found in columns if asked != found]
    most = max(wrong, key=lambda cell: cell.hits, default=None)
    return most if most is not None and most.hits else None


def _is_same(asked: str, found: str) -> bool | None:
    return asked == found


def _is_opposite(asked: str, found: str) -> bool | None:
    """Right, or wrong; None for a relation on the other axis, which contradicts nothing."""
    if asked == found:
        return True
    return False if found in (NO_RELATION, OPPOSITES.get(asked)) else None  # type: ignore[call-overload]


def _square(
    shown: Shown, columns: Sequence[str], right: Callable[[str, str], bool | None], axes: tuple[str, str] = _AXES
) -> object:
    rows = [asked for asked in shown.table.asked if shown.cell(asked).n]
    cells = [[shown.mark(shown.cell(asked, found), right=right(asked, found)) for found in columns] for asked in rows]
    return heat(rows, columns, cells, axes)


def _of_pair(shown: Shown, a: str, b: str) -> Mark:
    """Pairs have no order: only one half is drawn."""
    pair = pair_name(a, b)
    cell = shown.cell(pair, CORRECT)
    return shown.mark(cell, right=True) if cell.n and split_pair(pair) == (a, b) else Mark(None)


def _matrix(shown: Shown, columns: Sequence[str]) -> str:
    """All that is asked for, and all of it together, against what is found."""
    rows = [_row(shown, asked, columns, asked) for asked in shown.table.asked if shown.cell(asked).n]
    rows.append(_row(shown, "all", columns))
    head = [f"{shown.noun}s", *columns]
    return html_table("Asked for, and what is found", ["asked for", *_heads(head)], rows)


def _by_generator(shown: Shown, columns: Sequence[str]) -> str:
    if len(shown.generators) < 2:
        return ""
    rows = [_row(shown, name, columns, generator=name) for name in shown.generators]
    return html_table("By generator", ["generator", *_heads([f"{shown.noun}s", *columns])], rows)


def _row(shown: Shown, name: str, columns: Sequence[str], asked: str = ANY, generator: str = ANY) -> list[str | HtmlCell]:
    counted = shown.count(shown.cell(asked, ANY, generator))
    return [name, counted, *(shown.number(shown.cell(asked, found, generator)) for found in columns)]


def _heads(names: Sequence[str]) -> list[HtmlCell]:
    return [HtmlCell(name) for name in names]
