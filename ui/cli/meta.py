"""The commands of meta-evaluation: ``estimate``, ``rank``, ``alt-test``, ``plan`` and ``rater-effects``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ui.cli.options import FILTERS, Intervals, OutputFormat, Selection, app, project_command


@project_command(app, "plan", "ui.cli.meta_tables:print_plan", FILTERS)
def plan_command(
    selection: Selection,
    half_width: Annotated[
        float | None, typer.Option(min=1e-6, help="Wanted half width of 95 % intervals; default: 0.05 of people's scale.")
    ] = None,
    difference: Annotated[
        float | None,
        typer.Option(min=1e-6, help="Difference of two generators to be found with power 0.8; default: 0.1 of the scale."),
    ] = None,
    statistic: Annotated[
        list[str], typer.Option(help="What to plan; default: the mean, and the difference of two generators. Repeatable.")
    ] = [],  # noqa: B006
    images: Annotated[
        list[int],
        typer.Option(min=1, max=1000, help="Images of a prompt by each generator; default: as many as there are."),
    ] = [],  # noqa: B006
    ratings: Annotated[
        list[int], typer.Option(min=1, max=1000, help="People's ratings of an image; default: 1, 2, 3 and 5.")
    ] = [],  # noqa: B006
    persons: Annotated[int | None, typer.Option(min=1, help="People who share the work; default: as now.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the draw that leaves fewer images and ratings.")] = 0,
    output: OutputFormat = "table",
) -> None:
    """How many prompts, images and ratings a number needs to be sure, from the ratings there are."""


@project_command(app, "rater-effects", "ui.cli.meta_tables:print_rater_effects", FILTERS)
def rater_effects_command(
    selection: Selection,
    ratings: Annotated[
        list[int],
        typer.Option(min=1, max=1000, help="Ratings of an image, for the coefficients; default: 1, 3 and 5."),
    ] = [],  # noqa: B006
    output: OutputFormat = "table",
) -> None:
    """How severe each person is, what makes ratings differ, and how reliably ratings tell images apart."""


Scorers = Annotated[list[str], typer.Option("--scorer", help="Only this scorer, beside people. Repeatable.")]


@project_command(app, "rank", "ui.cli.meta_tables:print_ranking", FILTERS)
def rank_command(
    selection: Selection,
    scorer: Scorers = [],  # noqa: B006
    epsilon: Annotated[
        float | None,
        typer.Option(min=0.0, help="Scores that are at most so far apart are tied; default: what fits best on other prompts."),
    ] = None,
    intervals: Intervals = True,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of cross-validation folds and resamples.")] = 0,
    output: OutputFormat = "table",
) -> None:
    """Does a scorer choose the better image of a prompt, and order the generators, as people do? Beside people's own level."""


@project_command(app, "alt-test", "ui.cli.meta_tables:print_alt_test", FILTERS)
def alt_test_command(
    selection: Selection,
    scorer: Scorers = [],  # noqa: B006
    epsilon: Annotated[
        float,
        typer.Option(min=0.0, max=1.0, help="What a person costs more: 0.2 experts, 0.15 skilled people, 0.1 a crowd."),
    ] = 0.1,
    graded: Annotated[
        list[str], typer.Option(help="A scorer whose score is a grade from 0 to 10: tenths of people's scale. Repeatable.")
    ] = [],  # noqa: B006
    intervals: Intervals = True,
    output: OutputFormat = "table",
) -> None:
    """May a scorer take the place of a person? The alternative annotator test, for each scorer and aspect."""


ESTIMATE_FILTERS = tuple(name for name in FILTERS if name not in ("target", "certainty"))
"""`--target` says what is estimated; which images people agree on is no part that chance drew."""


@project_command(app, "estimate", "ui.cli.meta_tables:print_estimates", ESTIMATE_FILTERS)
def estimate_command(
    selection: Selection,
    scorer: Scorers = [],  # noqa: B006
    method: Annotated[
        Literal["ppi", "corrected"],
        typer.Option(
            help="ppi: prediction-powered mean; corrected: how often people would say yes, from the scorer's sensitivity and"
            " specificity."
        ),
    ] = "ppi",
    target: Annotated[
        Literal["prompts", "these"],
        typer.Option(help="What the estimate is about; prompts: new prompts of this kind; these: these very images."),
    ] = "prompts",
    against: Annotated[
        str | None, typer.Option(metavar="GENERATOR", help="Also estimate each generator's difference from this one.")
    ] = None,
    labelled_at_random: Annotated[
        bool, typer.Option("--labelled-at-random", help="Count all labels: chance chose the images that have them.")
    ] = False,
    label_sample: Annotated[
        int | None,
        typer.Option("--label-sample", metavar="N", min=4, help="A trial: draw N labelled images, and hide the other labels."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of --label-sample.")] = 0,
    output: OutputFormat = "table",
) -> None:
    """How good is each generator by people's standard, from few labels and many verdicts? How many labels do these save?"""
