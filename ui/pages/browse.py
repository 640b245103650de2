"""A grid of all images, filtered; the filters are the page's address."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import gradio as gr

from data.store import browse
from data.store.store import Store
from ui.components.module import module
from ui.pages.live import set_address

NAME = "Browse"
PATH = "/browse"
ANY = "any"
_ORDERS = {"by place": "id", "people say no first": "people_low", "people differ most first": "split"}
_FILTERS = ("suite", "task", "generator", "by", "order")


def build(store: Store) -> None:
    with gr.Row(elem_classes="cc-filters"):
        suite, task, generator = (gr.Dropdown([ANY], value=ANY, label=label) for label in ("Suite", "Task", "Generator"))
        aspect = gr.Dropdown(["correct"], value="correct", label="What people judged")
        order = gr.Dropdown(list(_ORDERS), value="by place", label="Order")
    grid = module("browse", "")
    filters = [suite, task, generator, aspect, order]

    def opened(request: gr.Request) -> list[Any]:
        choices = browse.choices(store)
        asked = request.query_params
        drawn: list[Any] = []
        values: list[str] = []
        for name in _FILTERS[:3]:
            value = asked.get(name, ANY)
            values.append(value)
            drawn.append(gr.Dropdown([ANY, *choices[name]], value=value, allow_custom_value=True))
        aspects = [name for name in choices["aspect"] if name != "score"] or ["correct"]
        values.append(asked.get("by", "correct" if "correct" in aspects else aspects[0]))
        drawn.append(gr.Dropdown(aspects, value=values[-1], allow_custom_value=True))
        values.append(asked.get("order", "by place"))
        drawn.append(gr.Dropdown(list(_ORDERS), value=values[-1] if values[-1] in _ORDERS else "by place"))
        return [*drawn, query(*values)]

    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    gr.on(None, opened, None, [*filters, grid], **quiet)
    gr.on([f.input for f in filters], query, filters, grid, js=set_address(_FILTERS), **quiet)


def query(suite: str, task: str, generator: str, aspect: str, order: str) -> str:
    """The filters as the grid's query string."""
    chosen = {"suite": suite, "task": task, "generator": generator}
    given = {name: value for name, value in chosen.items() if value and value != ANY}
    return urlencode({**given, "by": aspect or "correct", "order": _ORDERS.get(order, "id")})
