"""The commands ``generate``, ``score``, ``export manifest``, ``rebuild`` and ``models convert``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from concord.runs.requests import DriftRequest, GenerateRequest, ManifestRequest, ScoreRequest
from ui.cli.options import IMAGE_FILTERS, OutputFormat, Selection, app, export_app, project_command


@project_command(app, "score", "concord.runs.score:run", IMAGE_FILTERS)
def score_command(
    selection: Selection,
    request: ScoreRequest,
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
    if manifest is None and shard is None and out is None:
        return {"request": request, "selection": selection}
    if manifest is None or out is None:
        print("score: --manifest FILE, --out FOLDER and --shard I/N go together (--shard may be left out)", file=sys.stderr)
        raise typer.Exit(2)
    limits = ("limit", request.limit), ("first", request.first)
    if chosen := [name for name, value in (*selection.items(), *limits) if value]:
        print(f"score: --{chosen[0]} is for export manifest: it says what is in the manifest", file=sys.stderr)
        raise typer.Exit(2)
    from concord.runs.sharding import execute

    raise typer.Exit(execute(request, manifest, shard, out))


@project_command(app, "drift", "concord.questions.scores:drift")
def drift_command(request: DriftRequest, output: OutputFormat = "table") -> None:
    """Ask a judge again about images that it has judged, and compare its answers: does the model behind an address still judge
    as it did? It is another rater then."""


@project_command(export_app, "manifest", "concord.runs.remote_runs:export_manifest", IMAGE_FILTERS)
def export_manifest(selection: Selection, request: ManifestRequest) -> None:
    """Write the images that a scorer has yet to score, for machines without the project: score --manifest (docs/runs.md)."""


@project_command(app, "generate", "concord.runs.generate:run")
def generate_command(request: GenerateRequest) -> None:
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
