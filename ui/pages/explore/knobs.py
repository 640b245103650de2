"""The scorers' knobs as sliders: one for each name that any scorer has, shown where the chosen scorer has it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

import gradio as gr
from gradio.components import Component

from concord import rejudging
from concord.rejudging import RaterEvidence
from scorers import registry
from scorers.base import Knob

# What is not shown is on the page all the same: a slider that is not there tells nobody when its value is set, and Gradio's own
# "hidden" does nothing to sliders.
_OFF: Final = "cc-off"


def every_knob() -> dict[str, Knob]:
    """The knobs of all scorers by name; of one that several have, the first."""
    found: dict[str, Knob] = {}
    for name in registry.known():
        found = dict(registry.get(name).knobs) | found
    ordered = sorted(found, key=lambda name: bool(found[name].choices))
    return {name: found[name] for name in ordered}


def controls(known: Mapping[str, Knob]) -> list[Component]:
    """A component for each, in this order."""
    return [_component(name, knob) for name, knob in known.items()]


def _component(name: str, knob: Knob) -> Component:
    shown: dict[str, Any] = {"label": knob.title, "info": knob.help, "elem_classes": [_OFF], "elem_id": f"knob-{name}"}
    if knob.choices:
        return gr.Radio(list(knob.choices), value=str(knob.default), **shown)
    return gr.Slider(knob.low, knob.high, float(knob.default), step=knob.step, buttons=[], **shown)


def updates(known: Sequence[str], of: RaterEvidence | None, turned: Mapping[str, Any]) -> list[Any]:
    """The changes that show this scorer's knobs, standing so."""
    return [_update(name, of, turned) for name in known]


def _update(name: str, of: RaterEvidence | None, turned: Mapping[str, Any]) -> Any:
    knob = of.scorer.knobs.get(name) if of else None
    if of is None or knob is None:
        return gr.update(elem_classes=[_OFF])
    said: dict[str, Any] = {"value": turned[name], "label": knob.title, "info": knob.help, "elem_classes": []}
    if knob.choices:
        return gr.Radio(list(knob.choices), **said)
    return gr.Slider(rejudging.lowest(of, name), rejudging.highest(of, name), step=knob.step, **said)


def read(of: RaterEvidence, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Where this scorer's knobs stand: as asked where that is possible, else as in the run."""
    return {name: _value(of, name, asked.get(name)) for name in of.scorer.knobs}


def _value(of: RaterEvidence, name: str, asked: Any) -> Any:
    own, knob = of.again.settings[name], of.scorer.knobs[name]
    if knob.choices:
        return asked if asked in knob.choices else own
    try:
        value = float(asked)
    except (TypeError, ValueError, OverflowError):
        return own
    inside = math.isfinite(value) and rejudging.lowest(of, name) <= value <= rejudging.highest(of, name)
    rounded = rejudging.rounded(value) if inside else own
    # as it is written in the run, 1 and not 1.0
    return own if rounded == own else rounded


def followed(turned: Mapping[str, Any], asked: Mapping[str, str]) -> dict[str, str]:
    """Those of an address's values that the knobs stand at, as they are written there."""
    return {name: text for name, text in asked.items() if name in turned and _same(turned[name], text)}


def _same(value: Any, text: str) -> bool:
    try:
        return bool(value == text or rejudging.rounded(float(text)) == value)
    except (ValueError, OverflowError):
        return False
