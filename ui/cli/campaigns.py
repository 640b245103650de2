"""The commands ``campaigns``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import typer

from concord.campaigns.spec import CampaignSpec
from concord.common.options import Intervals
from ui.cli.options import OutputFormat, Uncounted, app, project_command
from ui.cli.request_options import PartOf

campaigns_app = typer.Typer(
    help="Campaigns: give people questions about images, and watch their progress.", no_args_is_help=True
)
app.add_typer(campaigns_app, name="campaigns")

Name = Annotated[str, typer.Argument(metavar="ID", help="Id, as shown by `campaigns list`.")]


@project_command(campaigns_app, "list", "concord.campaigns.commands:list_campaigns")
def list_all() -> None:
    """List all campaigns: state, coverage and pace."""


@project_command(campaigns_app, "create", "concord.campaigns.commands:create")
def create(
    given: Annotated[Mapping[str, Any], PartOf(CampaignSpec)],
    file: Annotated[str | None, typer.Option("--from", help="YAML file with these options by name; ID is 'id'.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show how much work it would be; create nothing.")] = False,
) -> None:
    """Create a campaign as a draft."""


@project_command(campaigns_app, "start", "concord.campaigns.commands:start")
def start(campaign: Name) -> None:
    """Start a campaign: offer its items to people."""


@project_command(campaigns_app, "stop", "concord.campaigns.commands:stop")
def stop(campaign: Name) -> None:
    """Stop a campaign: offer its items to nobody. It can be started again."""


@project_command(campaigns_app, "archive", "concord.campaigns.commands:archive")
def archive(campaign: Name) -> None:
    """Archive a campaign; its answers stay."""


@project_command(campaigns_app, "delete", "concord.campaigns.commands:delete")
def delete(campaign: Name) -> None:
    """Delete a campaign that nobody has answered in."""


@project_command(campaigns_app, "show", "concord.campaigns.commands:show")
def show(
    campaign: Name,
    aspect: Annotated[str | None, typer.Option(help="The aspect on which people's agreement is measured.")] = None,
    intervals: Intervals = True,
    output: OutputFormat = "table",
) -> None:
    """Show one campaign: coverage, pace, people and verdicts."""


@project_command(campaigns_app, "revoke-flagged", "concord.campaigns.commands:revoke_flagged")
def revoke_flagged(
    campaign: Name,
    people: Annotated[
        list[str],
        typer.Option(
            "--person", metavar="NAME", help="Revoke this person; default: all with failed checks or a pattern. Repeatable."
        ),
    ] = [],  # noqa: B006
    uncounted: Uncounted = False,
    yes: Annotated[bool, typer.Option("--yes", help="Revoke them; without it, they are only listed.")] = False,
) -> None:
    """List people with flags and their reasons; with --yes revoke them together. `campaigns undo-revoke` undoes it."""


@project_command(campaigns_app, "undo-revoke", "concord.campaigns.commands:undo_revoke")
def undo_revoke(campaign: Name) -> None:
    """Let the people in again who were last revoked together; their answers count again."""


@project_command(campaigns_app, "pay", "concord.campaigns.commands:pay")
def pay(
    campaign: Name,
    platform_file: Annotated[
        str | None,
        typer.Option("--platform-file", help="CSV of submissions from Prolific or MTurk: adds people's own ids by pseudonym."),
    ] = None,
    bonuses: Annotated[bool, typer.Option("--bonuses", help="Print only 'id,amount' lines for bulk bonus payment.")] = False,
) -> None:
    """Print who is approved, returned or rejected, or needs a look first, and is paid what, as CSV."""


@project_command(campaigns_app, "settle", "concord.campaigns.commands:settle")
def settle(
    campaign: Name,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name, as shown by `campaigns pay`.")],
    decision: Annotated[
        Literal["approve", "return", "reject"],
        typer.Argument(help="reject only people who failed attention checks and none of whose answers count."),
    ],
) -> None:
    """Decide about one person's pay, for example after a look; what it comes to is kept."""


@project_command(campaigns_app, "describe", "concord.campaigns.commands:describe")
def describe(
    campaign: Name,
    fields: Annotated[
        list[str],
        typer.Option(
            "--field",
            metavar="NAME=TEXT",
            help="FIELD=VALUE, such as pay_per_item='0.05 USD'; an empty value clears it. Repeatable.",
        ),
    ] = [],  # noqa: B006
) -> None:
    """Record for reports how people were recruited and paid; without --field, show what is recorded and missing."""
