"""The command ``generate``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ui.cli.results import PLAYGROUND, Project


class Profile(StrEnum):
    default = "default"
    paper = "paper"


class Sampler(StrEnum):
    default = "default"
    ddim = "ddim"


class Precision(StrEnum):
    float32 = "float32"
    float16 = "float16"
    bfloat16 = "bfloat16"


def generate_command(
    suite: Annotated[str, typer.Argument(help="A suite of the project; 'playground' is always there.")],
    generator: Annotated[
        str,
        typer.Option(
            help="playground-early, playground-late, sd15, sd21, sd21-v, sdxl, pixart, if; a hub id; or a folder with a"
            " diffusers pipeline."
        ),
    ],
    task: Annotated[list[str], typer.Option(help="Only prompts of this task; repeatable.")] = [],  # noqa: B006
    n: Annotated[int, typer.Option("--n", min=1, max=1000, help="Pictures of each prompt.")] = 4,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first prompts.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Another seed gives other pictures.")] = 0,
    profile: Annotated[
        Profile, typer.Option(help="How it is asked: as its makers do, or as in SelfEval's study (100 steps of DDIM).")
    ] = Profile.default,
    steps: Annotated[int | None, typer.Option(help="Of denoising, if not the profile's.")] = None,
    guidance: Annotated[float | None, typer.Option(help="Classifier-free; up to 1: none.")] = None,
    sampler: Annotated[Sampler | None, typer.Option(help="The model's own, or DDIM.")] = None,
    precision: Annotated[Precision, typer.Option(help="Of the weights; a VAE is in float32 always.")] = Precision.float32,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...")] = "cpu",
    batch_size: Annotated[
        int | None, typer.Option(min=1, max=4096, help="Pictures painted at once (4; the playground's: 16).")
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="What to call it, if not its name and what is changed (sdxl@steps=30).")
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Paint a suite's prompts with a text-to-image model, and add the pictures. Stopped, the same command goes on. Another way
    of asking is another generator."""
    from ui.cli.runner import execute

    asking = {"profile": profile.value, "steps": steps, "guidance": guidance, "precision": precision.value}
    asking["sampler"] = None if sampler is None else sampler.value
    parameters = {"suite": suite, "generator": generator, "tasks": task, "n": n, "limit": limit, "seed": seed}
    parameters |= {"batch_size": batch_size, "asking": asking, "device": device, "name": name}
    raise typer.Exit(execute(project, "generate", parameters))
