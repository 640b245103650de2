"""A piece of page that one of our JavaScript modules builds."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr

from ui.root import at


def module(name: str, value: Any = None, **options: Any) -> gr.HTML:
    """Mount ``/assets/NAME.js`` in a Gradio page: its ``mount(root, {value, ...options})`` builds the DOM.

    The ``select`` event brings what the module hands to ``tell`` (a plain object; ``acting.told`` reads it).
    ``value`` may be an output of events: what the module's ``mount`` returned gets each new one as ``update(value)``. No data
    ever passes through a template. (A function and not a subclass: Gradio writes a stub file beside every subclass.)
    """
    given = json.dumps(options)
    return gr.HTML(
        value,
        html_template="<div class='cc-root'></div>",
        js_on_load=(
            f"import('{at(f'/assets/{name}.js')}').then((m) => {{"
            " const tell = (data) => trigger('select', data);"
            f" const mounted = m.mount(element.querySelector('.cc-root'), {{value: props.value, tell, ...{given}}});"
            " watch('value', () => mounted.update?.(props.value)); });"
        ),
        apply_default_css=False,
        elem_id=f"cc-{name}",
    )
