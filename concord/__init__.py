"""What one can do with a Concord project, as a Python library: ``concord.open("projects/mine")``, ``concord.create(...)``.

A module or a package per activity; commands, pages and routes call these functions. Nothing here knows Gradio, Typer or
FastAPI, and importing the package alone loads nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from concord.library import Project


def open(folder: str | Path) -> Project:
    """A project by its folder, which must exist (``concord.library.Project``)."""
    from concord.library import open_project

    return open_project(folder)


def create(folder: str | Path) -> Project:
    """A new, empty project; one that exists already is opened."""
    from concord.library import create_project

    return create_project(folder)
