"""Live agreement: every rater, human or machine, beside every other; n and interval at each number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from agreement import Options
from concord.agreement import Rows, recall
from concord.common import next_steps
from concord.common.base_path import at
from data.store.core.store import Store
from ui.components.controls import dropdown
from ui.components.live_updates import ignored, keep_current, listen, moved, set_address
from ui.components.tables import heading
from ui.pages.agreement.pairs import Panel, clickable_matrix, matrix, panels
from ui.pages.agreement.scorers import by_certainty, scorer_against_scorer, scores_to_decisions
from ui.pages.agreement.summary import (
    by_kind_of_people,
    consensus_tables,
    export_links,
    forest,
    lead,
    main_numbers,
    summary_tables,
)
from ui.pages.agreement.view import (
    ADDRESS,
    ALL,
    CONSENSUS,
    NUMBERS,
    SHOWN,
    TABLE,
    AgreementView,
    choices,
    first_estimates,
    further,
    intervals_note,
    is_huge,
    is_large,
    passes,
    restricted,
)

Value = str | list[str] | None
"""Of a control."""
NAME = "Agreement"
PATH = "/agreement"
_QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
_FOLLOW = "() => document.getElementById('pair')?.scrollIntoView({behavior: 'smooth', block: 'start'})"


def build(store: Store) -> None:
    label = f"**[Label a few images]({at('/annotate/')})**"
    first = f"Nothing has been judged yet. {label}, or import a published study or your own ratings:"
    empty = gr.Markdown(f"{first}\n\n{next_steps.commands_block(store, next_steps.STUDIES, next_steps.RATINGS)}", visible=False)
    notice = gr.HTML(elem_id="ignored")
    with gr.Column() as content:
        with gr.Row(elem_classes="cc-filters"):
            filters = [dropdown("Suite"), dropdown("Aspect"), dropdown("Generator", [ALL], ALL), dropdown("Task", [ALL], ALL)]
            filters.append(dropdown("Statistic"))
        sentence = gr.HTML(elem_id="sentence")
        show = gr.Radio([(title, name) for name, title in SHOWN.items()], value=NUMBERS, label="Show", elem_id="show")
        consensus = gr.CheckboxGroup(
            [(title, name) for name, title in CONSENSUS.items()],
            label="Consensus of people as one more rater",
            elem_id="consensus",
        )
        table = gr.CheckboxGroup([(title, name) for name, title in TABLE.items()], label="Tables", elem_id="all-statistics")
        raters = clickable_matrix("agreement-matrix")
        with gr.Column(elem_id="pair", elem_classes="cc-pair") as pair_panel:
            with gr.Row(elem_classes="cc-filters"):
                pair = [dropdown("Rater", [("none", "")], ""), dropdown("beside", [("none", "")], "")]
            opened_pair = _pair_outputs()
        plot = gr.Plot(show_label=False, elem_id="agreement-plot")
        numbers = gr.HTML(elem_id="agreement-tables")
    ready, more = gr.State(False), gr.State("")
    controls = [*filters, show, consensus, table, *pair]

    def choose(extra: str, *asked: Value) -> list[Any]:
        found = choices(store, _view(asked, extra))
        return moved(controls, asked, controls, [choice.control() for choice in found])

    def open_page(request: gr.Request) -> list[Any]:
        return _opened(store, request)

    def draw(is_ready: bool, extra: str, *values: Value) -> Iterator[list[Any]]:
        if not is_ready:
            yield [gr.skip()] * 7
            return
        view = _view(values, extra)
        if not view.suite:
            yield [gr.Markdown(visible=True), gr.Column(visible=False), "", "", gr.Column(), None, ""]
            return
        # all but the pair: point estimates first, then with intervals
        for intervals in passes(store):
            yield [gr.Markdown(visible=False), gr.Column(visible=True), *_drawn(store, view, intervals=intervals)]

    def draw_pair(is_ready: bool, extra: str, *values: Value) -> Iterator[list[Any]]:
        if is_ready:
            yield from (panel.outputs() for panel in panels(store, _view(values, extra)))
        else:
            yield Panel("").outputs()

    first = gr.on(None, open_page, None, [*controls, notice, ready, more], queue=False, **_QUIET)
    asking = [control.input for control in filters[:2]]
    listen(asking, choose, [more, *controls], controls, queue=False, **_QUIET)
    for control in controls:
        control.change(None, controls, None, js=set_address(ADDRESS))

    def pick(event: gr.EventData) -> list[str]:
        """The pair of a click on the matrix."""
        return [str(event._data["a"]), str(event._data["b"])]

    raters.select(pick, None, pair, queue=False, **_QUIET).then(None, js=_FOLLOW)
    # the choices grow with the project, too
    keep_current(store, lambda *asked: iter([choose(*asked)]), [more, *controls], controls, opened=first)
    drawn = [empty, content, sentence, raters, pair_panel, plot, numbers]
    keep_current(store, draw, [ready, more, *filters, show, consensus, table], drawn)
    keep_current(store, draw_pair, [ready, more, *controls], opened_pair)


def _pair_outputs() -> list[Any]:
    """Where a pair is drawn, in the order of ``Panel.outputs``."""
    text = gr.HTML(elem_id="pair-text")
    plots = [gr.Plot(show_label=False, visible=False, elem_id=name) for name in ("pair-scores", "pair-steps")]
    return [text, *plots, gr.HTML(elem_id="pair-parts")]


def _view(values: Sequence[Value], extra: str) -> AgreementView:
    named = zip(ADDRESS, values, strict=False)
    return AgreementView(**{name: _text(value) for name, value in named}, further=extra)


def _text(value: Value) -> str:
    """A control's value as the address has it."""
    return ",".join(value) if isinstance(value, list) else value or ""


def _opened(store: Store, request: gr.Request) -> list[Any]:
    """The controls as the address asks for them, and what it asks for in vain."""
    query = request.query_params
    asked = query.multi_items()
    extra = further(asked)
    found = choices(store, _view([query.get(name) for name in ADDRESS], ""))
    chosen = {name: _text(choice.value) for name, choice in zip(ADDRESS, found, strict=True)}
    try:
        restricted(extra)
    except ValueError:
        extra = ""
    followed = chosen | {name: ",".join(query.getlist(name)) for name in restricted(extra).to_dict()}
    wanted = {name: ",".join(query.getlist(name)) for name in query}
    return [*(choice.control() for choice in found), ignored(wanted, followed), True, extra]


def _drawn(store: Store, view: AgreementView, *, intervals: bool) -> list[Any]:
    """Sentence, matrix, figure and tables."""
    # one generator selected, or all of them: either way "all" is what is asked for
    whole = Options(each_generator=False, matrix=False, ceiling=True)
    rows = recall(store, view.selection, whole) if intervals else first_estimates(store, view.selection)
    real, simulated = (by_kind_of_people(rows, kind) for kind in ("real", "simulated"))
    updating = "" if intervals else intervals_note(store, view.selection)
    raters: Any = ""
    if view.show == NUMBERS:
        # of a large project the matrix stays as it was until the new one is there
        later = not intervals and is_large(store) and not is_huge(store)
        raters = gr.skip() if later else matrix(store, view, rows, intervals=intervals)
        figure, body = forest(real, simulated, view), _everything(real, simulated, view)
        body = consensus_tables(store, view, intervals=intervals) + body
    elif view.show == "certainty":
        figure, body = by_certainty(store, view, intervals=intervals)
    elif view.show == "scorers":
        figure, body = None, scorer_against_scorer(store, view, intervals=intervals)
    else:
        figure, body = scores_to_decisions(store, view, intervals=intervals)
    plot = gr.Plot(figure, visible=True) if figure else gr.Plot(visible=False)
    return [
        lead(real, simulated, view) + export_links(view.selection),
        raters,
        gr.Column(visible=view.show == NUMBERS),
        plot,
        updating + body,
    ]


def _everything(real: Rows, simulated: Rows, view: AgreementView) -> str:
    """All tables: people first, simulated ones in a section of their own."""
    body = summary_tables(real, view, "people")
    if any(simulated.values()):
        body += heading("Simulated people", main_numbers(simulated, view, "simulated people"))
        body += summary_tables(simulated, view, "simulated people")
    return body
