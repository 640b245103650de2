"""The commands ``campaigns``: make, start, stop and watch campaigns, and describe how their people were recruited,
instructed and paid.
"""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from concord.campaigns import adjudication, annotators, payment, planning, progress
from concord.campaigns.annotators import AnnotatorWork, CampaignTopic
from concord.campaigns.planning import OWN_FILES, CampaignSpec, campaign_spec, from_yaml
from concord.campaigns.progress import CampaignProgress
from concord.common import wording
from concord.common.context import CommandError, Context, UsageError
from concord.common.text_tables import aligned
from data import campaign as recruitment
from data.files import InputError, printable, read_text
from data.store.campaigns import management, monitoring
from data.store.campaigns.management import CampaignRefused


def list_campaigns(context: Context) -> None:
    found = progress.all_progress(context.store)
    if not found:
        context.say("there are no campaigns; campaigns create ID makes one, and without any everybody is offered all images")
        return
    lines = [("campaign", "state", "questionnaire", "items", "answers", "people", "pace")]
    for one in found:
        said = one.coverage
        lines.append(
            (
                one.campaign.campaign_id,
                one.campaign.state,
                one.campaign.questionnaire,
                f"{said.full} of {said.items} full",
                f"{said.answers} of {said.wanted}",
                str(said.people),
                progress.describe_pace(one.pace),
            )
        )
    for line in aligned(lines):
        context.say(line)


def create(context: Context, campaign_id: str | None, file: str | None, dry_run: bool, **given: Any) -> None:
    asked = _read_spec(context, given | {"id": campaign_id}, file)
    if not asked.campaign_id:
        raise UsageError("give the campaign an ID")
    made = planning.plan_campaign(context.store, asked) if dry_run else planning.make_campaign(context.store, asked)
    for line in progress.describe_plan(context.store, made):
        context.say(line)
    if dry_run:
        context.say("nothing was made (--dry-run)")
    else:
        context.say(f"campaign {asked.campaign_id!r} is a draft; to begin: campaigns start {asked.campaign_id}")


def _read_spec(context: Context, given: Mapping[str, Any], file: str | None) -> CampaignSpec:
    """Options go before what the file says."""
    values: dict[str, Any] = {}
    origin = "the options"
    if file is not None:
        path = context.file(file)
        origin = printable(file)
        values = from_yaml(read_text(path), origin)
    values |= {name: value for name, value in given.items() if value not in (None, [], ())}
    for key, name in OWN_FILES.items():
        if key in values:
            values[name] = read_text(context.file(str(values.pop(key))))
    try:
        return campaign_spec(values, origin)
    except InputError as error:
        raise CommandError(str(error)) from error


def start(context: Context, campaign: str) -> None:
    management.move(context.store, campaign, "running")
    context.say(f"campaign {campaign!r} runs: people are offered its items now")


def stop(context: Context, campaign: str) -> None:
    management.move(context.store, campaign, "stopped")
    context.say(f"campaign {campaign!r} is stopped; answers on their way are kept, campaigns start {campaign} goes on")


def archive(context: Context, campaign: str) -> None:
    management.move(context.store, campaign, "archived")
    context.say(f"campaign {campaign!r} is archived; its answers stay")


def delete(context: Context, campaign: str) -> None:
    management.remove(context.store, campaign)
    context.say(f"campaign {campaign!r} is deleted")


def show(context: Context, campaign: str, aspect: str | None, intervals: bool, output: str) -> None:
    found = progress.progress_of(context.store, campaign)
    if found is None:
        raise CampaignRefused(f"there is no campaign {campaign!r}; campaigns list shows them")
    topic = _topic(annotators.topics(context.store, found.campaign), aspect)
    workers = annotators.annotators_of(context.store, found.campaign, topic, intervals=intervals)
    if output == "json":
        context.say_json(_document(context, found, topic, workers))
        return
    for line in _lines(context, found, topic, workers):
        context.say(line)


def _topic(found: Sequence[CampaignTopic], aspect: str | None) -> CampaignTopic | None:
    if aspect is None:
        return found[0] if found else None
    chosen = next((one for one in found if one.aspect == aspect), None)
    if chosen is None:
        known = ", ".join(dict.fromkeys(one.aspect for one in found))
        raise UsageError(f"--aspect {aspect}: nobody has judged it in this campaign" + (f"; there is {known}" if known else ""))
    return chosen


def _document(
    context: Context, found: CampaignProgress, topic: CampaignTopic | None, workers: Sequence[AnnotatorWork]
) -> dict[str, Any]:
    name = found.campaign.campaign_id
    verdicts = adjudication.verdicts(context.store, name)
    return {
        "campaign": asdict(found.campaign) | {"settings": found.campaign.settings.to_json()},
        "coverage": found.coverage,
        "items_by_answers": monitoring.items_by_answer_count(context.store, name),
        "pace": asdict(found.pace) | {"by_hour": monitoring.answers_by_hour(context.store, name)},
        "agreement_about": topic,
        "people": [
            asdict(one.worker)
            | {
                "agreement": one.agreement.to_dict() if one.agreement else None,
                "sameness": one.sameness,
                "speed": one.speed,
                "flags": one.flags,
            }
            for one in workers
        ],
        "broken": monitoring.broken_items(context.store, name),
        "verdicts": verdicts,
        "wrong": adjudication.blames(verdicts),
    }


_HEADER = ("person", "valid", "surplus", "median s", "agreement", "95 % interval", "n", "checks", "flags")


def _lines(
    context: Context, found: CampaignProgress, topic: CampaignTopic | None, workers: Sequence[AnnotatorWork]
) -> Sequence[str]:
    campaign, said = found.campaign, found.coverage
    lines = [
        f"{campaign.campaign_id}: {campaign.title} ({campaign.state}, {campaign.questionnaire}, {campaign.overlap} each)",
        f"{said.answers} of {said.wanted} answers; {said.full} of {said.items} items full; {said.aside} set aside;"
        f" {said.surplus} surplus, {said.checks} checks and {said.training} training answers do not count",
        f"pace: {progress.describe_pace(found.pace)}",
    ]
    if not workers:
        return [*lines, "nobody has done anything in it yet"]
    if topic is not None:
        lines.append(f"agreement with the others about {wording.aspect(topic.aspect)} of {topic.suite}: {progress.COEFFICIENT}")
    lines += aligned([_HEADER, *(_cells(one) for one in workers)])
    wrong = adjudication.blames(adjudication.verdicts(context.store, campaign.campaign_id))
    return [*lines, *(f"wrong: {progress.describe_blamed(one)}, {wording.count(one.n, 'verdict')}" for one in wrong)]


def _cells(one: AnnotatorWork) -> Sequence[str]:
    work, found = one.worker, one.agreement
    seconds = "" if work.median_seconds is None else f"{work.median_seconds:.1f}"
    value = "" if found is None else "-" if found.value is None else f"{found.value:.3f}"
    span = "" if found is None or found.low is None else f"{found.low:.3f} .. {found.high:.3f}"
    n = "" if found is None else str(found.n_ratings)
    name = (
        work.person
        + (" (simulated)" if work.simulated else "")
        + (" (paused)" if work.paused else " (revoked)" if work.revoked else "")
    )
    flags = ", ".join([*one.flags, *([found.reason] if found is not None and found.reason else [])])
    return (printable(name), str(work.valid), str(work.surplus), seconds, value, span, n, progress.describe_checks(work), flags)


def pay(context: Context, campaign: str, platform_file: str | None, bonuses: bool) -> None:
    """Everybody's decision and amounts, as CSV; the sum goes to the error output."""
    found = management.get(context.store, campaign)
    if found is None:
        raise CampaignRefused(f"there is no campaign {campaign!r}; campaigns list shows them")
    text = "" if platform_file is None else read_text(context.file(platform_file))
    roll = payment.payroll(context.store, found, text)
    context.say((payment.bonus_lines(roll) if bonuses else payment.payment_file(roll)).rstrip("\n"))
    context.warn(payment.describe_pay(roll))
    if roll.unknown:
        context.warn(f"in the platform's file, but never here: {', '.join(map(printable, roll.unknown))}")


def describe(context: Context, campaign: str, fields: Sequence[str]) -> None:
    """Answer some fields; without any, print them all."""
    if management.get(context.store, campaign) is None:
        raise CampaignRefused(f"there is no campaign {campaign!r}; campaigns list shows them")
    given = dict(_parsed(field) for field in fields)
    if not given:
        said = management.recruitment_of(context.store, campaign)
        for name, field in recruitment.RECRUITMENT_FIELDS.items():
            text = " ".join(said[name].split()) if name in said else recruitment.NOT_REPORTED
            context.say(f"{name}: {text}" if name in said else f"{name}: {text} ({field.asks})")
        return
    try:
        who = getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        who = "the command line"
    said = management.describe_recruitment(context.store, campaign, given, who)
    open_ = [name for name in recruitment.RECRUITMENT_FIELDS if name not in said]
    context.say(
        f"{wording.count(len(said), 'field')} of campaign {campaign!r} said; not reported: {', '.join(open_) or 'none'}"
    )


def _parsed(field: str) -> tuple[str, str]:
    name, separator, text = field.partition("=")
    if not separator or name not in recruitment.RECRUITMENT_FIELDS:
        raise UsageError(f"--field {field}: NAME=TEXT, with NAME one of {', '.join(recruitment.RECRUITMENT_FIELDS)}")
    return name, text
