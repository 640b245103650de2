"""The commands of studies: ``import ratings`` takes anybody's table, ``reproduce`` computes a paper's numbers again;
``app.py`` imports this for every command, so it imports nothing heavy.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from ui.cli.options import FILTERS, with_selection
from ui.cli.results import PLAYGROUND, Project

reproduce_app = typer.Typer(help="A paper's printed numbers about people, beside ours.", no_args_is_help=True)


class ReproductionFormat(StrEnum):
    table = "table"
    json = "json"
    md = "md"


@reproduce_app.command("geneval")
def reproduce_geneval(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE=FILE...", help="As for import study geneval; or one folder that holds all the files."),
    ],
    metadata: Annotated[str | None, typer.Option(help="GenEval's evaluation_metadata.jsonl, if no folder is given.")] = None,
    output: Annotated[ReproductionFormat, typer.Option("--format", help="How it is printed.")] = ReproductionFormat.table,
) -> None:
    """GenEval's human study. Ends with 0 only if every number that the files determine is as printed."""
    _reproduce("geneval", sources=sources, metadata=metadata, output=output.value)


@reproduce_app.command("tifa")
def reproduce_tifa(
    path: Annotated[str, typer.Argument(help="TIFA's human_annotations_with_scores.json, or a folder that holds it.")],
    output: Annotated[ReproductionFormat, typer.Option("--format", help="How it is printed.")] = ReproductionFormat.table,
) -> None:
    """TIFA's human study: both columns of Table 2, the true Spearman beside them, and more. Ends as the other does."""
    _reproduce("tifa", path=path, output=output.value)


@reproduce_app.command("selfeval")
def reproduce_selfeval(
    output: Annotated[ReproductionFormat, typer.Option("--format", help="How it is printed.")] = ReproductionFormat.table,
) -> None:
    """SelfEval's Figure 6 from its Tables 2 and 3. Ends with 0 only if all that the paper says of them in words follows."""
    _reproduce("selfeval", output=output.value)


def _visor(
    selection: dict[str, list[str]],
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[ReproductionFormat, typer.Option("--format", help="How it is printed.")] = ReproductionFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """VISOR's Tables IV and V, from a project's answers to VISOR's questions; the paper's own answers were not released."""
    from ui.commands import execute

    parameters = {"selection": selection, "intervals": intervals, "output": output.value}
    raise typer.Exit(execute(project, "reproduce visor", parameters))


# of all questions together: an aspect or a target would leave some out
reproduce_app.command("visor")(
    with_selection(_visor, [name for name in FILTERS if name not in ("aspect", "target", "certainty")])
)


def _reproduce(study: str, **parameters: Any) -> None:
    from concord.studies.reproduce import execute

    raise typer.Exit(execute(study, parameters))


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
    from ui.commands import execute

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
