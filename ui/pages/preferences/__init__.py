"""Preferences: votes of people on pairs of images beside what scorers imply, and the pairs themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import gradio as gr

from agreement import Options
from agreement.preferences.votes import Contest
from agreement.study.cells import ALL
from concord import preferences
from concord.common import next_steps
from concord.preferences import PreferenceRows, Row
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.components.filters import dropdown
from ui.components.table import note
from ui.pages.live import ignored, keep_current, listen, moved
from ui.pages.preferences import numbers
from ui.pages.preferences.bars import bars
from ui.pages.preferences.gallery import gallery
from ui.pages.preferences.view import ADDRESS, View, choices, contest_of, poll_of, view_of
from ui.root import at

NAME = "Preferences"
PATH = "/preferences"
_QUICK: Final = Options(intervals=False)
_QUIET: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
_LEAD: Final = (
    "Two images of one prompt, by two generators: people say which is faithful to the text, both, or neither. Beside them"
    " stands what each scorer would vote: by “correct” for the only one that is right, by a score for the larger one. Click on"
    " a number to see the pairs behind it."
)
_EMPTY: Final = """
## Nobody has chosen between two images yet

In an A/B test (SelfEval, section 4.1) people see two generators' images of one prompt side by side and say which of them shows
what the text says: the left one, the right one, both or neither. The sides are by chance, and nobody sees whose images they
are. Where scorers have judged these images, this page shows whom they would prefer, too.

**Make such a campaign** on the page [Campaigns]({campaigns}) (questionnaire *ab*, two generators), or by command:

{commands}

**The votes that SelfEval prints** in its Tables 2 and 3, with five metrics:

{study}
"""
_ADDRESS: Final = (
    "(value) => { if (value && location.pathname.endsWith('/preferences')) history.replaceState(history.state, '', value);"
    " return []; }"
)
# A click on a number, or on a page, lists its pairs without loading the page anew.
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
_FOLLOW: Final = "() => document.getElementById('pairs')?.scrollIntoView({behavior: 'smooth', block: 'start'})"


def build(store: Store) -> None:
    # set when the page has read its address: what is drawn before would be nobody's choice
    opened = gr.Textbox("", visible="hidden", elem_id="preferences-opened")
    page = gr.Textbox("1", visible="hidden", elem_id="preferences-page")
    address = gr.Textbox("", visible="hidden", elem_id="preferences-address")
    empty = gr.Markdown(_taught(store), visible=False, elem_id="teaching")
    notice = gr.HTML(elem_id="ignored")
    with gr.Column(visible=False) as content:
        with gr.Row(elem_classes="cc-filters"):
            suite, two = dropdown("Suite"), dropdown("Generators")
        gr.HTML(note(_LEAD, "cc-lead"))
        votes = gr.HTML(elem_id="votes", js_on_load=_LIST)
        sides = gr.HTML(elem_id="sides")
        strengths = gr.HTML(elem_id="strengths")
        strengths_plot = gr.Plot(show_label=False, elem_id="strengths-plot")
        ranks = gr.HTML(elem_id="ranks")
        ranks_plot = gr.Plot(show_label=False, elem_id="ranks-plot")
        with gr.Row(elem_classes="cc-filters"):
            task, who = dropdown("Listed: pairs of", [ALL], ALL), dropdown("Listed: votes of", [ALL], ALL)
            chose = dropdown("Listed: who chose", [ALL], ALL)
        pairs = gr.HTML(elem_id="pairs", js_on_load=_LIST)
    controls = [suite, two, task, who, chose]
    everything = [*controls, page]

    def open_page(request: gr.Request) -> list[Any]:
        asked = dict(request.query_params.items())
        view = _view(store, [asked.get(name) for name in ADDRESS], asked.get("page"))
        stands = {name: str(getattr(view, name)) for name in (*ADDRESS, "page")}
        return [*_controls(store, view), str(view.page), ignored(asked, stands), "yes"]

    def choose(*values: str) -> list[Any]:
        # other pairs begin with their first page
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

    places = [address, empty, content, votes, sides, strengths, strengths_plot, ranks, ranks_plot, pairs]
    first = gr.on(None, open_page, None, [*everything, notice, opened], **_QUIET)
    listen([control.input for control in controls], choose, controls, everything, **_QUIET)
    for listing in (votes, pairs):
        listing.select(pick, None, everything, **_QUIET).then(None, js=_FOLLOW)
    address.change(None, address, None, js=_ADDRESS)
    # the choices grow with the project, too
    keep_current(store, offer, [opened, *controls], controls, opened=first)
    keep_current(store, draw, [opened, *everything], places)


def _taught(store: Store) -> str:
    commands, study = (
        next_steps.commands_block(store, next_steps.pair_campaign(store)),
        next_steps.commands_block(store, next_steps.PUBLISHED_VOTES),
    )
    return _EMPTY.format(campaigns=at("/studio/campaigns"), commands=commands, study=study)


def _polls(store: Store, options: Options = _QUICK) -> PreferenceRows:
    return preferences.recall(store, Selection(), options)


def _view(store: Store, values: Sequence[str | None], page: str | None = None) -> View:
    return view_of(_polls(store).polls, dict(zip(ADDRESS, values, strict=True)), page)


def _controls(store: Store, view: View) -> list[Any]:
    found = choices(_polls(store).polls, {name: str(getattr(view, name)) for name in ADDRESS})
    return [found[name].control() for name in ADDRESS]


def _drawn(store: Store, view: View, options: Options) -> list[Any]:
    """The whole page."""
    found = _polls(store, options)
    poll = poll_of(found.polls, view)
    if poll is None:
        return [gr.skip(), gr.Markdown(_taught(store), visible=True), gr.Column(visible=False), *[gr.skip()] * 7]
    contest = contest_of(poll, view)
    of = {name: [row for row in rows if row["suite"] == poll.suite] for name, rows in found.sections.items()}
    votes, beside = ([row for row in of[name] if _is_of(row, contest)] for name in ("votes", "beside"))
    several = len({row["generator"] for row in of["strengths"]}) > 2
    strengths = numbers.strengths(of["strengths"], ALL) if several else ""
    return [
        view.address(),
        gr.Markdown(visible=False),
        gr.Column(visible=True),
        bars(votes, beside, contest, view),
        numbers.sides(of["sides"]),
        strengths,
        _plot(numbers.strengths_figure(of["strengths"], ALL)),
        numbers.ranks(of["ranks"]),
        _plot(numbers.ranks_figure(of["ranks"])),
        gallery(store, poll, view),
    ]


def _is_of(row: Row, contest: Contest) -> bool:
    return (row["a"], row["b"]) == (contest.a, contest.b)


def _plot(made: Any) -> gr.Plot:
    return gr.Plot(made, visible=True) if made is not None else gr.Plot(visible=False)
