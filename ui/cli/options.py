"""The groups of commands, the options that several share, and how a command is run. All of ``ui/cli`` is imported for every
command, so nothing heavy is imported here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, is_dataclass
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperCommand, TyperOption

from concord.common.forwarding import COMMANDS
from data.requests import Request, field_of
from ui.cli.request_options import PartOf, option_of, request_options, request_values

app = typer.Typer(
    help="Judge text-to-image models: automatic scorers and people side by side, their agreement live.\n\n"
    "Without a command it opens the playground; a project of your own: app.py serve --project FOLDER.",
    invoke_without_command=True,
    no_args_is_help=False,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
import_app = typer.Typer(help="Bring prompts, images, studies and ratings into a project.", no_args_is_help=True)
study_app = typer.Typer(help="Published human studies.", no_args_is_help=True)
export_app = typer.Typer(help="Write reports, ratings or judgements of a selection to a file.", no_args_is_help=True)
app.add_typer(import_app, name="import")
app.add_typer(export_app, name="export")
import_app.add_typer(study_app, name="study")

PLAYGROUND = Path(__file__).resolve().parents[2] / "projects" / "playground"
Project = Annotated[
    Path,
    typer.Option("--project", help="The project folder; created if it does not exist.", show_default="projects/playground"),
]
Selection = dict[str, list[str]]


_FORMAT = typer.Option("--format", help="Output format.")
OutputFormat = Annotated[Literal["table", "json"], _FORMAT]
TextFormat = Annotated[Literal["table", "json", "md"], _FORMAT]
ListFormat = Annotated[Literal["table", "json", "csv"], _FORMAT]
Uncounted = Annotated[bool, typer.Option("--uncounted", help="Their earlier answers do not count any more, either.")]


def _device(named: str) -> str:
    """The device that is named; of none the machine's GPU, which is said, or else the CPU."""
    if named != AUTO:
        return named
    from scorers.models.devices import CPU, default_device

    device = default_device()
    if device != CPU:
        print(f"Using the GPU ({device}); for the CPU: --device cpu", file=sys.stderr)
    return device


AUTO = "auto"
DEVICE = "device"
"""The field of a request that names where models run."""


FILTERS: dict[str, str] = {
    "suite": "Only this suite. Repeatable, like all filters.",
    "task": "Only this task.",
    "generator": "Only images of this generator.",
    "aspect": "Only judgements of this aspect, such as correct.",
    "target": "Only judgements of this object, relation or question.",
    "rater": "Only this rater, a person or a scorer; the other kind is not restricted.",
    "campaign": "Only people's answers in this campaign.",
    "certainty": "Only items on which the selected people are unanimous, have a majority, or are split.",
    "since": "ISO date or time (UTC): only answers from then on.",
    "until": "ISO date or time (UTC): only answers before it.",
    "tag": "Only images with this tag (from Images).",
}
"""The options of a selection, and what `--help` says of them."""
IMAGE_FILTERS = ("suite", "task", "generator")


class OnceCommand(TyperCommand):
    """A command that refuses an option that is given twice where only the last one would count."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words after the command's name.

        Raises:
            UsageError: an option that takes one value is given twice.
        """
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        for option in self.params:
            if isinstance(option, TyperOption) and not option.multiple and not option.is_flag and given.count(option) > 1:
                way_out = "separate several by commas" if "omma-separated" in (option.help or "") else "give it once"
                ctx.fail(f"{option.opts[0]} is given twice, and only the last one would count: {way_out}")
        return super().parse_args(ctx, args)


def project_command(
    group: typer.Typer, name: str, function: str, selection: Iterable[str] = ()
) -> Callable[[Callable[..., Mapping[str, Any] | None]], Callable[..., None]]:
    """Decorator: declares a command of a project. It runs here, or in the app that has the project open.

    The decorated function's parameters are the command's options, and its docstring the help. A parameter that is a request
    (`data.requests`) stands for the request's fields. What the function returns are the parameters of ``function``; None: the
    options as they are. It has the options of a selection (or some of them), too, as one parameter ``selection``, and
    ``--project``.

    Args:
        group: where the command belongs.
        name: its last word.
        function: ``module:function``, which takes a ``concord.common.context.Context`` and the parameters.
        selection: names of FILTERS.
    """
    words = " ".join([*(_words(app, group) or []), name])
    COMMANDS[words] = function
    filters = {each: Annotated[list[str], typer.Option(help=FILTERS[each])] for each in selection}

    def declare(declared: Callable[..., Mapping[str, Any] | None]) -> Callable[..., None]:
        own, read = _own_options(declared)

        def run(project: Path, **options: Any) -> None:
            if filters:
                options["selection"] = {each: options.pop(each) for each in filters}
            options = read(options)
            parameters = declared(**options)
            # a shard of a run has ended by now: it is scored where there may be no database
            from concord import commands

            sent = options if parameters is None else parameters
            as_json = {each: _as_json(value) for each, value in sent.items()}
            raise typer.Exit(commands.execute(project, words, as_json))

        every = [Parameter(each, Parameter.KEYWORD_ONLY, default=[], annotation=option) for each, option in filters.items()]
        every += [*own, Parameter("project", Parameter.KEYWORD_ONLY, default=PLAYGROUND, annotation=Project)]
        _declare(run, every, declared.__doc__)
        group.command(name, cls=OnceCommand)(run)
        return run

    return declare


def with_request(declared: Callable[..., None]) -> Callable[..., None]:
    """Decorator: gives a command without a project the options of the request that it takes (`data.requests`)."""
    own, read = _own_options(declared)

    def run(**options: Any) -> None:
        declared(**read(options))

    _declare(run, own, declared.__doc__)
    return run


def _declare(run: Callable[..., None], options: list[Parameter], text: str | None) -> None:
    """Give a function the signature from which typer reads a command's options, and its help."""
    run.__signature__ = Signature(options)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in options}
    run.__doc__ = text


def _own_options(declared: Callable[..., Any]) -> tuple[list[Parameter], Callable[[dict[str, Any]], dict[str, Any]]]:
    """Return a command's options but those of a selection, and what puts their values together for the declared function."""
    own = [each for each in signature(declared, eval_str=True).parameters.values() if each.name != "selection"]
    requests = {each.name: request for each in own if (request := _request(each)) is not None}
    options: list[Parameter] = []
    for each in own:
        options += request_options(*requests[each.name]) if each.name in requests else [_option(each)]

    def read(values: dict[str, Any]) -> dict[str, Any]:
        made = {name: _read(kind, part, values) for name, (kind, part) in requests.items()}
        return values | made

    return options, read


def _request(parameter: Parameter) -> tuple[type, bool] | None:
    """Return the request that a parameter holds, and whether it holds only the values that are given; None: it holds none."""
    annotation = parameter.annotation
    if isinstance(annotation, type) and issubclass(annotation, Request):
        return annotation, False
    return next(((note.kind, True) for note in getattr(annotation, "__metadata__", ()) if isinstance(note, PartOf)), None)


def _as_json(value: Any) -> Any:
    """Return a parameter as it is sent: a request as its fields."""
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _option(parameter: Parameter) -> Parameter:
    """Return a parameter as typer reads it."""
    field = field_of(parameter.name, parameter.annotation, parameter.default)
    return parameter.replace(kind=Parameter.KEYWORD_ONLY) if field is None else option_of(field)


def _read(kind: type, part: bool, options: dict[str, Any]) -> Any:
    """Take a request out of the options; its device is chosen where the command is given.

    Raises:
        BadParameter: it has a value that it cannot have.
    """
    values = request_values(kind, part, options)
    if DEVICE in values:
        values[DEVICE] = _device(values[DEVICE])
    try:
        return values if part else kind(**values)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _words(here: typer.Typer, group: typer.Typer) -> list[str] | None:
    """The words before a group's commands; None: it is not in ``here``."""
    if here is group:
        return []
    for each in here.registered_groups:
        if each.typer_instance is not None and (rest := _words(each.typer_instance, group)) is not None:
            return [str(each.name), *rest]
    return None
