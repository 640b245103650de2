"""A piece of page that one of our JavaScript modules builds."""

from __future__ import annotations

import json
from typing import Any

import gradio as gr


class Module(gr.HTML):
    """Mounts ``/assets/NAME.js`` in a Gradio page: the module's ``mount(root, {value, ...options})`` builds the DOM.

    ``value`` may be an output of events: the module's mounted object gets each new one as ``update(value)``. No data ever
    passes through a template.
    """

    def __init__(self, module: str, value: Any = None, **options: Any) -> None:
        given = json.dumps(options)
        super().__init__(
            value,
            html_template="<div class='cc-root'></div>",
            js_on_load=(
                f"import('/assets/{module}.js').then((m) => {{"
                f" const mounted = m.mount(element.querySelector('.cc-root'), {{value: props.value, ...{given}}});"
                " watch('value', () => mounted.update?.(props.value)); });"
            ),
            apply_default_css=False,
            elem_id=f"cc-{module}",
        )

    def get_block_name(self) -> str:
        """To the browser it is an ordinary HTML component."""
        return "html"
