"""The sliders of Tune: a setting each, with the value that it was run with as a tick, and struck out where it has moved."""

from __future__ import annotations

import json
from typing import Any

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.common.base_path import at
from concord.error_analysis.tuning import TunedScorer, TunedSetting
from ui.pages.tune.view import TuneView


def knobs_form(tuned: TunedScorer, view: TuneView) -> Element:
    """Return the form of all settings; JavaScript asks for the address with its values as they move."""
    offered = [setting for setting in tuned.settings if setting.decides] or list(tuned.settings)
    held = f" {tuned.images:,} of {wording.count(tuned.total, 'image')}, always the same ones." if _is_part(tuned, view) else ""
    return htpy.form(class_="cc-knobs-form", data_live_form="", aria_label=f"Settings of {tuned.rater}")[
        htpy.div(class_="cc-panel")[[_knob(setting) for setting in offered]],
        htpy.p(class_="cc-knobs-note")[
            f"Nothing is run again: what {tuned.rater} detected is judged by new rules, in under a second.{held}"
        ],
    ]


def _is_part(tuned: TunedScorer, view: TuneView) -> bool:
    """Return True if not all images that the scorer saw are held; those outside of the scope are no loss."""
    return not (view.scope.task or view.scope.generator) and tuned.images < tuned.total


def _knob(setting: TunedSetting) -> Element:
    knob = setting.knob
    label, help_id = f"knob-{setting.name}", f"knob-{setting.name}-help"
    if knob.choices:
        return htpy.fieldset(class_="cc-knob")[
            htpy.legend[knob.title],
            htpy.p(id=help_id)[knob.help],
            htpy.div(class_="cc-knob-choices", role="radiogroup", aria_label=knob.title)[
                [
                    htpy.label[
                        htpy.input(
                            type="radio",
                            name=setting.name,
                            value=choice,
                            checked=choice == setting.value,
                            data_usual=str(setting.own),
                        ),
                        htpy.span[choice],
                    ]
                    for choice in knob.choices
                ]
            ],
        ]
    return htpy.div(class_="cc-knob")[
        htpy.div(class_="cc-knob-head")[
            htpy.label(for_=label)[knob.title],
            htpy.span(class_="cc-knob-value")[
                htpy.s(hidden=not setting.changed)[f"{setting.own:g}"], htpy.output(for_=label)[f"{setting.value:g}"]
            ],
        ],
        htpy.p(id=help_id)[knob.help],
        htpy.div(class_="cc-knob-track", style=f"--own:{_place(setting, setting.own)};--now:{_place(setting, setting.value)}")[
            htpy.i(title=f"as it was run: {setting.own:g}"),
            htpy.input(
                type="range",
                id=label,
                name=setting.name,
                min=f"{setting.low:g}",
                max=f"{setting.high:g}",
                step=f"{knob.step:g}",
                value=f"{setting.value:g}",
                data_usual=str(setting.own),
                aria_describedby=help_id,
                autocomplete="off",
            ),
        ],
    ]


def _place(setting: TunedSetting, value: Any) -> str:
    """Return where a value stands on its slider, 0 to 1."""
    span = setting.high - setting.low
    return f"{(float(value) - setting.low) / span if span else 0:z.4f}"


def save_form(tuned: TunedScorer) -> Node:
    """Return the button that saves changed settings as a new scorer, and its form; the old scorer stays as it is."""
    if not tuned.changed:
        return htpy.button(type="button", class_="cc-button cc-button--primary", disabled=True, title="No setting is changed")[
            "Save as a new scorer"
        ]
    body = {"rater": tuned.rater, "settings": tuned.changed}
    return htpy.span(class_="cc-chip-place")[
        htpy.button(type="button", class_="cc-button cc-button--primary", popovertarget="save-scorer")["Save as a new scorer"],
        htpy.div(id="save-scorer", class_="cc-popup cc-scope-popup cc-save-scorer", popover="auto")[
            htpy.form(data_post=at("/api/studio/tune/save"), data_body=json.dumps(body))[
                htpy.label(for_="scorer-name")["Name"],
                htpy.input(
                    type="text",
                    id="scorer-name",
                    name="name",
                    class_="cc-input",
                    maxlength="200",
                    placeholder="by its settings",
                ),
                htpy.p(role="alert"),
                htpy.p(class_="cc-note")[f"{tuned.rater} stays as it is. No image is looked at again."],
                htpy.button(type="submit", class_="cc-button cc-button--primary")["Save"],
            ]
        ],
    ]
