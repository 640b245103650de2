"""Changes to components, as Gradio takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import gradio as gr
from gradio.blocks import BlockContext
from gradio.components import Component

from ui.shell.controls import Choice
from ui.shell.html import rendered

_AS_IT_IS: Final = "${value}"
"""Gradio's template of HTML that is shown; what our JavaScript modules are given is no HTML."""

Drawn = Mapping[str, Any]
"""By the names of outputs what they show: a figure (None: nothing to draw), elements or an empty text, whether a column is
shown, or a change that Gradio takes. Outputs that are not named stay as they are."""


def named_changes(components: Mapping[str, Any], drawn: Drawn) -> list[Any]:
    """Named changes in the order of the components, as Gradio takes them."""
    unknown = drawn.keys() - components.keys()
    assert not unknown, f"no such outputs: {', '.join(sorted(unknown))}"
    return [_update(component, drawn[name]) if name in drawn else gr.skip() for name, component in components.items()]


def value_after(component: Component, change: Any) -> Any:
    """The value of a control after a change, as a browser sends it: of a whole number JSON has no 1.0."""
    arguments = change.constructor_args if isinstance(change, Component) else change
    value = arguments.get("value", component.value) if isinstance(arguments, dict) else arguments
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _update(component: Any, value: Any) -> Any:
    if isinstance(value, Choice):
        return value.control()
    if isinstance(value, dict | Component | BlockContext):
        return value
    if isinstance(component, gr.HTML) and component.html_template == _AS_IT_IS:
        return rendered(value)
    if isinstance(component, BlockContext) and isinstance(value, bool):
        return type(component)(visible=value)
    return value


def unless_current(
    inputs: Sequence[Component], values: Sequence[Any], outputs: Sequence[Component | BlockContext], drawn: Sequence[Any]
) -> list[Any]:
    """What was drawn of these values of the inputs, without the values that outputs among them have already.

    A control that is set to what was asked of it would undo the click that somebody made meanwhile.
    """
    current = dict(zip(inputs, values, strict=True))
    return [
        _without_value(change, current[output]) if output in current else change
        for output, change in zip(outputs, drawn, strict=True)
    ]


def _without_value(change: Any, current: Any) -> Any:
    """A change to a control, without its value if the control has that already; Gradio takes a component for a change, too."""
    if isinstance(change, Component):
        change = change.constructor_args | {"__type__": "update"}
    if isinstance(change, dict) and "value" in change and change["value"] == current:
        return {name: value for name, value in change.items() if name != "value"}
    return change
