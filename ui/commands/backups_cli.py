"""Options of the commands ``backup``, ``restore`` and ``doctor``; ``app.py`` imports this, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ui.commands.official_cli import PLAYGROUND, Project


class Shown(StrEnum):
    table = "table"
    json = "json"


class Area(StrEnum):
    installed = "installed"
    device = "device"
    models = "models"
    tools = "tools"
    project = "project"


Form = Annotated[Shown, typer.Option("--format", help="How it is printed.")]


def add_backups(app: typer.Typer) -> None:
    """Give the app its commands."""
    app.command("backup")(_backup)
    app.command("restore")(_restore)
    app.command("doctor")(_doctor)


def _backup(
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", metavar="FOLDER", help="Where it is put, if not in the project: another disk."),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="Make none: list those that there are.")] = False,
    form: Form = Shown.table,
    project: Project = PLAYGROUND,
) -> None:
    """Keep the project's whole state as it is now; people may go on working. `restore` goes back to it."""
    from ui.commands.runner import execute

    raise typer.Exit(execute(project, "backup", {"output": output, "listing": listing, "form": form.value}))


def _restore(
    backup: Annotated[
        str | None, typer.Argument(metavar="BACKUP", help="Its name in the project, or its folder; without it: list them.")
    ] = None,
    form: Form = Shown.table,
    project: Project = PLAYGROUND,
) -> None:
    """Make the project what it was when a backup was made. What is there now is put aside. The app has to be closed."""
    from ui.commands.restore import execute

    raise typer.Exit(execute(project, backup, form.value))


def _doctor(
    everything: Annotated[
        bool, typer.Option("--all", help="Look at every image and backup whole, and open torch: it takes long.")
    ] = False,
    only: Annotated[list[Area], typer.Option(help="Look at this alone; repeatable.")] = [],  # noqa: B006
    form: Form = Shown.table,
    project: Annotated[
        Path, typer.Option("--project", help="The project's folder.", show_default="projects/playground")
    ] = PLAYGROUND,
) -> None:
    """What is installed, which device and models there are, whether the project is healthy; each finding says what to do."""
    from ui.commands.doctor import execute

    raise typer.Exit(execute(project, form.value, [area.value for area in only], everything=everything))
