"""The commands ``export`` and ``import exported``; ``app.py`` imports this, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ui.cli.options import with_selection
from ui.cli.results import PLAYGROUND, Project


class TableFile(StrEnum):
    csv = "csv"
    parquet = "parquet"
    jsonl = "jsonl"


class PeopleNaming(StrEnum):
    names = "names"
    pseudonyms = "pseudonyms"


Selection = dict[str, list[str]]
Output = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")]
Table = Annotated[TableFile | None, typer.Option("--format", help="Format; default: from the file name.")]
PeopleAs = Annotated[
    PeopleNaming,
    typer.Option("--people", help="pseudonyms: stable names within this project's exports that do not identify anybody."),
]


def add_exports(export_app: typer.Typer, import_app: typer.Typer) -> None:
    """Give both groups their commands."""
    export_app.command("ratings")(with_selection(_ratings))
    export_app.command("judgements")(with_selection(_judgements))
    export_app.command("annotations")(with_selection(_annotations))
    export_app.command("snapshot")(_snapshot)
    export_app.command("datasets")(with_selection(_datasets))
    import_app.command("exported")(_exported)


def _ratings(selection: Selection, output: Output, form: Table = None, project: Project = PLAYGROUND) -> None:
    """Export the ratings that the statistics use. `import ratings FILE` reads them and gives the same numbers."""
    _execute(project, "export ratings", selection=selection, form=form and form.value, output=output)


def _judgements(selection: Selection, output: Output, form: Table = None, project: Project = PLAYGROUND) -> None:
    """Export every judgement with its source; judgements that do not count have the reason."""
    _execute(project, "export judgements", selection=selection, form=form and form.value, output=output)


def _annotations(
    selection: Selection,
    output: Output,
    form: Table = None,
    people: PeopleAs = PeopleNaming.names,
    project: Project = PLAYGROUND,
) -> None:
    """Export people's answers with their revisions. `import exported FILE` reads them and derives the same judgements."""
    _execute(project, "export annotations", selection=selection, form=form and form.value, output=output, named=people.value)


def _snapshot(output: Output, people: PeopleAs = PeopleNaming.names, project: Project = PLAYGROUND) -> None:
    """Export the data as one DuckDB file for others, with a table that describes each column."""
    _execute(project, "export snapshot", output=output, named=people.value)


def _datasets(
    selection: Selection,
    output: Annotated[str, typer.Option("-o", "--output", metavar="FOLDER", help="The folder to create.")],
    people: PeopleAs = PeopleNaming.pseudonyms,
    shard: Annotated[
        int, typer.Option("--shard-size", min=1, max=5000, help="Maximum size of a file in MiB; then a new file starts.")
    ] = 500,
    project: Project = PLAYGROUND,
) -> None:
    """Export a folder for Hugging Face's `datasets`: images, judgements and annotations as Parquet, and a dataset card."""
    _execute(project, "export datasets", selection=selection, output=output, named=people.value, shard=shard)


def _exported(
    files: Annotated[
        list[str], typer.Argument(metavar="FILE...", help="A file that `export annotations`, `judgements` or `ratings` wrote.")
    ],
    project: Project = PLAYGROUND,
) -> None:
    """Import files that Concord exported (CSV, Parquet or JSON lines), all or none. Judgements are derived from the answers."""
    _execute(project, "import exported", files=files)


def _execute(project: Path, name: str, **parameters: object) -> None:
    from ui.commands import execute

    raise typer.Exit(execute(project, name, parameters))
