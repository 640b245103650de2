"""How a page stays current: it asks for the project's version every few seconds and draws again only when that moved."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gradio as gr
from gradio.blocks import BlockContext
from gradio.components import Component

from concord.common import live_updates
from concord.common.base_path import at
from concord.project import OpenProject
from ui.shell.changes import unless_current
from ui.shell.events import listen
from ui.shell.followed_versions import POLL_SECONDS, poll
from ui.shell.shared_drawing import SharedDrawing

_VALUES = "(...values) => (values[0] === '' ? '' : encodeURIComponent(JSON.stringify(values)))"
"""JavaScript for what a drawing depends on: nothing until the page has read its address into the first of its inputs. Encoded,
as the signal is HTML, and what an address asks for may be anything."""


def version_signal(moves: live_updates.Moves = live_updates.version, seconds: float = POLL_SECONDS) -> gr.HTML:
    """The version that a page shows, empty until it shows one; it selects itself when there is another.

    Nothing to look at: the browser asks for the version (`ui.shell.followed_versions`).
    """
    options = json.dumps(poll(moves, seconds))
    return gr.HTML(
        "",
        html_template="<div></div>",
        js_on_load=(
            f"import('{at('/assets/js/live_updates.js')}').then((m) => m.follow(element,"
            f" {{...{options}, shown: () => props.value, moved: () => trigger('select')}}));"
        ),
        apply_default_css=False,
        visible="hidden",
    )


def keep_current(
    store: OpenProject,
    draw: Callable[..., Iterator[Sequence[Any]]] | SharedDrawing,
    inputs: Sequence[Component],
    outputs: Sequence[Component | BlockContext],
    *,
    signal: gr.HTML | None = None,
    moves: live_updates.Moves = live_updates.version,
    seconds: float = POLL_SECONDS,
) -> None:
    """Call ``draw`` when the project has moved, and when the page opens or an input changes, unless these are another event's:
    that one sets ``signal`` (of ``version_signal``) to the version of before it drew.

    Until the page has been drawn once nothing follows the project: the inputs do not hold yet what the address asks for. A
    control that ``draw`` leaves as it found it is not set again, or a click made meanwhile would be undone.

    ``draw`` takes the inputs' values and yields the outputs, once or several times (quick first, complete later). ``moves``
    gives a text that differs when there is something new to draw.
    """
    seen = version_signal(moves, seconds) if signal is None else signal
    shared = draw if isinstance(draw, SharedDrawing) else SharedDrawing(store, draw)

    def fresh(*values: Any) -> Iterator[list[Any]]:
        version = moves(store)
        for drawn in shared.drawn(version, values):
            # of a change that is a dictionary Gradio takes the value out
            yield [*(dict(change) if isinstance(change, dict) else change for change in drawn), version]

    def tick(known: str, *values: Any) -> Iterator[list[Any]]:
        if known in (None, "", moves(store)):
            yield [gr.skip()] * (len(outputs) + 1)
            return
        for *drawn, version in fresh(*values):
            yield [*unless_current(inputs, values, outputs, drawn), version]

    quiet: dict[str, Any] = {"outputs": [*outputs, seen], "show_progress": "hidden", "api_visibility": "private"}
    if signal is None:
        # controls that are opened together change one by one: of the same values one drawing is enough
        listen(None, fresh, [*inputs], of=_VALUES, **quiet)
    dispatched, overtaken = _overtaking(str(seen._id))
    followed = seen.select(tick, [seen, *inputs], trigger_mode="once", js=dispatched, **quiet)
    followed.then(None, [seen, *inputs], seen, js=overtaken)


def _overtaking(name: str) -> tuple[str, str]:
    """JavaScript for when a page is asked for and for when it is drawn: if its inputs have changed meanwhile, what was drawn
    may stand where their drawing stood already, so it is another version's and is drawn again."""
    last_values = f"(window.concordAsked ??= {{}})[{json.dumps(name)}]"
    dispatched = f"(seen, ...values) => {{ {last_values} = JSON.stringify(values); return [seen, ...values]; }}"
    return dispatched, f"(seen, ...values) => [JSON.stringify(values) === {last_values} ? seen : 'overtaken']"
