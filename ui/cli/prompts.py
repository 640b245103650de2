"""The commands about prompts and questions: ``prompts``, ``questions``, their imports and exports, ``questionnaires``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ui.cli.options import AUTO, PLAYGROUND, Device, Project, Selection, app, export_app, import_app, project_command

_File = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The file to write (JSON lines).")]


@app.command("prompts")
def prompts_command(
    suite: Annotated[
        Literal["geneval", "sr2d", "sr2d-sentences", "sr2d-split", "sr2d-attributes"], typer.Argument(help="The suite.")
    ],
    output: Annotated[Path, typer.Option("-o", "--output", help="The JSONL file to write.")],
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed for sampling prompts (geneval: 43 gives the published prompts; sr2d-attributes: 0)."),
    ] = None,
    n: Annotated[
        int | None,
        typer.Option(
            "--n", min=1, help="Per task (100): prompts before duplicates are removed (geneval), or pairs (sr2d-attributes)."
        ),
    ] = None,
) -> None:
    """Write a published suite's prompts with their machine-readable specs."""
    from concord.common.context import report_errors, warn
    from concord.importing.prompts import write_suite

    raise typer.Exit(report_errors(warn, "prompts", lambda: write_suite(suite, output, seed, n, sys.stdout)))


@project_command(import_app, "prompts", "concord.importing.prompts:import_prompts")
def import_prompts(
    file: Annotated[
        str, typer.Argument(help="JSONL, JSON, CSV, TSV or plain text, ours or as suites publish it; or a folder of texts.")
    ],
    suite: Annotated[str, typer.Option(help="Name of the suite.")],
) -> None:
    """Import a suite of prompts. A flawed entry is left out; ids with another text in the project are refused."""


@app.command("questions")
def questions_command(
    output: _File,
    prompts: Annotated[
        str | None, typer.Argument(metavar="PROMPTS", help="A file of prompts, as `import prompts` reads it; or use --suite.")
    ] = None,
    suite: Annotated[
        str | None, typer.Option(help="Use the project's prompts of this suite; with PROMPTS: the name of the suite.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            help="Language model: a hub id (tifa-benchmark/llama2_tifa_question_generation), or its name at --base-url."
        ),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="OpenAI-compatible endpoint; the key is read from CONCORD_API_KEY."),
    ] = None,
    checked_by: Annotated[
        str,
        typer.Option(
            "--filter",
            metavar="HUB_ID|none",
            help="Question-answering model that checks each question on the prompt's text alone.",
        ),
    ] = "allenai/unifiedqa-v2-t5-large-1363200",
    threshold: Annotated[
        float, typer.Option(help="A free answer must have a higher word F1 than this (TIFA's code: 0.6).")
    ] = 0.7,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first N prompts.")] = None,
    price_in: Annotated[float | None, typer.Option("--price-in", min=0, help="Price of a million input tokens.")] = None,
    price_out: Annotated[float | None, typer.Option("--price-out", min=0, help="Price of a million output tokens.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Call the endpoint without asking for confirmation.")] = False,
    device: Device = AUTO,
    project: Project = PLAYGROUND,
) -> None:
    """Have a language model write questions about prompts, check them, and save them for `import questions`. If it stops, run
    the same command again to continue from FILE's .raw.jsonl."""
    import io
    from contextlib import redirect_stdout

    from concord import commands
    from concord.common.context import report_errors, warn
    from concord.questions import writing

    def export_quietly(project: Path, suite: str, file: Path) -> int:
        with redirect_stdout(io.StringIO()):
            return commands.execute(project, "export prompts", {"suite": suite, "output": str(file)})

    options = writing.WritingOptions(
        output=output, prompts=prompts, suite=suite, project=project, model=model, base_url=base_url, checked_by=checked_by,
        threshold=threshold, limit=limit, price_in=price_in, price_out=price_out, yes=yes, device=device,
    )  # fmt: skip
    raise typer.Exit(report_errors(warn, "questions", lambda: writing.run(options, export_quietly)))


@project_command(export_app, "prompts", "concord.importing.prompts:export_prompts")
def export_prompts(suite: Annotated[str, typer.Option(help="The suite.")], output: _File) -> None:
    """Export a suite's prompts with their specs. `import prompts FILE` reads them."""


@project_command(export_app, "questions", "concord.importing.prompts:export_questions", ("suite", "task"))
def export_questions(selection: Selection, output: _File) -> None:
    """Export the current questions for editing. `import questions FILE` adds a new version of each changed question."""


@project_command(import_app, "questions", "concord.importing.prompts:import_questions")
def import_questions(
    file: Annotated[
        str | None, typer.Argument(help="Questions as TIFA, GenEval 2, OneIG, TIIF, UniGenBench or WISE publish them.")
    ] = None,
    from_specs: Annotated[
        bool, typer.Option("--from-specs", help="Derive the questions from the prompts' specs instead.")
    ] = False,
    suite: Annotated[
        str | None, typer.Option(help="FILE: name of the suite (default: after its format); --from-specs: only this suite.")
    ] = None,
) -> None:
    """Import questions about prompts. Changed questions become a new version; the old version stays."""


@app.command("questionnaires")
def questionnaires(
    name: Annotated[
        str | None, typer.Argument(help="geneval, tifa_likert, tifa_vqa, visor, ab, or your own YAML file.")
    ] = None,
) -> None:
    """Show a questionnaire as Markdown: questions, keys, and the judgements derived from answers. Checks a file of your own."""
    from concord.questionnaires import print_questionnaires

    raise typer.Exit(print_questionnaires(name, sys.stdout, sys.stderr))
