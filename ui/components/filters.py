"""Dropdowns whose choices follow the project."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr


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
