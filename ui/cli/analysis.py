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
        str | None, typer.Argument(help="JSONL, JSON or CSV: an image, captions, which is right; see docs.")
    ] = None,
    images: Annotated[str | None, typer.Option(help="The folder that images' names start from (the file's own).")] = None,
    suite: Annotated[str | None, typer.Option(help="The suite's name: itm, winoground, aro or itm-tifa by default.")] = None,
    layout: Annotated[
        MatchingLayout, typer.Option(help="How the file is laid out; auto: as its first row looks.")
    ] = MatchingLayout.auto,
    source: Annotated[str | None, typer.Option(help="Where the images are from ('real'; with --tifa 'coco').")] = None,
    playground: Annotated[bool, typer.Option("--playground", help="Draw the small world's matching set instead.")] = False,
    n: Annotated[int | None, typer.Option("--n", min=1, max=10_000, help="--playground: pictures of each task (50).")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="--playground: another seed gives another set (0).")] = None,
    tifa: Annotated[
        tuple[str, str] | None,
        typer.Option(metavar="TEXTS QUESTIONS", help="TIFA's text_inputs.json and question_answers.json."),
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Add images with captions to choose among (image-text matching): your file, Winoground's, ARO's, the playground's."""
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
Numbers = Annotated[str | None, typer.Option(metavar="N,N,...", help="Several with commas; the profile's, if not given.")]


def itm_command(
    selection: dict[str, list[str]],
    intervals: Intervals = True,
    output: Annotated[MatchingFormat, typer.Option("--format", help="How it is printed.")] = MatchingFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Image-text matching: each scorer's accuracy against chance by task, Winoground's scores, and votes between scorers."""
    _execute(project, "itm", selection=selection, intervals=intervals, output=output.value)


def ablate_command(
    selection: dict[str, list[str]],
    scorer: Annotated[str, typer.Argument(help="selfeval, elbo or flowloss.")],
    profile: Annotated[str, typer.Option(help="Which model, and the settings that are not varied.")] = "playground",
    trials: Numbers = None,
    steps: Numbers = None,
    seeds: Numbers = None,
    settings: Annotated[list[str], typer.Option("--set", metavar="KEY=VALUE", help="As of score.")] = [],  # noqa: B006
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...")] = "cpu",
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Images at a time (32).")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many images.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE.html", help="Draw it, too.")] = None,
    intervals: Intervals = True,
    output: Annotated[MatchingFormat, typer.Option("--format", help="How it is printed.")] = MatchingFormat.table,
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
    kind: Annotated[Flip, typer.Option(help="What of the prompts is flipped.")] = Flip.RELATION,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[FlipFormat, typer.Option("--format", help="How it is printed.")] = FlipFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """The flip test: each rater's score of the images by their prompts, less that by the flipped prompts."""
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
    seed: Annotated[int, typer.Option(min=0, help="Of the draws behind the interval of a rank correlation.")] = 0,
    output: Annotated[PreferenceFormat, typer.Option("--format", help="How it is printed.")] = PreferenceFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Which of two generators people prefer, which one scorers do, and how strong each generator is."""
    from ui.commands import execute

    parameters = {"selection": selection, "intervals": intervals, "seed": seed, "output": output.value}
    raise typer.Exit(execute(project, "preferences", parameters))


def import_study_selfeval(project: Project = PLAYGROUND) -> None:
    """SelfEval's Tables 2 and 3: winning votes and five metrics by task, as printed. No file is needed."""
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
    reference: Annotated[str | None, typer.Option(help="The generator whose images are real ones, to compare with.")] = None,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[VqaFormat, typer.Option("--format", help="How it is printed.")] = VqaFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """TIFA's scores from answers to questions, VQA models beside each other, and beside people who answered the same."""
    from ui.commands import execute

    parameters = {
        "selection": selection,
        "reference": reference,
        "intervals": intervals,
        "output": output.value,
    }
    raise typer.Exit(execute(project, "vqa", parameters))
