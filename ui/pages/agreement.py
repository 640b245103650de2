"""Live agreement: people among themselves, each scorer against people, any two raters; a row per task, n everywhere."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import gradio as gr
import pandas as pd

from agreement import Options
from data.aspects import YES_NO_ASPECTS
from data.store import browse
from data.store.selection import Selection
from data.store.store import Store
from ui import charts, teaching, words
from ui.commands.agreement import Rows, recall
from ui.components.estimates import explained, statistics_table
from ui.components.filters import Choice, dropdown
from ui.components.table import heading, linked_note, note
from ui.pages.live import ignored, keep_current, set_address

NAME = "Agreement"
PATH = "/agreement"
ALL = "all"
_KAPPA = "cohen_kappa"

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
    charted = _charted(store, suite, aspect) if suite and aspect else {}
    return [
        Choice(sorted(found), suite),
        Choice(here.aspects, aspect),
        Choice([("all generators", ALL), *here.generators], generator if generator in here.generators else ALL),
        Choice([(words.task(name), name) for name in (ALL, *here.tasks)], task if task in here.tasks else ALL),
        Choice([(words.title(s), s) for s in charted], statistic if statistic in charted else _first(charted, aspect)),
    ]


def _charted(store: Store, suite: str, aspect: str) -> dict[str, bool]:
    """Statistics that the chart can show, those first that scorers have too; whether any of it is defined."""
    rows = recall(store, Selection(suite=(suite,), aspect=(aspect,)), Options(intervals=False, each_generator=False))
    against, among = ({row["statistic"] for row in rows[name]} for name in ("raters", "among_people"))
    found = [s for s in _AGAINST if s in against] + [s for s in _AMONG if s in among - against]
    defined = {row["statistic"] for name in ("raters", "among_people") for row in rows[name] if row["value"] is not None}
    return {s: s in defined for s in sorted(found, key=lambda s: s == "mean")}


def _first(charted: Mapping[str, bool], aspect: str | None) -> str | None:
    """What is charted where nobody has chosen: of yes or no kappa, as agreement flatters whoever always says the same."""
    order = [_KAPPA, *charted] if aspect in YES_NO_ASPECTS else [*charted]
    return next((s for s in order if charted.get(s)), next(iter(charted), None))


def _drawn(store: Store, view: View, *, intervals: bool) -> list[Any]:
    """Sentence, figure and tables: people first, simulated ones in a section of their own."""
    one = () if view.generator == ALL else (view.generator,)
    selection = Selection(suite=(view.suite,), aspect=(view.aspect,), generator=one)
    # one generator selected, or all of them: either way "all" is what is asked for
    rows = recall(store, selection, Options(intervals=intervals, each_generator=False))
    real, simulated = (by_kind_of_people(rows, kind) for kind in ("real", "simulated"))
    body = "" if intervals else note("Intervals are being computed …", "cc-updating")
    body += _tables(real, view, "people")
    if any(simulated.values()):
        body += heading("Simulated people", _said(simulated, view, "simulated people"))
        body += _tables(simulated, view, "simulated people")
    points = pd.concat([_points(real, view, ""), _points(simulated, view, " (simulated people)")])
    axis = f"{words.title(view.statistic)}, {words.task(view.task)}" if rows["raters"] else words.title(view.statistic)
    plot = gr.Plot(charts.forest(points, axis), visible=True) if points["value"].notna().any() else gr.Plot(visible=False)
    return [_lead(real, simulated, view), plot, body]


def by_kind_of_people(rows: Rows, people: str) -> Rows:
    """Rows about real people, or about simulated ones: the two are never shown as one."""
    return {name: [row for row in section if row["people"] == people] for name, section in rows.items()}


def _lead(real: Rows, simulated: Rows, view: View) -> str:
    """What the page says first."""
    if real["among_people"] or not simulated["among_people"]:
        return note(f"{_what(view)}: {_said(real, view, 'people') or 'no person has judged this yet.'}")
    first = f"{_what(view)}: no person has judged this yet. What stands here is by simulated people, to show how it works."
    return linked_note(first, "/annotate/", "Label a few images", "and people’s answers will stand first.")


def _said(rows: Rows, view: View, who: str) -> str:
    """What the main numbers say; nothing where nobody has judged."""
    people = {row["statistic"]: row for row in rows["among_people"] if row["task"] == ALL}
    if not people:
        return ""
    row = people.get("mean") or next(iter(people.values()))
    parts = [f"{words.count(row['n_ratings'], 'answer')} by {who} about {words.count(row['n_items'], 'image')}."]
    shared = people.get("percent_agreement")
    if shared and shared["value"] is not None:
        rests = (
            ""
            if shared["n_items"] == row["n_items"]
            else f", on the {words.count(shared['n_items'], 'image')} that two have judged"
        )
        two = f"Two {who}" if who == "people" else "Two of them"
        parts.append(f"{two} say the same in {shared['value']:.0%} of cases{_within(shared, '.0%')}{rests}.")
    parts.append(_best(rows, view, who))
    left = [f"{n:,} {words.reason(name)}" for name, n in row["excluded"].items()]
    parts.append(f"Left out: {', '.join(left)}." if left else "")
    return " ".join(part for part in parts if part)


def _what(view: View) -> str:
    where = "all generators" if view.generator == ALL else view.generator
    return f"{view.suite}, {words.aspect(view.aspect)}, {where}"


def _best(rows: Rows, view: View, who: str) -> str:
    """The scorer that comes closest to people by the charted statistic."""
    found = [
        row
        for row in rows["raters"]
        if (row["task"], row["statistic"]) == (view.task, view.statistic) and row["value"] is not None
    ]
    if not found:
        return "" if rows["raters"] else "No scorer has judged these images yet."
    best = max(found, key=lambda row: float(row["value"]))
    among = f" of {len(found)} scorers" if len(found) > 1 else ""
    value = f"{best['value']:.2f}{_within(best, '.2f')}"
    return f"Closest to {who}{among} by {words.title(view.statistic)}: {best['rater']}, {value}."


def _within(row: dict[str, Any], form: str) -> str:
    return "" if row["low"] in (None, row["high"]) else f" (95% interval {row['low']:{form}} to {row['high']:{form}})"


def _points(rows: Rows, view: View, mark: str) -> pd.DataFrame:
    """The chart's rows: each scorer at the chosen task, best first; without scorers, people by task."""
    charted = {name: [row for row in section if row["statistic"] == view.statistic] for name, section in rows.items()}
    scorers = sorted(
        (row for row in charted["raters"] if row["task"] == view.task),
        key=lambda row: (row["value"] is None, -(row["value"] or 0.0)),
    )
    among = charted["among_people"]
    people = [row for row in among if row["task"] == view.task and row["value"] is not None] if scorers else among
    name = "simulated people among themselves" if mark else "people among themselves"
    points = [(name if scorers else words.task(row["task"]) + mark, "people", row) for row in people]
    points += [(row["rater"] + mark, "scorer", row) for row in scorers]
    return pd.DataFrame(
        [(label, kind, row["value"], row["low"], row["high"], row["n_items"], bool(mark)) for label, kind, row in points],
        columns=["label", "kind", "value", "low", "high", "n", "simulated"],
    )


def _tables(rows: Rows, view: View, who: str) -> str:
    task = words.task(view.task)
    against, pairs = ([row for row in rows[name] if row["task"] == view.task] for name in ("raters", "matrix"))
    apart = "" if who == "people" else f", with {who}"
    known = any(row["value"] is not None for row in rows["among_people"] + rows["raters"])
    return (
        statistics_table(f"Scorers against {who}, {task}", "scorer", _AGAINST, against, lambda row: str(row["rater"]))
        + statistics_table(
            f"{who.capitalize()} among themselves", "task", _AMONG, rows["among_people"], lambda row: words.task(row["task"])
        )
        + statistics_table(
            f"Any two raters with 10 images or more in common{apart}, {task}",
            "raters",
            _PAIRS,
            pairs,
            lambda row: f"{row['a']} – {row['b']}",
        )
        + explained([row for section in rows.values() for row in section], open_=not known)
    )
