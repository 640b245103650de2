"""Controls: dropdowns whose choices follow the project, HTML whose buttons and links act, and pieces built by our JavaScript
modules.

A click on anything with ``data-do`` brings all its ``data-`` to the page (``assets/js/clicks.js``). ``data-do="copy"`` is done
by the browser alone: it copies ``data-copied``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr
import htpy
from htpy import Element, Node

from concord.common.base_path import at


@dataclass(frozen=True, slots=True)
class Choice:
    """What a control offers now, and what of it is chosen: a value, or several."""

    choices: Sequence[str | tuple[str, str]]
    value: Any

    @classmethod
    def among(cls, titles: Mapping[str, str] | Iterable[str], requested: object, otherwise: str | None = None) -> Choice:
        """Values by their titles, or without any; chosen is what is asked for if there is such a value, else ``otherwise`` if
        there is that, or the first."""
        named = titles if isinstance(titles, Mapping) else {name: name for name in titles}
        chosen = next((value for value in (requested, otherwise) if value in named), next(iter(named), None))
        return cls([(title, value) for value, title in named.items()], chosen)

    def control(self) -> dict[str, Any]:
        """The change to the control."""
        return dict(gr.update(choices=list(self.choices), value=self.value))


def dropdown(label: str, choices: Sequence[str | tuple[str, str]] = (), value: str | None = None) -> gr.Dropdown:
    """A filter. Gradio would refuse a value that its choices have just lost, in the middle of a page that follows the
    project; so it may hold any, and whoever reads it falls back to one that exists."""
    return gr.Dropdown(list(choices), value=value, label=label, allow_custom_value=True)


def clickable_html(elem_id: str) -> gr.HTML:
    """HTML whose ``select`` event brings the ``data-`` of what was clicked, or of a link to its own page the ``query``."""
    js = f"import('{at('/assets/js/clicks.js')}').then((m) => m.follow(element, (data) => trigger('select', data)));"
    return gr.HTML("", js_on_load=js, elem_id=elem_id)


def event_data(event: gr.EventData) -> dict[str, str]:
    """What a click brings, by name."""
    data = event._data
    return {str(name): str(value) for name, value in data.items()} if isinstance(data, Mapping) else {}


def rendered(content: Node) -> str:
    """Return content as the plain text of HTML that Gradio takes."""
    return "".join(htpy.fragment[content].iter_chunks())


def html_component(content: Node = "", **options: Any) -> gr.HTML:
    """Return content as a component of Gradio's, or as the change to one."""
    return gr.HTML(rendered(content), **options)


def button(text: str, do: str, label: str = "", **data: str) -> Element:
    """Return a small button; `label` says what it is about to who cannot see where it stands."""
    return htpy.button(_data(do, data), type="button", class_="cc-act", aria_label=label or None)[text]


def link(text: str, href: str, do: str, **data: str) -> Element:
    """Return a link inside the app that a plain click opens in place."""
    return htpy.a(_data(do, data), href=href)[text]


def _data(do: str, data: Mapping[str, str]) -> dict[str, str]:
    return {f"data-{name}": value for name, value in {"do": do, **data}.items()}


def js_module(name: str, value: Any = None, **options: Any) -> gr.HTML:
    """Mount ``/assets/js/NAME/NAME.js`` in a Gradio page: its ``mount(root, {value, ...options})`` builds the DOM.

    The ``select`` event brings what the module hands to ``tell`` (a plain object; ``event_data`` reads it).
    ``value`` may be an output of events: what the module's ``mount`` returned gets each new one as ``update(value)``. No data
    ever passes through a template. (A function and not a subclass: Gradio writes a stub file beside every subclass.)
    """
    options_json = json.dumps(options)
    return gr.HTML(
        value,
        html_template="<div class='cc-root'></div>",
        js_on_load=(
            f"import('{at(f'/assets/js/{name}/{name}.js')}').then((m) => {{"
            " const tell = (data) => trigger('select', data);"
            f" const mounted = m.mount(element.querySelector('.cc-root'), {{value: props.value, tell, ...{options_json}}});"
            " watch('value', () => mounted.update?.(props.value)); });"
        ),
        apply_default_css=False,
        elem_id=f"cc-{name}",
    )
