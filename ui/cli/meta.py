"""The commands of meta-evaluation: ``estimate``, ``rank``, ``alt-test``, ``plan`` and ``rater-effects``."""

from __future__ import annotations

from concord.meta.requests import AltTestRequest, EstimateRequest, PlanRequest, RankRequest, RaterEffectsRequest
from ui.cli.options import FILTERS, OutputFormat, Selection, app, project_command


@project_command(app, "plan", "ui.cli.meta_tables:print_plan", FILTERS)
def plan_command(selection: Selection, request: PlanRequest, output: OutputFormat = "table") -> None:
    """How many prompts, images and ratings a number needs to be sure, from the ratings there are."""


@project_command(app, "rater-effects", "ui.cli.meta_tables:print_rater_effects", FILTERS)
def rater_effects_command(selection: Selection, request: RaterEffectsRequest, output: OutputFormat = "table") -> None:
    """How severe each person is, what makes ratings differ, and how reliably ratings tell images apart."""


@project_command(app, "rank", "ui.cli.meta_tables:print_ranking", FILTERS)
def rank_command(selection: Selection, request: RankRequest, output: OutputFormat = "table") -> None:
    """Does a scorer choose the better image of a prompt, and order the generators, as people do? Beside people's own level."""


@project_command(app, "alt-test", "ui.cli.meta_tables:print_alt_test", FILTERS)
def alt_test_command(selection: Selection, request: AltTestRequest, output: OutputFormat = "table") -> None:
    """May a scorer take the place of a person? The alternative annotator test, for each scorer and aspect."""


ESTIMATE_FILTERS = tuple(name for name in FILTERS if name not in ("target", "certainty"))
"""`--target` says what is estimated; which images people agree on is no part that chance drew."""


@project_command(app, "estimate", "ui.cli.meta_tables:print_estimates", ESTIMATE_FILTERS)
def estimate_command(selection: Selection, request: EstimateRequest, output: OutputFormat = "table") -> None:
    """How good is each generator by people's standard, from few labels and many verdicts? How many labels do these save?"""
