"""Options of the commands about what people are asked; ``app.py`` imports this, so it imports nothing heavy."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ui.commands.official_cli import PLAYGROUND, Project


def import_questions(
    file: Annotated[str | None, typer.Argument(help="TIFA's question_answers.json, or one such object a line.")] = None,
    from_specs: Annotated[bool, typer.Option("--from-specs", help="Make them from the prompts' specs instead.")] = False,
    suite: Annotated[
        str | None, typer.Option(help="FILE: the suite that its ids belong to ('tifa'); --from-specs: only this one.")
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """What is asked about prompts. Other questions about a prompt are a new version; the old one is kept."""
    from ui.commands.runner import execute

    raise typer.Exit(execute(project, "import questions", {"file": file, "from_specs": from_specs, "suite": suite}))


def questionnaires(
    name: Annotated[
        str | None, typer.Argument(help="geneval, tifa_likert, tifa_vqa, visor, ab, or a YAML file of your own.")
    ] = None,
) -> None:
    """What people are asked, with which keys, and what follows from it, as Markdown. Checks a file of your own."""
    from ui.commands.questionnaires import execute

    raise typer.Exit(execute(name, sys.stdout, sys.stderr))
