"""Options of the commands of image-text matching; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ui.commands.official_cli import PLAYGROUND, Project
from ui.commands.options import selecting

FILTERS = ("suite", "task", "generator", "rater")
"""What restricts matching of images and texts."""
_PLACES = ("suite", "task", "generator")


class Printed(StrEnum):
    table = "table"
    json = "json"


class Layout(StrEnum):
    auto = "auto"
    rows = "rows"
    winoground = "winoground"
    aro = "aro"


def add_matching(app: typer.Typer, import_app: typer.Typer) -> None:
    """Give the app the commands."""
    app.command("itm")(selecting(itm_command, FILTERS))
    app.command("ablate")(selecting(ablate_command, _PLACES))
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


Intervals = Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")]
Numbers = Annotated[str | None, typer.Option(metavar="N,N,...", help="Several with commas; the profile's, if not given.")]


def itm_command(
    selection: dict[str, list[str]],
    intervals: Intervals = True,
    output: Annotated[Printed, typer.Option("--format", help="How it is printed.")] = Printed.table,
    project: Project = PLAYGROUND,
) -> None:
    """Image-text matching: each scorer's accuracy against chance by task, Winoground's scores, and votes between scorers."""
    _execute(project, "itm", selection=selection, intervals=intervals, output=output.value)


def ablate_command(
    selection: dict[str, list[str]],
    scorer: Annotated[str, typer.Argument(help="selfeval, elbo or flowloss.")],
    profile: Annotated[str, typer.Option(help="Which model, and the settings that are not varied.")] = "playground",
    trials: Numbers = None,
    steps: Numbers = None,
    seeds: Numbers = None,
    settings: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="As of score.")] = [],  # noqa: B006
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...")] = "cpu",
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Images at a time (32).")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many images.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE.html", help="Draw it, too.")] = None,
    intervals: Intervals = True,
    output: Annotated[Printed, typer.Option("--format", help="How it is printed.")] = Printed.table,
    project: Project = PLAYGROUND,
) -> None:
    """Accuracy of a likelihood scorer by trials, steps and seed: scores what is missing, then compares."""
    _execute(
        project,
        "ablate",
        scorer=scorer,
        profile=profile,
        trials=trials,
        steps=steps,
        seeds=seeds,
        overrides=settings,
        device=device,
        batch_size=batch_size,
        limit=limit,
        selection=selection,
        plot=plot,
        intervals=intervals,
        output=output.value,
    )


def _execute(project: Path, name: str, **parameters: Any) -> None:
    from ui.commands.runner import execute

    raise typer.Exit(execute(project, name, parameters))
