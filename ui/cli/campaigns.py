"""The commands ``campaigns``; ``app.py`` imports this for every command, so it imports nothing heavy."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ui.cli.options import Intervals, OutputFormat, app, project_command

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
    campaign_id: Annotated[
        str | None, typer.Argument(metavar="ID", help="Lower-case letters, digits, - and _; 64 characters at most.")
    ] = None,
    file: Annotated[str | None, typer.Option("--from", help="YAML file with these options by name; ID is 'id'.")] = None,
    title: Annotated[str | None, typer.Option(help="Title shown above the form; default: the id.")] = None,
    questionnaire: Annotated[
        str | None,
        typer.Option(
            help="geneval, tifa_likert, tifa_vqa, visor, ab or yes_no; default: geneval, or yes_no if no prompt has a spec."
        ),
    ] = None,
    questionnaire_file: Annotated[str | None, typer.Option(help="YAML file with your own questionnaire instead.")] = None,
    template: Annotated[
        str | None,
        typer.Option(help="GenEval's published form (mturk_hit_template.html): ask its questions in its authors' words."),
    ] = None,
    suite: Annotated[list[str] | None, typer.Option(help="Use images of this suite. Repeatable.")] = None,
    task: Annotated[list[str] | None, typer.Option(help="Use only this task. Repeatable.")] = None,
    generator: Annotated[
        list[str] | None, typer.Option(help="Use only images of this generator; pairs need two. Repeatable.")
    ] = None,
    items: Annotated[list[str] | None, typer.Option("--item", help="Use this item instead, by id. Repeatable.")] = None,
    n: Annotated[int | None, typer.Option("--n", min=1, help="Number of items, sampled at random; default: all.")] = None,
    draw: Annotated[
        Literal["random", "weighted"] | None,
        typer.Option(
            help="How --n items are drawn; random (default): all alike; weighted: more of those where scorers are likely wrong,"
            " for `estimate` only."
        ),
    ] = None,
    also: Annotated[list[str] | None, typer.Option(help="Add this item by hand. Repeatable.")] = None,
    known_file: Annotated[
        str | None,
        typer.Option(
            "--known", help="JSON or CSV of items with known answers: item, role (gold, attention, training), answers."
        ),
    ] = None,
    gold_from: Annotated[
        str | None,
        typer.Option(help="Make gold without a file: of 'verdicts', of 'unanimous' answers, or of those of 'person NAME'."),
    ] = None,
    gold_n: Annotated[int | None, typer.Option(min=0, help="Gold items from there; default: 20.")] = None,
    training_n: Annotated[int | None, typer.Option(min=0, help="Training items from there; default: 0.")] = None,
    examples_n: Annotated[
        int | None, typer.Option(min=0, help="Pictures with correct answers before the instructions; default: 0.")
    ] = None,
    overlap: Annotated[
        int | None, typer.Option(min=1, help="Annotators per item; default: 3, of tifa_vqa 2 (and a third where they differ).")
    ] = None,
    order: Annotated[
        Literal["random", "shared", "fixed"] | None,
        typer.Option(help="Order of items; random (default): a different order for each person."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Random seed of sampling and order; default: 0.")] = None,
    instructions: Annotated[str | None, typer.Option(help="Markdown.")] = None,
    consent: Annotated[
        str | None, typer.Option(help="Markdown file whose text people must agree to before the first item.")
    ] = None,
    content_warning: Annotated[str | None, typer.Option(help="Markdown.")] = None,
    check_every: Annotated[int | None, typer.Option(min=2, help="One in this many items is a gold or attention item.")] = None,
    gold_feedback: Annotated[
        bool | None,
        typer.Option(
            "--gold-feedback/--no-gold-feedback", help="Show people right away whether their answer to a gold item is correct."
        ),
    ] = None,
    training_feedback: Annotated[
        bool | None,
        typer.Option("--training-feedback/--no-training-feedback", help="The same for training items; default: on."),
    ] = None,
    pass_mark: Annotated[
        float | None, typer.Option(help="Share of training items that must be correct to pass, such as 0.8.")
    ] = None,
    gold_pass_mark: Annotated[
        float | None,
        typer.Option(
            help="Pause people whose share of correct gold items, corrected for chance, is below this; default: 0.9. 0: never."
        ),
    ] = None,
    attention_pass_mark: Annotated[float | None, typer.Option(help="The same for attention checks; default: 0.98.")] = None,
    recollect: Annotated[
        bool | None,
        typer.Option("--recollect/--no-recollect", help="Give the items of paused people to others."),
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of items per person, without training.")] = None,
    reports_needed: Annotated[
        int | None, typer.Option(min=1, help="People who report an image before nobody is offered it; default: 2.")
    ] = None,
    nothing_left: Annotated[
        Literal["completion", "items"] | None,
        typer.Option(
            help="Pay of people who find nothing left because others hold the last items: completion (default): as at the end;"
            " items: what theirs are worth."
        ),
    ] = None,
    withdrawal: Annotated[
        bool | None, typer.Option("--withdrawal/--no-withdrawal", help="Let people withdraw their own answers.")
    ] = None,
    lease_minutes: Annotated[float | None, typer.Option(help="Minutes for which an item stays reserved; default: 30.")] = None,
    completion_code: Annotated[str | None, typer.Option(help="Code shown to people who finish.")] = None,
    completion_url: Annotated[str | None, typer.Option(help="Link for people who finish, such as a crowd platform.")] = None,
    stopped_code: Annotated[
        str | None, typer.Option(help="Code for people who stop early; without it they see whom to contact.")
    ] = None,
    training_code: Annotated[
        str | None, typer.Option(help="Code for people who fail the training; otherwise the same.")
    ] = None,
    paused_code: Annotated[
        str | None, typer.Option(help="Code for people who are paused or revoked; otherwise the same.")
    ] = None,
    quota_code: Annotated[
        str | None, typer.Option(help="Code for people who come when no item is left; otherwise the same.")
    ] = None,
    declined_code: Annotated[str | None, typer.Option(help="Code for people who do not consent; default: none.")] = None,
    closes: Annotated[str | None, typer.Option(help="When to stop offering items, such as '2027-01-31 18:00' (UTC).")] = None,
    currency: Annotated[str | None, typer.Option(help="Currency of all amounts, such as GBP.")] = None,
    item_price: Annotated[str | None, typer.Option(help="Pay for one answered item, checks included, such as 0.08.")] = None,
    base_pay: Annotated[
        str | None, typer.Option(help="What the platform pays on approval; items worth more are paid as a bonus.")
    ] = None,
    target_wage: Annotated[str | None, typer.Option(help="Pay per hour that you aim at.")] = None,
    platform_fee: Annotated[float | None, typer.Option(help="The platform's share on top of pay, such as 0.33.")] = None,
    budget: Annotated[
        str | None, typer.Option(help="Maximum for pay and fees: no item is offered that could exceed it.")
    ] = None,
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
    uncounted: Annotated[
        bool, typer.Option("--uncounted", help="Their earlier answers do not count any more, either.")
    ] = False,
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
