"""The commands that print numbers of a project: ``itm`` and ``ablate``, ``flips``, ``preferences``, ``vqa``; ``app.py``
imports this for every command, so it imports nothing heavy.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ui.cli.options import with_selection
from ui.cli.results import PLAYGROUND, Project

MATCHING_FILTERS = ("suite", "task", "generator", "rater")
"""What restricts matching of images and texts."""
_IMAGE_FILTERS = ("suite", "task", "generator")


class MatchingFormat(StrEnum):
    table = "table"
    json = "json"


class MatchingLayout(StrEnum):
    auto = "auto"
    rows = "rows"
    winoground = "winoground"
    aro = "aro"


def add_matching(app: typer.Typer, import_app: typer.Typer) -> None:
    """Give the app the commands."""
    app.command("itm")(with_selection(itm_command, MATCHING_FILTERS))
    app.command("ablate")(with_selection(ablate_command, _IMAGE_FILTERS))
    import_app.command("itm")(import_itm)


def import_itm(
    file: Annotated[
        str | None,
        typer.Argument(help="JSONL, JSON or CSV with an image, its captions and the correct one; see docs/matching.md."),
    ] = None,
    images: Annotated[str | None, typer.Option(help="Folder of the images; default: the folder of the file.")] = None,
    suite: Annotated[str | None, typer.Option(help="Name of the suite; default: itm, winoground, aro or itm-tifa.")] = None,
    layout: Annotated[
        MatchingLayout, typer.Option(help="File format; auto: detect it from the first row.")
    ] = MatchingLayout.auto,
    source: Annotated[str | None, typer.Option(help="Source of the images ('real'; with --tifa 'coco').")] = None,
    playground: Annotated[bool, typer.Option("--playground", help="Render the playground's matching set instead.")] = False,
    n: Annotated[int | None, typer.Option("--n", min=1, max=10_000, help="--playground: images per task (50).")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="--playground: random seed of the set (0).")] = None,
    tifa: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="TEXTS QUESTIONS", help="TIFA's text_inputs.json and question_answers.json."),
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Import images with candidate captions (image-text matching): your own file, Winoground, ARO or the playground's."""
    _execute(
        project,
        "import itm",
        file=file,
        images=images,
        suite=suite,
        layout=layout.value,
        source=source,
        playground=playground,
        tifa=tifa,
        n=n,
        seed=seed,
    )


Intervals = Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")]
Numbers = Annotated[str | None, typer.Option(metavar="N,N,...", help="Comma-separated values; default: those of the profile.")]


def itm_command(
    selection: dict[str, list[str]],
    intervals: Intervals = True,
    output: Annotated[MatchingFormat, typer.Option("--format", help="Output format.")] = MatchingFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Image-text matching: each scorer's accuracy against chance by task, Winoground's scores, and votes between scorers."""
    _execute(project, "itm", selection=selection, intervals=intervals, output=output.value)


def ablate_command(
    selection: dict[str, list[str]],
    scorer: Annotated[str, typer.Argument(help="selfeval, elbo or flowloss.")],
    profile: Annotated[
        str, typer.Option(help="Settings profile: the model, and all settings that do not vary.")
    ] = "playground",
    trials: Numbers = None,
    steps: Numbers = None,
    seeds: Numbers = None,
    settings: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change one setting, as in `score`. Repeatable.")
    ] = [],  # noqa: B006
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...")] = "cpu",
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Batch size in images (32).")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of images.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE.html", help="HTML file for the plot.")] = None,
    intervals: Intervals = True,
    output: Annotated[MatchingFormat, typer.Option("--format", help="Output format.")] = MatchingFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Accuracy of a likelihood scorer by trials, steps and seed: scores what is missing, then compares."""
    _execute(
        project,
        "ablate",
        scorer=scorer,
        profile=profile,
        trials=trials,
        steps=steps,
        seeds=seeds,
        overrides=settings,
        device=device,
        batch_size=batch_size,
        limit=limit,
        selection=selection,
        plot=plot,
        intervals=intervals,
        output=output.value,
    )


def _execute(project: Path, name: str, **parameters: Any) -> None:
    from ui.commands import execute

    raise typer.Exit(execute(project, name, parameters))


FLIP_FILTERS = ("suite", "task", "generator", "rater", "campaign", "since", "until")
"""What a flip test can be restricted by: its aspect is given, and it has no targets."""


class Flip(StrEnum):
    # not `count`, which every text has
    RELATION = "relation"
    COLOR = "color"
    COUNT = "count"


class FlipFormat(StrEnum):
    table = "table"
    json = "json"
    md = "md"


def add_flips(app: typer.Typer) -> None:
    """Give the app the command."""
    app.command("flips")(with_selection(flips_command, FLIP_FILTERS))


def flips_command(
    selection: dict[str, list[str]],
    kind: Annotated[Flip, typer.Option(help="The part of each prompt that is flipped.")] = Flip.RELATION,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[FlipFormat, typer.Option("--format", help="Output format.")] = FlipFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Flip test: each rater's score for the true prompt minus its score for the flipped prompt."""
    from ui.commands import execute

    parameters = {
        "selection": selection,
        "kind": kind.value,
        "intervals": intervals,
        "output": output.value,
    }
    raise typer.Exit(execute(project, "flips", parameters))


PREFERENCE_FILTERS = ("suite", "task", "generator", "rater", "campaign", "since", "until")
"""What votes can be restricted by: their aspect is given, and they have no targets."""


class PreferenceFormat(StrEnum):
    table = "table"
    json = "json"


def add_preferences(app: typer.Typer, studies: typer.Typer) -> None:
    """Give the app the commands."""
    app.command("preferences")(with_selection(preferences_command, PREFERENCE_FILTERS))
    studies.command("selfeval")(import_study_selfeval)


def preferences_command(
    selection: dict[str, list[str]],
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap (intervals of rank correlations).")] = 0,
    output: Annotated[PreferenceFormat, typer.Option("--format", help="Output format.")] = PreferenceFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Compare generators in pairs: people's votes, scorers' preferences, and the strength of each generator."""
    from ui.commands import execute

    parameters = {"selection": selection, "intervals": intervals, "seed": seed, "output": output.value}
    raise typer.Exit(execute(project, "preferences", parameters))


def import_study_selfeval(project: Project = PLAYGROUND) -> None:
    """Import SelfEval's Tables 2 and 3: winning votes and five metrics by task, as printed. Needs no file."""
    from ui.commands import execute

    raise typer.Exit(execute(project, "import study selfeval", {}))


VQA_FILTERS = ("suite", "task", "generator", "rater", "campaign", "since", "until")
"""What restricts answers to questions; a task is a text source here."""


class VqaFormat(StrEnum):
    table = "table"
    json = "json"


def add_vqa(app: typer.Typer) -> None:
    """Give the app the command."""
    app.command("vqa")(with_selection(vqa_command, VQA_FILTERS))


def vqa_command(
    selection: dict[str, list[str]],
    reference: Annotated[
        str | None, typer.Option(help="The generator whose images are real photographs, as a reference.")
    ] = None,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[VqaFormat, typer.Option("--format", help="Output format.")] = VqaFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """TIFA's scores from answers to questions: VQA models compared with each other and with people on the same questions."""
    from ui.commands import execute

    parameters = {
        "selection": selection,
        "reference": reference,
        "intervals": intervals,
        "output": output.value,
    }
    raise typer.Exit(execute(project, "vqa", parameters))
