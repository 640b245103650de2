"""Live agreement: people among themselves, each scorer against people, any two raters; a row per task, n everywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import gradio as gr
import pandas as pd

from agreement import Options
from data.store import browse
from data.store.selection import Selection
from data.store.store import Store
from ui import charts, teaching, words
from ui.commands.agreement import Rows, recall
from ui.components.filters import Choice, dropdown
from ui.components.table import Cell, html_table, note
from ui.pages.live import ignored, keep_current, set_address

NAME = "Agreement"
PATH = "/agreement"
ALL = "all"

# In this order, those that make sense for the aspect's scale.
_AMONG = (
    "mean",
    "percent_agreement",
    "unanimous_share",
    "cohen_kappa",
    "fleiss_kappa",
    "gwet_ac1",
    "krippendorff_alpha_nominal",
    "krippendorff_alpha_ordinal",
    "krippendorff_alpha_interval",
    "percent_agreement_first_vs_rest",
)
_AGAINST = (
    "mean",
    "percent_agreement",
    "cohen_kappa",
    "cohen_kappa_quadratic",
    "gwet_ac1",
    "spearman",
    "pearson",
    "kendall_tau_b",
)
_PAIRS = ("percent_agreement", "cohen_kappa", "cohen_kappa_quadratic", "gwet_ac1", "spearman", "pearson")
_ADDRESS = ("suite", "aspect", "generator", "task", "chart")


@dataclass(frozen=True, slots=True)
class View:
    """What the page is asked to show; its fields are the address's."""

    suite: str
    aspect: str
    generator: str = ALL
    task: str = ALL
    statistic: str = ""


def build(store: Store) -> None:
    first = (
        "Nothing has been judged yet. **[Label a few images](/annotate/)**, or import a published study or your own ratings:"
    )
    empty = gr.Markdown(f"{first}\n\n{teaching.block(store, teaching.STUDIES, teaching.RATINGS)}", visible=False)
    notice = gr.HTML(elem_id="ignored")
    with gr.Column() as content:
        with gr.Row(elem_classes="cc-filters"):
            suite = dropdown("Suite")
            aspect = dropdown("Aspect")
            generator = dropdown("Generator", [ALL], ALL)
            task = dropdown("Task", [ALL], ALL)
            statistic = dropdown("Chart")
        sentence = gr.HTML(elem_id="sentence")
        plot = gr.Plot(show_label=False, elem_id="agreement-plot")
        tables = gr.HTML(elem_id="agreement-tables")
    filters = [suite, aspect, generator, task, statistic]
    opened = gr.State(False)

    def choose(*asked: str | None) -> list[Any]:
        return [choice.control() for choice in _choices(store, *asked)]

    def open_page(request: gr.Request) -> list[Any]:
        asked = request.query_params
        choices = _choices(store, *(asked.get(name) for name in _ADDRESS))
        chosen = {name: choice.value for name, choice in zip(_ADDRESS, choices, strict=True)}
        return [*(choice.control() for choice in choices), ignored(asked, chosen), True]

    def draw(ready: bool, *values: str | None) -> Iterator[list[Any]]:
        view = View(*(value or "" for value in values))
        if not ready:
            yield [gr.skip()] * 5
        elif not view.suite:
            yield [gr.Markdown(visible=True), gr.Column(visible=False), "", None, ""]
        else:
            for intervals in (False, True):
                yield [gr.Markdown(visible=False), gr.Column(visible=True), *_drawn(store, view, intervals=intervals)]

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    gr.on(None, open_page, None, [*filters, notice, opened], queue=False, **quiet)
    gr.on([suite.input, aspect.input], choose, filters, filters, queue=False, **quiet)
    for control in filters:
        control.change(None, filters, None, js=set_address(_ADDRESS))
    # the choices grow with the project, too
    keep_current(store, lambda *asked: iter([choose(*asked)]), filters, filters, on_change=False)
    keep_current(store, draw, [opened, *filters], [empty, content, sentence, plot, tables])


def _choices(
    store: Store,
    suite: str | None,
    aspect: str | None,
    generator: str | None,
    task: str | None,
    statistic: str | None,
) -> list[Choice]:
    """The filters, with what this suite and aspect have to choose from."""
    found = browse.judged(store)
    suite = suite if suite in found else next(iter(sorted(found)), None)
    here = found[suite] if suite else browse.Judged([], [], [])
    default = next((name for name in ("correct", "faithfulness") if name in here.aspects), next(iter(here.aspects), None))
    aspect = aspect if aspect in here.aspects else default
    shown = _charted(store, suite, aspect) if suite and aspect else []
    return [
        Choice(sorted(found), suite),
        Choice(here.aspects, aspect),
        Choice([("all generators", ALL), *here.generators], generator if generator in here.generators else ALL),
        Choice([(words.task(name), name) for name in (ALL, *here.tasks)], task if task in here.tasks else ALL),
        Choice([(words.title(s), s) for s in shown], statistic if statistic in shown else next(iter(shown), None)),
    ]


def _charted(store: Store, suite: str, aspect: str) -> list[str]:
    """Statistics that the chart can show, those first that scorers have too."""
    rows = recall(store, Selection(suite=(suite,), aspect=(aspect,)), Options(intervals=False, each_generator=False))
    against, among = ({row["statistic"] for row in rows[name]} for name in ("raters", "among_people"))
    found = [s for s in _AGAINST if s in against] + [s for s in _AMONG if s in among - against]
    return sorted(found, key=lambda s: s == "mean")


def _drawn(store: Store, view: View, *, intervals: bool) -> list[Any]:
    """Sentence, figure and tables."""
    one = () if view.generator == ALL else (view.generator,)
    selection = Selection(suite=(view.suite,), aspect=(view.aspect,), generator=one)
    # one generator selected, or all of them: either way "all" is what is asked for
    rows = recall(store, selection, Options(intervals=intervals, each_generator=False))
    updating = "" if intervals else note("Intervals are being computed …", "cc-updating")
    body = updating + _against(rows, view) + _among(rows) + _pairs(rows, view) + _explained(rows)
    axis = f"{words.title(view.statistic)}, {words.task(view.task)}" if rows["raters"] else words.title(view.statistic)
    points = _points(rows, view)
    plot = gr.Plot(charts.forest(points, axis), visible=True) if points["value"].notna().any() else gr.Plot(visible=False)
    return [_sentence(rows, view), plot, body]


def _sentence(rows: Rows, view: View) -> str:
    """What the selection is, and what its main numbers say."""
    where = "all generators" if view.generator == ALL else view.generator
    what = f"{view.suite}, {words.aspect(view.aspect)}, {where}"
    people = {row["statistic"]: row for row in rows["among_people"] if row["task"] == ALL and row["people"] == "real"}
    if not people:
        return note(f"{what}: no person has judged this yet.")
    row = people.get("mean") or next(iter(people.values()))
    parts = [f"{what}: {words.count(row['n_ratings'], 'answer')} by people about {words.count(row['n_items'], 'image')}."]
    shared = people.get("percent_agreement")
    if shared and shared["value"] is not None:
        rests = (
            ""
            if shared["n_items"] == row["n_items"]
            else f", on the {words.count(shared['n_items'], 'image')} that two have judged"
        )
        parts.append(f"Two people say the same in {shared['value']:.0%} of cases{_within(shared, '.0%')}{rests}.")
    parts.append(_best(rows, view))
    left = [f"{n:,} {words.reason(name)}" for name, n in row["excluded"].items()]
    parts.append(f"Left out: {', '.join(left)}." if left else "")
    return note(" ".join(part for part in parts if part))


def _best(rows: Rows, view: View) -> str:
    """The scorer that comes closest to people by the charted statistic."""
    found = [
        row
        for row in rows["raters"]
        if (row["task"], row["statistic"], row["people"]) == (view.task, view.statistic, "real") and row["value"] is not None
    ]
    if not found:
        return "" if rows["raters"] else "No scorer has judged these images yet."
    best = max(found, key=lambda row: float(row["value"]))
    among = f" of {len(found)} scorers" if len(found) > 1 else ""
    value = f"{best['value']:.2f}{_within(best, '.2f')}"
    return f"Closest to people{among} by {words.title(view.statistic)}: {best['rater']}, {value}."


def _within(row: dict[str, Any], form: str) -> str:
    return "" if row["low"] in (None, row["high"]) else f" (95% interval {row['low']:{form}} to {row['high']:{form}})"


def _points(rows: Rows, view: View) -> pd.DataFrame:
    """The chart's rows: each scorer at the chosen task, best first; without scorers, people by task."""
    real = {
        name: [row for row in rows[name] if row["people"] == "real" and row["statistic"] == view.statistic] for name in rows
    }
    scorers = sorted(
        (row for row in real["raters"] if row["task"] == view.task),
        key=lambda row: (row["value"] is None, -(row["value"] or 0.0)),
    )
    among = real["among_people"]
    people = [row for row in among if row["task"] == view.task and row["value"] is not None] if scorers else among
    name = "people among themselves"
    points = [(name if scorers else words.task(row["task"]), "people", row) for row in people]
    points += [(row["rater"], "scorer", row) for row in scorers]
    return pd.DataFrame(
        [(label, kind, row["value"], row["low"], row["high"], row["n_items"]) for label, kind, row in points],
        columns=["label", "kind", "value", "low", "high", "n"],
    )


def _among(rows: Rows) -> str:
    section = rows["among_people"]
    if not section:
        return ""
    return _table("People among themselves", "task", _AMONG, section, lambda row: words.task(row["task"]))


def _against(rows: Rows, view: View) -> str:
    section = [row for row in rows["raters"] if row["task"] == view.task]
    if not section:
        return ""
    return _table(f"Scorers against people, {words.task(view.task)}", "scorer", _AGAINST, section, lambda row: row["rater"])


def _pairs(rows: Rows, view: View) -> str:
    section = [row for row in rows["matrix"] if row["task"] == view.task]
    if not section:
        return ""
    title = f"Any two raters with 10 images or more in common, {words.task(view.task)}"
    return _table(title, "raters", _PAIRS, section, lambda row: f"{row['a']} – {row['b']}")


def _table(caption: str, name: str, statistics: tuple[str, ...], section: list[dict[str, Any]], label: Any) -> str:
    """A row per label and a column per statistic; a cell has its interval beneath and its reason or method as a note."""
    shown = [s for s in statistics if any(row["statistic"] == s for row in section)]
    lines: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for row in section:
        lines.setdefault((label(row), row["people"]), {})[row["statistic"]] = row
    headers: list[str | Cell] = [
        name,
        Cell("images"),
        Cell("answers"),
        *(Cell(words.title(s), note=words.STATISTICS[s].meaning) for s in shown),
    ]
    body: list[list[str | Cell]] = []
    for (text, people), line in lines.items():
        widest = max(line.values(), key=lambda row: row["n_items"])
        mark = " (simulated)" if people == "simulated" else ""
        counts = [Cell(f"{widest['n_items']:,}"), Cell(f"{max(row['n_ratings'] for row in line.values()):,}")]
        body.append([text + mark, *counts, *(_of_its_own(line.get(s), widest["n_items"]) for s in shown)])
    return html_table(caption, headers, body)


def _of_its_own(row: dict[str, Any] | None, n: int) -> Cell:
    """The number, and how many images it rests on where that is not what its line says."""
    cell = number(row)
    if row is None or row["value"] is None or row["n_items"] == n:
        return cell
    return replace(cell, detail="\n".join(part for part in (cell.detail, f"{row['n_items']:,} images") if part))


def number(row: dict[str, Any] | None) -> Cell:
    """An estimate as a table's cell."""
    if row is None:
        return Cell("")
    if row["value"] is None:
        return Cell("–", "undefined", row["reason"] or "")
    method = row["method"] or ""
    interval = "no interval" if "no interval" in method else ""
    if row["low"] is not None:
        # an interval without width is no certainty: there was nothing in the sample that could vary
        interval = "no spread" if row["low"] == row["high"] else f"{row['low']:.2f} to {row['high']:.2f}"
    return Cell(f"{row['value']:.3f}", interval, f"{method}; n = {row['n_items']:,} images, {row['n_ratings']:,} answers")


def _explained(rows: Rows) -> str:
    """Why numbers are missing, each reason once. The mean of the tasks only repeats its tasks' reasons."""
    reasons: dict[str, dict[str, None]] = {}
    for section in rows.values():
        for row in section:
            if row["value"] is None and row["reason"] and row["task"] != "tasks_mean":
                reasons.setdefault(row["reason"], {})[words.title(row["statistic"])] = None
    if not reasons:
        return ""
    lines = "".join(note(f"{', '.join(names)}: {reason}.") for reason, names in reasons.items())
    alone = "" if any(row["value"] is not None for row in rows["among_people"] + rows["raters"]) else " open"
    return f'<details class="cc-why"{alone}><summary>Why some numbers are undefined (–)</summary>{lines}</details>'
