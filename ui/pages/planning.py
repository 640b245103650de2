"""How many labels are enough, and how people differ: the precision of a generator's mean by prompts and ratings of an image,
and each person's severity.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import htpy
from htpy import Node

from agreement.meta.planning import DIFFERENCE, PlannedRow
from agreement.meta.rater_effects import ABSOLUTE, RELATIVE, SEVERITY, RaterEffectRow
from concord.common import sentences, wording
from concord.common.base_path import at
from concord.common.table import Cell, numbers
from concord.meta.findings import effects
from concord.meta.planning import plan, rated_aspects
from concord.meta.requests import MEAN, PlanRequest
from data.selection import Selection
from data.store.core.store import Store
from ui.components import chart_colors
from ui.components.addresses import browse_address
from ui.components.charts import ForestLine, forest, legend, plain
from ui.components.plotly_text import ALONE, BREAK
from ui.components.tables import Cells, block_title, columns, first_sentence, note, plain_table, table_element
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.page import Page
from ui.shell.view import View

PRECISIONS: Final = {"0.02": "± 2 % of the scale", "0.03": "± 3 %", "0.05": "± 5 %", "0.1": "± 10 %"}
_SEPARATOR: Final = "·"
_MOST_PEOPLE: Final = 40


@dataclass(frozen=True)
class PlanView(View):
    """A rated aspect (``SUITE·ASPECT``, and ``·simulated`` for simulated people), and how precise its means shall be."""

    PATH: ClassVar = "/people/plan"
    rated: str = ""
    precision: str = "0.05"

    @property
    def selection(self) -> Selection:
        suite, aspect, *_ = self.rated.split(_SEPARATOR)
        return Selection(suite=(suite,), aspect=(aspect,))

    @property
    def people(self) -> str:
        return "simulated" if self.rated.endswith(f"{_SEPARATOR}simulated") else "real"


class PlanningPage(Page[PlanView]):
    """The page."""

    title, VIEW = "Plan", PlanView

    def lay_out(self) -> None:
        self.dropdowns(rated="What people rate", precision="Wanted precision (95 %)")
        self.html("enough")
        self.plot("precision-plot", visible=False)
        self.html("designs")
        self.html("people")
        self.plot("severity-plot", visible=False)

    def teaching(self) -> str:
        form = at("/annotate/")
        return (
            "How many labels are enough follows from the first ones. Let two or three people"
            f" [label some images]({form}), or import ratings; then come back."
        )

    def choices(self, values: Mapping[str, Any]) -> Mapping[str, Choice]:
        """What each control offers, and the nearest to what is asked for: what most is rated of first."""
        titles = {}
        for each in rated_aspects(self.store):
            parts = [each.suite, each.aspect, *(["simulated"] if each.simulated else [])]
            people = " by simulated people" if each.simulated else ""
            titles[_SEPARATOR.join(parts)] = f"{each.suite}: {wording.plain_aspect(each.aspect)}{people}"
        return {
            "rated": Choice.among(titles, values.get("rated")),
            "precision": Choice.among(PRECISIONS, values.get("precision"), "0.05"),
        }

    def draw(self, view: PlanView) -> Iterator[Drawn | None]:
        if not view.rated:
            yield None
            return
        rows = [row for row in _plan(self.store, view) if row.people == view.people]
        persons = [row for row in effects(self.store, view.selection) if row.people == view.people]
        yield {
            "enough": enough(rows),
            "precision-plot": precision_figure(rows),
            "designs": designs_table(rows, view),
            "people": reliability(persons),
            "severity-plot": severity_figure(persons),
        }


def _plan(store: Store, view: PlanView) -> Sequence[PlannedRow]:
    units = next(each for each in rated_aspects(store) if each.suite == view.selection.suite[0])
    span = units.high - units.low
    wanted = float(view.precision) * span
    return plan(store, view.selection, PlanRequest(half_width=wanted, difference=2 * wanted))


def enough(rows: Sequence[PlannedRow]) -> Node:
    """Return whether there are prompts enough."""
    if not rows:
        return note("Nobody has rated these images yet.")
    first = next(row for row in rows if row.statistic == MEAN)
    if first.half_width is None:
        return note(f"No plan yet: {sentences.text_or_none(first.reason)}.")
    now = f"{wording.count(first.prompts, 'prompt')}: ± {first.half_width:.2g}"
    needed = first.prompts_needed
    if needed is None:
        headline = "More than a million prompts would be needed"
    elif needed <= first.prompts:
        headline = f"Enough for ± {first.aim:.2g}: {needed:,} prompts are needed, {first.prompts:,} are labelled"
    else:
        headline = f"{needed - first.prompts:,} more prompts for ± {first.aim:.2g}"
    apart = next((row for row in rows if row.statistic == DIFFERENCE and row.design == first.design), None)
    parts = [f"A generator’s mean with {now} (95 %)."]
    if apart is not None and apart.prompts_needed is not None:
        needed_apart = f"{apart.prompts_needed:,} prompts; with today’s the power is {apart.power or 0.0:z.2f}"
        parts.append(f"To see that two generators differ by {apart.aim:.2g} (power 0.8): {needed_apart}.")
    return first_sentence(headline, " ".join(parts))


def precision_figure(rows: Sequence[PlannedRow]) -> Any:
    """Half widths by number of prompts: a line for each number of ratings of an image."""
    import plotly.graph_objects as go

    known = [row for row in rows if row.statistic == MEAN and row.half_width is not None]
    means = sorted(known, key=lambda row: row.design.ratings)
    if not means:
        return None
    most = max(2 * means[0].prompts, min(2 * max(row.prompts_needed or 0 for row in means), 20 * means[0].prompts), 20)
    at = sorted({max(2, round(most * k / 60)) for k in range(1, 61)})
    figure = go.Figure()
    for k, row in enumerate(means):
        name = f"{wording.count(int(row.design.ratings), 'rating')} an image"
        figure.add_trace(
            go.Scatter(
                name=name,
                x=at,
                y=[row.half_width_with(n) for n in at],
                mode="lines",
                line={"color": chart_colors.SERIES[k % len(chart_colors.SERIES)], "width": 2},
                hovertemplate=f"{name}{BREAK}%{{x:,}} prompts: ± %{{y:.3f}}{ALONE}",
            )
        )
    plain(figure, height=320)
    figure.add_hline(means[0].aim, line={"color": chart_colors.REFERENCE, "dash": "dot"})
    figure.add_vline(means[0].prompts, line={"color": chart_colors.REFERENCE, "dash": "dot"})
    figure.add_annotation(x=means[0].prompts, y=1, yref="paper", text="today", showarrow=False, xanchor="left", xshift=4)
    figure.update_xaxes(title="prompts")
    figure.update_yaxes(title="± of a mean", range=[0, min(3 * means[0].aim, means[0].half_width_with(at[0]) or 1)])
    return legend(figure, several=len(means) > 1)


def designs_table(rows: Sequence[PlannedRow], view: PlanView) -> Node:
    """Return what each design gives and needs."""
    href, means = browse_address(view.selection), [row for row in rows if row.statistic == MEAN and row.half_width is not None]
    if not means:
        return ""
    apart = {row.design: row for row in rows if row.statistic == DIFFERENCE}
    identified = any(row.half_width_others is not None for row in means)
    body: list[Cells] = []
    for row in sorted(means, key=lambda each: (each.design.images, each.design.ratings)):
        name = f"{row.design.images:g} × {row.design.ratings:g}{' (as now)' if row is means[0] else ''}"
        cells = [Cell(f"± {row.half_width:z.3f}", (f"{row.prompts:,} prompts",), sentences.text(row.method), href)]
        cells += [Cell(f"± {row.half_width_others:z.3f}")] if row.half_width_others is not None else []
        body.append([name, *cells, *map(_prompts, (row, apart.get(row.design)) if apart else (row,))])
    titles = ["today", *(["beside other people"] if identified else [])]
    titles += [f"prompts for ± {means[0].aim:.2g}"]
    titles += [f"prompts to see a difference of {2 * means[0].aim:.2g}"] if apart else []
    heads = columns("images a prompt × ratings an image", *numbers(*titles))
    return table_element(plain_table("Designs", heads, body))


def _prompts(row: PlannedRow | None) -> str:
    return "–" if row is None or row.prompts_needed is None else f"{row.prompts_needed:,}"


def reliability(rows: Sequence[RaterEffectRow]) -> Node:
    """Return how reliably ratings tell images apart."""
    dependable = [row for row in rows if row.statistic == ABSOLUTE and row.value is not None]
    known = dependable or [row for row in rows if row.statistic == RELATIVE and row.value is not None]
    if not known:
        return note("How reliable ratings are is known once images have two ratings each.")
    estimates = "; ".join(
        f"{wording.count(row.ratings or 1, 'rating')} {wording.two(row.value or 0.0)}"
        + ("" if row.low is None else f" [{wording.two(row.low)}, {wording.two(row.high or 0.0)}]")
        for row in known
    )
    kind = "dependability" if dependable else "generalisability"
    text = f"Reliability of an image’s mean rating (0 to 1, {kind}): {estimates}."
    return [block_title("How people differ"), htpy.p(class_="cc-subline")[text]]


def severity_figure(rows: Sequence[RaterEffectRow]) -> Any:
    """Each person's severity, the most lenient first; None where nobody can be compared."""
    measured = [row for row in rows if row.statistic == SEVERITY and row.value is not None]
    known = sorted(measured, key=lambda row: -(row.value or 0.0))
    if len(known) < 2:
        return None
    if len(known) > _MOST_PEOPLE:
        known = [*known[: _MOST_PEOPLE // 2], *known[-_MOST_PEOPLE // 2 :]]
    lines = [
        ForestLine(str(row.rater), row.value, row.low, row.high, row.n_items, "people", row.people == "simulated")
        for row in known
    ]
    return forest(lines, "beside the average person (0)", around_zero=0.05)
