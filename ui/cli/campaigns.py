"""The commands ``campaigns``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ui.cli.results import PLAYGROUND, Project

campaigns_app = typer.Typer(help="What is asked of people: make, start, stop and watch campaigns.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="ID", help="As `campaigns list` has it.")]


class Order(StrEnum):
    random = "random"
    shared = "shared"
    fixed = "fixed"


class CampaignFormat(StrEnum):
    table = "table"
    json = "json"


def add_campaigns(app: typer.Typer) -> None:
    """Give the app the commands."""
    app.add_typer(campaigns_app, name="campaigns")


def _run(project: Path, name: str, **parameters: Any) -> None:
    from ui.commands import execute

    raise typer.Exit(execute(project, f"campaigns {name}", parameters))


@campaigns_app.command("list")
def list_all(project: Project = PLAYGROUND) -> None:
    """All campaigns: state, coverage and pace."""
    _run(project, "list")


@campaigns_app.command("create")
def create(
    campaign_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Lower-case letters, digits, - and _; 64 characters at most.")
    ] = None,
    file: Annotated[str | None, typer.Option("--from", help="A YAML file with these options by name; ID as 'id'.")] = None,
    title: Annotated[str | None, typer.Option(help="What people read above the form; the ID by default.")] = None,
    questionnaire: Annotated[str | None, typer.Option(help="geneval, tifa_likert, tifa_vqa, visor or ab.")] = None,
    questionnaire_file: Annotated[str | None, typer.Option(help="A YAML file of your own instead.")] = None,
    suite: Annotated[list[str] | None, typer.Option(help="Draw from these images; repeatable.")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Of these tasks; repeatable.")] = None,
    generator: Annotated[list[str] | None, typer.Option(help="For pairs: the two.")] = None,
    item: Annotated[list[str] | None, typer.Option(help="These items instead, by id; repeatable.")] = None,
    n: Annotated[int | None, typer.Option("--n", min=1, help="So many, drawn by chance; all by default.")] = None,
    also: Annotated[list[str] | None, typer.Option(help="An item picked by hand besides; repeatable.")] = None,
    known: Annotated[str | None, typer.Option(help="JSON or CSV: item, role (gold, attention, training), answers.")] = None,
    overlap: Annotated[int | None, typer.Option(min=1, help="People for each item; 3 by default.")] = None,
    order: Annotated[Order | None, typer.Option(help="random: each person their own (default).")] = None,
    seed: Annotated[int | None, typer.Option(help="Of all that is left to chance; 0 by default.")] = None,
    instructions: Annotated[str | None, typer.Option(help="Markdown.")] = None,
    consent: Annotated[str | None, typer.Option(help="Markdown; people agree before the first item.")] = None,
    content_warning: Annotated[str | None, typer.Option(help="Markdown.")] = None,
    check_every: Annotated[int | None, typer.Option(min=2, help="One item of so many is a gold or attention item.")] = None,
    gold_feedback: Annotated[
        bool | None,
        typer.Option(
            "--gold-feedback/--no-gold-feedback", help="Tell people at once whether a gold item was answered rightly."
        ),
    ] = None,
    training_feedback: Annotated[
        bool | None,
        typer.Option("--training-feedback/--no-training-feedback", help="The same of training items (on by default)."),
    ] = None,
    pass_mark: Annotated[float | None, typer.Option(help="Share of the training items to get right, such as 0.8.")] = None,
    gold_pass_mark: Annotated[
        float | None, typer.Option(help="Who is below this share of gold items beyond chance is paused; 0.9. 0: nobody is.")
    ] = None,
    attention_pass_mark: Annotated[float | None, typer.Option(help="The same of attention checks; 0.98.")] = None,
    recollect: Annotated[
        bool | None,
        typer.Option("--recollect/--no-recollect", help="Ask others again what somebody paused has answered."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Items for one person, training aside.")] = None,
    lease_minutes: Annotated[float | None, typer.Option(help="How long an item is kept for whoever has it; 30.")] = None,
    completion_code: Annotated[str | None, typer.Option(help="Shown to whoever has reached the end.")] = None,
    completion_url: Annotated[str | None, typer.Option(help="Where they may go then, such as a crowd platform.")] = None,
    stopped_code: Annotated[str | None, typer.Option(help="For who stops before the end; none: whom to write to.")] = None,
    training_code: Annotated[str | None, typer.Option(help="For who does not pass the training; the same.")] = None,
    paused_code: Annotated[str | None, typer.Option(help="For who is paused by checks, or revoked; the same.")] = None,
    quota_code: Annotated[str | None, typer.Option(help="For who comes when nothing is left; the same.")] = None,
    declined_code: Annotated[str | None, typer.Option(help="For who does not agree to the consent; none.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how much work it would be.")] = False,
    project: Project = PLAYGROUND,
) -> None:
    """Make a campaign, as a draft."""
    given = {
        "id": campaign_id,
        "title": title,
        "questionnaire": questionnaire,
        "questionnaire_file": questionnaire_file,
        "suite": suite,
        "task": task,
        "generator": generator,
        "items": item,
        "n": n,
        "also": also,
        "known_file": known,
        "overlap": overlap,
        "order": order.value if order else None,
        "seed": seed,
        "instructions": instructions,
        "consent": consent,
        "content_warning": content_warning,
        "check_every": check_every,
        "gold_feedback": gold_feedback,
        "training_feedback": training_feedback,
        "pass_mark": pass_mark,
        "gold_pass_mark": gold_pass_mark,
        "attention_pass_mark": attention_pass_mark,
        "recollect": recollect,
        "limit": limit,
        "lease_minutes": lease_minutes,
        "completion_code": completion_code,
        "completion_url": completion_url,
        "stopped_code": stopped_code,
        "training_code": training_code,
        "paused_code": paused_code,
        "quota_code": quota_code,
        "declined_code": declined_code,
    }
    said = {name: value for name, value in given.items() if value is not None and value != []}
    _run(project, "create", given=said, file=file, dry_run=dry_run)


@campaigns_app.command("start")
def start(campaign: Name, project: Project = PLAYGROUND) -> None:
    """Offer a campaign's items to people."""
    _run(project, "start", campaign=campaign)


@campaigns_app.command("stop")
def stop(campaign: Name, project: Project = PLAYGROUND) -> None:
    """Offer them to nobody any more; it can be started again."""
    _run(project, "stop", campaign=campaign)


@campaigns_app.command("archive")
def archive(campaign: Name, project: Project = PLAYGROUND) -> None:
    """Put a campaign away; its answers stay."""
    _run(project, "archive", campaign=campaign)


@campaigns_app.command("delete")
def delete(campaign: Name, project: Project = PLAYGROUND) -> None:
    """Delete a campaign that nobody has answered in."""
    _run(project, "delete", campaign=campaign)


@campaigns_app.command("show")
def show(
    campaign: Name,
    aspect: Annotated[str | None, typer.Option(help="What people’s agreement is about.")] = None,
    intervals: Annotated[bool, typer.Option("--intervals/--no-intervals", help="95 % intervals.")] = True,
    output: Annotated[CampaignFormat, typer.Option("--format", help="How it is printed.")] = CampaignFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Coverage, pace, people and verdicts of one campaign."""
    _run(project, "show", campaign=campaign, aspect=aspect, intervals=intervals, output=output.value)


@campaigns_app.command("describe")
def describe(
    campaign: Name,
    field: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=TEXT", help="An answer, such as pay_per_item='0.05 USD'; none takes it back. Repeatable."),
    ] = None,
    project: Project = PLAYGROUND,
) -> None:
    """Say how people were recruited, instructed and paid, for reports; without --field, what has been said and what not."""
    _run(project, "describe", campaign=campaign, fields=field or [])
