"""Listeners of a page to Gradio's events."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import gradio as gr
from gradio.blocks import BlockContext
from gradio.components import Component
from gradio.events import Dependency, EventListener

QUIET: Final[dict[str, Any]] = {"show_progress": "hidden", "api_visibility": "private"}
_EVERY = "() => `${performance.now()} ${Math.random()}`"


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
