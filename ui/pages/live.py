"""How a page stays current: it asks for the project's version every few seconds and draws again only when that moved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import gradio as gr
from gradio.blocks import BlockContext
from gradio.components import Component

from data.store.store import Store
from ui.components.table import note

SECONDS = 3


def keep_current(
    store: Store,
    draw: Callable[..., Iterator[Sequence[Any]]],
    inputs: Sequence[Component],
    outputs: Sequence[Component | BlockContext],
    *,
    on_change: bool = True,
    moves: Callable[[Store], str] = lambda store: store.version,
    seconds: float = SECONDS,
) -> None:
    """Call ``draw`` when the project has moved, and (``on_change``) when the page opens or an input changes.

    ``draw`` takes the inputs' values and yields the outputs, once or several times (quick first, complete later). ``moves``
    gives a text that differs when there is something new to draw.
    """
    seen = gr.State("")
    timer = gr.Timer(seconds)

    def fresh(*values: Any) -> Iterator[list[Any]]:
        version = moves(store)
        for drawn in draw(*values):
            yield [*drawn, version]

    def tick(known: str, *values: Any) -> Iterator[list[Any]]:
        if known == moves(store):
            yield [gr.skip()] * (len(outputs) + 1)
            return
        yield from fresh(*values)

    quiet: dict[str, Any] = {"outputs": [*outputs, seen], "show_progress": "hidden", "api_visibility": "private"}
    if on_change:
        gr.on(None, fresh, [*inputs], trigger_mode="always_last", **quiet)
    timer.tick(tick, [seen, *inputs], trigger_mode="once", **quiet)


def ignored(asked: Mapping[str, str], chosen: Mapping[str, str | None]) -> str:
    """A line that says which parts of an address this page could not follow; nothing if it followed all."""
    lost = [
        f"{name}={value}" for name, value in asked.items() if value and chosen.get(name) != value and not name.startswith("__")
    ]
    if not lost:
        return ""
    return note(
        f"This address asks for {', '.join(lost)}, which this page does not have; here is what it has instead.", "cc-bad"
    )


def set_address(names: Sequence[str]) -> str:
    """JavaScript that writes the inputs' values into the page's address under these names, leaving out empty ones."""
    return (
        "(...values) => { const url = new URL(location.href);"
        # a list of several is written with commas
        f" {list(names)!r}.forEach((name, n) => {{ const value = String(values[n] ?? '');"
        " if (value && value !== 'all' && value !== 'any') url.searchParams.set(name, value);"
        " else url.searchParams.delete(name); });"
        " history.replaceState(history.state, '', url); return values; }"
    )
