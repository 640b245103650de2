"""The commands ``people``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

import sys
from typing import Annotated, Literal

import typer

from concord.people_requests import Address, InviteRequest
from ui.cli.options import ListFormat, Uncounted, app, project_command

people_app = typer.Typer(help="People: accounts, invitation links, and who did how much.", no_args_is_help=True)
app.add_typer(people_app, name="people")


Campaign = Annotated[str | None, typer.Option(help="Only this campaign; default: the whole project.")]
Invitation = Annotated[str, typer.Argument(metavar="INVITATION", help="Id, as shown by `people invitations`.")]
PlatformName = Annotated[Literal["prolific", "mturk", "participant"], typer.Argument(help="The platform of the id.")]
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


@project_command(people_app, "list", "concord.people:list_people")
def list_command(campaign: Campaign = None, form: ListFormat = "table") -> None:
    """List people with their work: answers by status, minutes, first and last answer, checks passed."""


@project_command(people_app, "invite", "concord.people:invite")
def invite_command(request: InviteRequest) -> None:
    """Create an invitation and print its link."""


@project_command(people_app, "invitations", "concord.people:list_invitations")
def invitations_command(campaign: Campaign = None, form: ListFormat = "table") -> None:
    """List all invitations with their links and how many people used each."""


@project_command(people_app, "uninvite", "concord.people:uninvite")
def uninvite_command(invitation: Invitation) -> None:
    """Withdraw an invitation: its link and all sessions from it end. Answers stay."""


@project_command(people_app, "revoke", "concord.people:revoke")
def revoke_command(
    name: Person,
    campaign: Campaign = None,
    uncounted: Uncounted = False,
) -> None:
    """Revoke a person: they get no more items, and their open items go to others. `people reinstate` undoes it."""


@project_command(people_app, "reinstate", "concord.people:reinstate")
def reinstate_command(name: Person, campaign: Campaign = None) -> None:
    """Let a revoked person continue; their answers count again on items that others have not completed since."""


@project_command(people_app, "owed", "concord.erasing:print_debts")
def owed_command(name: Person) -> None:
    """Print what a person is owed in each campaign."""


@project_command(people_app, "erase", "concord.erasing:erase")
def erase_command(
    name: Person,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    keep_debt: Annotated[
        bool, typer.Option("--keep-debt", help="Erase them although they are owed something; the sum stays, without a name.")
    ] = False,
) -> dict[str, str | bool]:
    """Erase a person and all their answers, from the database file too. This cannot be undone."""
    if not yes:
        typer.confirm(f"Erase {name!r} and all their answers? This cannot be undone", abort=True, err=True)
    return {"name": name, "keep_debt": keep_debt}


@project_command(people_app, "pseudonym", "concord.people:print_pseudonym")
def pseudonym_command(platform: PlatformName, identifier: Identifier) -> None:
    """Print the name of a crowd platform's participant in this project."""


@project_command(people_app, "link", "concord.people:print_link")
def link_command(
    invitation: Invitation,
    platform: PlatformName,
    identifier: Identifier,
    address: Address = "",
) -> None:
    """Print a personal link for one participant of a crowd platform; it is signed and works for no other id."""


@project_command(people_app, "code", "concord.people:print_reentry_code")
def code_command(name: Person) -> None:
    """Print a new re-entry code for a crowd participant who lost theirs; the old code stops working."""
