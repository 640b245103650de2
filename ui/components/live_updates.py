"""How a page stays current: it asks for the project's version every few seconds and draws again only when that moved."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import gradio as gr
from gradio.blocks import BlockContext
from gradio.components import Component
from gradio.events import Dependency, EventListener

from concord.common import live_updates
from concord.common.base_path import at
from data.store.core.store import Store
from ui.components.controls import rendered
from ui.components.tables import note

SECONDS = 3
_VALUES = "(...values) => (values[0] === '' ? '' : encodeURIComponent(JSON.stringify(values)))"
"""JavaScript for what a drawing depends on: nothing until the page has read its address into the first of its inputs. Encoded,
as the signal is HTML, and what an address asks for may be anything."""
_EVERY = "() => `${performance.now()} ${Math.random()}`"


def version_signal(moves: live_updates.Moves = live_updates.version, seconds: float = SECONDS) -> gr.HTML:
    """The version that a page shows, empty until it shows one; it selects itself when there is another.

    Nothing to look at. Browsers ask for the version by a route of its own, as an event of Gradio's costs a hundred times as
    much.
    """
    options = json.dumps({"of": live_updates.follow(moves), "seconds": seconds})
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
    store: Store,
    draw: Callable[..., Iterator[Sequence[Any]]] | live_updates.SharedDrawing,
    inputs: Sequence[Component],
    outputs: Sequence[Component | BlockContext],
    *,
    signal: gr.HTML | None = None,
    moves: live_updates.Moves = live_updates.version,
    seconds: float = SECONDS,
) -> None:
    """Call ``draw`` when the project has moved, and when the page opens or an input changes, unless these are another event's:
    that one sets ``signal`` (of ``version_signal``) to the version of before it drew.

    Until the page has been drawn once nothing follows the project: the inputs do not hold yet what the address asks for. A
    control that ``draw`` leaves as it found it is not set again, or a click made meanwhile would be undone.

    ``draw`` takes the inputs' values and yields the outputs, once or several times (quick first, complete later). ``moves``
    gives a text that differs when there is something new to draw.
    """
    seen = version_signal(moves, seconds) if signal is None else signal
    shared = draw if isinstance(draw, live_updates.SharedDrawing) else live_updates.SharedDrawing(store, draw)

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
            yield [*moved(inputs, values, outputs, drawn), version]

    quiet: dict[str, Any] = {"outputs": [*outputs, seen], "show_progress": "hidden", "api_visibility": "private"}
    if signal is None:
        # controls that are opened together change one by one: of the same values one drawing is enough
        listen(None, fresh, [*inputs], of=_VALUES, **quiet)
    dispatched, overtaken = _overtaking(str(seen._id))
    followed = seen.select(tick, [seen, *inputs], trigger_mode="once", js=dispatched, **quiet)
    followed.then(None, [seen, *inputs], seen, js=overtaken)


def listen(
    events: Sequence[EventListener] | None,
    function: Callable[..., Any],
    inputs: Sequence[Component],
    outputs: Component | BlockContext | Sequence[Component | BlockContext],
    of: str = _EVERY,
    **how: Any,
) -> Dependency:
    """Call a function after any of these events, by default when the page opens and when an input changes; of those that come
    while it works, once more after the last. ``of`` is JavaScript that makes a text of the inputs: an event after which that
    is the same counts for nothing.

    Gradio repeats the whole event that a listener with ``trigger_mode="always_last"`` put off, for all of its listeners: two
    such listeners of one event put each other off, and call each other for ever (gradio 6.31, on a busy machine). So each
    listener has an event of its own: the change of a hidden signal, which the browser sets without asking the server.
    """
    signal = gr.HTML("", visible="hidden", apply_default_css=False)
    triggers = None if events is None else list(events)
    gr.on(triggers, None, [*inputs], signal, js=of, api_visibility="private")
    return signal.change(function, [*inputs], outputs, trigger_mode="always_last", **how)


def _overtaking(name: str) -> tuple[str, str]:
    """JavaScript for when a page is asked for and for when it is drawn: if its inputs have changed meanwhile, what was drawn
    may stand where their drawing stood already, so it is another version's and is drawn again."""
    last_values = f"(window.concordAsked ??= {{}})[{json.dumps(name)}]"
    dispatched = f"(seen, ...values) => {{ {last_values} = JSON.stringify(values); return [seen, ...values]; }}"
    return dispatched, f"(seen, ...values) => [JSON.stringify(values) === {last_values} ? seen : 'overtaken']"


def moved(
    inputs: Sequence[Component], values: Sequence[Any], outputs: Sequence[Component | BlockContext], drawn: Sequence[Any]
) -> list[Any]:
    """What was drawn of these values of the inputs, without the values that outputs among them have already.

    A control that is set to what was asked of it would undo the click that somebody made meanwhile.
    """
    current = dict(zip(inputs, values, strict=True))
    return [
        _without_value(change, current[output]) if output in current else change
        for output, change in zip(outputs, drawn, strict=True)
    ]


def _without_value(change: Any, current: Any) -> Any:
    """A change to a control, without its value if the control has that already; Gradio takes a component for a change, too."""
    if isinstance(change, Component):
        change = change.constructor_args | {"__type__": "update"}
    if isinstance(change, dict) and "value" in change and change["value"] == current:
        return {name: value for name, value in change.items() if name != "value"}
    return change


def ignored(parameters: Mapping[str, str], chosen: Mapping[str, str | None]) -> str:
    """A line that says which parts of an address this page could not follow; nothing if it followed all."""
    lost = [
        f"{name}={value}"
        for name, value in parameters.items()
        if value and chosen.get(name) != value and not name.startswith("__")
    ]
    if not lost:
        return ""
    text = f"This address asks for {', '.join(lost)}, which this page does not have; here is what it has instead."
    return rendered(note(text, "cc-bad"))
