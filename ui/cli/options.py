"""The groups of commands, the options that several share, and how a command is run. All of ``ui/cli`` is imported for every
command, so nothing heavy is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any

import typer

app = typer.Typer(
    help="Judge text-to-image models: automatic scorers and people side by side, their agreement live.",
    invoke_without_command=True,
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
import_app = typer.Typer(help="Bring prompts, images, studies and ratings into a project.", no_args_is_help=True)
study_app = typer.Typer(help="Published human studies.", no_args_is_help=True)
export_app = typer.Typer(help="Write reports, ratings or judgements of a selection to a file.", no_args_is_help=True)
app.add_typer(import_app, name="import")
app.add_typer(export_app, name="export")
import_app.add_typer(study_app, name="study")

PLAYGROUND = Path(__file__).resolve().parents[2] / "projects" / "playground"
Project = Annotated[
    Path,
    typer.Option("--project", help="The project folder; created if it does not exist.", show_default="projects/playground"),
]
Selection = dict[str, list[str]]
OutputFile = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")]


class OutputFormat(StrEnum):
    table = "table"
    json = "json"


FILTERS: dict[str, str] = {
    "suite": "Only this suite. Repeatable, like all filters.",
    "task": "Only this task.",
    "generator": "Only images of this generator.",
    "aspect": "Only judgements of this aspect, such as correct.",
    "target": "Only judgements of this object, relation or question.",
    "rater": "Only this rater, a person or a scorer; the other kind is not restricted.",
    "campaign": "Only people's answers in this campaign.",
    "certainty": "Only items on which the selected people are unanimous, have a majority, or are split.",
    "since": "ISO date or time (UTC): only answers from then on.",
    "until": "ISO date or time (UTC): only answers before it.",
    "tag": "Only images with this tag (from Browse).",
}
"""The options of a selection, and what `--help` says of them."""


class ConsensusName(StrEnum):
    majority = "majority"
    dawid_skene = "dawid_skene"
    mace = "mace"


ConsensusOption = Annotated[
    list[ConsensusName],
    typer.Option(help="Add a consensus of people as a rater, and compare each person with the others. Repeatable."),
]


def with_selection(command: Callable[..., None], names: Iterable[str] = FILTERS) -> Callable[..., None]:
    """Give a command the options of a selection (or some of them); it takes them together as its parameter ``selection``."""
    wanted = [*names]

    def run(**given: Any) -> None:
        command(selection={name: given.pop(name) for name in wanted}, **given)

    filters = {name: Annotated[list[str], typer.Option(help=FILTERS[name])] for name in wanted}
    options = [Parameter(name, Parameter.KEYWORD_ONLY, default=[], annotation=option) for name, option in filters.items()]
    own = [parameter for name, parameter in signature(command, eval_str=True).parameters.items() if name != "selection"]
    every = [*options, *(parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in own)]
    # typer reads a command's options from its signature
    run.__signature__ = Signature(every)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
    run.__doc__ = command.__doc__
    return run


def execute(project: Path, command: str, /, **parameters: Any) -> None:
    """Run a project command, here or in the app that has the project open, and end with its status."""
    from ui import commands

    raise typer.Exit(commands.execute(project, command, parameters))
