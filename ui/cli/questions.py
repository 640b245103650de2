"""The commands about questions: ``questions``, ``import questions``, ``export questions``, ``export prompts``,
``questionnaires``; ``app.py`` imports this, so it imports nothing heavy.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from ui.cli.options import with_selection
from ui.cli.results import PLAYGROUND, Project

_File = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The file to write (JSON lines).")]


def write_questions(
    output: _File,
    prompts: Annotated[
        str | None, typer.Argument(metavar="PROMPTS", help="A file of prompts, as `import prompts` reads it; or give --suite.")
    ] = None,
    suite: Annotated[
        str | None, typer.Option(help="The project's prompts of this suite; with PROMPTS: what it is called.")
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="A hub id (tifa-benchmark/llama2_tifa_question_generation); with --base-url: its name there."),
    ] = None,
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", help="An OpenAI-compatible endpoint; its key: CONCORD_API_KEY in the environment."),
    ] = None,
    checked_by: Annotated[
        str, typer.Option("--filter", metavar="HUB_ID|none", help="What answers from the prompt alone, to check.")
    ] = "allenai/unifiedqa-v2-t5-large-1363200",
    threshold: Annotated[
        float, typer.Option(help="Word F1 that an answer in free words must exceed (TIFA's code: 0.6).")
    ] = 0.7,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first prompts.")] = None,
    price_in: Annotated[float | None, typer.Option("--price-in", min=0, help="Of a million tokens sent.")] = None,
    price_out: Annotated[float | None, typer.Option("--price-out", min=0, help="Of a million tokens written.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Ask the endpoint without asking here first.")] = False,
    device: Annotated[str, typer.Option(help="cpu, cuda, cuda:1, mps ...")] = "cpu",
    project: Project = PLAYGROUND,
) -> None:
    """Have a language model write questions about prompts, check them, and write them for `import questions`. Stopped, the
    same command goes on: what was written lies in FILE's .raw.jsonl."""
    import io
    from contextlib import redirect_stdout
    from pathlib import Path

    from concord.questions.writing import WritingOptions, write_questions
    from ui.commands import execute

    def export_quietly(project: Path, suite: str, file: Path) -> int:
        with redirect_stdout(io.StringIO()):
            return execute(project, "export prompts", {"suite": suite, "output": str(file)})

    options = WritingOptions(
        output=output, prompts=prompts, suite=suite, project=project, model=model, base_url=base_url, checked_by=checked_by,
        threshold=threshold, limit=limit, price_in=price_in, price_out=price_out, yes=yes, device=device,
    )  # fmt: skip
    raise typer.Exit(write_questions(options, export_quietly))


def export_prompts(
    suite: Annotated[str, typer.Option(help="Which suite.")], output: _File, project: Project = PLAYGROUND
) -> None:
    """A suite's prompts with their specs. `import prompts FILE` reads them."""
    from ui.commands import execute

    raise typer.Exit(execute(project, "export prompts", {"suite": suite, "output": output}))


def _export_questions(selection: dict[str, list[str]], output: _File, project: Project = PLAYGROUND) -> None:
    """What is asked now, to be edited: `import questions FILE` makes a new version of what was changed."""
    from ui.commands import execute

    raise typer.Exit(execute(project, "export questions", {"selection": selection, "output": output}))


export_questions = with_selection(_export_questions, ("suite", "task"))


def import_questions(
    file: Annotated[str | None, typer.Argument(help="TIFA's question_answers.json, or one such object a line.")] = None,
    from_specs: Annotated[bool, typer.Option("--from-specs", help="Make them from the prompts' specs instead.")] = False,
    suite: Annotated[
        str | None, typer.Option(help="FILE: the suite that its ids belong to ('tifa'); --from-specs: only this one.")
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """What is asked about prompts. Other questions about a prompt are a new version; the old one is kept."""
    from ui.commands import execute

    raise typer.Exit(execute(project, "import questions", {"file": file, "from_specs": from_specs, "suite": suite}))


def questionnaires(
    name: Annotated[
        str | None, typer.Argument(help="geneval, tifa_likert, tifa_vqa, visor, ab, or a YAML file of your own.")
    ] = None,
) -> None:
    """What people are asked, with which keys, and what follows from it, as Markdown. Checks a file of your own."""
    from concord.form import print_questionnaires

    raise typer.Exit(print_questionnaires(name, sys.stdout, sys.stderr))
