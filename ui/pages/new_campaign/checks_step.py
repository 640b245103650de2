"""The fourth step of New campaign: known answers, attention, training, pass marks, limits, pay and codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import htpy
from htpy import Element, Node

from concord.campaigns.known_answers import EXAMPLE
from concord.new_campaigns.drafting import FIELDS, GoldChoice
from ui.components.request_fields import FieldOption, field_control
from ui.components.tables import folded

_KNOWN: Final = (
    "A JSON list of {item, role, expected}, or a CSV table with a column for each question; role is gold, attention or"
    " training. These answers never count. For example:"
)
_SOURCE: Final = (
    "Label some images yourself, among Images or in the form, and choose your name; or take images with a verdict, or those on"
    " which three people or more all agree. These answers never count."
)


def checks_body(values: Mapping[str, Any], gold: GoldChoice) -> Node:
    """Return the step; ``gold``: where right answers can come from."""
    chosen = str(values.get("gold_from") or "")
    gone = {} if not chosen or chosen in gold.sources else {chosen: f"{chosen} (gone)"}
    options = [FieldOption("", "none"), *(FieldOption(name, words) for name, words in {**gold.sources, **gone}.items())]
    checks = _fields("checks")
    numbers = tuple(name for name in checks if FIELDS[name].kind is not bool)
    switches = tuple(name for name in checks if name not in numbers)
    limits = tuple(name for name in _fields("limits") if name != "limit")
    return [
        htpy.h2["Known answers and training"],
        htpy.p(class_="cc-wizard-hint")[_SOURCE],
        field_control(FIELDS["gold_from"], chosen, options),
        gold.why_not and htpy.ul(class_="cc-wizard-hint cc-wizard-reasons")[[htpy.li[text] for text in gold.why_not]],
        # how many, as soon as it is said where from
        htpy.div(data_needs="gold_from", data_most=json.dumps(dict(gold.images)), hidden=not chosen)[
            _row(values, "gold_n", "training_n", "examples_n")
        ],
        _row(values, *numbers),
        folded("Known answers from a file", _known(values), open_=bool(values.get("known"))),
        folded("Feedback, pass marks and paused people", [_column(values, switches), _row(values, *_fields("marks"))]),
        htpy.h2["Limits"],
        _row(values, "limit"),
        _folded("More limits", values, limits),
        htpy.h2["Pay"],
        _row(values, *_fields("pay")),
        _folded("More about pay", values, _fields("pay_more")),
        _folded("Codes of a crowd platform", values, _fields("codes")),
    ]


def _folded(title: str, values: Mapping[str, Any], names: tuple[str, ...]) -> Element:
    """Return fields below a title, open where one of them is not as usual."""
    return folded(title, _row(values, *names), open_=any(name in values for name in names))


def _fields(section: str) -> tuple[str, ...]:
    return tuple(name for name, field in FIELDS.items() if field.setting.section == section)


def _row(values: Mapping[str, Any], *names: str) -> Element:
    return htpy.div(class_="cc-entry-row")[[field_control(FIELDS[name], values.get(name)) for name in names]]


def _column(values: Mapping[str, Any], names: tuple[str, ...]) -> Node:
    return [field_control(FIELDS[name], values.get(name)) for name in names]


def _known(values: Mapping[str, Any]) -> Node:
    file = htpy.input(type="file", accept=".json,.csv", data_into="known", aria_label="A file with known answers")
    typed = htpy.textarea(
        id="entry-known", class_="cc-input", rows="4", data_field="known", spellcheck="false", aria_label="Known answers"
    )[str(values.get("known") or "")]
    problem = htpy.p(class_="cc-entry-problem", role="alert", data_problem="known")
    example = htpy.pre(class_="cc-code")[EXAMPLE]
    return htpy.div(class_="cc-entry", data_entry="known")[
        htpy.p(class_="cc-wizard-hint")[_KNOWN], example, file, typed, problem
    ]
