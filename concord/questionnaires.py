"""The command ``questionnaires``: what people are asked, printed, and a file of a user's own checked."""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from annotation.questionnaires import registry
from annotation.questionnaires.custom import read
from annotation.questionnaires.registry import all_as_markdown, as_markdown
from data.files import InputError, printable, read_text


def print_questionnaires(name: str | None, out: TextIO, err: TextIO) -> int:
    """Print the whole documentation, one questionnaire's, or that of a YAML file; returns the exit status.

    Every mistake of a file is a line of its own: whoever writes it wants to see all of them.
    """
    try:
        out.write(_questionnaire_text(name))
    except ValueError as error:
        for problem in error.problems if isinstance(error, InputError) else (error,):
            print(f"questionnaires: {printable(problem)}", file=err)
        return 1
    return 0


def _questionnaire_text(name: str | None) -> str:
    if name is None:
        return all_as_markdown()
    if not name.lower().endswith((".yaml", ".yml")):
        return as_markdown(registry.get(name))
    path = Path(name)
    return as_markdown(read(read_text(path), printable(path)))
