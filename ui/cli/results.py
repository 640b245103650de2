"""The commands ``judge``, ``import results`` and ``export results``: evidence and official formats; ``app.py`` imports this,
so it imports nothing heavy.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

judge_app = typer.Typer(help="Judge evidence by a scorer's rules: no model, no project.", no_args_is_help=True)
import_results_app = typer.Typer(help="Verdicts of a scorer's own script.", no_args_is_help=True)
export_results_app = typer.Typer(help="What a scorer saw and judged, as its own script writes it.", no_args_is_help=True)

# as app.py says
PLAYGROUND = Path(__file__).resolve().parents[2] / "projects" / "playground"
Project = Annotated[
    Path, typer.Option("--project", help="The project's folder; made if it is not there.", show_default="projects/playground")
]


class PositionRule(StrEnum):
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
    rule: Annotated[
        PositionRule, typer.Option(help="Of positions: the published code's, or the paper's formula.")
    ] = PositionRule.official,
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


class FaithfulnessRule(StrEnum):
    tifa = "tifa"
    dsg = "dsg"


@judge_app.command("tifa")
def judge_tifa(
    evidence: Annotated[
        str, typer.Option("--evidence", metavar="FILE", help='TIFA\'s own result file; or JSON lines {"id", "answers"}.')
    ],
    output: Output = None,
    rule: Annotated[
        FaithfulnessRule, typer.Option(help="tifa: the share of right answers; dsg: one counts only if its parents are right.")
    ] = FaithfulnessRule.tifa,
    summary: Summary = False,
) -> None:
    """TIFA: the score of each text's image by a model's answers, and the scores over all of them."""
    _judge("tifa", evidence=evidence, output=output, rule=rule.value, summary=summary)


@import_results_app.command("geneval")
def import_results_geneval(
    file: Annotated[str, typer.Argument(help="GenEval's results.jsonl.")],
    generator: Annotated[str | None, typer.Option(help="Who made the images, if not as the folder above is called.")] = None,
    suite: Annotated[str, typer.Option(help="The suite that its prompts' numbers belong to.")] = "geneval",
    rater: Annotated[str, typer.Option(help="The name that these verdicts go by.")] = "geneval-official",
    project: Project = PLAYGROUND,
) -> None:
    """The verdicts of GenEval's own script as a scorer's, and what else follows from the boxes in its file."""
    _execute(project, "import results geneval", file=file, generator=generator, suite=suite, rater=rater)


@import_results_app.command("tifa")
def import_results_tifa(
    file: Annotated[str, typer.Argument(help="The result file of TIFA's code, or lines of evidence.")],
    generator: Annotated[str, typer.Option(help="Who made the images.")],
    suite: Annotated[str, typer.Option(help="The suite that its texts belong to.")] = "tifa",
    rater: Annotated[str, typer.Option(help="The name that these answers go by.")] = "tifa-official",
    project: Project = PLAYGROUND,
) -> None:
    """A VQA model's answers to TIFA's questions as a scorer's, with the questions where the project has none."""
    _execute(project, "import results tifa", file=file, generator=generator, suite=suite, rater=rater)


Rater = Annotated[str, typer.Option("--rater", help="Whose verdicts, e.g. geneval-playground.")]
File = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The file to write.")]
Suites = Annotated[list[str], typer.Option(help="Only these suites; repeatable, as all filters.")]
Tasks = Annotated[list[str], typer.Option(help="Only these tasks.")]
Generators = Annotated[list[str], typer.Option(help="Only images by these models.")]


@export_results_app.command("geneval")
def export_results_geneval(
    rater: Rater,
    output: File,
    suite: Suites = [],  # noqa: B006
    task: Tasks = [],  # noqa: B006
    generator: Generators = [],  # noqa: B006
    project: Project = PLAYGROUND,
) -> None:
    """GenEval's results.jsonl, which its summary_scores.py reads."""
    selection = {"suite": suite, "task": task, "generator": generator}
    _execute(project, "export results geneval", rater=rater, selection=selection, output=output)


@export_results_app.command("visor")
def export_results_visor(
    rater: Rater,
    output: File,
    suite: Suites = [],  # noqa: B006
    task: Tasks = [],  # noqa: B006
    generator: Generators = [],  # noqa: B006
    project: Project = PLAYGROUND,
) -> None:
    """VISOR's detections of one generator's images, which its visor.py reads."""
    selection = {"suite": suite, "task": task, "generator": generator}
    _execute(project, "export results visor", rater=rater, selection=selection, output=output)


def _execute(project: Path, name: str, **parameters: object) -> None:
    from ui.commands import execute

    raise typer.Exit(execute(project, name, parameters))


def _judge(what: str, **parameters: object) -> None:
    from concord.evidence_files import judge_file

    raise typer.Exit(judge_file(what, parameters))
