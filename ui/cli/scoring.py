"""The commands ``generate``, ``score``, ``export manifest`` and ``rebuild``."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ui.cli.options import IMAGE_FILTERS, Selection, app, export_app, project_command

Many = list[str]
ScorerProfile = Annotated[
    str | None, typer.Option(help="Settings profile (models and thresholds), such as playground; default: the scorer's first.")
]


@project_command(app, "score", "concord.runs.score:run", IMAGE_FILTERS)
def score_command(
    selection: Selection,
    scorer: Annotated[str, typer.Argument(help="The scorer, such as geneval; docs/settings.md lists all.")],
    profile: ScorerProfile = None,
    overrides: Annotated[
        Many, typer.Option("--set", metavar="KEY=VALUE", help="Change one setting of the profile. Repeatable.")
    ] = [],  # noqa: B006
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...; several: cuda:0,cuda:1.")] = "cpu",
    engine: Annotated[str, typer.Option(help="local, or ray for several machines. The results are the same.")] = "local",
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Batch size in images (32).")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of images.")] = None,
    manifest: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Score the manifest of `export manifest`; needs no project.")
    ] = None,
    shard: Annotated[
        str | None, typer.Option(metavar="I/N", help="Score only part I of N of the manifest, for several machines.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Output folder for --manifest; `import scores` reads it.")
    ] = None,
) -> dict[str, Any]:
    """Score the images that a scorer has not scored yet. If it stops, run the same command again to continue."""
    if manifest is not None or shard is not None or out is not None:
        chosen = [name for name, given in (*selection.items(), ("limit", limit)) if given]
        raise typer.Exit(_score_manifest(scorer, profile, overrides, device, batch_size, manifest, shard, out, chosen, engine))
    return {
        "scorer": scorer,
        "profile": profile,
        "overrides": overrides,
        "device": device,
        "engine": engine,
        "batch_size": batch_size,
        "limit": limit,
        "selection": selection,
    }


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


@project_command(export_app, "manifest", "concord.runs.remote_runs:export_manifest", IMAGE_FILTERS)
def export_manifest(
    selection: Selection,
    scorer: Annotated[str, typer.Argument(help="The scorer, such as geneval.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The JSONL file to write.")],
    profile: ScorerProfile = None,
    overrides: Annotated[
        Many, typer.Option("--set", metavar="KEY=VALUE", help="Change one setting of the profile. Repeatable.")
    ] = [],  # noqa: B006
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of images.")] = None,
    images: Annotated[bool, typer.Option("--with-images", help="Copy the images next to the manifest, too.")] = False,
) -> None:
    """Write the images that a scorer has yet to score, for machines without the project: score --manifest (docs/runs.md)."""


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


@project_command(app, "generate", "concord.runs.generate:run")
def generate_command(
    suite: Annotated[str, typer.Argument(help="A suite of the project; 'playground' always exists.")],
    generator: Annotated[
        str,
        typer.Option(
            help="playground-early, playground-late, sd15, sd21, sd21-v, sdxl, pixart, if; a hub id; or a folder with a"
            " diffusers pipeline."
        ),
    ],
    task: Annotated[list[str], typer.Option(help="Only prompts of this task. Repeatable.")] = [],  # noqa: B006
    n: Annotated[int, typer.Option("--n", min=1, max=1000, help="Images per prompt.")] = 4,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N prompts.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the images.")] = 0,
    profile: Annotated[
        GeneratorProfile,
        typer.Option(help="Generation settings: the model's defaults, or those of the SelfEval paper (100 DDIM steps)."),
    ] = GeneratorProfile.default,
    steps: Annotated[int | None, typer.Option(help="Denoising steps; default: those of the profile.")] = None,
    guidance: Annotated[float | None, typer.Option(help="Classifier-free guidance scale; 1 or less: none.")] = None,
    sampler: Annotated[Sampler | None, typer.Option(help="The model's own sampler, or DDIM.")] = None,
    precision: Annotated[
        Precision, typer.Option(help="Precision of the weights; a VAE always runs in float32.")
    ] = Precision.float32,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...")] = "cpu",
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Batch size in images (4; playground: 16).")] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the generator; default: the model with changed settings (sdxl@steps=30).")
    ] = None,
) -> dict[str, Any]:
    """Generate images for a suite's prompts with a text-to-image model. If it stops, run the same command again to continue.
    Other settings make another generator."""
    return {
        "suite": suite,
        "generator": generator,
        "tasks": task,
        "n": n,
        "limit": limit,
        "seed": seed,
        "batch_size": batch_size,
        "asking": {
            "profile": profile.value,
            "steps": steps,
            "guidance": guidance,
            "precision": precision.value,
            "sampler": sampler and sampler.value,
        },
        "device": device,
        "name": name,
    }


@project_command(app, "rebuild", "concord.judging:rebuild")
def rebuild_command() -> None:
    """Derive every judgement again from stored evidence and answers."""
