"""The commands of a project as a whole: ``serve``, ``backup``, ``restore``, ``doctor``; ``app.py`` imports this, so it
imports nothing heavy.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ui.cli.results import PLAYGROUND, Project


def serve_command(
    project: Project = PLAYGROUND,
    host: Annotated[str, typer.Option(help="Other than loopback only with --users; 0.0.0.0 is everywhere.")] = "127.0.0.1",
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The first free one from 7860 on, if not given.")] = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open the page in the browser.")] = True,
    users: Annotated[Path | None, typer.Option(metavar="FILE", help="Who may sign in (TOML): everybody has to.")] = None,
    root_path: Annotated[str, typer.Option(metavar="PATH", help="Where a proxy serves the app, such as /concord.")] = "",
    backup_every: Annotated[
        float, typer.Option(min=0, metavar="HOURS", help="A backup so often, if anything changed; 0: none.")
    ] = 24.0,
    keep_backups: Annotated[
        int, typer.Option(min=1, help="So many of these stay, and the last of each of four weeks before.")
    ] = 7,
) -> None:
    """Open a project in the browser."""
    from concord.common.context import CommandError
    from ui.web.server import Serving, serve

    try:
        serve(project, Serving(host, port, browser, users, root_path, backup_every, keep_backups))
    except (CommandError, RuntimeError) as error:
        print(f"serve: {error}", file=sys.stderr)
        raise typer.Exit(1) from error


class BackupFormat(StrEnum):
    table = "table"
    json = "json"


class DoctorArea(StrEnum):
    installed = "installed"
    device = "device"
    models = "models"
    tools = "tools"
    project = "project"


BackupFormatOption = Annotated[BackupFormat, typer.Option("--format", help="How it is printed.")]


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
    form: BackupFormatOption = BackupFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Keep the project's whole state as it is now; people may go on working. `restore` goes back to it."""
    from ui.commands import execute

    raise typer.Exit(execute(project, "backup", {"output": output, "listing": listing, "form": form.value}))


def _restore(
    backup: Annotated[
        str | None, typer.Argument(metavar="BACKUP", help="Its name in the project, or its folder; without it: list them.")
    ] = None,
    form: BackupFormatOption = BackupFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Make the project what it was when a backup was made. What is there now is put aside. The app has to be closed."""
    from concord.backups import restore

    raise typer.Exit(restore(project, backup, form.value))


def _doctor(
    everything: Annotated[
        bool, typer.Option("--all", help="Look at every image and backup whole, and open torch: it takes long.")
    ] = False,
    only: Annotated[list[DoctorArea], typer.Option(help="Look at this alone; repeatable.")] = [],  # noqa: B006
    form: BackupFormatOption = BackupFormat.table,
    project: Annotated[
        Path, typer.Option("--project", help="The project's folder.", show_default="projects/playground")
    ] = PLAYGROUND,
) -> None:
    """What is installed, which device and models there are, whether the project is healthy; each finding says what to do."""
    from concord.doctor import run_doctor

    raise typer.Exit(run_doctor(project, form.value, [area.value for area in only], everything=everything))
