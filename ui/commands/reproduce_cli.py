"""Options of the commands ``reproduce``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

reproduce_app = typer.Typer(help="A paper's printed numbers about people, beside ours.", no_args_is_help=True)


class Printed(StrEnum):
    table = "table"
    json = "json"
    md = "md"


@reproduce_app.command("geneval")
def reproduce_geneval(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE=FILE...", help="As for import study geneval; or one folder that holds all the files."),
    ],
    metadata: Annotated[str | None, typer.Option(help="GenEval's evaluation_metadata.jsonl, if no folder is given.")] = None,
    output: Annotated[Printed, typer.Option("--format")] = Printed.table,
) -> None:
    """GenEval's human study. Ends with 0 only if every number that the files determine is as printed."""
    _reproduce("geneval", sources=sources, metadata=metadata, output=output.value)


@reproduce_app.command("tifa")
def reproduce_tifa(
    path: Annotated[str, typer.Argument(help="TIFA's human_annotations_with_scores.json, or a folder that holds it.")],
    output: Annotated[Printed, typer.Option("--format")] = Printed.table,
) -> None:
    """TIFA's human study: both columns of Table 2, the true Spearman beside them, and more. Ends as the other does."""
    _reproduce("tifa", path=path, output=output.value)


def _reproduce(study: str, **parameters: Any) -> None:
    from ui.commands.reproduce import execute

    raise typer.Exit(execute(study, parameters))
