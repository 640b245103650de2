"""HTML controls for the fields of a request (`data.requests`), with room beside each for what is wrong with it.

JavaScript reads them by `data-field` (`assets/js/wizard/`), or by name (`assets/js/people/`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import htpy
from htpy import Element, Node

from data.requests import RequestField


@dataclass(frozen=True, slots=True)
class FieldOption:
    """What can be chosen: the value, its words, and a few small ones behind them."""

    value: str
    title: str
    more: str = ""


def label_of(field: RequestField) -> str:
    """Return a field's name in forms, with its unit."""
    unit = f" ({field.setting.unit})" if field.setting.unit else ""
    return (field.setting.label or field.name.replace("_", " ").capitalize()) + unit


def field_control(
    field: RequestField, value: Any, options: Sequence[FieldOption] | None = None, *, fixed: bool = False
) -> Element:
    """Return the control of a field with its label, hint, and room for what is wrong with it.

    Args:
        field: of the request.
        value: of the field; None: as usual, or empty where nothing is usual.
        options: what can be chosen; None: what the field allows.
        fixed: whether it cannot change any more.
    """
    name, setting = field.key, field.setting
    hint = setting.hint or ("" if setting.label else setting.help)
    value = _usual(field) if value is None else value
    if options is None and field.choices:
        titles = setting.titles or {}
        options = [FieldOption(choice, titles.get(choice, choice)) for choice in field.choices]
    if field.several and setting.lines == 1 and options is not None:
        return _boxes(field, [str(each) for each in value or ()], options, hint)
    if field.kind is bool:
        box = htpy.input(
            type="checkbox",
            id=_id(name),
            name=name,
            data_field=name,
            data_kind="bool",
            checked=bool(value),
            disabled=fixed,
            aria_describedby=_described(name),
        )
        return _entry(name)[
            htpy.label(class_="cc-entry-box", for_=_id(name))[box, htpy.span[label_of(field)]], _more(name, hint)
        ]
    known = {"id": _id(name), "name": name, "class_": "cc-input", "data_field": name, "disabled": fixed}
    known["aria_describedby"] = _described(name)
    control = _choice(known, str(value or ""), options) if options is not None else _typed(field, known, value)
    return _entry(name)[htpy.label(for_=_id(name))[label_of(field)], control, _more(name, hint)]


def _entry(name: str) -> Element:
    return htpy.div(class_="cc-entry", data_entry=name)


def _more(name: str, hint: str) -> Node:
    """Return the hint of a control, and room for what is wrong."""
    return [
        htpy.small(id=f"{_id(name)}-hint")[hint] if hint else None,
        htpy.p(class_="cc-entry-problem", id=f"{_id(name)}-problem", role="alert", data_problem=name),
    ]


def _id(name: str) -> str:
    return f"entry-{name.replace('_', '-')}"


def _described(name: str) -> str:
    return f"{_id(name)}-hint {_id(name)}-problem"


def _usual(field: RequestField) -> Any:
    return field.default if isinstance(field.default, str | int | float | bool) else None


def _boxes(field: RequestField, chosen: Sequence[str], options: Sequence[FieldOption], hint: str) -> Element:
    """Return boxes of which any number can be ticked; none is all."""
    name = field.key
    boxes = [
        htpy.label(class_="cc-entry-box")[
            htpy.input(type="checkbox", name=name, value=option.value, checked=option.value in chosen),
            htpy.span[option.title],
            option.more and htpy.small[option.more],
        ]
        for option in options
    ]
    group = htpy.fieldset(id=_id(name), data_field=name, data_several="true", aria_describedby=_described(name))
    return _entry(name)[group[htpy.legend[label_of(field)], htpy.div(class_="cc-entry-boxes")[boxes]], _more(name, hint)]


def _choice(known: Mapping[str, Any], value: str, options: Sequence[FieldOption]) -> Element:
    chosen = [
        htpy.option(value=option.value, selected=option.value == value)[
            option.title + (f" ({option.more})" if option.more else "")
        ]
        for option in options
    ]
    return htpy.select(**known)[chosen]


def _typed(field: RequestField, known: Mapping[str, Any], value: Any) -> Node:
    setting = field.setting
    if field.several or setting.lines > 1:
        text = "\n".join(map(str, value or ())) if field.several else str(value or "")
        return htpy.textarea(rows=max(setting.lines, 2), spellcheck="true" if setting.section == "texts" else "false", **known)[
            text
        ]
    mode = "numeric" if field.kind is int else "decimal" if field.kind is float or setting.numeric else None
    shown = "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
    return htpy.input(type="text", value=shown, inputmode=mode, autocomplete="off", **known)
