"""A control is not set to what it holds already."""

from __future__ import annotations

import gradio as gr

from ui.shell.changes import unless_current
from ui.shell.controls import dropdown


def test_a_component_as_a_change_is_no_exception() -> None:
    """Gradio takes either for a change, and so must this: one page's radio buttons were set again by each following."""
    with gr.Blocks():
        letter, shape, other = gr.Radio(["a", "b"]), dropdown("Shape"), gr.HTML()
    drawn = [gr.Radio(value="b"), gr.Dropdown(["x", "y"], value="y", visible=True), gr.HTML("b")]
    for requested, are_set in ((["b", "y"], (False, False)), (["a", "x"], (True, True)), ([None, "y"], (True, False))):
        first, second, third = unless_current([letter, shape], requested, [letter, shape, other], drawn)
        assert ("value" in first, "value" in second) == are_set
        assert (second["choices"], second["visible"], second["__type__"]) == (["x", "y"], True, "update")
        assert third is drawn[2], "what was not asked is drawn"
