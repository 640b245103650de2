"""The commands ``campaigns``: make, start, stop and watch campaigns, and describe how their people were recruited,
instructed and paid.
"""

from __future__ import annotations

import getpass
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from annotation.questionnaires import geneval, geneval_authors
from annotation.questionnaires.geneval_template import read_template
from concord.campaigns import adjudication, annotators, payment, planning, progress, revoking
from concord.campaigns.annotators import AnnotatorWork, CampaignTopic
from concord.campaigns.planning import from_yaml
from concord.campaigns.progress import CampaignProgress
from concord.campaigns.spec import CampaignSpec, campaign_spec
from concord.common import reason_sentences, wording
from concord.common.context import CommandError, Context, UsageError
from concord.common.estimate_json import number_json
from concord.common.table import Cell, Field, cell, field, table_of
from concord.common.text_tables import aligned, interval
from concord.people import BY
from data.campaigns import recruitment
from data.campaigns.payment import SettledDecision
from data.files import InputError, fail, printable, read_text, reading
from data.refusals import CampaignRefused
from data.requests import fields_of
from data.store.campaigns import management, monitoring
from data.store.campaigns.monitoring import WorkerStats

_CAMPAIGN_FIELDS: Sequence[Field[CampaignProgress]] = (
    field("campaign", lambda each: each.campaign.campaign_id),
    field("state", lambda each: each.campaign.state),
    field("questionnaire", lambda each: each.campaign.questionnaire),
    field("items", lambda each: f"{each.coverage.full} of {each.coverage.items} full"),
    field("answers", lambda each: f"{each.coverage.answers} of {each.coverage.wanted}"),
    field("people", lambda each: each.coverage.people),
    field("pace", lambda each: progress.describe_pace(each.pace)),
)


def list_campaigns(context: Context) -> None:
    campaigns = progress.all_progress(context.store)
    if not campaigns:
        context.say("there are no campaigns; campaigns create ID makes one, and without any everybody is offered all images")
        return
    context.say(*aligned(table_of("Campaigns", _CAMPAIGN_FIELDS, campaigns)))


def create(context: Context, given: Mapping[str, Any], file: str | None, dry_run: bool) -> None:
    spec = _read_spec(context, given, file)
    if not spec.campaign_id:
        raise UsageError("give the campaign an ID")
    made = planning.plan_campaign(context.store, spec) if dry_run else planning.make_campaign(context.store, spec)
    context.say(*progress.describe_plan(context.store, made))
    if dry_run:
        context.say("nothing was made (--dry-run)")
    else:
        context.say(f"campaign {spec.campaign_id!r} is a draft; to begin: campaigns start {spec.campaign_id}")


def _read_spec(context: Context, given: Mapping[str, Any], file: str | None) -> CampaignSpec:
    """Return the campaign of the options that are given and of a file; options go before what the file says."""
    values: dict[str, Any] = {}
    origin = "the options"
    if file is not None:
        path = context.file(file)
        origin = printable(file)
        values = from_yaml(read_text(path), origin)
    values |= given
    for each in fields_of(CampaignSpec):
        if (named := values.pop(each.setting.file, None)) is not None:
            text_file = context.file(str(named))
            values[each.key] = _consent_text(text_file) if each.name == "consent" else read_text(text_file)
    if (template := values.pop("template", None)) is not None:
        values |= _authors_form(context, str(template), values)
    try:
        return campaign_spec(values, origin)
    except InputError as error:
        raise CommandError(str(error)) from error


def _authors_form(context: Context, file: str, values: Mapping[str, Any]) -> dict[str, str]:
    """Return the values of a campaign that asks GenEval's questions in its authors' words, read from their file."""
    if values.get("questionnaire", geneval.NAME) != geneval.NAME or "definition" in values:
        raise UsageError("--template is GenEval's form: it goes with --questionnaire geneval alone")
    read = read_template(context.file(file))
    for line in read.notes:
        context.warn(line)
    return {"questionnaire": geneval_authors.NAME, "definition": read.template.to_definition()}


MAX_CONSENT_BYTES: Final = 100_000


def _consent_text(path: Path) -> str:
    """Return the Markdown of a consent file.

    Raises:
        InputError: it cannot be read, is larger than people read, or is empty.
    """
    with reading(path):
        size = path.stat().st_size
    if size > MAX_CONSENT_BYTES:
        most = f"at most {MAX_CONSENT_BYTES / 1e3:z,.0f}"
        fail(path, None, f"has {size / 1e3:z,.0f} KB, and a consent text {most}; is this the right file?")
    text = read_text(path)
    if not text.strip():
        fail(path, None, "the file is empty, so there is nothing to agree to; write the consent text into it")
    return text


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
    campaign_progress = progress.progress_of(context.store, campaign)
    if campaign_progress is None:
        raise _unknown(campaign)
    topic = _topic(annotators.topics(context.store, campaign_progress.campaign), aspect)
    workers = annotators.annotators_of(context.store, campaign_progress.campaign, topic, intervals=intervals)
    if output == "json":
        context.say_json(_document(context, campaign_progress, topic, workers))
        return
    context.say(*_lines(context, campaign_progress, topic, workers))


def _unknown(campaign: str) -> CampaignRefused:
    return CampaignRefused(f"there is no campaign {campaign!r}; campaigns list shows them")


def _topic(topics: Sequence[CampaignTopic], aspect: str | None) -> CampaignTopic | None:
    if aspect is None:
        return topics[0] if topics else None
    chosen = next((topic for topic in topics if topic.aspect == aspect), None)
    if chosen is None:
        known = ", ".join(dict.fromkeys(topic.aspect for topic in topics))
        raise UsageError(f"--aspect {aspect}: nobody has judged it in this campaign" + (f"; there is {known}" if known else ""))
    return chosen


def _document(
    context: Context, campaign_progress: CampaignProgress, topic: CampaignTopic | None, workers: Sequence[AnnotatorWork]
) -> dict[str, Any]:
    name = campaign_progress.campaign.campaign_id
    verdicts = adjudication.verdicts(context.store, name)
    return {
        "campaign": campaign_progress.campaign.to_json(),
        "coverage": campaign_progress.coverage,
        "items_by_answers": monitoring.items_by_answer_count(context.store, name),
        "pace": asdict(campaign_progress.pace) | {"by_hour": monitoring.answers_by_hour(context.store, name)},
        "agreement_about": topic,
        "people": [
            asdict(annotator.worker)
            | {
                "reported_share": annotator.worker.reported_share,
                "agreement": number_json(own, own.statistic) if (own := annotator.agreement) else None,
                "sameness": annotator.sameness,
                "speed": annotator.speed,
                "flags": annotator.flags,
            }
            for annotator in workers
        ],
        "broken": monitoring.broken_items(context.store, name),
        "verdicts": verdicts,
        "wrong": adjudication.blames(verdicts),
    }


def _lines(
    context: Context, campaign_progress: CampaignProgress, topic: CampaignTopic | None, workers: Sequence[AnnotatorWork]
) -> Sequence[str]:
    campaign, coverage = campaign_progress.campaign, campaign_progress.coverage
    lines = [
        f"{campaign.campaign_id}: {campaign.title} ({campaign.state}, {campaign.questionnaire}, {campaign.overlap} each)",
        f"{coverage.answers} of {coverage.wanted} answers; {coverage.full} of {coverage.items} items full; {coverage.aside} set"
        f" aside; {coverage.surplus} surplus, {coverage.checks} checks and {coverage.training} training answers do not count",
        f"pace: {progress.describe_pace(campaign_progress.pace)}",
    ]
    if not workers:
        return [*lines, "nobody has done anything in it yet"]
    if topic is not None:
        lines.append(f"agreement with the others about {wording.aspect(topic.aspect)} of {topic.suite}: {progress.COEFFICIENT}")
    lines += aligned(table_of("People", _ANNOTATOR_FIELDS, workers))
    wrong = adjudication.blames(adjudication.verdicts(context.store, campaign.campaign_id))
    return [*lines, *(f"wrong: {progress.describe_blamed(blame)}, {wording.count(blame.n, 'verdict')}" for blame in wrong)]


def _name(work: AnnotatorWork) -> str:
    worker = work.worker
    out = " (paused)" if worker.paused else " (revoked)" if worker.revoked else ""
    return printable(f"{worker.person}{' (simulated)' if worker.simulated else ''}{out}")


def _agreement(work: AnnotatorWork) -> Cell:
    return Cell("") if work.agreement is None else cell(work.agreement.value, "z.3f", "-")


def _reported(worker: WorkerStats) -> str:
    return f"{worker.reported} ({worker.reported_share or 0:.0%})" if worker.reported else ""


def _flags(work: AnnotatorWork) -> str:
    undefined = [reason_sentences.text(work.agreement.reason)] if work.agreement is not None and work.agreement.reason else []
    return ", ".join([*(flag.code for flag in work.flags), *undefined])


_ANNOTATOR_FIELDS: Sequence[Field[AnnotatorWork]] = (
    field("person", _name),
    field("valid", lambda work: work.worker.valid),
    field("surplus", lambda work: work.worker.surplus),
    field("median s", lambda work: work.worker.median_seconds, "z.1f"),
    field("agreement", _agreement),
    field("95 % interval", lambda work: interval(work.agreement.low, work.agreement.high, "z.3f") if work.agreement else None),
    field("n", lambda work: work.agreement.n_ratings if work.agreement else None),
    field("checks", lambda work: progress.describe_checks(work.worker)),
    field("reported", lambda work: _reported(work.worker)),
    field("flags", _flags),
)


def revoke_flagged(context: Context, campaign: str, people: Sequence[str], uncounted: bool, yes: bool) -> None:
    """List everybody with a flag, and with ``yes`` revoke these people, or without names those who are preselected."""
    listed = revoking.candidates(context.store, campaign)
    chosen = [*people] or [candidate.person for candidate in listed if candidate.preselected]
    if not yes:
        for candidate in listed:
            mark = "x" if candidate.person in chosen else " "
            context.say(f"[{mark}] {printable(candidate.person)}: {candidate.describe()}")
        context.say(
            "nobody was revoked: --yes revokes the people marked x, --person names others" if listed else "nobody has a flag"
        )
        return
    answers = revoking.revoke(context.store, campaign, chosen, BY, uncount=uncounted)
    context.say(revoking.describe_revoked(chosen, answers, uncount=uncounted))
    context.say(f"to undo it: campaigns undo-revoke {campaign}")


def undo_revoke(context: Context, campaign: str) -> None:
    context.say(revoking.describe_undone(*revoking.undo(context.store, campaign, BY)))


def pay(context: Context, campaign: str, platform_file: str | None, bonuses: bool) -> None:
    """Everybody's decision and amounts, as CSV; the sum goes to the error output."""
    stored_campaign = management.get(context.store, campaign)
    if stored_campaign is None:
        raise _unknown(campaign)
    text = "" if platform_file is None else read_text(context.file(platform_file))
    roll = payment.payroll(context.store, stored_campaign, text)
    context.say((payment.bonus_lines(roll) if bonuses else payment.payment_file(roll)).rstrip("\n"))
    context.warn(payment.describe_pay(roll))
    for person in roll.people:
        if person.reasons:
            context.warn(f"look first at {printable(person.work.person)}: {printable('; '.join(person.reasons))}")
    if any(person.reasons for person in roll.people):
        context.warn("they are in no bonus file until you decide: campaigns settle ID NAME approve (or return)")
    if roll.unknown:
        context.warn(f"in the platform's file, but never here: {', '.join(map(printable, roll.unknown))}")


def settle(context: Context, campaign: str, name: str, decision: SettledDecision) -> None:
    """Decide about one person's pay."""
    stored_campaign = management.get(context.store, campaign)
    if stored_campaign is None:
        raise _unknown(campaign)
    person = payment.settle(context.store, stored_campaign, name, decision, _user())
    currency = stored_campaign.settings.currency
    context.say(f"{printable(name)}: {decision}, {person.payout.pay:,} {currency}".rstrip())


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return "the command line"


def describe(context: Context, campaign: str, fields: Sequence[str]) -> None:
    """Answer some fields; without any, print them all."""
    if management.get(context.store, campaign) is None:
        raise _unknown(campaign)
    new_texts = dict(_parsed(field) for field in fields)
    if not new_texts:
        texts = management.recruitment_of(context.store, campaign)
        for name, field in recruitment.RECRUITMENT_FIELDS.items():
            text = " ".join(texts[name].split()) if name in texts else recruitment.NOT_REPORTED
            context.say(f"{name}: {text}" if name in texts else f"{name}: {text} ({field.asks})")
        return
    texts = management.describe_recruitment(context.store, campaign, new_texts, _user())
    open_ = [name for name in recruitment.RECRUITMENT_FIELDS if name not in texts]
    context.say(
        f"{wording.count(len(texts), 'field')} of campaign {campaign!r} said; not reported: {', '.join(open_) or 'none'}"
    )


def _parsed(field: str) -> tuple[str, str]:
    name, separator, text = field.partition("=")
    if not separator or name not in recruitment.RECRUITMENT_FIELDS:
        raise UsageError(f"--field {field}: NAME=TEXT, with NAME one of {', '.join(recruitment.RECRUITMENT_FIELDS)}")
    return name, text
