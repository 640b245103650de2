"""Options of the command ``serve``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ui.commands.official_cli import PLAYGROUND, Project


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
    from ui.commands.context import CommandError
    from ui.server import Serving, serve

    try:
        serve(project, Serving(host, port, browser, users, root_path, backup_every, keep_backups))
    except (CommandError, RuntimeError) as error:
        print(f"serve: {error}", file=sys.stderr)
        raise typer.Exit(1) from error
