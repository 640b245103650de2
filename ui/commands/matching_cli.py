"""Options of the commands of image-text matching; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ui.commands.official_cli import PLAYGROUND, Project


class Layout(StrEnum):
    auto = "auto"
    rows = "rows"
    winoground = "winoground"
    aro = "aro"


def add_matching(import_app: typer.Typer) -> None:
    """Give the app the commands."""
    import_app.command("itm")(import_itm)


def import_itm(
    file: Annotated[
        str | None, typer.Argument(help="JSONL, JSON or CSV: an image, captions, which is right; see docs.")
    ] = None,
    images: Annotated[str | None, typer.Option(help="The folder that images' names start from (the file's own).")] = None,
    suite: Annotated[str | None, typer.Option(help="The suite's name: itm, winoground, aro or itm-tifa by default.")] = None,
    layout: Annotated[Layout, typer.Option(help="How the file is laid out; auto: as its first row looks.")] = Layout.auto,
    source: Annotated[str | None, typer.Option(help="Where the images are from ('real'; with --tifa 'coco').")] = None,
    playground: Annotated[bool, typer.Option("--playground", help="Draw the small world's matching set instead.")] = False,
    n: Annotated[int | None, typer.Option("--n", min=1, max=10_000, help="--playground: pictures of each task (50).")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="--playground: another seed gives another set (0).")] = None,
    tifa: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="TEXTS QUESTIONS", help="TIFA's text_inputs.json and question_answers.json."),
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Add images with captions to choose among (image-text matching): your file, Winoground's, ARO's, the playground's."""
    _execute(
        project,
        "import itm",
        file=file,
        images=images,
        suite=suite,
        layout=layout.value,
        source=source,
        playground=playground,
        tifa=tifa,
        n=n,
        seed=seed,
    )


def _execute(project: Path, name: str, **parameters: Any) -> None:
    from ui.commands.runner import execute

    raise typer.Exit(execute(project, name, parameters))
