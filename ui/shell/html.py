"""HTML in a Gradio page: elements as text, HTML whose buttons and links act, and pieces built by our JavaScript modules."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr
import htpy
from htpy import Node

from concord.common.base_path import at


def rendered(content: Node) -> str:
    """Return content as the plain text of HTML that Gradio takes."""
    return "".join(htpy.fragment[content].iter_chunks())


def html_component(content: Node = "", **options: Any) -> gr.HTML:
    """Return content as a component of Gradio's, or as the change to one."""
    return gr.HTML(rendered(content), **options)


def js_module(name: str, value: Any = None, **options: Any) -> gr.HTML:
    """Mount ``/assets/js/NAME/NAME.js`` in a Gradio page: its ``mount(root, {value, ...options})`` builds the DOM.

    The ``select`` event brings what the module hands to ``tell`` (a plain object).
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
