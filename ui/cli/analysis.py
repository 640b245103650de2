"""The commands that print numbers of a project: ``agreement``, ``itm`` and ``ablate``, ``flips``, ``preferences``, ``vqa``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from concord.agreement_request import AgreementRequest
from concord.common.options import Intervals
from concord.importing.image_requests import MatchingRequest
from concord.runs.requests import AblationRequest
from ui.cli.options import (
    FILTERS,
    IMAGE_FILTERS,
    OutputFormat,
    Selection,
    TextFormat,
    app,
    import_app,
    project_command,
    study_app,
)

MATCHING_FILTERS = ("suite", "task", "generator", "rater")
"""What restricts matching of images and texts."""
ANSWER_FILTERS = ("suite", "task", "generator", "rater", "campaign", "since", "until")
"""What restricts flip tests, votes and answers to questions: their aspect is given, and they have no targets."""


@project_command(app, "agreement", "ui.cli.analysis_tables:print_agreement", FILTERS)
def agreement_command(selection: Selection, request: AgreementRequest, output: OutputFormat = "table") -> None:
    """How far raters agree: people among themselves, scorers with people, any two raters."""


@project_command(import_app, "itm", "concord.importing.images:import_matching")
def import_itm(request: MatchingRequest) -> None:
    """Import images with candidate captions (image-text matching): your own file, Winoground, ARO or the playground's."""


@project_command(app, "itm", "ui.cli.analysis_tables:print_matching", MATCHING_FILTERS)
def itm_command(
    selection: Selection,
    intervals: Intervals = True,
    output: OutputFormat = "table",
) -> None:
    """Image-text matching: each scorer's accuracy against chance by task, Winoground's scores, and votes between scorers."""


@project_command(app, "ablate", "ui.cli.analysis_tables:ablate", IMAGE_FILTERS)
def ablate_command(selection: Selection, request: AblationRequest, output: OutputFormat = "table") -> None:
    """Accuracy of a likelihood scorer by trials, steps and seed: scores what is missing, then compares."""


@project_command(app, "flips", "ui.cli.analysis_tables:print_flips", ANSWER_FILTERS)
def flips_command(
    selection: Selection,
    kind: Annotated[
        Literal["relation", "color", "count"], typer.Option(help="The part of each prompt that is flipped.")
    ] = "relation",
    intervals: Intervals = True,
    output: TextFormat = "table",
) -> None:
    """Flip test: each rater's score for the true prompt minus its score for the flipped prompt."""


@project_command(app, "preferences", "ui.cli.analysis_tables:print_preferences", ANSWER_FILTERS)
def preferences_command(
    selection: Selection,
    intervals: Intervals = True,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of the bootstrap (intervals of rank correlations).")] = 0,
    output: OutputFormat = "table",
) -> None:
    """Compare generators in pairs: people's votes, scorers' preferences, and the strength of each generator."""


@project_command(study_app, "selfeval", "concord.studies.selfeval:import_selfeval")
def import_study_selfeval() -> None:
    """Import SelfEval's Tables 2 and 3: winning votes and five metrics by task, as printed. Needs no file."""


@project_command(app, "vqa", "ui.cli.analysis_tables:print_questions", ANSWER_FILTERS)
def vqa_command(
    selection: Selection,
    reference: Annotated[
        str | None, typer.Option(help="The generator whose images are real photographs, as a reference.")
    ] = None,
    intervals: Intervals = True,
    output: OutputFormat = "table",
) -> None:
    """TIFA's scores from answers to questions: VQA models compared with each other and with people on the same questions."""
