"""The commands ``export ...`` and ``import exported``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from concord.common.options import Intervals, OutputFile
from data.export import TableFormat
from ui.cli.options import FILTERS, IMAGE_FILTERS, Selection, export_app, import_app, project_command
from ui.report.formats import PARTS, FormatName

_FORMAT = "Format; default: from the file name."
Table = Annotated[TableFormat | None, typer.Option("--format", help=_FORMAT)]
OutputFolder = Annotated[str, typer.Option("-o", "--output", metavar="FOLDER", help="The folder to create.")]
PeopleAs = Annotated[
    Literal["names", "pseudonyms"],
    typer.Option("--people", help="pseudonyms: stable names within this project's exports that do not identify anybody."),
]


@project_command(export_app, "ratings", "concord.exporting:export_ratings", FILTERS)
def export_ratings(selection: Selection, output: OutputFile, form: Table = None) -> None:
    """Export the ratings that the statistics use. `import ratings FILE` reads them and gives the same numbers, but for the
    metrics of a suite's own paper: a table of ratings does not say what its prompts ask for.
    """


@project_command(export_app, "judgements", "concord.exporting:export_judgements", FILTERS)
def export_judgements(selection: Selection, output: OutputFile, form: Table = None) -> None:
    """Export every judgement with its source; judgements that do not count have the reason."""


@project_command(export_app, "annotations", "concord.exporting:export_annotations", FILTERS)
def export_annotations(
    selection: Selection,
    output: OutputFile,
    form: Table = None,
    named: PeopleAs = "names",
) -> None:
    """Export people's answers with their revisions. `import exported FILE` reads them and derives the same judgements."""


@project_command(export_app, "snapshot", "concord.maintenance.backups:export_snapshot")
def export_snapshot(output: OutputFile, named: PeopleAs = "names") -> None:
    """Export the data as one DuckDB file for others, with a table that describes each column."""


@project_command(export_app, "datasets", "concord.exporting:export_datasets", FILTERS)
def export_datasets(
    selection: Selection,
    output: OutputFolder,
    named: PeopleAs = "pseudonyms",
    shard: Annotated[
        int, typer.Option("--shard-size", min=1, max=5000, help="Maximum size of a file in MiB; then a new file starts.")
    ] = 500,
) -> None:
    """Export a folder for Hugging Face's `datasets`: images, judgements and annotations as Parquet, and a dataset card."""


@project_command(export_app, "images", "concord.exporting:export_images", IMAGE_FILTERS)
def export_images(
    selection: Selection,
    output: OutputFolder,
) -> None:
    """Export images in GenEval's folder layout, for its own script: GENERATOR/00000/samples/00000.png and metadata.jsonl."""


@project_command(import_app, "exported", "concord.importing.exported_files:import_exported")
def import_exported(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="A file that `export annotations`, `judgements` or `ratings` wrote.")
    ],
) -> None:
    """Import files that Concord exported (CSV, Parquet or JSON lines), all or none. Judgements are derived from the answers."""


@project_command(export_app, "tables", "ui.report.paper_tables:export_paper_tables", FILTERS)
def export_tables(
    selection: Selection,
    paper: Annotated[Literal["geneval", "tifa", "selfeval", "visor"], typer.Argument(help="Whose tables.")],
    output: OutputFile,
    form: Annotated[Literal["latex", "md", "csv"] | None, typer.Option("--format", help=_FORMAT)] = None,
    intervals: Intervals = True,
) -> None:
    """Write a paper's tables with this project's numbers. What the project lacks for a column is said, and what brings it."""


@project_command(export_app, "report", "ui.report.export:export_report", FILTERS)
def export_report(
    selection: Selection,
    output: OutputFile,
    form: Annotated[
        FormatName | None,
        typer.Option("--format", help="Format; default: from the file name. csv and parquet write all tables in a .zip."),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, help="Random seed of cross-validation folds, permutations and the failures shown.")
    ] = 0,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", help=f"What it holds besides its first page: {', '.join(PARTS)}; default: all of them."),
    ] = None,
) -> None:
    """Write a report: all numbers of `agreement`, the data and methods behind them, and the command that reproduces it."""
