"""``rebuild``: remake every judgement from what was seen and said."""

from __future__ import annotations

from data.store.judgements import recording
from ui.commands.context import Context
from ui.commands.derive import derive_source


def run(context: Context) -> None:
    count = recording.rebuild(context.store, derive_source)
    context.say(f"{count} judgements remade from their sources")
