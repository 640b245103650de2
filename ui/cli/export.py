"""The commands ``export ...`` and ``import exported``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ui.cli.options import PLAYGROUND, OutputFile, Project, Selection, execute, export_app, import_app, with_selection


class TableFile(StrEnum):
    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


class ReportFile(StrEnum):
    html = "html"
    md = "md"
    pdf = "pdf"
    latex = "latex"
    csv = "csv"
    parquet = "parquet"


class PeopleNaming(StrEnum):
    names = "names"
    pseudonyms = "pseudonyms"


Table = Annotated[TableFile | None, typer.Option("--format", help="Format; default: from the file name.")]
PeopleAs = Annotated[
    PeopleNaming,
    typer.Option("--people", help="pseudonyms: stable names within this project's exports that do not identify anybody."),
]


@export_app.command("ratings")
@with_selection
def export_ratings(selection: Selection, output: OutputFile, form: Table = None, project: Project = PLAYGROUND) -> None:
    """Export the ratings that the statistics use. `import ratings FILE` reads them and gives the same numbers."""
    execute(project, "export ratings", selection=selection, form=form and form.value, output=output)


@export_app.command("judgements")
@with_selection
def export_judgements(selection: Selection, output: OutputFile, form: Table = None, project: Project = PLAYGROUND) -> None:
    """Export every judgement with its source; judgements that do not count have the reason."""
    execute(project, "export judgements", selection=selection, form=form and form.value, output=output)


@export_app.command("annotations")
@with_selection
def export_annotations(
    selection: Selection,
    output: OutputFile,
    form: Table = None,
    people: PeopleAs = PeopleNaming.names,
    project: Project = PLAYGROUND,
) -> None:
    """Export people's answers with their revisions. `import exported FILE` reads them and derives the same judgements."""
    execute(project, "export annotations", selection=selection, form=form and form.value, output=output, named=people.value)


@export_app.command("snapshot")
def export_snapshot(output: OutputFile, people: PeopleAs = PeopleNaming.names, project: Project = PLAYGROUND) -> None:
    """Export the data as one DuckDB file for others, with a table that describes each column."""
    execute(project, "export snapshot", output=output, named=people.value)


@export_app.command("datasets")
@with_selection
def export_datasets(
    selection: Selection,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FOLDER", help="The folder to create.")],
    people: PeopleAs = PeopleNaming.pseudonyms,
    shard: Annotated[
        int, typer.Option("--shard-size", min=1, max=5000, help="Maximum size of a file in MiB; then a new file starts.")
    ] = 500,
    project: Project = PLAYGROUND,
) -> None:
    """Export a folder for Hugging Face's `datasets`: images, judgements and annotations as Parquet, and a dataset card."""
    execute(project, "export datasets", selection=selection, output=output, named=people.value, shard=shard)


@import_app.command("exported")
def import_exported(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="A file that `export annotations`, `judgements` or `ratings` wrote.")
    ],
    project: Project = PLAYGROUND,
) -> None:
    """Import files that Concord exported (CSV, Parquet or JSON lines), all or none. Judgements are derived from the answers."""
    execute(project, "import exported", files=files)


@export_app.command("report")
@with_selection
def export_report(
    selection: Selection,
    output: OutputFile,
    form: Annotated[
        ReportFile | None,
        typer.Option("--format", help="Format; default: from the file name. csv and parquet write all tables in a .zip."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed of cross-validation folds, permutations and the failures shown.")
    ] = 0,
    project: Project = PLAYGROUND,
) -> None:
    """Write a report: all numbers of `agreement`, the data and methods behind them, and the command that reproduces it."""
    execute(project, "export report", selection=selection, form=form and form.value, output=output, seed=seed)
