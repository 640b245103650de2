"""Gradio controls for the fields of a request (`data.requests`), and what they hold as values of the request."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import gradio as gr

from data.requests import RequestField, fields_of


def control(field: RequestField, **more: Any) -> Any:
    """Return the control of a field; ``more`` are further arguments of Gradio's component."""
    setting = field.setting
    label = (setting.label or field.name.replace("_", " ").capitalize()) + (f" ({setting.unit})" if setting.unit else "")
    more = {"label": label, "value": None if field.default is MISSING else field.default} | more
    if info := setting.hint or ("" if setting.label else setting.help):
        more.setdefault("info", info)
    if field.choices:
        titles = setting.titles or {}
        return gr.Dropdown([(titles.get(choice, choice), choice) for choice in field.choices], **more)
    if field.several and setting.lines == 1:
        return gr.Dropdown([], multiselect=True, **more | {"value": []})
    if field.several:
        return gr.Textbox(lines=setting.lines, **more | {"value": ""})
    if field.kind is bool:
        return gr.Checkbox(**more)
    if field.kind is int:
        return gr.Number(precision=0, step=1, **more)
    if field.kind is float:
        return gr.Number(minimum=setting.minimum or 0, maximum=setting.maximum, step=setting.step or 0.01, **more)
    return gr.Textbox(**{"lines": setting.lines} if setting.lines > 1 else {"max_lines": 1}, **more)


def controls(kind: type, section: str) -> dict[str, Any]:
    """Return the controls of a section of a request's fields, by their names in files."""
    return {field.key: control(field) for field in fields_of(kind) if field.setting.section == section}


def entered(field: RequestField, value: Any) -> Any:
    """Return a control's value as the field has it; None if nothing was entered. Gradio has 0 for an empty number."""
    if field.several:
        lines = value.splitlines() if isinstance(value, str) else value or ()
        return tuple(text for line in lines if (text := line.strip()))
    if field.kind in (int, float):
        return None if value is None or (field.optional and not value) else field.kind(value)
    if field.kind is bool:
        return bool(value)
    text = str(value or "")
    return text.strip() if field.setting.lines == 1 else text
