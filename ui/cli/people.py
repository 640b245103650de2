"""The commands ``people``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from ui.cli.options import PLAYGROUND, Project, app, execute

people_app = typer.Typer(help="People: accounts, invitation links, and who did how much.", no_args_is_help=True)
app.add_typer(people_app, name="people")


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


Campaign = Annotated[str | None, typer.Option(help="Only this campaign; default: the whole project.")]
Address = Annotated[str, typer.Option(metavar="URL", help="Address of the app, put in front of the printed link.")]
Invitation = Annotated[str, typer.Argument(metavar="INVITATION", help="Id, as shown by `people invitations`.")]
PlatformName = Annotated[Platform, typer.Argument(help="The platform of the id.")]
Identifier = Annotated[str, typer.Argument(metavar="ID", help="The participant's id on that platform.")]
Person = Annotated[str, typer.Argument(metavar="NAME", help="Name, as shown by `people list`.")]


@people_app.command("hash")
def hash_command() -> None:
    """Ask for a password and print its line for the --users file."""
    from ui.web.auth.accounts import MIN_LENGTH, hash_password

    password = typer.prompt("Password", hide_input=True, err=True)
    if len(password) < MIN_LENGTH:
        print(f"people hash: a password has at least {MIN_LENGTH} characters", file=sys.stderr)
        raise typer.Exit(1)
    if typer.prompt("Repeat the password", hide_input=True, err=True) != password:
        print("people hash: the two passwords differ; no hash was made", file=sys.stderr)
        raise typer.Exit(1)
    print(f'password = "{hash_password(password)}"')


@people_app.command("list")
def list_command(
    campaign: Campaign = None,
    output: Annotated[PeopleFormat, typer.Option("--format", help="Output format.")] = PeopleFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """List people with their work: answers by status, minutes, first and last answer, checks passed."""
    execute(project, "people list", campaign=campaign, form=output.value)


@people_app.command("invite")
def invite_command(
    campaign: Annotated[str, typer.Option(help="Campaign that the link opens.")] = "default",
    role: Annotated[
        RoleName, typer.Option(help="annotator (the form only), researcher or admin (the studio, too).")
    ] = RoleName.annotator,
    expires: Annotated[
        str, typer.Option(help="When the link expires: a duration (30m, 12h, 7d, 4w) or a date (2027-01-31, UTC).")
    ] = "7d",
    uses: Annotated[int | None, typer.Option(min=1, help="Maximum number of people; default: no limit.")] = None,
    note: Annotated[str, typer.Option(help="A note for you: whom the link is for.")] = "",
    signed: Annotated[
        bool, typer.Option("--signed", help="Admit only people with a personal link from `people link`.")
    ] = False,
    address: Address = "",
    project: Project = PLAYGROUND,
) -> None:
    """Create an invitation and print its link."""
    execute(
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
    output: Annotated[PeopleFormat, typer.Option("--format", help="Output format.")] = PeopleFormat.table,
    project: Project = PLAYGROUND,
) -> None:
    """List all invitations with their links and how many people used each."""
    execute(project, "people invitations", campaign=campaign, form=output.value)


@people_app.command("uninvite")
def uninvite_command(
    invitation: Invitation,
    project: Project = PLAYGROUND,
) -> None:
    """Withdraw an invitation: its link and all sessions from it end. Answers stay."""
    execute(project, "people uninvite", invitation=invitation)


@people_app.command("revoke")
def revoke_command(
    name: Person,
    campaign: Campaign = None,
    uncounted: Annotated[
        bool, typer.Option("--uncounted", help="Their earlier answers do not count any more, either.")
    ] = False,
    project: Project = PLAYGROUND,
) -> None:
    """Revoke a person: they get no more items, and their open items go to others. `people reinstate` undoes it."""
    execute(project, "people revoke", name=name, campaign=campaign, uncounted=uncounted)


@people_app.command("reinstate")
def reinstate_command(name: Person, campaign: Campaign = None, project: Project = PLAYGROUND) -> None:
    """Let a revoked person continue; their answers count again on items that others have not completed since."""
    execute(project, "people reinstate", name=name, campaign=campaign)


@people_app.command("erase")
def erase_command(
    name: Person,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    project: Project = PLAYGROUND,
) -> None:
    """Erase a person and all their answers, from the database file too. This cannot be undone."""
    if not yes:
        typer.confirm(f"Erase {name!r} and all their answers? This cannot be undone", abort=True, err=True)
    execute(project, "people erase", name=name)


@people_app.command("pseudonym")
def pseudonym_command(
    platform: PlatformName,
    identifier: Identifier,
    project: Project = PLAYGROUND,
) -> None:
    """Print the name of a crowd platform's participant in this project."""
    execute(project, "people pseudonym", platform=platform.value, identifier=identifier)


@people_app.command("link")
def link_command(
    invitation: Invitation,
    platform: PlatformName,
    identifier: Identifier,
    address: Address = "",
    project: Project = PLAYGROUND,
) -> None:
    """Print a personal link for one participant of a crowd platform; it is signed and works for no other id."""
    execute(project, "people link", invitation=invitation, platform=platform.value, identifier=identifier, address=address)


@people_app.command("code")
def code_command(name: Person, project: Project = PLAYGROUND) -> None:
    """Print a new re-entry code for a crowd participant who lost theirs; the old code stops working."""
    execute(project, "people code", name=name)
