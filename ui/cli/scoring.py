"""The commands `generate`, `score` and `export manifest`; ``app.py`` imports this for every command, so it imports nothing
heavy.
"""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ui.cli.results import PLAYGROUND, Project

Many = list[str]
ScorerProfile = Annotated[
    str | None, typer.Option(help="Which models and thresholds: playground, or the first that the scorer has.")
]


def score_command(
    scorer: Annotated[str, typer.Argument(help="Its name, such as geneval; docs/settings.md lists them all.")],
    profile: ScorerProfile = None,
    settings: Annotated[Many, typer.Option("--set", metavar="KEY=VALUE", help="One setting of the profile, changed.")] = [],  # noqa: B006
    suite: Annotated[Many, typer.Option(help="Repeatable, as all filters.")] = [],  # noqa: B006
    task: Annotated[Many, typer.Option(help="Only these tasks.")] = [],  # noqa: B006
    generator: Annotated[Many, typer.Option(help="Only images by these models.")] = [],  # noqa: B006
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...; several with commas: cuda:0,cuda:1.")] = "cpu",
    engine: Annotated[str, typer.Option(help="local; or ray, over several machines. It changes no result.")] = "local",
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Images at a time (32).")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many images.")] = None,
    manifest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Score what export manifest wrote; no project is needed.")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Only the i-th of n shares of the manifest, for many machines.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where what is seen of a manifest goes; import scores takes it in.")
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Have a scorer look at the images that it has not judged yet. Stopped, the same command goes on."""
    if manifest is not None or shard is not None or out is not None:
        chosen = [
            name for name, given in (("suite", suite), ("task", task), ("generator", generator), ("limit", limit)) if given
        ]
        raise typer.Exit(_score_manifest(scorer, profile, settings, device, batch_size, manifest, shard, out, chosen, engine))
    from ui.commands import execute

    parameters: dict[str, Any] = {"scorer": scorer, "profile": profile, "overrides": settings, "device": device}
    parameters |= {"batch_size": batch_size, "engine": engine}
    parameters |= {"limit": limit, "selection": {"suite": suite, "task": task, "generator": generator}}
    raise typer.Exit(execute(project, "score", parameters))


def _score_manifest(
    scorer: str,
    profile: str | None,
    settings: Many,
    device: str,
    batch_size: int | None,
    manifest: Path | None,
    shard: str | None,
    out: Path | None,
    chosen: Many,
    engine: str,
) -> int:
    """Score a manifest; returns the exit status."""
    if manifest is None or out is None:
        print("score: --manifest FILE, --out FOLDER and --shard I/N go together (--shard may be left out)", file=sys.stderr)
        return 2
    if chosen:
        print(f"score: --{chosen[0]} is for export manifest: it says what is in the manifest", file=sys.stderr)
        return 2
    from concord.runs.sharding import execute

    parameters: dict[str, Any] = {"scorer": scorer, "profile": profile, "device": device, "batch_size": batch_size}
    parameters["engine"] = engine
    return execute(parameters | {"overrides": settings, "manifest": manifest, "shard": shard, "out": out})


def export_manifest(
    scorer: Annotated[str, typer.Argument(help="Its name, such as geneval.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The JSONL file to write.")],
    profile: ScorerProfile = None,
    settings: Annotated[Many, typer.Option("--set", metavar="KEY=VALUE", help="One setting of the profile, changed.")] = [],  # noqa: B006
    suite: Annotated[Many, typer.Option(help="Repeatable, as all filters.")] = [],  # noqa: B006
    task: Annotated[Many, typer.Option(help="Only these tasks.")] = [],  # noqa: B006
    generator: Annotated[Many, typer.Option(help="Only images by these models.")] = [],  # noqa: B006
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many images.")] = None,
    images: Annotated[bool, typer.Option("--with-images", help="Copy the pictures beside it, to be taken along.")] = False,
    project: Project = PLAYGROUND,
) -> None:
    """Write what a scorer has before it, to be scored on machines without the project: score --manifest (docs/runs.md)."""
    from ui.commands import execute

    parameters: dict[str, Any] = {"scorer": scorer, "profile": profile, "overrides": settings, "limit": limit, "output": output}
    parameters |= {"images": images, "selection": {"suite": suite, "task": task, "generator": generator}}
    raise typer.Exit(execute(project, "export manifest", parameters))


class GeneratorProfile(StrEnum):
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
        GeneratorProfile, typer.Option(help="How it is asked: as its makers do, or as in SelfEval's study (100 steps of DDIM).")
    ] = GeneratorProfile.default,
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
    from ui.commands import execute

    asking = {"profile": profile.value, "steps": steps, "guidance": guidance, "precision": precision.value}
    asking["sampler"] = None if sampler is None else sampler.value
    parameters = {"suite": suite, "generator": generator, "tasks": task, "n": n, "limit": limit, "seed": seed}
    parameters |= {"batch_size": batch_size, "asking": asking, "device": device, "name": name}
    raise typer.Exit(execute(project, "generate", parameters))
