"""Options of the command ``vqa``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ui.commands.official_cli import PLAYGROUND, Project
from ui.commands.options import selecting

FILTERS = ("suite", "task", "generator", "rater", "campaign", "since", "until")
"""What restricts answers to questions; a task is a text source here."""


class Printed(StrEnum):
    table = "table"
    json = "json"


def add_vqa(app: typer.Typer) -> None:
    """Give the app the command."""
    app.command("vqa")(selecting(vqa_command, FILTERS))


def vqa_command(
    selection: dict[str, list[str]],
    reference: Annotated[str | None, typer.Option(help="The generator whose images are real ones, to compare with.")] = None,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[Printed, typer.Option("--format", help="How it is printed.")] = Printed.table,
    project: Project = PLAYGROUND,
) -> None:
    """TIFA's scores from answers to questions, VQA models beside each other, and beside people who answered the same."""
    from ui.commands.runner import execute

    parameters = {
        "selection": selection,
        "reference": reference,
        "intervals": intervals,
        "output": output.value,
    }
    raise typer.Exit(execute(project, "vqa", parameters))
