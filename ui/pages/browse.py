"""A grid of all images, filtered; the filters are the page's address."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import gradio as gr

from data.store import browse
from data.store.store import Store
from ui.components.filters import dropdown
from ui.components.module import module
from ui.pages.live import keep_current, set_address

NAME = "Browse"
PATH = "/browse"
ALL = "all"
_ORDERS = {"by prompt": "prompt", "lowest first": "lowest", "highest first": "highest", "people differ most first": "split"}
_FILTERS = ("suite", "task", "generator", "rater", "by", "order")


def build(store: Store) -> None:
    with gr.Row(elem_classes="cc-filters"):
        suite, task, generator = (dropdown(label, [ALL], ALL) for label in ("Suite", "Task", "Generator"))
        rater = dropdown("Judged by", [browse.PEOPLE], browse.PEOPLE)
        aspect = dropdown("Aspect")
        order = dropdown("Order", list(_ORDERS.items()), "prompt")
    grid = module("browse", "")
    filters = [suite, task, generator, rater, aspect, order]

    def choose(*asked: str | None) -> list[Any]:
        return _choices(store, dict(zip(_FILTERS, asked, strict=True)))

    def opened(request: gr.Request) -> list[Any]:
        return choose(*(request.query_params.get(name) for name in _FILTERS))

    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    gr.on(None, opened, None, [*filters, grid], **quiet)
    gr.on([f.input for f in filters], choose, filters, [*filters, grid], **quiet)
    for control in filters:
        control.change(None, filters, None, js=set_address(_FILTERS))
    keep_current(store, lambda *asked: iter([choose(*asked)]), filters, [*filters, grid], on_change=False)


def _choices(store: Store, asked: dict[str, str | None]) -> list[Any]:
    """The filters, each with what this project has to choose from, and the grid's query."""
    known = browse.choices(store)
    options = {name: [ALL, *known[name]] for name in ("suite", "task", "generator")}
    options["rater"] = [browse.PEOPLE, *known["rater"]]
    options["by"] = sorted(known["aspect"], key=lambda name: (name == "score", name != "correct", name)) or ["correct"]
    options["order"] = list(_ORDERS.values())
    chosen = {name: value if (value := asked[name] or "") in options[name] else options[name][0] for name in _FILTERS}
    return [
        *(gr.Dropdown(options[name], value=chosen[name]) for name in _FILTERS[:-1]),
        gr.Dropdown(value=chosen["order"]),
        # the version makes the grid look again when the project has moved
        urlencode({name: value for name, value in chosen.items() if value != ALL} | {"version": store.version}),
    ]
