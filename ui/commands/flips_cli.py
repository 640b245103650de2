"""Options of the command ``flips``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ui.commands.official_cli import PLAYGROUND, Project
from ui.commands.options import selecting

FILTERS = ("suite", "task", "generator", "rater", "campaign", "since", "until")
"""What a flip test can be restricted by: its aspect is given, and it has no targets."""


class Flip(StrEnum):
    # not `count`, which every text has
    RELATION = "relation"
    COLOR = "color"
    COUNT = "count"


class Printed(StrEnum):
    table = "table"
    json = "json"
    md = "md"


def add_flips(app: typer.Typer) -> None:
    """Give the app the command."""
    app.command("flips")(selecting(flips_command, FILTERS))


def flips_command(
    selection: dict[str, list[str]],
    kind: Annotated[Flip, typer.Option(help="What of the prompts is flipped.")] = Flip.RELATION,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[Printed, typer.Option("--format", help="How it is printed.")] = Printed.table,
    project: Project = PLAYGROUND,
) -> None:
    """The flip test: each rater's score of the images by their prompts, less that by the flipped prompts."""
    from ui.commands.runner import execute

    parameters = {
        "selection": selection,
        "kind": kind.value,
        "intervals": intervals,
        "output": output.value,
    }
    raise typer.Exit(execute(project, "flips", parameters))
