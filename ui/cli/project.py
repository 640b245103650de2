"""The commands of a project as a whole: ``serve``, ``backup``, ``restore``, ``doctor``."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ui.cli.options import PLAYGROUND, OutputFormat, Project, app, project_command, with_request
from ui.web.serve_request import ServeRequest


@app.command("serve")
@with_request
def serve_command(*, project: Project = PLAYGROUND, request: ServeRequest) -> None:
    """Open a project in the browser."""
    _serve(project, request)


@app.callback()
def main(context: typer.Context) -> None:
    """Without a command: open the playground project in the browser."""
    if context.invoked_subcommand is None:
        _serve(PLAYGROUND, ServeRequest())


def _serve(project: Path, request: ServeRequest) -> None:
    from concord.common.context import CommandError
    from ui.web.server import serve

    try:
        serve(project, request)
    except (CommandError, RuntimeError) as error:
        print(f"serve: {error}", file=sys.stderr)
        raise typer.Exit(1) from error


DoctorArea = StrEnum("DoctorArea", ["installed", "device", "models", "scorers", "tools", "project"])


@project_command(app, "backup", "concord.maintenance.backups:backup")
def backup_command(
    output: Annotated[
        str | None,
        typer.Option(
            "-o",
            "--output",
            metavar="FOLDER",
            help="Folder for the backup, such as one on another disk; default: in the project.",
        ),
    ] = None,
    listing: Annotated[bool, typer.Option("--list", help="List backups; make none.")] = False,
    form: OutputFormat = "table",
) -> None:
    """Back up the whole project; people can keep working. `restore` brings a backup back."""


@app.command("restore")
def restore_command(
    backup: Annotated[
        str | None, typer.Argument(metavar="BACKUP", help="Name or folder of the backup; without it, backups are listed.")
    ] = None,
    form: OutputFormat = "table",
    project: Project = PLAYGROUND,
) -> None:
    """Restore the project from a backup. The current state is set aside. Close the app first."""
    from concord.common.context import report_errors, warn
    from concord.maintenance.backups import restore

    raise typer.Exit(report_errors(warn, "restore", lambda: restore(project, backup, form)))


@app.command("doctor")
def doctor_command(
    everything: Annotated[
        bool, typer.Option("--all", help="Also read every image and backup completely, and load torch (slow).")
    ] = False,
    only: Annotated[
        list[DoctorArea],
        typer.Option(help="Run only this check. Repeatable."),
    ] = [],  # noqa: B006
    form: OutputFormat = "table",
    project: Annotated[
        Path, typer.Option("--project", help="The project folder.", show_default="projects/playground")
    ] = PLAYGROUND,
) -> None:
    """Check the installation, devices, models and the project; each finding says what to do."""
    from concord.maintenance.doctor import run_doctor

    raise typer.Exit(run_doctor(project, form, only, everything=everything))
