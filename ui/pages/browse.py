"""A grid of all images, filtered; the filters are the page's address."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import gradio as gr

from data.store import browse
from data.store.store import Store
from ui.components.filters import Choice, dropdown
from ui.components.module import module
from ui.pages.live import ignored, keep_current, set_address

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
    notice = gr.HTML(elem_id="ignored")
    grid = module("browse", "")
    filters = [suite, task, generator, rater, aspect, order]

    def drawn(chosen: dict[str, Choice]) -> list[Any]:
        values = {name: choice.value for name, choice in chosen.items() if choice.value not in (None, ALL)}
        # the version makes the grid look again when the project has moved
        return [*(choice.control() for choice in chosen.values()), urlencode(values | {"version": store.version})]

    def choose(*asked: str | None) -> list[Any]:
        return drawn(_choices(store, dict(zip(_FILTERS, asked, strict=True))))

    def opened(request: gr.Request) -> list[Any]:
        asked = request.query_params
        chosen = _choices(store, {name: asked.get(name) for name in _FILTERS})
        return [ignored(asked, {name: choice.value for name, choice in chosen.items()}), *drawn(chosen)]

    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    gr.on(None, opened, None, [notice, *filters, grid], **quiet)
    gr.on([f.input for f in filters], choose, filters, [*filters, grid], **quiet)
    for control in filters:
        control.change(None, filters, None, js=set_address(_FILTERS))
    keep_current(store, lambda *asked: iter([choose(*asked)]), filters, [*filters, grid], on_change=False)


def _choices(store: Store, asked: dict[str, str | None]) -> dict[str, Choice]:
    """The filters, each with what this project has to choose from."""
    known = browse.choices(store)
    options: dict[str, list[str]] = {name: [ALL, *known[name]] for name in ("suite", "task", "generator")}
    options["rater"] = [*known["people"], *known["rater"]]
    options["by"] = sorted(known["aspect"], key=lambda name: (name == "score", name != "correct", name)) or ["correct"]
    options["order"] = list(_ORDERS.values())
    chosen = {name: value if (value := asked[name] or "") in options[name] else options[name][0] for name in _FILTERS}
    titles = {"order": list(_ORDERS.items())}
    return {name: Choice(titles.get(name, options[name]), chosen[name]) for name in _FILTERS}
