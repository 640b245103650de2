"""The commands that fill a project, ``import ...``, and ``reproduce``, which computes a paper's numbers again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from concord.common.options import Intervals
from concord.importing.image_requests import ImageRequest
from concord.importing.rating_request import RatingRequest
from ui.cli.options import FILTERS, Selection, TextFormat, app, import_app, project_command, study_app

reproduce_app = typer.Typer(
    help="Recompute a paper's published numbers on people, next to the printed ones.", no_args_is_help=True
)
app.add_typer(reproduce_app, name="reproduce")


Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="The folder with the study's files as released.")]
Imagenhub = Annotated[str, typer.Argument(metavar="IMAGENHUB", help="ImagenHub's folder: people's ratings of these images.")]


@reproduce_app.command("geneval")
def reproduce_geneval(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE=FILE...", help="The files of `import study geneval`, or a folder with all of them."),
    ],
    metadata: Annotated[str | None, typer.Option(help="GenEval's evaluation_metadata.jsonl, if no folder is given.")] = None,
    output: TextFormat = "table",
) -> None:
    """Recompute GenEval's human study. Exits with 0 only if every number that the files determine is as printed."""
    _reproduce("geneval", folders=sources, metadata=metadata, output=output)


@reproduce_app.command("tifa")
def reproduce_tifa(
    path: Annotated[str, typer.Argument(help="TIFA's human_annotations_with_scores.json, or its folder.")],
    output: TextFormat = "table",
) -> None:
    """Recompute TIFA's human study: both columns of Table 2, the true Spearman, and more. Exits like `reproduce geneval`."""
    _reproduce("tifa", folders=[path], output=output)


@reproduce_app.command("selfeval")
def reproduce_selfeval(output: TextFormat = "table") -> None:
    """Recompute SelfEval's Figure 6 from its Tables 2 and 3. Exits with 0 only if every claim of the paper's text follows."""
    _reproduce("selfeval", output=output)


@reproduce_app.command("genai-bench")
def reproduce_genai_bench(folder: Folder, output: TextFormat = "table") -> None:
    """Recompute GenAI-Bench's agreement of raters, as released and without ratings off the scale."""
    _reproduce("genai-bench", folders=[folder], output=output)


@reproduce_app.command("imagenhub")
def reproduce_imagenhub(folder: Folder, output: TextFormat = "table") -> None:
    """Recompute ImagenHub's kappas and alphas of seven generators."""
    _reproduce("imagenhub", folders=[folder], output=output)


@reproduce_app.command("viescore")
def reproduce_viescore(folder: Folder, imagenhub: Imagenhub, output: TextFormat = "table") -> None:
    """Recompute VIEScore's correlations of people and judges, as its notebook averages them, and plainly."""
    _reproduce("viescore", folders=[folder, imagenhub], output=output)


@reproduce_app.command("tia2")
def reproduce_tia2(folder: Folder, output: TextFormat = "table") -> None:
    """Recompute TIA2's share of fitting images of each prompt."""
    _reproduce("tia2", folders=[folder], output=output)


@reproduce_app.command("arena")
def reproduce_arena(folder: Folder, output: TextFormat = "table") -> None:
    """Recompute how often two language models vote as people did in GenAI-Arena."""
    _reproduce("arena", folders=[folder], output=output)


@reproduce_app.command("all")
def reproduce_all(
    folder: Annotated[str, typer.Argument(help="The folder that holds the studies' folders.")],
    output: TextFormat = "table",
) -> None:
    """Recompute every study whose folder is there. With --format md: the audit, claim by claim."""
    _reproduce("all", folder=folder, output=output)


# of all questions together: an aspect or a target would leave some out
@project_command(
    reproduce_app,
    "visor",
    "concord.studies.reproduce:reproduce_visor",
    [name for name in FILTERS if name not in ("aspect", "target", "certainty")],
)
def reproduce_visor(
    selection: Selection,
    intervals: Intervals = True,
    output: TextFormat = "table",
) -> None:
    """Recompute VISOR's Tables IV and V from a project's answers to its questions; the paper's answers were not released."""


def _reproduce(study: str, **parameters: Any) -> None:
    from concord.studies import reproduce

    raise typer.Exit(reproduce.execute(study, parameters))


@project_command(import_app, "ratings", "concord.importing.ratings:import_ratings")
def import_ratings(
    file: Annotated[
        str,
        typer.Argument(help="CSV, Excel, Parquet, JSON, or what a form tool or `export ratings` wrote."),
    ],
    request: RatingRequest,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be stored; store nothing.")] = False,
) -> None:
    """Import ratings from any table. A file of `export ratings` (CSV or Parquet) needs no options; others need --item,
    --rater, --value, --aspect and --scale. In a suite with images every item must match one."""


@project_command(import_app, "images", "concord.importing.images:import_images")
def import_images(
    directory: Annotated[
        list[str],
        typer.Argument(metavar="FOLDER...", help="Image folders; several as GENERATOR=FOLDER. The files stay where they are."),
    ],
    request: ImageRequest,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be imported; store nothing.")] = False,
) -> None:
    """Import generated images: 00042/samples/*.png, 10811_0.png, or images.csv (path,prompt[,generator,idx,task])."""


@project_command(import_app, "cooccurrence", "concord.importing.prompts:import_cooccurrence")
def import_cooccurrence(
    file: Annotated[str, typer.Argument(help="COCO's instances_*.json, or a file in the same format.")],
    called: Annotated[str | None, typer.Option("--name", help="Name in the project; default: the file name.")] = None,
) -> None:
    """Import how often object classes occur together in a data set's photographs, for the co-occurrence picture of Failures."""


@project_command(import_app, "playground", "concord.importing.playground:import_playground")
def import_playground() -> None:
    """Fill a project with the playground: images, scorers, five simulated people. The default project already has it."""


@project_command(study_app, "geneval", "concord.studies.imports:import_geneval")
def import_study_geneval(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE=FILE...", help="GENERATOR=FILE with its annotations, e.g. sdv2=annotations_sdv2.csv"),
    ],
    metadata: Annotated[str, typer.Option(help="GenEval's evaluation_metadata.jsonl.")],
) -> None:
    """Import GenEval's human study: every annotation, by anonymous raters (slots)."""


@project_command(study_app, "tifa", "concord.studies.imports:import_tifa")
def import_study_tifa(
    file: Annotated[str, typer.Argument(help="TIFA's human_annotations_with_scores.json.")],
) -> None:
    """Import TIFA's human study: two Likert ratings and ten metrics for each of 800 images."""


@project_command(study_app, "genai-bench", "concord.studies.imports:import_genai_bench")
def import_study_genai_bench(
    folder: Folder,
    prompts: Annotated[Literal["1600", "527"], typer.Option(help="All prompts, or the released subset.")] = "1600",
) -> None:
    """Import GenAI-Bench: three ratings 1 to 5 of each of six generators' images, by anonymous raters (slots)."""


@project_command(study_app, "imagenhub", "concord.studies.imports:import_imagenhub")
def import_study_imagenhub(folder: Folder) -> None:
    """Import ImagenHub's text-to-image study: three persons rate seven generators on consistency and quality."""


@project_command(study_app, "viescore", "concord.studies.imports:import_viescore")
def import_study_viescore(folder: Folder, imagenhub: Imagenhub) -> None:
    """Import VIEScore: language models judge ImagenHub's images and say why; with ImagenHub's people, and prompts' texts."""


@project_command(study_app, "tia2", "concord.studies.imports:import_tia2")
def import_study_tia2(folder: Folder) -> None:
    """Import TIA2 (TextNorm): does each of 27,500 images fit its caption, by three anonymous raters (slots)."""


@project_command(study_app, "arena", "concord.studies.imports:import_arena")
def import_study_arena(folder: Folder) -> None:
    """Import GenAI-Arena's votes on pairs of images, and the votes of two language models with their words."""


@project_command(import_app, "scores", "concord.runs.remote_runs:import_scores")
def import_scores(
    directory: Annotated[
        list[str], typer.Argument(metavar="DIR...", help="Output folders of a run on another machine: one, or all shards.")
    ],
) -> None:
    """Import a scorer's results from other machines, for images of this project. All shards form one run of one rater."""


@project_command(import_app, "undo", "concord.importing.undo:undo_import")
def import_undo(
    import_id: Annotated[
        int | None, typer.Argument(metavar="ID", help="Number of the import; without it, imports are listed.")
    ] = None,
) -> None:
    """Undo an import."""
