"""What one can do with a Concord project, as a Python library: ``concord.open("projects/mine")``, ``concord.create(...)``.

A module or a package per activity; commands, pages and routes call these functions. Nothing here knows Gradio, Typer or
FastAPI, and importing the package alone loads nothing: what ``__all__`` names is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from concord.library import Agreement, Filter, Project, ProjectError, create, open

__all__ = ["Agreement", "Filter", "Project", "ProjectError", "create", "open"]


def __getattr__(name: str) -> Any:
    """Return a name of the library."""
    if name not in __all__:
        raise AttributeError(f"module 'concord' has no attribute {name!r}")
    from concord import library

    return getattr(library, name)
