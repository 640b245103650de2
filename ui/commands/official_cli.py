"""Options of the commands about evidence and official formats; ``app.py`` imports this, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

judge_app = typer.Typer(help="Judge evidence by a scorer's rules: no model, no project.", no_args_is_help=True)


class Rule(StrEnum):
    official = "official"
    paper = "paper"


class GenEvalLines(StrEnum):
    verdicts = "verdicts"
    results = "results"


class VisorLines(StrEnum):
    verdicts = "verdicts"
    detections = "detections"


Evidence = Annotated[str, typer.Option("--evidence", metavar="FILE", help="JSON lines; or the scorer's own official file.")]
Output = Annotated[str | None, typer.Option("-o", "--output", metavar="FILE", help="Where the lines go; else to stdout.")]
Summary = Annotated[bool, typer.Option("--summary", help="Print the scores over all images, and the lines only to -o.")]


@judge_app.command("geneval")
def judge_geneval(
    evidence: Evidence,
    output: Output = None,
    rule: Annotated[Rule, typer.Option(help="Of positions: the published code's, or the paper's formula.")] = Rule.official,
    threshold: Annotated[float | None, typer.Option(help="Objects count above this confidence (0.3).")] = None,
    counting_threshold: Annotated[float | None, typer.Option(help="The same in the task counting (0.9).")] = None,
    max_objects: Annotated[int | None, typer.Option(help="At most so many of a class, the most confident (16).")] = None,
    max_overlap: Annotated[float | None, typer.Option(help="IoU from which one of two is dropped (1: never).")] = None,
    position_threshold: Annotated[
        float | None, typer.Option(help="Share of both objects' sizes that they must be apart (0.1).")
    ] = None,
    form: Annotated[
        GenEvalLines, typer.Option("--format", help="verdicts, or GenEval's results.jsonl.")
    ] = GenEvalLines.verdicts,
    summary: Summary = False,
) -> None:
    """GenEval: a verdict with its reason for each line {"id", "spec", "detections"}."""
    given = {
        "threshold": threshold,
        "counting_threshold": counting_threshold,
        "max_objects": max_objects,
        "max_overlap": max_overlap,
        "position_threshold": position_threshold,
        "rule": rule.value,
    }
    settings = {name: value for name, value in given.items() if value is not None}
    _judge("geneval", evidence=evidence, output=output, settings=settings, form=form.value, summary=summary)


@judge_app.command("visor")
def judge_visor(
    evidence: Evidence,
    output: Output = None,
    threshold: Annotated[float | None, typer.Option(help="Objects count above this confidence (0.1).")] = None,
    form: Annotated[
        VisorLines, typer.Option("--format", help="verdicts, or VISOR's detection file (one generator).")
    ] = VisorLines.verdicts,
    summary: Summary = False,
    generator: Annotated[
        str | None, typer.Option(help="Only this one's images; of VISOR's detections: whose they are.")
    ] = None,
) -> None:
    """VISOR: a verdict for each line {"id", "prompt_id", "generator", "spec", "detections"}, and the scores."""
    settings = {} if threshold is None else {"threshold": threshold}
    _judge(
        "visor",
        evidence=evidence,
        output=output,
        settings=settings,
        form=form.value,
        summary=summary,
        generator=generator,
    )


def _judge(what: str, **parameters: object) -> None:
    from ui.commands.judge import execute

    raise typer.Exit(execute(what, parameters))
