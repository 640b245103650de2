"""The command ``score``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from typing import Annotated

import typer

from ui.commands.official_cli import PLAYGROUND, Project

Many = list[str]


def score_command(
    scorer: Annotated[str, typer.Argument(help="Its name, such as geneval; docs/settings.md lists them all.")],
    profile: Annotated[str, typer.Option(help="Which models and thresholds.")] = "playground",
    settings: Annotated[Many, typer.Option("--set", metavar="KEY=VALUE", help="One setting of the profile, changed.")] = [],  # noqa: B006
    suite: Annotated[Many, typer.Option(help="Repeatable, as all filters.")] = [],  # noqa: B006
    task: Annotated[Many, typer.Option(help="Only these tasks.")] = [],  # noqa: B006
    generator: Annotated[Many, typer.Option(help="Only images by these models.")] = [],  # noqa: B006
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...; several with commas: cuda:0,cuda:1.")] = "cpu",
    engine: Annotated[str, typer.Option(help="local; or ray, over several machines. It changes no result.")] = "local",
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Images at a time (32).")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many images.")] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Have a scorer look at the images that it has not judged yet. Stopped, the same command goes on."""
    from ui.commands.runner import execute

    parameters = {"scorer": scorer, "profile": profile, "overrides": settings, "device": device, "batch_size": batch_size}
    parameters |= {"engine": engine, "limit": limit, "selection": {"suite": suite, "task": task, "generator": generator}}
    raise typer.Exit(execute(project, "score", parameters))
