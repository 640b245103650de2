"""Options of the commands ``reproduce``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from ui.commands.official_cli import PLAYGROUND, Project
from ui.commands.options import FILTERS, selecting

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
    output: Annotated[Printed, typer.Option("--format", help="How it is printed.")] = Printed.table,
) -> None:
    """GenEval's human study. Ends with 0 only if every number that the files determine is as printed."""
    _reproduce("geneval", sources=sources, metadata=metadata, output=output.value)


@reproduce_app.command("tifa")
def reproduce_tifa(
    path: Annotated[str, typer.Argument(help="TIFA's human_annotations_with_scores.json, or a folder that holds it.")],
    output: Annotated[Printed, typer.Option("--format", help="How it is printed.")] = Printed.table,
) -> None:
    """TIFA's human study: both columns of Table 2, the true Spearman beside them, and more. Ends as the other does."""
    _reproduce("tifa", path=path, output=output.value)


@reproduce_app.command("selfeval")
def reproduce_selfeval(output: Annotated[Printed, typer.Option("--format", help="How it is printed.")] = Printed.table) -> None:
    """SelfEval's Figure 6 from its Tables 2 and 3. Ends with 0 only if all that the paper says of them in words follows."""
    _reproduce("selfeval", output=output.value)


def _visor(
    selection: dict[str, list[str]],
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[Printed, typer.Option("--format", help="How it is printed.")] = Printed.table,
    project: Project = PLAYGROUND,
) -> None:
    """VISOR's Tables IV and V, from a project's answers to VISOR's questions; the paper's own answers were not released."""
    from ui.commands.runner import execute

    parameters = {"selection": selection, "intervals": intervals, "output": output.value}
    raise typer.Exit(execute(project, "reproduce visor", parameters))


# of all questions together: an aspect or a target would leave some out
reproduce_app.command("visor")(selecting(_visor, [name for name in FILTERS if name not in ("aspect", "target", "certainty")]))


def _reproduce(study: str, **parameters: Any) -> None:
    from ui.commands.reproduce import execute

    raise typer.Exit(execute(study, parameters))
