"""Matching: which captions scorers take for images, against chance and each other, and the images behind each number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import gradio as gr

from agreement import Options
from agreement.study.cells import ALL
from concord import matching
from concord.common import next_steps
from concord.matching import Row, evidence, recall
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import CaptionChoice
from ui.components.filters import dropdown
from ui.components.table import heading, note
from ui.matching import charts
from ui.pages.live import ignored, keep_current, listen, moved
from ui.pages.matching import numbers
from ui.pages.matching.gallery import gallery
from ui.pages.matching.view import ADDRESS, View, choices, view_of

NAME = "Matching"
PATH = "/matching"
_QUICK: Final = Options(intervals=False)
_QUIET: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
_LEAD: Final = (
    "An image and several captions, of which one is right: does a scorer take that one? A likelihood scorer (SelfEval) asks its"
    " own text-to-image model; an image-text model (CLIP) is the baseline. Click on a number to see its images."
)
_EMPTY: Final = """
## No scorer has chosen among captions yet

SelfEval (section 4) asks a text-to-image model how likely an image is given each of several captions: it understands the text
if the right one wins. Shown here are accuracy against chance by task, Winoground's scores, and where only one of two is right.

{first}

**A file of yours**, Winoground's, ARO's, or TIFA's questions about COCO (docs/matching.md says how they are laid out):

{files}

Images of any suite whose prompts have a spec can be scored as well: wrong captions are made from the spec.
"""
_ADDRESS: Final = (
    "(value) => { if (value && location.pathname.endsWith('/matching')) history.replaceState(history.state, '', value);"
    " return []; }"
)
# A click on a number, or on a page, lists its images without loading the page anew.
_LIST: Final = """
element.addEventListener('click', (event) => {
  const link = event.target.closest('a[href]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const to = new URL(link.href), here = new URL(location.href);
  if (to.pathname !== here.pathname) return;
  event.preventDefault();
  trigger('select', Object.fromEntries(to.searchParams));
});
"""
_FOLLOW: Final = "() => document.getElementById('matches')?.scrollIntoView({behavior: 'smooth', block: 'start'})"


def build(store: Store) -> None:
    # set when the page has read its address: what is drawn before would be nobody's choice
    opened = gr.Textbox("", visible="hidden", elem_id="matching-opened")
    page = gr.Textbox("1", visible="hidden", elem_id="matching-page")
    address = gr.Textbox("", visible="hidden", elem_id="matching-address")
    empty = gr.Markdown(_taught(store), visible=False, elem_id="teaching")
    notice = gr.HTML(elem_id="ignored")
    with gr.Column(visible=False) as content:
        with gr.Row(elem_classes="cc-filters"):
            suite, generator = dropdown("Suite"), dropdown("Images of")
        gr.HTML(note(_LEAD, "cc-lead"))
        bars = gr.Plot(show_label=False, elem_id="matching-plot")
        tables = gr.HTML(elem_id="matching-tables", js_on_load=_LIST)
        told = gr.HTML(elem_id="ablation")
        lines = gr.Plot(show_label=False, elem_id="ablation-plot")
        with gr.Row(elem_classes="cc-filters"):
            task, who = dropdown("Listed: task", [ALL], ALL), dropdown("Listed: scorer", [ALL], ALL)
            said = dropdown("Listed: that is", [ALL], ALL)
        listed = gr.HTML(elem_id="matches", js_on_load=_LIST)
    controls = [suite, generator, task, who, said]
    everything = [*controls, page]
    places = [address, empty, content, bars, tables, told, lines, listed]

    def open_page(request: gr.Request) -> list[Any]:
        asked = dict(request.query_params.items())
        view = _view(store, [asked.get(name) for name in ADDRESS], asked.get("page"))
        stands = {name: str(getattr(view, name)) for name in (*ADDRESS, "page")}
        return [*_controls(store, view), str(view.page), ignored(asked, stands), "yes"]

    def choose(*values: str) -> list[Any]:
        # other images begin with their first page
        return [*moved(controls, values, controls, _controls(store, _view(store, values))), "1"]

    def pick(event: gr.EventData) -> list[Any]:
        asked = {name: str(event._data.get(name) or "") for name in (*ADDRESS, "page")}
        view = _view(store, [asked[name] for name in ADDRESS], asked["page"])
        return [*_controls(store, view), str(view.page)]

    def draw(ready: str, *values: str) -> Iterator[list[Any]]:
        if not ready:
            yield [gr.skip()] * len(places)
            return
        for options in (_QUICK, Options()):
            yield _drawn(store, _view(store, values[:-1], values[-1]), options)

    def offer(ready: str, *values: str) -> Iterator[list[Any]]:
        yield _controls(store, _view(store, values)) if ready else [gr.skip()] * len(controls)

    first = gr.on(None, open_page, None, [*everything, notice, opened], **_QUIET)
    listen([control.input for control in controls], choose, controls, everything, **_QUIET)
    for listing in (tables, listed):
        listing.select(pick, None, everything, **_QUIET).then(None, js=_FOLLOW)
    address.change(None, address, None, js=_ADDRESS)
    # the choices grow with the project, too
    keep_current(store, offer, [opened, *controls], controls, opened=first)
    keep_current(store, draw, [opened, *everything], places)


def _taught(store: Store) -> str:
    if next_steps.has_own_images(store):
        score = next_steps.commands_block(store, next_steps.score_command(store, "clipmatch"))
        first = f"**Your images**, where prompts have a spec:\n\n{score}"
    else:
        first = f"**The small world's set**, six tasks:\n\n{next_steps.commands_block(store, next_steps.MATCHING)}"
    return _EMPTY.format(first=first, files=next_steps.commands_block(store, next_steps.MATCHING_FILES))


def _view(store: Store, values: Sequence[str | None], page: str | None = None) -> View:
    return view_of(evidence(store), dict(zip(ADDRESS, values, strict=True)), page)


def _controls(store: Store, view: View) -> list[Any]:
    found = choices(evidence(store), {name: str(getattr(view, name)) for name in ADDRESS})
    return [found[name].control() for name in ADDRESS]


def _drawn(store: Store, view: View, options: Options) -> list[Any]:
    """The whole page."""
    found = [one for one in evidence(store) if one.suite == view.suite]
    if not found:
        return [gr.skip(), gr.Markdown(_taught(store), visible=True), gr.Column(visible=False), *[gr.skip()] * 5]
    rows = recall(store, view.suite, options)
    mine = {name: [row for row in of if row["generator"] == view.generator] for name, of in rows.sections.items()}
    body = (
        numbers.accuracy(mine["matching"], view) + numbers.winoground(mine["winoground"]) + numbers.votes(mine["votes"], view)
    )
    told, lines = _ablation([one for one in found if one.generator == view.generator], mine, options)
    shown = [gr.Markdown(visible=False), gr.Column(visible=True)]
    return [view.address(), *shown, _plot(_bars(mine["matching"])), body, told, _plot(lines), gallery(store, found, view)]


def _bars(rows: Sequence[Row]) -> Any:
    above = {(row["task"], row["rater"]): row for row in rows if row["statistic"] == "accuracy_less_chance"}
    tasks = [ALL, *sorted({task for task, _ in above} - {ALL})]
    return charts.above_chance(tasks, sorted({rater for _, rater in above}), above)


def _ablation(found: Sequence[CaptionChoice], mine: dict[str, list[Row]], options: Options) -> tuple[str, Any]:
    """Lines of raters that differ in steps or seed alone: of the largest such family."""
    families = matching.ablation_grids(found)
    if not families:
        return "", None
    (_, title), grid = max(families.items(), key=lambda item: len(item[1]))
    rows = [row for row in matching.ablation_rows(found, grid, range(1, 10_000), options) if row["task"] == ALL]
    chance = next((row["value"] for row in mine["matching"] if (row["statistic"], row["task"]) == ("chance", ALL)), None)
    told = "Accuracy by trials, steps and seed; fewer trials are the first ones. The dotted line is chance."
    return heading(f"Ablation: {title}", told), charts.by_trials(rows, chance)


def _plot(made: Any) -> gr.Plot:
    return gr.Plot(made, visible=True) if made is not None else gr.Plot(visible=False)
