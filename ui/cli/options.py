"""Options that several commands share; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import StrEnum
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import typer

FILTERS: dict[str, str] = {
    "suite": "Repeatable, as all filters.",
    "task": "Only these tasks.",
    "generator": "Only images by these models.",
    "aspect": "Only what was judged of these, such as correct.",
    "target": "Only judgements of these objects, relations or questions.",
    "rater": "Restricts people, scorers, or both: whichever kind it names.",
    "campaign": "Only people's answers in these campaigns.",
    "certainty": "unanimous, majority or split: how far the selected people agree about it.",
    "since": "ISO date or time, UTC; answers given before are left out.",
    "until": "ISO date or time, UTC; answers given from then on are left out.",
    "tag": "Of images, as people tagged them in Browse.",
}
"""The options of a selection, and what `--help` says of them."""


class ConsensusName(StrEnum):
    majority = "majority"
    dawid_skene = "dawid_skene"
    mace = "mace"


ConsensusOption = Annotated[
    list[ConsensusName],
    typer.Option(help="A consensus of people as one more rater, and how each person stands beside the others. Repeatable."),
]


def with_selection(command: Callable[..., None], names: Iterable[str] = FILTERS) -> Callable[..., None]:
    """Give a command the options of a selection (or some of them); it takes them together as its parameter ``selection``."""
    wanted = [*names]

    def run(**given: Any) -> None:
        command(selection={name: given.pop(name) for name in wanted}, **given)

    filters = {name: Annotated[list[str], typer.Option(help=FILTERS[name])] for name in wanted}
    options = [Parameter(name, Parameter.KEYWORD_ONLY, default=[], annotation=option) for name, option in filters.items()]
    own = [parameter for name, parameter in signature(command, eval_str=True).parameters.items() if name != "selection"]
    every = [*options, *(parameter.replace(kind=Parameter.KEYWORD_ONLY) for parameter in own)]
    # typer reads a command's options from its signature
    run.__signature__ = Signature(every)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
    run.__doc__ = command.__doc__
    return run
