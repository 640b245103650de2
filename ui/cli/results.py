"""The commands ``judge``, ``import results`` and ``export results``: evidence and official formats."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from concord.common.options import OutputFile
from scorers.geneval import COUNTING_THRESHOLD, THRESHOLD
from ui.cli.options import IMAGE_FILTERS, Selection, app, export_app, import_app, project_command

judge_app = typer.Typer(
    help="Apply a scorer's rules to evidence in a file; needs no model and no project.", no_args_is_help=True
)
import_results_app = typer.Typer(help="Import verdicts that a paper's own script wrote.", no_args_is_help=True)
export_results_app = typer.Typer(help="Export results in the format of a paper's own script.", no_args_is_help=True)

app.add_typer(judge_app, name="judge")
import_app.add_typer(import_results_app, name="results")
export_app.add_typer(export_results_app, name="results")


Evidence = Annotated[
    str, typer.Option("--evidence", metavar="FILE", help="JSON lines, or a file of the scorer's official script.")
]
Output = Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Output file; default: stdout.")]
Summary = Annotated[bool, typer.Option("--summary", help="Print scores over all images; write the lines only to -o.")]


@judge_app.command("geneval")
def judge_geneval(
    evidence: Evidence,
    output: Output = None,
    rule: Annotated[
        Literal["official", "paper"], typer.Option(help="Rule for positions: the published code's, or the paper's formula.")
    ] = "official",
    threshold: Annotated[
        float | None, typer.Option(help=f"Objects with higher confidence than this count ({THRESHOLD}).")
    ] = None,
    counting_threshold: Annotated[
        float | None, typer.Option(help=f"The same for the counting task ({COUNTING_THRESHOLD}).")
    ] = None,
    max_objects: Annotated[
        int | None, typer.Option(help="Maximum number of objects per class, the most confident ones (16).")
    ] = None,
    max_overlap: Annotated[
        float | None, typer.Option(help="Of two objects of a class with at least this IoU, drop the less confident (1: never).")
    ] = None,
    position_threshold: Annotated[
        float | None, typer.Option(help="Minimum distance of two objects, as a share of their sizes (0.1).")
    ] = None,
    form: Annotated[
        Literal["verdicts", "results"], typer.Option("--format", help="verdicts, or GenEval's results.jsonl.")
    ] = "verdicts",
    summary: Summary = False,
) -> None:
    """Apply GenEval's rules: a verdict with its reason for each line {"id", "spec", "detections"}."""
    options = {
        "threshold": threshold,
        "counting_threshold": counting_threshold,
        "max_objects": max_objects,
        "max_overlap": max_overlap,
        "position_threshold": position_threshold,
        "rule": rule,
    }
    settings = {name: value for name, value in options.items() if value is not None}
    _judge("geneval", evidence=evidence, output=output, settings=settings, form=form, summary=summary)


@judge_app.command("visor")
def judge_visor(
    evidence: Evidence,
    output: Output = None,
    threshold: Annotated[float | None, typer.Option(help="Objects with higher confidence than this count (0.1).")] = None,
    form: Annotated[
        Literal["verdicts", "detections"], typer.Option("--format", help="verdicts, or VISOR's detection file (one generator).")
    ] = "verdicts",
    summary: Summary = False,
    generator: Annotated[
        str | None, typer.Option(help="Only images of this generator; for VISOR's detections: their generator.")
    ] = None,
) -> None:
    """Apply VISOR's rules: verdicts for lines {"id", "prompt_id", "generator", "spec", "detections"}, and the scores."""
    settings = {} if threshold is None else {"threshold": threshold}
    _judge(
        "visor",
        evidence=evidence,
        output=output,
        settings=settings,
        form=form,
        summary=summary,
        generator=generator,
    )


@judge_app.command("tifa")
def judge_tifa(
    evidence: Annotated[
        str, typer.Option("--evidence", metavar="FILE", help='TIFA\'s own result file; or JSON lines {"id", "answers"}.')
    ],
    output: Output = None,
    rule: Annotated[
        Literal["tifa", "dsg"],
        typer.Option(help="tifa: share of correct answers; dsg: an answer counts only if its parent answers are correct."),
    ] = "tifa",
    summary: Summary = False,
) -> None:
    """Apply TIFA's rules: a score for each image from a model's answers, and the mean scores."""
    _judge("tifa", evidence=evidence, output=output, rule=rule, summary=summary)


@project_command(import_results_app, "geneval", "concord.results:import_geneval")
def import_results_geneval(
    file: Annotated[str, typer.Argument(help="GenEval's results.jsonl.")],
    generator: Annotated[str | None, typer.Option(help="Generator of the images; default: the name of the folder.")] = None,
    suite: Annotated[str, typer.Option(help="Suite of the prompt numbers.")] = "geneval",
    rater: Annotated[str, typer.Option(help="Name of the rater for these verdicts.")] = "geneval-official",
) -> None:
    """Import the verdicts of GenEval's own script as a scorer, with what follows from the boxes in its file."""


@project_command(import_results_app, "tifa", "concord.results:import_tifa")
def import_results_tifa(
    file: Annotated[str, typer.Argument(help="Result file of TIFA's code, or lines of evidence.")],
    generator: Annotated[str, typer.Option(help="Generator of the images.")],
    suite: Annotated[str, typer.Option(help="Suite of the texts.")] = "tifa",
    rater: Annotated[str, typer.Option(help="Name of the rater for these answers.")] = "tifa-official",
) -> None:
    """Import a VQA model's answers to TIFA's questions as a scorer, with the questions that the project lacks."""


Rater = Annotated[str, typer.Option("--rater", help="The scorer, e.g. geneval-playground.")]


@project_command(export_results_app, "geneval", "concord.results:export_geneval", IMAGE_FILTERS)
def export_results_geneval(selection: Selection, rater: Rater, output: OutputFile) -> None:
    """Export GenEval's results.jsonl, which its summary_scores.py reads."""


@project_command(export_results_app, "visor", "concord.results:export_visor", IMAGE_FILTERS)
def export_results_visor(selection: Selection, rater: Rater, output: OutputFile) -> None:
    """Export VISOR's detections in one generator's images, which its visor.py reads."""


def _judge(rules_name: str, **parameters: object) -> None:
    from concord.evidence_files import judge_file

    raise typer.Exit(judge_file(rules_name, parameters))
