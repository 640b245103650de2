"""Explore: what would follow from the same evidence by other thresholds, and where generators fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

import gradio as gr

from concord import rejudging
from concord.common import next_steps
from concord.common.base_path import at
from concord.common.context import CommandError
from concord.rejudging import save_as_rater
from data.store.core.store import Store
from scorers.base import Knob
from ui.components.live_updates import ignored, keep_current, listen, moved
from ui.components.tables import linked_note, note
from ui.pages.explore import controls
from ui.pages.explore.controls import choices, empty_text, lay_out, view_of
from ui.pages.explore.failures import Failures, failures_part
from ui.pages.explore.flips import FlipTest, flip_test
from ui.pages.explore.question_controls import WRONG, QuestionsDrawing
from ui.pages.explore.questions import questions_part
from ui.pages.explore.thresholds import draw_thresholds
from ui.pages.explore.view import ADDRESS, ALL, FAILURES, FLIPPED, QUESTIONS, SHOWN, ExploreView

NAME = "Explore"
PATH = "/explore"
_QUIET: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
# The address follows what is drawn: that is at most a few times a second, as browsers want it.
_SHOW_ADDRESS: Final = (
    "(value) => { if (value && location.pathname.endsWith('/explore')) history.replaceState(history.state, '', value);"
    " return []; }"
)
_LISTED: Final = {"against": "", "group": ALL, "whose": ALL, "answers": WRONG}
_FOLLOW_LIST: Final = "() => document.getElementById('asked-list')?.scrollIntoView({behavior: 'smooth', block: 'start'})"
_FOLLOW: Final = "() => document.getElementById('explore-pictures')?.scrollIntoView({behavior: 'smooth', block: 'start'})"


def build(store: Store) -> None:
    known = controls.every_knob()
    names = [*ADDRESS, *known]
    page = lay_out(store, known)
    part, standing = page.thresholds, page.standing

    def view(*values: Any) -> ExploreView:
        """Of the controls and the knobs, or of the controls alone: the knobs stand as in the run then."""
        return view_of(store, dict(zip(names, values, strict=False)))

    def open_page(request: gr.Request) -> list[Any]:
        chosen, lost = _opened(store, dict(request.query_params.items()))
        return [*_controls(store, chosen), *_slider_updates(store, known, chosen), lost]

    def choose(*values: Any) -> list[Any]:
        return moved(page.everything, values, page.controls, _controls(store, view(*values)))

    def offer(stands: str, *values: Any) -> Iterator[list[Any]]:
        # a slow page asks before it has been opened: what it says then is nobody's choice
        yield choose(*values) if stands else [gr.skip()] * len(page.controls)

    def change_rater(stands: str, *values: Any) -> list[Any]:
        chosen = view(*values)
        if stands in ("", chosen.of):
            return [gr.skip()] * (len(page.everything) + 1)
        controls = moved(page.controls, values, page.controls, _controls(store, chosen))
        return [*controls, *_slider_updates(store, known, chosen), gr.HTML(visible=False)]

    def reset(*values: Any) -> list[Any]:
        return _slider_updates(store, known, view(*values))

    def draw(stands: str, *values: Any) -> Iterator[list[Any]]:
        chosen = view(*values)
        yield _draw(store, chosen) if stands == chosen.of else [gr.skip()] * len(page.outputs)

    def keep_settings(*values: Any) -> Any:
        return _keep_settings(store, view(*values))

    opened = gr.on(None, open_page, None, [*page.everything, page.notice], queue=False, **_QUIET)
    rater = [page.control(name).change for name in ("suite", "rater")]
    changing = [*page.everything, part.message]
    changed = listen(rater, change_rater, [standing, *page.controls], changing, queue=False, **_QUIET)
    for event in (opened, changed):
        # only now do the knobs stand where this rater's should: what is asked for until then is not drawn
        event.then(lambda *values: view(*values).of, page.controls, standing, queue=False, **_QUIET)
    offering = [page.control(name).input for name in ("task", "show", "see", "source")]
    listen(offering, choose, page.everything, page.controls, queue=False, **_QUIET)
    part.reset.click(reset, page.controls, part.turned, queue=False, **_QUIET)
    part.keep.click(keep_settings, page.everything, part.message, trigger_mode="once", **_QUIET)
    picked = [page.control(name) for name in ("task", "changed")]

    def pick(event: gr.EventData) -> Sequence[str]:
        """The images of a click on a number of changed verdicts."""
        return [str(event._data["task"]), str(event._data["changed"])]

    part.changes.select(pick, None, picked, queue=False, **_QUIET).then(None, js=_FOLLOW)
    listed = [page.control(name) for name in _LISTED]

    def list_answers(event: gr.EventData) -> Sequence[str]:
        """What a click on a number of the part Questions lists."""
        asked = {name: str(event._data.get(name) or "") for name in _LISTED}
        return [asked[name] or default for name, default in _LISTED.items()]

    page.asked.drawn[2].select(list_answers, None, listed, queue=False, **_QUIET).then(None, js=_FOLLOW_LIST)
    page.address.change(None, page.address, None, js=_SHOW_ADDRESS)
    # the choices grow with the project, too
    keep_current(store, offer, [standing, *page.everything], page.controls, opened=opened)
    keep_current(store, draw, [standing, *page.everything], page.outputs)


def _opened(store: Store, asked: Mapping[str, str]) -> tuple[ExploreView, str]:
    """The view that an address asks for, and what it asks for in vain."""
    chosen = view_of(store, asked)
    values = {name: str(getattr(chosen, name)) for name in ADDRESS}
    return chosen, ignored(asked, values | controls.followed_sliders(chosen.turned, asked))


def _controls(store: Store, view: ExploreView) -> list[Any]:
    """The changes to all controls but the knobs; what has nothing to choose from is not shown."""
    found = choices(store, view)
    return [
        gr.Radio(value=found[name].value)
        if name in ("show", "flip", "see")
        else gr.Dropdown(list(found[name].choices), value=found[name].value, visible=bool(found[name].choices))
        for name in ADDRESS
    ]


def _slider_updates(store: Store, known: Mapping[str, Knob], view: ExploreView) -> list[Any]:
    """The changes to the knobs: those of this rater, where the view has them."""
    return controls.slider_updates([*known], rejudging.evidence(store, view.suite, view.rater), view.turned)


def _draw(store: Store, view: ExploreView) -> list[Any]:
    """The whole page, in the order of ``ExploreLayout.outputs``; the parts that are not shown stay as they are."""
    if not view.rater:
        return [
            gr.skip(),
            gr.Markdown(empty_text(store), visible=True),
            gr.Column(visible=False),
            *[gr.skip()] * (len(SHOWN) + 18),
        ]
    parts = [gr.Column(visible=view.show == name) for name in SHOWN]
    thresholds, failing, flips, questions = [gr.skip()] * 8, [gr.skip()] * 3, [gr.skip()] * 3, [gr.skip()] * 4
    if view.show == FAILURES:
        failing = _part_updates(failures_part(store, view.suite, view.rater, view.picture, view.generator))
    elif view.show == FLIPPED:
        flips = _part_updates(flip_test(store, view.suite, view.flip))
    elif view.show == QUESTIONS:
        made = questions_part(store, view)
        questions = [*_part_updates(made), made.listed]
    else:
        thresholds = _thresholds(store, view)
    drawn = [*thresholds, *failing, *flips, *questions]
    return [view.address(), gr.Markdown(visible=False), gr.Column(visible=True), *parts, *drawn]


def _part_updates(made: Failures | FlipTest | QuestionsDrawing) -> list[Any]:
    return [made.lead, _plot(made.figure), made.numbers]


def _thresholds(store: Store, view: ExploreView) -> list[Any]:
    made, changed = draw_thresholds(store, view), bool(view.moved)
    texts = [made.told, made.numbers, made.changes, made.pictures]
    return [made.lead, _plot(made.plot), *texts, *[gr.Button(interactive=changed, visible=bool(view.turned))] * 2]


def _plot(made: Any) -> gr.Plot:
    return gr.Plot(made, visible=True) if made is not None else gr.Plot(visible=False)


def _keep_settings(store: Store, view: ExploreView) -> gr.HTML:
    """Keep what the knobs stand at, and say what became of it."""
    try:
        done = save_as_rater(store, view.rater, view.turned)
    except (CommandError, ValueError) as error:
        return gr.HTML(note(f"Not kept: {error}.", "cc-bad"), visible=True)
    where = at("/studio/agreement?") + urlencode({"suite": view.suite, "aspect": rejudging.ASPECT})
    if done.import_id is None:
        said = linked_note(f"{done.rater_id} judges by these settings already; see it on", where, "Agreement", "")
        return gr.HTML(said, visible=True)
    (undo,) = next_steps.command_lines(store, (f"import undo {done.import_id}",))
    first = f"Kept as {done.rater_id}: {done.images:,} images judged by these settings, now on"
    return gr.HTML(linked_note(first, where, "Agreement", f"and Browse. To take it back: {undo}"), visible=True)
