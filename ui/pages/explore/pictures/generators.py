"""How generators differ: whose colour is on which object, in which kind of prompt objects are found, and which of two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from concord.common import wording
from concord.failures import BINDING
from scorers.failures import ANY
from scorers.failures.colors import BINDINGS, LEAKED, MISSING, ON_WRONG, SWAPPED
from scorers.failures.objects import (
    ALL_FOUND,
    BOTH,
    FIRST,
    KINDS,
    NEITHER,
    NONE_FOUND,
    ONE,
    ONLY_FIRST,
    ONLY_ONE,
    ONLY_SECOND,
    RELATED,
    SECOND,
    SOME_FOUND,
    TWO,
)
from ui.components.table import Cell as HtmlCell
from ui.components.table import html_table, note
from ui.failure_charts import Series, dots, stacked
from ui.pages.explore.pictures.shown import Drawn, Shown, among, listed, percent, shared, span_of

_ALL = "all generators"


def bindings(shown: Shown) -> Drawn:
    """Swapped, leaked and other colours of two objects."""
    own = shown.cell()
    missing = shown.cell(found=MISSING)
    if not own.n:
        return Drawn(f"In none of {wording.count(missing.n, 'image')} all objects of an asked colour are found.", None, "")
    swapped, leaked = (shown.cell(found=name) for name in (SWAPPED, LEAKED))
    lead = (
        f"Of {wording.count(own.n, 'image')} in which all coloured objects are found,"
        f" {percent(shared(swapped).value or 0)} show them in each other’s colours (swapped),"
        f" and in {percent(shared(leaked).value or 0)} one object’s colour has leaked"
        " onto another."
    )
    names = [name for name in shown.generators if shown.cell(generator=name).n]
    most = max((shown.cell(found=SWAPPED, generator=name) for name in names), key=lambda cell: cell.hits / cell.n)
    if len(names) > 1 and most.hits:
        lead += f" Swapped most often by {most.generator}: in {shown.briefly(most)}."
    parts = [shown.series(found, [shown.cell(found=found, generator=name) for name in names]) for found in BINDINGS]
    columns = (*BINDINGS, ON_WRONG, MISSING)
    heads = [HtmlCell(name, note=BINDING.get(name, "")) for name in columns]
    rows = [_row(shown, name, columns, generator=name) for name in shown.generators]
    if len(rows) > 1:
        rows.append(_row(shown, _ALL, columns))
    below = note(
        "Leaked: the colour is on the other object and on its own as well. “On the wrong object” is swapped, leaked and moved"
        " together, which GenEval’s paper calls swapping. A colour that leaked into the background cannot be seen, as only"
        " objects’ colours are looked at."
    )
    table = html_table("Whose colour is on which object", ["generator", HtmlCell("images"), *heads], rows)
    return Drawn(lead, stacked(names, parts, "share of the images in which all coloured objects are found"), below + table)


def kinds(shown: Shown) -> Drawn:
    """How often all objects of a prompt are found, by kind of prompt."""
    groups = [kind for kind in KINDS if shown.cell(kind).n]
    told = [f"of {kind} in {shown.briefly(shown.cell(kind, ALL_FOUND))}" for kind in (ONE, TWO, RELATED) if kind in groups]
    if not told:
        told = [f"of {kind} in {shown.briefly(shown.cell(kind, ALL_FOUND))}" for kind in groups]
    lead = f"All objects are found in prompts {listed(told)}."
    figure = dots(groups, _each(shown, groups, ALL_FOUND), "share of images in which all objects are found")
    table = _by_kind(shown, groups, (ALL_FOUND, SOME_FOUND, NONE_FOUND), (ANY,))
    return Drawn(lead, figure, _all_found(shown, groups) + table)


def first_object(shown: Shown) -> Drawn:
    """Which of two objects is found."""
    groups = [kind for kind in KINDS if shown.cell(kind).n]
    several = len(shown.generators) > 1
    labels = [f"{kind}, {name}" if several else kind for kind in groups for name in shown.generators]
    cells = [
        Series(name, [shown.mark(shown.cell(kind, found, who)) for kind in groups for who in shown.generators])
        for name, found in (("the first object", FIRST), ("the second object", SECOND))
    ]
    figure = dots(labels, cells, "share of images in which it is found")
    each = (*shown.generators, ANY) if several else (ANY,)
    table = _by_kind(shown, groups, (FIRST, SECOND, BOTH, ONLY_FIRST, ONLY_SECOND, NEITHER), each)
    return Drawn(" ".join(_about_first(shown)), figure, table)


def _about_first(shown: Shown) -> Iterator[str]:
    alone = shown.cell(found=ONLY_ONE)
    known = among(shown.cell(found=ONLY_FIRST), alone)
    if known.value is None:
        yield f"No image of {alone.n:,} shows only one of its two objects."
        return
    span = f" (95\u00a0%: {span_of(known)})" if known.low is not None else ""
    yield (
        f"Where only one of two objects is found ({wording.count(alone.hits, 'image')}), it is the one that the prompt names"
        f" first in {percent(known.value)}{span}."
    )
    if known.low is None or known.high is None:
        return
    if known.low > 0.5 or known.high < 0.5:
        yield f"So there is a bias towards the {'first' if known.low > 0.5 else 'second'} object."
    else:
        yield "That is no clear bias towards either."


def _each(shown: Shown, groups: Sequence[str], found: str) -> list[Series]:
    return [shown.series(name, [shown.cell(kind, found, name) for kind in groups]) for name in shown.generators]


def _all_found(shown: Shown, groups: Sequence[str]) -> str:
    """Generators beside one another, where there are several."""
    if len(shown.generators) < 2:
        return ""
    rows: list[list[str | HtmlCell]] = [
        [kind, *(shown.number(shown.cell(kind, ALL_FOUND, name)) for name in shown.generators)] for kind in groups
    ]
    return html_table("All objects found, by generator", ["prompts of", *map(HtmlCell, shown.generators)], rows)


def _by_kind(shown: Shown, groups: Sequence[str], columns: Sequence[str], generators: Sequence[str]) -> str:
    """A row for each kind of prompt and generator; ANY for all that are shown."""
    rows = [
        _row(shown, kind if len(generators) < 2 else f"{kind}, {name or _ALL}", columns, kind, name)
        for kind in groups
        for name in generators
    ]
    return html_table("By kind of prompt", ["prompts of", HtmlCell("images"), *map(HtmlCell, columns)], rows)


def _row(shown: Shown, name: str, columns: Sequence[str], asked: str = ANY, generator: str = ANY) -> list[str | HtmlCell]:
    counted = shown.count(shown.cell(asked, ANY, generator))
    return [name, counted, *(shown.number(shown.cell(asked, found, generator)) for found in columns)]
