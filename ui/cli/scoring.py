"""The commands ``generate``, ``score``, ``export manifest``, ``rebuild`` and ``models convert``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from ui.cli.options import (
    AUTO,
    IMAGE_FILTERS,
    Device,
    First,
    Limit,
    OutputFormat,
    Overrides,
    Selection,
    app,
    export_app,
    project_command,
)

ImageSeed = Annotated[int, typer.Option("--seed", min=0, help="Random seed of the draw of --limit.")]
ScorerProfile = Annotated[
    str | None, typer.Option(help="Settings profile (models and thresholds), such as playground; default: the scorer's first.")
]


@project_command(app, "score", "concord.runs.score:run", IMAGE_FILTERS)
def score_command(
    selection: Selection,
    scorer: Annotated[str, typer.Argument(help="The scorer, such as geneval; docs/settings.md lists all.")],
    profile: ScorerProfile = None,
    overrides: Overrides = [],  # noqa: B006
    device: Device = AUTO,
    engine: Annotated[str, typer.Option(help="local, or ray for several machines. The results are the same.")] = "local",
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Batch size in images (32).")] = None,
    limit: Limit = None,
    first: First = None,
    seed: ImageSeed = 0,
    force: Annotated[
        bool, typer.Option("--force", help="Go on with a detector that does not find what is on known photographs.")
    ] = False,
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
    how = {
        "scorer": scorer,
        "profile": profile,
        "overrides": overrides,
        "device": device,
        "engine": engine,
        "batch_size": batch_size,
        "force": force,
    }
    if manifest is None and shard is None and out is None:
        return how | {"limit": limit, "first": first, "seed": seed, "selection": selection}
    if manifest is None or out is None:
        print("score: --manifest FILE, --out FOLDER and --shard I/N go together (--shard may be left out)", file=sys.stderr)
        raise typer.Exit(2)
    if chosen := [name for name, value in (*selection.items(), ("limit", limit), ("first", first)) if value]:
        print(f"score: --{chosen[0]} is for export manifest: it says what is in the manifest", file=sys.stderr)
        raise typer.Exit(2)
    from concord.runs.sharding import execute

    raise typer.Exit(execute(how | {"manifest": manifest, "shard": shard, "out": out}))


@project_command(app, "drift", "concord.questions.scores:drift")
def drift_command(
    rater: Annotated[str, typer.Argument(help="The judge, as agreement names it.")],
    n: Annotated[int, typer.Option("--n", min=1, help="How many of its images to ask about again.")] = 50,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the draw.")] = 0,
    day: Annotated[str | None, typer.Option(help="The new rater's date; default: today.")] = None,
    overrides: Overrides = [],  # noqa: B006
    device: Device = AUTO,
    output: OutputFormat = "table",
) -> None:
    """Ask a judge again about images that it has judged, and compare its answers: does the model behind an address still judge
    as it did? It is another rater then."""


@project_command(export_app, "manifest", "concord.runs.remote_runs:export_manifest", IMAGE_FILTERS)
def export_manifest(
    selection: Selection,
    scorer: Annotated[str, typer.Argument(help="The scorer, such as geneval.")],
    output: Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The JSONL file to write.")],
    profile: ScorerProfile = None,
    overrides: Overrides = [],  # noqa: B006
    limit: Limit = None,
    first: First = None,
    seed: ImageSeed = 0,
    images: Annotated[bool, typer.Option("--with-images", help="Copy the images next to the manifest, too.")] = False,
) -> None:
    """Write the images that a scorer has yet to score, for machines without the project: score --manifest (docs/runs.md)."""


@project_command(app, "generate", "concord.runs.generate:run")
def generate_command(
    suite: Annotated[str, typer.Argument(help="A suite of the project; 'playground' always exists.")],
    generator: Annotated[
        str,
        typer.Option(
            help="playground-early, playground-late, sd15, sd21, sd21-v, sdxl, pixart, if, sd3, sd35, flux, flux-schnell, sana,"
            " qwen-image; a hub id; or a folder with a diffusers pipeline."
        ),
    ],
    task: Annotated[list[str], typer.Option(help="Only prompts of this task. Repeatable.")] = [],  # noqa: B006
    n: Annotated[int, typer.Option("--n", min=1, max=1000, help="Images per prompt.")] = 4,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N prompts.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the images.")] = 0,
    profile: Annotated[
        Literal["default", "paper", "geneval"],
        typer.Option(
            help="Generation settings: the model's defaults, those of the SelfEval paper (100 DDIM steps), or of GenEval's"
            " script (50 steps, guidance 9)."
        ),
    ] = "default",
    steps: Annotated[int | None, typer.Option(help="Denoising steps; default: those of the profile.")] = None,
    guidance: Annotated[float | None, typer.Option(help="Classifier-free guidance scale; 1 or less: none.")] = None,
    sampler: Annotated[Literal["default", "ddim"] | None, typer.Option(help="The model's own sampler, or DDIM.")] = None,
    precision: Annotated[
        Literal["float32", "float16", "bfloat16"], typer.Option(help="Precision of the weights; a VAE always runs in float32.")
    ] = "float32",
    device: Device = AUTO,
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Batch size in images (4; playground: 16).")] = None,
    name: Annotated[
        str | None, typer.Option(help="Name of the generator; default: the model with changed settings (sdxl@steps=30).")
    ] = None,
) -> None:
    """Generate images for a suite's prompts with a text-to-image model. If it stops, run the same command again to continue.
    Other settings make another generator."""


@project_command(app, "rebuild", "concord.judging:rebuild")
def rebuild_command() -> None:
    """Derive every judgement again from stored evidence and answers."""


models_app = typer.Typer(help="Models on this machine.", no_args_is_help=True)
app.add_typer(models_app, name="models")


@models_app.command("convert")
def convert_command(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A model in the hub's cache (OWNER/NAME, OWNER/NAME@REVISION), or a file.")
    ],
) -> None:
    """Convert weights that are published as pickles to safetensors, in a folder under models/ that --set takes. No code of the
    pickle runs. Also reads OpenMMLab's Mask2Former (GenEval's detector), CLIP-FlanT5 and HPSv2."""
    from concord.common.context import report_errors, warn
    from scorers.models.conversion import convert

    def run() -> None:
        done = convert(model)
        print(f"read {', '.join(done.read)}: tensors alone; no code in it was run")
        print(f"wrote {done.name}/: {done.what}; {done.parameters / 1e6:z,.1f} million parameters as safetensors")
        print(f"use it with --set {done.setting or 'SETTING'}={done.hub_name or done.name}")

    raise typer.Exit(report_errors(warn, "models convert", run))
