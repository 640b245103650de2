"""Options of ``import ratings``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from ui.commands.official_cli import PLAYGROUND, Project


class RaterKind(StrEnum):
    human = "human"
    scorer = "scorer"


class Identity(StrEnum):
    person = "person"
    slot = "slot"


class Match(StrEnum):
    id = "id"
    path = "path"
    name = "name"
    sha256 = "sha256"
    prompt = "prompt"


class Merge(StrEnum):
    case = "case"
    space = "space"
    number = "number"
    none = "none"


def import_ratings(
    file: Annotated[
        str,
        typer.Argument(
            help="CSV (.tsv: tabs), Parquet, JSON lines, Label Studio's or Argilla's JSON; or what `export ratings` wrote."
        ),
    ],
    item: Annotated[str | None, typer.Option(help="Column(s) that name what was rated, with commas between.")] = None,
    rater: Annotated[
        str | None, typer.Option(help="Column that names who rated (Label Studio and Argilla say it themselves).")
    ] = None,
    value: Annotated[str | None, typer.Option(help="Column with the rating; of an export, the question's name.")] = None,
    aspect: Annotated[str | None, typer.Option(help="What was rated, e.g. correct, faithfulness, score.")] = None,
    scale: Annotated[
        str | None,
        typer.Option(
            help="nominal | nominal:red|green|blue | ordinal:1-5 | ordinal:0.5-5:0.5 (half stars) | ordinal:low<mid<high"
            " | interval"
        ),
    ] = None,
    suite: Annotated[str | None, typer.Option(help="The suite that the items belong to ('ratings').")] = None,
    kind: Annotated[RaterKind | None, typer.Option(help="Whether people or scorers rated (human).")] = None,
    prompt: Annotated[str | None, typer.Option(help="Column with the prompt (intervals are made by prompt).")] = None,
    generator: Annotated[str | None, typer.Option(help="Column with the generator.")] = None,
    index: Annotated[str | None, typer.Option(help="Column that says which image of prompt and generator, from 0.")] = None,
    task: Annotated[str | None, typer.Option(help="Column with the task.")] = None,
    wide: Annotated[
        bool | None,
        typer.Option("--wide/--long", help="A column per rater; --long: a row per rating, whatever raters are called."),
    ] = None,
    rater_columns: Annotated[
        str | None, typer.Option(help="--wide: the columns of raters, with commas; else all that nothing else is said of.")
    ] = None,
    match: Annotated[
        list[Match],
        typer.Option(help="How items name the suite's images; else all ways are tried in this order. Repeatable."),
    ] = [],  # noqa: B006
    new_items: Annotated[
        bool, typer.Option("--new-items", help="Items that match no image are new ones without pictures.")
    ] = False,
    missing: Annotated[
        list[str], typer.Option(help="A text that means no rating, beside NA, nan and the empty cell. Repeatable.")
    ] = [],  # noqa: B006
    merge: Annotated[
        list[Merge],
        typer.Option(help="Labels and raters that differ only in this are one; none: keep them apart. Repeatable."),
    ] = [],  # noqa: B006
    identity: Annotated[
        Identity | None, typer.Option(help="Whether a rater's name is one person, or a slot that several fill (person).")
    ] = None,
    saw_labels: Annotated[
        bool,
        typer.Option("--saw-labels", help="--kind scorer: tuned on, or made from, people's labels; no verdict."),
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be stored, and store nothing.")] = False,
    project: Project = PLAYGROUND,
) -> None:
    """Add anybody's ratings from a table. A file of `export ratings` (CSV or Parquet) needs no options; others need --item,
    --rater, --value, --aspect and --scale. In a suite with images every item must match one."""
    from ui.commands.runner import execute

    columns = {
        "item": item,
        "rater": rater,
        "value": value,
        "prompt": prompt,
        "generator": generator,
        "index": index,
        "task": task,
    }
    parameters = {
        "file": file,
        "columns": columns,
        "aspect": aspect,
        "scale": scale,
        "suite": suite,
        "kind": kind.value if kind else None,
        "wide": wide,
        "rater_columns": rater_columns,
        "ways": [one.value for one in match],
        "new_items": new_items,
        "missing": missing,
        "merge": [one.value for one in merge],
        "identity": identity.value if identity else None,
        "saw_labels": saw_labels,
        "dry_run": dry_run,
    }
    raise typer.Exit(execute(project, "import ratings", parameters))
