"""Studio's pages listen to Gradio's events so that none puts another off for ever."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from data.store.core.store import Store
from ui.web.studio import studio


def test_no_event_is_put_off_by_two_listeners(tmp_path: Path) -> None:
    """Gradio repeats an event that one put off for all: two of them call each other for ever on a busy machine."""
    waiting: Counter[tuple[int | None, str]] = Counter()
    with Store(tmp_path / "project") as store:
        for listener in studio(store).fns.values():
            waiting.update(listener.targets if listener.trigger_mode == "always_last" and listener.fn is not None else ())
    assert waiting
    assert max(waiting.values()) == 1
