"""Explore, the part Questions: TIFA's scores, VQA models beside each other, and beside people who answered the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from concord.common import next_steps
from concord.questions import scores as vqa
from data.store.core.store import Store
from ui.components.table import note
from ui.pages.explore.asked import models, people, scores
from ui.pages.explore.asked.offered import MODELS, PEOPLE, SEEN
from ui.pages.explore.asked.shown import Asked, commands
from ui.pages.explore.view import View

__all__ = ["SEEN", "Asked", "asked"]

_NOBODY: Final = (
    "No scorer has answered questions about images of {suite} yet. TIFA asks a visual question answering model about each"
    " element of the prompt: the share of right answers is the score. Prompts need questions first, then a model to answer:"
)
_DRAW: Final[dict[str, Callable[[Store, View], Asked]]] = {MODELS: models.drawn, PEOPLE: people.drawn}


def asked(store: Store, view: View) -> Asked:
    """The part as ``view`` asks for it."""
    if view.rater not in vqa.answering_raters(store).get(view.suite, []):
        lead = note(_NOBODY.format(suite=view.suite or "this project"), "cc-lead")
        return Asked(lead, None, commands(store, next_steps.QUESTIONS, next_steps.score_command(store, "tifa")), "")
    return _DRAW.get(view.see, scores.drawn)(store, view)
