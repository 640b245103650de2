"""The commands ``people``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ui.cli.results import PLAYGROUND, Project

people_app = typer.Typer(help="Who labels: accounts, invitation links, who did how much.", no_args_is_help=True)


class PeopleFormat(StrEnum):
    table = "table"
    json = "json"
    csv = "csv"


class RoleName(StrEnum):
    annotator = "annotator"
    researcher = "researcher"
    admin = "admin"


class Platform(StrEnum):
    prolific = "prolific"
    mturk = "mturk"
    participant = "participant"


Campaign = Annotated[str | None, typer.Option(help="Only this campaign; without it, the whole project.")]
Address = Annotated[str, typer.Option(metavar="URL", help="Where people reach the app: printed before the link.")]
Invitation = Annotated[str, typer.Argument(metavar="INVITATION", help="As `people invitations` has it.")]
PlatformName = Annotated[Platform, typer.Argument(help="Where the id is from.")]
Identifier = Annotated[str, typer.Argument(metavar="ID", help="The participant's id there.")]
Person = Annotated[str, typer.Argument(metavar="NAME", help="As `people list` has it.")]


@people_app.command("hash")
def hash_command() -> None:
    """Ask for a password, and print the line for the file of --users."""
    from ui.web.auth.accounts import MIN_LENGTH, hash_password

    password = typer.prompt("Password", hide_input=True, err=True)
    if len(password) < MIN_LENGTH:
        print(f"people hash: a password has at least {MIN_LENGTH} characters", file=sys.stderr)
        raise typer.Exit(1)
    if typer.prompt("Once more", hide_input=True, err=True) != password:
        print("people hash: these are not the same; nothing was made", file=sys.stderr)
        raise typer.Exit(1)
    print(f'password = "{hash_password(password)}"')


@people_app.command("list")
def list_command(
    campaign: Campaign = None,
    output: Annotated[PeopleFormat, typer.Option("--format", help="How it is printed.")] = PeopleFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """Who did how much: answers by what became of them, minutes, first and last, checks passed."""
    _execute(project, "people list", campaign=campaign, form=output.value)


@people_app.command("invite")
def invite_command(
    campaign: Annotated[str, typer.Option(help="The campaign that they work in.")] = "default",
    role: Annotated[
        RoleName, typer.Option(help="annotator, researcher or admin (both: with the studio).")
    ] = RoleName.annotator,
    expires: Annotated[str, typer.Option(help="After so long (30m, 12h, 7d, 4w) or on a date (2027-01-31, UTC).")] = "7d",
    uses: Annotated[int | None, typer.Option(min=1, help="For so many people; any number, if not given.")] = None,
    note: Annotated[str, typer.Option(help="For yourself: whom it is for.")] = "",
    signed: Annotated[
        bool, typer.Option("--signed", help="Let in only people with a link of their own, made by `people link`.")
    ] = False,
    address: Address = "",
    project: Project = PLAYGROUND,
) -> None:
    """Make an invitation, and print its link."""
    _execute(
        project,
        "people invite",
        campaign=campaign,
        role=role.value,
        expires=expires,
        uses=uses,
        note=note,
        signed=signed,
        address=address,
    )


@people_app.command("invitations")
def invitations_command(
    campaign: Campaign = None,
    output: Annotated[PeopleFormat, typer.Option("--format", help="How it is printed.")] = PeopleFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """All invitations with their links, and how many came by them."""
    _execute(project, "people invitations", campaign=campaign, form=output.value)


@people_app.command("uninvite")
def uninvite_command(
    invitation: Invitation,
    project: Project = PLAYGROUND,
) -> None:
    """Take an invitation back: its link and all sessions that began with it end. What was said stays."""
    _execute(project, "people uninvite", invitation=invitation)


@people_app.command("revoke")
def revoke_command(
    name: Person,
    campaign: Campaign = None,
    uncounted: Annotated[bool, typer.Option("--uncounted", help="What they have answered counts no more.")] = False,
    project: Project = PLAYGROUND,
) -> None:
    """Offer a person nothing more, and their open items to others; `people reinstate` takes it back."""
    _execute(project, "people revoke", name=name, campaign=campaign, uncounted=uncounted)


@people_app.command("reinstate")
def reinstate_command(name: Person, campaign: Campaign = None, project: Project = PLAYGROUND) -> None:
    """Let a revoked person go on; their answers count again where others have not filled the item meanwhile."""
    _execute(project, "people reinstate", name=name, campaign=campaign)


@people_app.command("erase")
def erase_command(
    name: Person,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    project: Project = PLAYGROUND,
) -> None:
    """Erase a person and all that they said, from the database file too. It cannot be taken back."""
    if not yes:
        typer.confirm(f"Erase {name!r} and all that they said? It cannot be taken back", abort=True, err=True)
    _execute(project, "people erase", name=name)


@people_app.command("pseudonym")
def pseudonym_command(
    platform: PlatformName,
    identifier: Identifier,
    project: Project = PLAYGROUND,
) -> None:
    """The name that a crowd platform's participant goes by in this project."""
    _execute(project, "people pseudonym", platform=platform.value, identifier=identifier)


@people_app.command("link")
def link_command(
    invitation: Invitation,
    platform: PlatformName,
    identifier: Identifier,
    address: Address = "",
    project: Project = PLAYGROUND,
) -> None:
    """Print the link of one participant of a crowd platform: signed, so that it fits no other id."""
    _execute(project, "people link", invitation=invitation, platform=platform.value, identifier=identifier, address=address)


@people_app.command("code")
def code_command(name: Person, project: Project = PLAYGROUND) -> None:
    """Print a new re-entry code for somebody from a crowd platform who has lost theirs; the one before is good no more."""
    _execute(project, "people code", name=name)


def _execute(project: Path, command: str, /, **parameters: object) -> None:
    from ui.commands import execute

    raise typer.Exit(execute(project, command, parameters))
