"""HTML whose buttons and links act: a click on anything with ``data-do`` is told to the page with all its ``data-``.

``data-do="copy"`` is done by the browser alone: it copies ``data-copied``.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

import gradio as gr

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


def acting(elem_id: str) -> gr.HTML:
    """An empty place; its ``select`` event brings the ``data-`` of what was clicked."""
    return gr.HTML("", js_on_load=_CLICKS, elem_id=elem_id)


def told(event: gr.EventData) -> dict[str, str]:
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
