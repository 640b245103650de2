"""Settings as ``--set`` has them; a module of its own, as commands without a project read them too."""

from __future__ import annotations

from collections.abc import Sequence

from ui.commands.context import UsageError


def pairs(overrides: Sequence[str]) -> dict[str, str]:
    """Settings as ``--set`` has them, by name.

    Raises:
        UsageError: one is no ``key=value``.
    """
    found = {}
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set {text}: expected key=value, e.g. threshold=0.4")
        found[key.strip()] = value.strip()
    return found
