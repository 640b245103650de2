"""The commands that print numbers of a project: ``agreement``, ``itm`` and ``ablate``, ``flips``, ``preferences``, ``vqa``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any

import typer

from ui.cli.options import (
    FILTERS,
    IMAGE_FILTERS,
    ConsensusOption,
    OutputFormat,
    Selection,
    app,
    import_app,
    project_command,
    study_app,
)

MATCHING_FILTERS = ("suite", "task", "generator", "rater")
"""What restricts matching of images and texts."""


class By(StrEnum):
    target = "target"
    certainty = "certainty"


class PeopleAs(StrEnum):
    each = "each"
    majority = "majority"
    mean = "mean"


@project_command(app, "agreement", "ui.cli.analysis_tables:print_agreement", FILTERS)
def agreement_command(
    selection: Selection,
    statistic: Annotated[list[str], typer.Option(help="Only these statistics.")] = [],  # noqa: B006
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
    output: Annotated[OutputFormat, typer.Option("--format", help="Output format.")] = OutputFormat.table,
) -> dict[str, Any]:
    """How far raters agree: people among themselves, scorers with people, any two raters."""
    return {
        "selection": selection,
        "statistics": statistic,
        "all_statistics": all_statistics,
        "by": by,
        "further": [name for name, chosen in (("comparisons", compare), ("thresholds", thresholds)) if chosen],
        "consensus": consensus,
        "people_as": people_as,
        "intervals": intervals,
        "ceiling": ceiling,
        "margin": margin,
        "seed": seed,
        "output": output,
    }


class MatchingLayout(StrEnum):
    auto = "auto"
    rows = "rows"
    winoground = "winoground"
    aro = "aro"


@project_command(import_app, "itm", "concord.importing.images:import_matching")
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
) -> None:
    """Import images with candidate captions (image-text matching): your own file, Winoground, ARO or the playground's."""


Intervals = Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")]
Numbers = Annotated[str | None, typer.Option(metavar="N,N,...", help="Comma-separated values; default: those of the profile.")]


@project_command(app, "itm", "ui.cli.analysis_tables:print_matching", MATCHING_FILTERS)
def itm_command(
    selection: dict[str, list[str]],
    intervals: Intervals = True,
    output: Annotated[OutputFormat, typer.Option("--format", help="Output format.")] = OutputFormat.table,
) -> None:
    """Image-text matching: each scorer's accuracy against chance by task, Winoground's scores, and votes between scorers."""


@project_command(app, "ablate", "ui.cli.analysis_tables:ablate", IMAGE_FILTERS)
def ablate_command(
    selection: dict[str, list[str]],
    scorer: Annotated[str, typer.Argument(help="selfeval, elbo or flowloss.")],
    profile: Annotated[
        str, typer.Option(help="Settings profile: the model, and all settings that do not vary.")
    ] = "playground",
    trials: Numbers = None,
    steps: Numbers = None,
    seeds: Numbers = None,
    overrides: Annotated[
        list[str], typer.Option("--set", metavar="KEY=VALUE", help="Change one setting, as in `score`. Repeatable.")
    ] = [],  # noqa: B006
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...")] = "cpu",
    batch_size: Annotated[int | None, typer.Option(min=1, max=4096, help="Batch size in images (32).")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of images.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE.html", help="HTML file for the plot.")] = None,
    intervals: Intervals = True,
    output: Annotated[OutputFormat, typer.Option("--format", help="Output format.")] = OutputFormat.table,
) -> None:
    """Accuracy of a likelihood scorer by trials, steps and seed: scores what is missing, then compares."""


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


@project_command(app, "flips", "ui.cli.analysis_tables:print_flips", FLIP_FILTERS)
def flips_command(
    selection: dict[str, list[str]],
    kind: Annotated[Flip, typer.Option(help="The part of each prompt that is flipped.")] = Flip.RELATION,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[FlipFormat, typer.Option("--format", help="Output format.")] = FlipFormat.table,
) -> None:
    """Flip test: each rater's score for the true prompt minus its score for the flipped prompt."""


PREFERENCE_FILTERS = ("suite", "task", "generator", "rater", "campaign", "since", "until")
"""What votes can be restricted by: their aspect is given, and they have no targets."""


@project_command(app, "preferences", "ui.cli.analysis_tables:print_preferences", PREFERENCE_FILTERS)
def preferences_command(
    selection: dict[str, list[str]],
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap (intervals of rank correlations).")] = 0,
    output: Annotated[OutputFormat, typer.Option("--format", help="Output format.")] = OutputFormat.table,
) -> None:
    """Compare generators in pairs: people's votes, scorers' preferences, and the strength of each generator."""


@project_command(study_app, "selfeval", "concord.studies.imports:import_selfeval")
def import_study_selfeval() -> None:
    """Import SelfEval's Tables 2 and 3: winning votes and five metrics by task, as printed. Needs no file."""


VQA_FILTERS = ("suite", "task", "generator", "rater", "campaign", "since", "until")
"""What restricts answers to questions; a task is a text source here."""


@project_command(app, "vqa", "ui.cli.analysis_tables:print_questions", VQA_FILTERS)
def vqa_command(
    selection: dict[str, list[str]],
    reference: Annotated[
        str | None, typer.Option(help="The generator whose images are real photographs, as a reference.")
    ] = None,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[OutputFormat, typer.Option("--format", help="Output format.")] = OutputFormat.table,
) -> None:
    """TIFA's scores from answers to questions: VQA models compared with each other and with people on the same questions."""
