"""Concord's one entry point: every command; without one it opens the app.

Nothing heavy is imported here: a command imports what it needs when it runs.
"""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ui.cli.analysis import add_flips, add_matching, add_preferences, add_vqa
from ui.cli.campaigns import add_campaigns
from ui.cli.export import add_exports
from ui.cli.options import ConsensusOption, with_selection
from ui.cli.people import people_app
from ui.cli.project import add_backups, serve_command
from ui.cli.questions import export_prompts, export_questions, import_questions, questionnaires, write_questions
from ui.cli.results import export_results_app, import_results_app, judge_app
from ui.cli.scoring import export_manifest, generate_command, score_command
from ui.cli.studies import import_ratings, reproduce_app

# numpy reads this when it is first imported. The matrices of statistics are narrow: a second thread that waits for the first
# doubles the work, and takes the processor from whoever else needs it.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

HERE = Path(__file__).resolve().parent
PLAYGROUND = HERE / "projects" / "playground"

app = typer.Typer(
    help="Judge text-to-image models: automatic scorers and people side by side, their agreement live.",
    invoke_without_command=True,
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
import_app = typer.Typer(help="Bring prompts, images, studies and ratings into a project.", no_args_is_help=True)
study_app = typer.Typer(help="Published human studies.", no_args_is_help=True)
export_app = typer.Typer(help="Write reports, ratings or judgements of a selection to a file.", no_args_is_help=True)
app.add_typer(import_app, name="import")
app.add_typer(export_app, name="export")
app.add_typer(reproduce_app, name="reproduce")
import_app.add_typer(study_app, name="study")
app.add_typer(judge_app, name="judge")
import_app.add_typer(import_results_app, name="results")
export_app.add_typer(export_results_app, name="results")
import_app.command("questions")(import_questions)
export_app.command("prompts")(export_prompts)
export_app.command("questions")(export_questions)
app.command("questions")(write_questions)
app.command("questionnaires")(questionnaires)

Project = Annotated[
    Path,
    typer.Option("--project", help="The project folder; created if it does not exist.", show_default="projects/playground"),
]
Many = list[str]
Selection = dict[str, Many]


class Layout(StrEnum):
    geneval = "geneval"
    visor = "visor"
    csv = "csv"


class Format(StrEnum):
    table = "table"
    json = "json"


class Page(StrEnum):
    html = "html"
    md = "md"
    pdf = "pdf"
    latex = "latex"
    csv = "csv"
    parquet = "parquet"


class PeopleAs(StrEnum):
    each = "each"
    majority = "majority"
    mean = "mean"


class By(StrEnum):
    target = "target"
    certainty = "certainty"


class PromptSuite(StrEnum):
    geneval = "geneval"
    sr2d = "sr2d"
    sentences = "sr2d-sentences"
    split_sentences = "sr2d-split"
    attributes = "sr2d-attributes"


def _execute(project: Path, name: str, **parameters: Any) -> None:
    from ui.commands import execute

    raise typer.Exit(execute(project, name, parameters))


@app.callback()
def main(context: typer.Context) -> None:
    """Without a command: open the playground project in the browser."""
    if context.invoked_subcommand is None:
        serve_command()


app.command("serve")(serve_command)
app.add_typer(people_app, name="people")


@app.command("prompts")
def prompts_command(
    suite: Annotated[PromptSuite, typer.Argument(help="The suite.")],
    output: Annotated[Path, typer.Option("-o", "--output", help="The JSONL file to write.")],
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed for sampling prompts (geneval: 43 gives the published prompts; sr2d-attributes: 0)."),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n", min=1, help="Per task (100): prompts before duplicates are removed (geneval), or pairs (sr2d-attributes)."
        ),
    ] = None,
) -> None:
    """Write a published suite's prompts with their machine-readable specs."""
    from concord.common.context import CommandError
    from concord.importing.prompts import write_suite

    try:
        write_suite(suite.value, output, seed, n, sys.stdout)
    except OSError as error:
        print(f"prompts: {output} cannot be written: {error.strerror}", file=sys.stderr)
        raise typer.Exit(1) from error
    except CommandError as error:
        print(f"prompts: {error}", file=sys.stderr)
        raise typer.Exit(error.status) from error


@import_app.command("prompts")
def import_prompts(
    file: Annotated[
        str, typer.Argument(help="JSONL (Concord or GenEval), TIFA's JSON, or plain text with one prompt per line.")
    ],
    suite: Annotated[str, typer.Option(help="Name of the suite.")],
    project: Project = PLAYGROUND,
) -> None:
    """Import a suite of prompts. A prompt that already exists keeps its text."""
    _execute(project, "import prompts", file=file, suite=suite)


@import_app.command("images")
def import_images(
    directory: Annotated[
        Many,
        typer.Argument(metavar="FOLDER...", help="Image folders; several as GENERATOR=FOLDER. The files stay where they are."),
    ],
    layout: Annotated[Layout, typer.Option(help="Layout of the folder.")],
    generator: Annotated[str | None, typer.Option(help="Generator of the images (csv: a column can name it instead).")] = None,
    suite: Annotated[
        str | None, typer.Option(help="Suite of the prompts; by default 'geneval', 'sr2d' (visor) or 'images' (csv).")
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Import generated images: 00042/samples/*.png, 10811_0.png, or images.csv (path,prompt[,generator,idx,task])."""
    _execute(project, "import images", directory=directory, layout=layout.value, generator=generator, suite=suite)


@import_app.command("cooccurrence")
def import_cooccurrence(
    file: Annotated[str, typer.Argument(help="COCO's instances_*.json, or a file in the same format.")],
    name: Annotated[str | None, typer.Option(help="Name in the project; default: the file name.")] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Import how often object classes occur together in a data set's photographs, for the co-occurrence chart on Explore."""
    _execute(project, "import cooccurrence", file=file, called=name)


@import_app.command("playground")
def import_playground(project: Project = PLAYGROUND) -> None:
    """Fill a project with the playground: images, two scorers and five simulated people. The default project already has it."""
    _execute(project, "import playground")


@study_app.command("geneval")
def import_study_geneval(
    sources: Annotated[
        Many,
        typer.Argument(metavar="SOURCE=FILE...", help="GENERATOR=FILE with its annotations, e.g. sdv2=annotations_sdv2.csv"),
    ],
    metadata: Annotated[str, typer.Option(help="GenEval's evaluation_metadata.jsonl.")],
    project: Project = PLAYGROUND,
) -> None:
    """Import GenEval's human study: every annotation, by anonymous raters (slots)."""
    _execute(project, "import study geneval", metadata=metadata, sources=sources)


@study_app.command("tifa")
def import_study_tifa(
    file: Annotated[str, typer.Argument(help="TIFA's human_annotations_with_scores.json.")],
    project: Project = PLAYGROUND,
) -> None:
    """Import TIFA's human study: two Likert ratings and ten metrics for each of 800 images."""
    _execute(project, "import study tifa", file=file)


import_app.command("ratings")(import_ratings)


@import_app.command("scores")
def import_scores(
    directory: Annotated[
        Many, typer.Argument(metavar="DIR...", help="Output folders of a run on another machine: one, or all shards.")
    ],
    project: Project = PLAYGROUND,
) -> None:
    """Import a scorer's results from other machines, for images of this project. All shards form one run of one rater."""
    _execute(project, "import scores", directory=directory)


@import_app.command("undo")
def import_undo(
    import_id: Annotated[
        int | None, typer.Argument(metavar="ID", help="Number of the import; without it, imports are listed.")
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Undo an import."""
    _execute(project, "import undo", import_id=import_id)


app.command("generate")(generate_command)


app.command("score")(score_command)
export_app.command("manifest")(export_manifest)


@app.command("rebuild")
def rebuild_command(project: Project = PLAYGROUND) -> None:
    """Derive every judgement again from stored evidence and answers."""
    _execute(project, "rebuild")


@app.command("agreement")
@with_selection
def agreement_command(
    selection: Selection,
    statistic: Annotated[Many, typer.Option(help="Only these statistics.")] = [],  # noqa: B006
    all_statistics: Annotated[
        bool, typer.Option("--all-statistics", help="Show all statistics, not only the main ones of each scale.")
    ] = False,
    by: Annotated[
        list[By],
        typer.Option(help="target: one row per object, relation or question; certainty: scorers also by how far people agree."),
    ] = [],  # noqa: B006
    compare: Annotated[
        bool, typer.Option("--compare", help="Also compare scorers with each other: which one agrees better with people?")
    ] = False,
    thresholds: Annotated[
        bool,
        typer.Option(
            "--thresholds",
            help="Also turn scores into yes/no decisions, at the threshold that agrees best with people (cross-validated).",
        ),
    ] = False,
    consensus: ConsensusOption = [],  # noqa: B006
    people_as: Annotated[
        PeopleAs | None, typer.Option(help="How human ratings are aggregated for comparison with a scorer.")
    ] = None,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    ceiling: Annotated[
        bool, typer.Option("--ceiling/--no-ceiling", help="Show human agreement next to each scorer's, and a verdict.")
    ] = True,
    margin: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            max=1.0,
            help="Equivalence margin: differences from human agreement up to this are equal (shares 0.05, coefficients 0.1).",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of cross-validation folds, permutations and crowd models.")] = 0,
    output: Annotated[Format, typer.Option("--format", help="Output format.")] = Format.table,
    project: Project = PLAYGROUND,
) -> None:
    """How far raters agree: people among themselves, scorers with people, any two raters."""
    _execute(
        project,
        "agreement",
        selection=selection,
        statistics=statistic,
        all_statistics=all_statistics,
        by=[each.value for each in by],
        further=[name for name, asked in (("comparisons", compare), ("thresholds", thresholds)) if asked],
        consensus=[each.value for each in consensus],
        people_as=people_as.value if people_as else None,
        intervals=intervals,
        ceiling=ceiling,
        margin=margin,
        seed=seed,
        output=output.value,
    )


add_flips(app)
add_preferences(app, study_app)
add_vqa(app)
add_matching(app, import_app)
add_campaigns(app)
add_exports(export_app, import_app)
add_backups(app)

Output = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")]


@export_app.command("report")
@with_selection
def export_report(
    selection: Selection,
    output: Output,
    form: Annotated[
        Page | None,
        typer.Option("--format", help="Format; default: from the file name. csv and parquet write all tables in a .zip."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed of cross-validation folds, permutations and the failures shown.")
    ] = 0,
    project: Project = PLAYGROUND,
) -> None:
    """Write a report: all numbers of `agreement`, the data and methods behind them, and the command that reproduces it."""
    _execute(project, "export report", selection=selection, form=form and form.value, output=output, seed=seed)


if __name__ == "__main__":
    app()
