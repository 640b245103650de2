"""The commands that fill a project, ``import ...``, and ``reproduce``, which computes a paper's numbers again."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

import typer

from concord.common.options import Intervals
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


Match = StrEnum("Match", ["id", "path", "name", "sha256", "prompt"])
Merge = StrEnum("Merge", ["case", "space", "number", "characters", "none"])


@project_command(import_app, "ratings", "concord.importing.ratings:import_ratings")
def import_ratings(
    file: Annotated[
        str,
        typer.Argument(help="CSV, Excel, Parquet, JSON, or what a form tool or `export ratings` wrote."),
    ],
    item: Annotated[str | None, typer.Option(help="Column or comma-separated columns that identify the rated item.")] = None,
    rater: Annotated[
        str | None, typer.Option(help="Column with the rater (Label Studio and Argilla files contain it).")
    ] = None,
    value: Annotated[str | None, typer.Option(help="Column with the rating; for an export, the name of the question.")] = None,
    aspect: Annotated[str | None, typer.Option(help="The rated aspect, e.g. correct, faithfulness, score.")] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            help="nominal | nominal:red|green|blue | ordinal:1-5 | ordinal:0.5-5:0.5 (half stars) | ordinal:low<mid<high"
            " | interval"
        ),
    ] = None,
    suite: Annotated[str | None, typer.Option(help="Suite of the items ('ratings').")] = None,
    kind: Annotated[Literal["human", "scorer"] | None, typer.Option(help="human or scorer; default: human.")] = None,
    prompt: Annotated[
        str | None, typer.Option(help="Column with the prompt (confidence intervals are computed over prompts).")
    ] = None,
    generator: Annotated[str | None, typer.Option(help="Column with the generator.")] = None,
    index: Annotated[
        str | None, typer.Option(help="Column with the index of the image among those of its prompt and generator, from 0.")
    ] = None,
    task: Annotated[str | None, typer.Option(help="Column with the task.")] = None,
    wide: Annotated[
        bool | None,
        typer.Option("--wide/--long", help="One column per rater; --long: one row per rating."),
    ] = None,
    rater_columns: Annotated[
        str | None,
        typer.Option(help="--wide: the raters' columns, comma-separated; default: all columns that no other option names."),
    ] = None,
    transpose: Annotated[
        bool,
        typer.Option(
            "--transpose", help="One row per rater, one column per item; --item names the items' columns, if not all."
        ),
    ] = False,
    pair: Annotated[
        str | None,
        typer.Option(help="The two columns of the generators, comma-separated: --value is a vote between their images."),
    ] = None,
    multiple: Annotated[
        bool,
        typer.Option("--multiple", help="A cell holds all options that are ticked; each becomes an aspect with yes and no."),
    ] = False,
    match: Annotated[
        list[Match],
        typer.Option(help="How items identify the suite's images; default: try all in this order. Repeatable."),
    ] = [],  # noqa: B006
    new_items: Annotated[
        bool, typer.Option("--new-items", help="Create items without pictures for rows that match no image.")
    ] = False,
    missing: Annotated[
        list[str], typer.Option(help="A text that means 'no rating', in addition to NA, nan and empty cells. Repeatable.")
    ] = [],  # noqa: B006
    merge: Annotated[
        list[Merge],
        typer.Option(
            help="Merge labels, raters and items that differ only in this (characters: accents composed or not, invisible"
            " signs, curly quotes, wide letters); none: keep them apart. Repeatable."
        ),
    ] = [],  # noqa: B006
    identity: Annotated[
        Literal["person", "slot"] | None,
        typer.Option(help="Whether a rater's name is one person, or a slot that several people fill; default: person."),
    ] = None,
    saw_labels: Annotated[
        bool,
        typer.Option("--saw-labels", help="--kind scorer: the scorer was tuned on people's labels, so it gets no verdict."),
    ] = False,
    encoding: Annotated[
        str | None, typer.Option(help="Encoding of a text file where it cannot be seen, e.g. cp1252 or cp1250.")
    ] = None,
    header_lines: Annotated[
        int | None,
        typer.Option(help="Lines of the header, of which the first holds the names; default: what the file looks like."),
    ] = None,
    sheet: Annotated[str | None, typer.Option(help="Sheet of an Excel file that has several.")] = None,
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
    layout: Annotated[Literal["geneval", "visor", "csv"], typer.Option(help="Layout of the folder.")],
    generator: Annotated[str | None, typer.Option(help="Generator of the images (csv: a column can name it instead).")] = None,
    suite: Annotated[
        str | None, typer.Option(help="Suite of the prompts; by default 'geneval', 'sr2d' (visor) or 'images' (csv).")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be imported; store nothing.")] = False,
) -> None:
    """Import generated images: 00042/samples/*.png, 10811_0.png, or images.csv (path,prompt[,generator,idx,task])."""


@project_command(import_app, "cooccurrence", "concord.importing.prompts:import_cooccurrence")
def import_cooccurrence(
    file: Annotated[str, typer.Argument(help="COCO's instances_*.json, or a file in the same format.")],
    called: Annotated[str | None, typer.Option("--name", help="Name in the project; default: the file name.")] = None,
) -> None:
    """Import how often object classes occur together in a data set's photographs, for the co-occurrence chart on Explore."""


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


@project_command(import_app, "undo", "concord.importing:undo_import")
def import_undo(
    import_id: Annotated[
        int | None, typer.Argument(metavar="ID", help="Number of the import; without it, imports are listed.")
    ] = None,
) -> None:
    """Undo an import."""
