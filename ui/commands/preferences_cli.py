"""Options of the commands about votes on pairs; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ui.commands.official_cli import PLAYGROUND, Project
from ui.commands.options import selecting

FILTERS = ("suite", "task", "generator", "rater", "campaign", "since", "until")
"""What votes can be restricted by: their aspect is given, and they have no targets."""


class Printed(StrEnum):
    table = "table"
    json = "json"


def add_preferences(app: typer.Typer, studies: typer.Typer) -> None:
    """Give the app the commands."""
    app.command("preferences")(selecting(preferences_command, FILTERS))
    studies.command("selfeval")(import_study_selfeval)


def preferences_command(
    selection: dict[str, list[str]],
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    seed: Annotated[int, typer.Option(min=0, help="Of the draws behind the interval of a rank correlation.")] = 0,
    output: Annotated[Printed, typer.Option("--format", help="How it is printed.")] = Printed.table,
    project: Project = PLAYGROUND,
) -> None:
    """Which of two generators people prefer, which one scorers do, and how strong each generator is."""
    from ui.commands.runner import execute

    parameters = {"selection": selection, "intervals": intervals, "seed": seed, "output": output.value}
    raise typer.Exit(execute(project, "preferences", parameters))


def import_study_selfeval(project: Project = PLAYGROUND) -> None:
    """SelfEval's Tables 2 and 3: winning votes and five metrics by task, as printed. No file is needed."""
    from ui.commands.runner import execute

    raise typer.Exit(execute(project, "import study selfeval", {}))
