"""Choices of a page's controls, and dropdowns whose choices follow the project."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr


@dataclass(frozen=True, slots=True)
class Choice:
    """What a control offers now, and what of it is chosen: a value, or several."""

    choices: Sequence[str | tuple[str, str]]
    value: Any

    @classmethod
    def among(cls, titles: Mapping[str, str] | Iterable[str], requested: object, otherwise: str | None = None) -> Choice:
        """Values by their titles, or without any; chosen is what is asked for if there is such a value, else ``otherwise`` if
        there is that, or the first."""
        named = titles if isinstance(titles, Mapping) else {name: name for name in titles}
        chosen = next((value for value in (requested, otherwise) if value in named), next(iter(named), None))
        return cls([(title, value) for value, title in named.items()], chosen)

    def control(self) -> dict[str, Any]:
        """The change to the control."""
        return dict(gr.update(choices=list(self.choices), value=self.value))


def dropdown(label: str, choices: Sequence[str | tuple[str, str]] = (), value: str | None = None) -> gr.Dropdown:
    """A filter. Gradio would refuse a value that its choices have just lost, in the middle of a page that follows the
    project; so it may hold any, and whoever reads it falls back to one that exists."""
    return gr.Dropdown(list(choices), value=value, label=label, allow_custom_value=True)
