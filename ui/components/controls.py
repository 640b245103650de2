"""Controls: dropdowns whose choices follow the project, HTML whose buttons and links act, and pieces built by our JavaScript
modules.

A click on anything with ``data-do`` is told to the page with all its ``data-``. ``data-do="copy"`` is done by the browser
alone: it copies ``data-copied``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import gradio as gr

from concord.common.base_path import at


@dataclass(frozen=True, slots=True)
class Choice:
    """What a filter offers now, and which of it is chosen."""

    choices: Sequence[str | tuple[str, str]]
    value: str | None

    def control(self) -> dict[str, Any]:
        """The change to the filter's dropdown."""
        return dict(gr.update(choices=list(self.choices), value=self.value))


@dataclass(frozen=True, slots=True)
class Several:
    """What check boxes offer, and which of them are ticked."""

    choices: Sequence[tuple[str, str]]
    value: list[str]

    def control(self) -> dict[str, Any]:
        """The change to the check boxes."""
        return dict(gr.update(choices=list(self.choices), value=self.value))


def dropdown(label: str, choices: Sequence[str | tuple[str, str]] = (), value: str | None = None) -> gr.Dropdown:
    """A filter. Gradio would refuse a value that its choices have just lost, in the middle of a page that follows the
    project; so it may hold any, and whoever reads it falls back to one that exists."""
    return gr.Dropdown(list(choices), value=value, label=label, allow_custom_value=True)


# a plain click is told to the page; any other click on a link follows it
_CLICKS = """
const copy = async (button) => {
  const text = button.dataset.copied;
  try {
    await navigator.clipboard.writeText(text);
  } catch {  // browsers keep the clipboard from pages without HTTPS
    const field = document.body.appendChild(Object.assign(document.createElement('textarea'), {value: text}));
    field.select();
    document.execCommand('copy');
    field.remove();
  }
  button.textContent = 'Copied';
};
element.addEventListener('click', (event) => {
  const acted = event.target.closest('[data-do]');
  if (!acted || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  if (acted.dataset.do === 'copy') return void copy(acted);
  trigger('select', {...acted.dataset});
});
"""


def clickable_html(elem_id: str) -> gr.HTML:
    """An empty place; its ``select`` event brings the ``data-`` of what was clicked."""
    return gr.HTML("", js_on_load=_CLICKS, elem_id=elem_id)


def event_data(event: gr.EventData) -> dict[str, str]:
    """What a click brings, by name."""
    data = event._data
    return {str(name): str(value) for name, value in data.items()} if isinstance(data, Mapping) else {}


def button(text: str, do: str, label: str = "", **data: str) -> str:
    """A small button; ``label`` says what it is about to who cannot see where it stands."""
    named = f' aria-label="{escape(label)}"' if label else ""
    return f'<button type="button" class="cc-act" {_data(do, data)}{named}>{escape(text)}</button>'


def link(text: str, href: str, do: str, **data: str) -> str:
    """A link inside the app that a plain click opens in place."""
    return f'<a href="{escape(href)}" {_data(do, data)}>{escape(text)}</a>'


def _data(do: str, data: Mapping[str, str]) -> str:
    return " ".join(f'data-{name}="{escape(value)}"' for name, value in {"do": do, **data}.items())


def js_module(name: str, value: Any = None, **options: Any) -> gr.HTML:
    """Mount ``/assets/js/NAME/NAME.js`` in a Gradio page: its ``mount(root, {value, ...options})`` builds the DOM.

    The ``select`` event brings what the module hands to ``tell`` (a plain object; ``event_data`` reads it).
    ``value`` may be an output of events: what the module's ``mount`` returned gets each new one as ``update(value)``. No data
    ever passes through a template. (A function and not a subclass: Gradio writes a stub file beside every subclass.)
    """
    given = json.dumps(options)
    return gr.HTML(
        value,
        html_template="<div class='cc-root'></div>",
        js_on_load=(
            f"import('{at(f'/assets/js/{name}/{name}.js')}').then((m) => {{"
            " const tell = (data) => trigger('select', data);"
            f" const mounted = m.mount(element.querySelector('.cc-root'), {{value: props.value, tell, ...{given}}});"
            " watch('value', () => mounted.update?.(props.value)); });"
        ),
        apply_default_css=False,
        elem_id=f"cc-{name}",
    )
