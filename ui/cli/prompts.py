"""The commands about prompts and questions: ``prompts``, ``questions``, their imports and exports, ``questionnaires``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from concord.common.options import JsonLinesFile
from concord.questions.request import WritingRequest
from ui.cli.options import PLAYGROUND, Project, Selection, app, export_app, import_app, project_command, with_request


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
@with_request
def questions_command(request: WritingRequest, project: Project = PLAYGROUND) -> None:
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

    raise typer.Exit(report_errors(warn, "questions", lambda: writing.run(request, project, export_quietly)))


@project_command(export_app, "prompts", "concord.importing.prompts:export_prompts")
def export_prompts(suite: Annotated[str, typer.Option(help="The suite to export.")], output: JsonLinesFile) -> None:
    """Export a suite's prompts with their specs. `import prompts FILE` reads them."""


@project_command(export_app, "questions", "concord.importing.prompts:export_questions", ("suite", "task"))
def export_questions(selection: Selection, output: JsonLinesFile) -> None:
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
