"""How much the scores depend on the VQA model (TIFA, Figure 10)."""

from __future__ import annotations

from typing import Any, Final

from agreement.questions.scores import SPEARMAN, TIFA
from concord.common import next_steps, wording
from concord.questions import scores
from concord.questions.scores import Row
from data.store.browse import contents
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui import failure_charts
from ui.addresses import browse_address
from ui.components.strip import thumbnails
from ui.components.table import Cell, heading, html_table, note
from ui.failure_charts import Series
from ui.pages.explore.asked.shown import Asked, cell, commands, mark, of_source, reference_of, source_of
from ui.pages.explore.view import ALL, View

MOST: Final = 24
_ONE: Final = "Only {rater} has answered questions about {suite} so far. Another model shows how far the scores depend on it:"
_LEAD: Final = (
    "{n} VQA models answered questions about images of {suite}{source}. If a score said much about images and little about the"
    " model, all would put generators, and images, in the same order: in the paper all pairs correlate by more than 0.6."
)


def drawn(store: Store, view: View) -> Asked:
    """Scores by model, their correlations, and the images on which two models differ most."""
    raters = scores.answering_raters(store)[view.suite]
    source = source_of(view)
    rows = [row for row in scores.recall_scores(store, view.suite, source, "") if (row["by"], row["statistic"]) == (ALL, TIFA)]
    lead = note(_LEAD.format(n=len(raters), suite=view.suite, source=of_source(view)), "cc-lead")
    numbers = _scores(view, rows)
    if len(raters) < 2:
        lead = note(_ONE.format(rater=view.rater, suite=view.suite), "cc-lead")
        return Asked(lead, None, numbers + commands(store, next_steps.OTHER_ANSWERING), "")
    pairs = [row for row in scores.recall_models(store, view.suite, source) if row["statistic"] == SPEARMAN]
    return Asked(lead, _figure(view, rows), numbers + _pairs(view, pairs), _apart(store, view))


def _at(rows: list[Row]) -> dict[tuple[str, str], Row]:
    return {(row["rater"], row["generator"]): row for row in rows}


def _named(view: View, generator: str) -> str:
    return f"{generator} (reference)" if generator == reference_of(view) else generator


def _browse(view: View, rater: str, generator: str) -> str:
    task = (source_of(view),) if source_of(view) else ()
    places = Selection(suite=(view.suite,), task=task, generator=(generator,))
    return browse_address(places, rater=rater, by="score", order="lowest")


def _figure(view: View, rows: list[Row]) -> Any:
    at, generators = _at(rows), sorted({row["generator"] for row in rows})
    series = [
        Series(rater, [mark(at.get((rater, name)), f"{rater}, {name}", _browse(view, rater, name)) for name in generators])
        for rater in sorted({row["rater"] for row in rows})
    ]
    return failure_charts.dots([_named(view, name) for name in generators], series, "TIFA")


def _scores(view: View, rows: list[Row]) -> str:
    at, generators = _at(rows), sorted({row["generator"] for row in rows})
    lines = [
        [rater, *(cell(at.get((rater, name)), _browse(view, rater, name)) for name in generators)]
        for rater in sorted({row["rater"] for row in rows})
    ]
    return html_table("TIFA by VQA model", ["VQA model", *(Cell(_named(view, name)) for name in generators)], lines)


def _pairs(view: View, rows: list[Row]) -> str:
    lines = [[row["rater"], row["other"], _rho(view, row), Cell(f"{row['n']:,}"), _left(row)] for row in rows]
    rho = Cell("Spearman’s ρ", note=wording.meaning(SPEARMAN))
    headers: list[str | Cell] = ["VQA model", "and", rho, Cell("images"), "left out"]
    return html_table("Scores per image: do two models put images in the same order?", headers, lines)


def _rho(view: View, row: Row) -> Cell:
    other = row["other"] if row["rater"] == view.rater else row["rater"] if row["other"] == view.rater else None
    changes = {"against": other} if other else {"rater": row["rater"], "against": row["other"]}
    return cell(row, view.address(**changes))


def _left(row: Row) -> str:
    return ", ".join(f"{wording.reason(name)}: {n:,}" for name, n in row["excluded"].items())


def _apart(store: Store, view: View) -> str:
    """The images whose scores by two models differ most."""
    both = scores.differing_images(store, view.suite, source_of(view), view.rater, view.against)
    found = [one for one in both if view.whose in (ALL, one.generator)]
    if not found:
        return heading(f"{view.rater} and {view.against}", "No image that both were asked the same about has different scores.")
    shown = {one.item: f"{one.generator}: {one.a:.2f} and {one.b:.2f}" for one in found[:MOST]}
    told = f"{wording.count(len(found), 'image')} with different scores; the first {len(shown)}." if len(found) > MOST else ""
    title = heading(f"Where {view.rater} and {view.against} differ most", told)
    looks = contents.item_previews(store, [*shown])
    return title + thumbnails(looks, shown, Selection(suite=(view.suite,)), f"{view.rater} and {view.against}")
