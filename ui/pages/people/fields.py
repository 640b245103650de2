"""Fields of a request (`data.requests`) as plain HTML controls, which `assets/js/people/` reads by `data-kind`."""

from __future__ import annotations

from typing import Any

import htpy
from htpy import Element, VoidElement

from data.requests import RequestField


def field_element(field: RequestField, value: Any, *, fixed: bool = False) -> Element:
    """Return a field with its label and hint; `fixed`: it cannot change any more."""
    setting = field.setting
    label = (setting.label or field.name.replace("_", " ").capitalize()) + (f" ({setting.unit})" if setting.unit else "")
    hint = setting.hint or ("" if setting.label else setting.help)
    held: dict[str, Any] = {"name": field.name, "disabled": fixed}
    if field.kind is bool:
        box = htpy.input(held, type="checkbox", checked=bool(value), data_kind="bool")
        return htpy.label(class_="cc-field is-box")[box, htpy.span[label, " ", hint and htpy.small[hint]]]
    control: Element | VoidElement
    if field.choices:
        titles = setting.titles or {}
        options = [htpy.option(value=each, selected=each == value)[titles.get(each, each)] for each in field.choices]
        control = htpy.select(held, class_="cc-input")[options]
    elif field.kind in (int, float):
        least = setting.minimum if setting.minimum is not None and not field.optional else 0
        control = htpy.input(
            held, type="number", class_="cc-input", data_kind="number",
            min=f"{least:g}", step="1" if field.kind is int else "any",
            max=None if setting.maximum is None else f"{setting.maximum:g}", value="" if value is None else f"{value:g}",
        )  # fmt: skip
    elif setting.lines > 1:
        control = htpy.textarea(held, class_="cc-input", rows=str(setting.lines))[value or ""]
    else:
        control = htpy.input(held, type="text", class_="cc-input", value=value or "")
    wide = setting.lines > 1
    return htpy.label(class_=["cc-field", wide and "is-wide"])[htpy.span[label, " ", hint and htpy.small[hint]], control]
