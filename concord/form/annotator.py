"""Annotators: what a person who labels images does in a campaign besides answering, as their browser is told it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from annotation.questionnaires.registry import YES_NO
from concord.common.base_path import at
from concord.form.campaign_info import campaign_choices, campaign_json, consent_json, pay_text, progress_json, training_json
from concord.form.ending import completion_json, leaving_outcome, no_item_json, record_departure
from concord.form.item_form import answered_form, campaign_of, item_form, stored_or_default
from concord.form.offers import offer_json
from concord.judging import form_about
from data.campaigns.settings import DEFAULT, Campaign
from data.store import campaign_items
from data.store.campaign_items import AnnotationTask
from data.store.campaigns import allocation, management, participation
from data.store.campaigns.allocation import NextTasks
from data.store.campaigns.answer_context import AnswerContext, SentReference, answer_context
from data.store.campaigns.participation import OwnAnswer
from data.store.core.store import Store
from data.store.judgements import revocations

_LOOK_BACK: Final = 100
"""So many of one's own answers can be looked at again."""


class NotInCampaign(ValueError):
    """A person sends something to a campaign that they do not work in."""


class CampaignGone(LookupError):
    """The campaign that a person works in was deleted."""


class ImageGone(LookupError):
    """The image that a browser names is no longer part of the project."""


@dataclass(frozen=True, slots=True)
class Annotator:
    """A person who labels images, and where they stand.

    Attributes:
        chosen: the campaign of their invitation, or the one that they chose; None: neither.
        invited: whether they came by a link, and so work in that campaign alone.
        researcher: whether the results are open to them.
    """

    name: str
    chosen: str | None = None
    invited: bool = False
    researcher: bool = False

    @property
    def turned_to(self) -> str:
        """The campaign that they work in now."""
        return self.chosen or DEFAULT

    def campaign_in(self, context: AnswerContext, campaign_id: str) -> Campaign:
        """Return the campaign that they send something to.

        Raises:
            NotInCampaign: they do not work in it, and have not.
            CampaignGone: there is none of this id (any more).
        """
        # the drawer of Images asks for the default one, whatever somebody has turned to on the annotators' page
        theirs = {self.turned_to} if self.invited else {self.turned_to, DEFAULT}
        if campaign_id not in theirs and not context.worked:
            raise NotInCampaign
        campaign = stored_or_default(context.campaign, campaign_id)
        if campaign is None:
            raise CampaignGone
        return campaign


def campaign_at_work(store: Store, annotator: Annotator) -> Campaign:
    """Return the campaign that somebody works in now.

    Raises:
        CampaignGone: it was deleted.
    """
    campaign = campaign_of(store, annotator.turned_to)
    if campaign is None:
        raise CampaignGone
    return campaign


def task_at_hand(store: Store, annotator: Annotator, campaign_id: str, ticket: str) -> tuple[Campaign, AnnotationTask]:
    """Return the campaign and the task that a browser names.

    Raises:
        NotInCampaign, CampaignGone: as ``Annotator.campaign_in``.
        ImageGone: there is no such task (any more).
    """
    context = answer_context(store, SentReference(annotator.name, campaign_id, annotator.turned_to, ticket))
    campaign = annotator.campaign_in(context, campaign_id)
    if context.task is None:
        raise ImageGone
    return campaign, context.task


def next_items(store: Store, annotator: Annotator, *, quick: bool) -> dict[str, Any]:
    """Return what lies before somebody: what is to be done first, or the next items with their forms, or why there are none."""
    before = first_steps(store, annotator)
    if before is not None:
        return before
    next_tasks = participation.next_tasks(store, annotator.name, annotator.turned_to)
    return describe_next_tasks(store, annotator, campaign_of(store, annotator.turned_to), next_tasks, quick=quick)


def first_steps(store: Store, annotator: Annotator) -> dict[str, Any] | None:
    """Return what is to be done before anything is offered: choosing a campaign, agreeing to its consent; None: nothing."""
    name = annotator.name
    if annotator.chosen is None and (offered := campaign_choices(store)):
        return {"state": "choose", "name": name, "campaigns": offered}
    campaign = campaign_of(store, annotator.turned_to)
    if campaign is not None and campaign.state == "running" and (first := consent_json(store, campaign, name)):
        return first | {"name": name, "campaign": campaign_json(store, campaign)}
    return None


def describe_next_tasks(
    store: Store, annotator: Annotator, campaign: Campaign | None, next_tasks: NextTasks, *, quick: bool
) -> dict[str, Any]:
    """Return the next items as a browser is told them; ``quick``: with the quick form where no campaign has chosen one.

    A researcher who labels outside campaigns is shown the way to the results.
    """
    name = annotator.name
    answer: dict[str, Any] = {"name": name, "progress": progress_json(next_tasks.progress)}
    if annotator.researcher and annotator.turned_to == DEFAULT:
        # whoever answers in a campaign is there for its questions alone
        answer |= {"results": at("/studio/")}
    if campaign is not None:
        # outside campaigns each prompt may have a form of its own; the first one's tells what is meant
        asked = next_tasks.tasks[0].spec if next_tasks.tasks else {}
        form = form_about(campaign, asked, YES_NO.name if quick else None)
        answer |= {"campaign": campaign_json(store, campaign, form), "training": training_json(next_tasks.training)}
    if campaign is None or not next_tasks.tasks:
        ending = no_item_json(store, campaign, next_tasks)
        if campaign is not None:
            record_departure(store, campaign, name, next_tasks, ending.get("code", ""))
            ending |= {"pay": pay_text(campaign.settings)} if next_tasks.progress.done else {}
        return answer | ending
    wanted = YES_NO.name if quick else None
    tasks = [
        offer_json(store, name, item_form(store, campaign, task, name, answered=wanted))
        | {"draft": next_tasks.drafts.get(task.item_id)}
        for task in next_tasks.tasks
    ]
    return answer | {"state": "label", "tasks": tasks}


def consent(store: Store, annotator: Annotator, text: str) -> bool:
    """Note that somebody agrees to what their campaign asks; returns False if it asks something else now.

    ``text`` names what they have read.

    Raises:
        CampaignGone: the campaign was deleted.
    """
    campaign = campaign_at_work(store, annotator)
    if text != management.consent_hash(campaign.settings):
        return False
    management.give_consent(store, campaign.campaign_id, annotator.name, text)
    return True


def skip(store: Store, annotator: Annotator, campaign_id: str, ticket: str) -> None:
    """Put an item at the end of somebody's line.

    Raises:
        NotInCampaign, CampaignGone, ImageGone: as ``task_at_hand``.
        CampaignClosed: the campaign has not started yet, or is archived.
    """
    campaign, task = task_at_hand(store, annotator, campaign_id, ticket)
    participation.skip(store, annotator.name, task.item_id, campaign.campaign_id)


def report(store: Store, annotator: Annotator, campaign_id: str, ticket: str, reason: str) -> None:
    """Note that somebody says that an item cannot be judged.

    Raises:
        NotInCampaign, CampaignGone, ImageGone: as ``task_at_hand``.
        CampaignClosed: the campaign has not started yet, or is archived.
        KeyError: the item is not of the campaign.
    """
    campaign, task = task_at_hand(store, annotator, campaign_id, ticket)
    participation.report(store, annotator.name, task.item_id, reason.strip(), campaign.campaign_id)


def keep_draft(store: Store, annotator: Annotator, campaign_id: str, ticket: str, answers: Mapping[str, Any]) -> None:
    """Keep answers that are not complete yet; the item stays reserved for whoever writes them.

    Raises:
        NotInCampaign, CampaignGone, ImageGone: as ``task_at_hand``.
        CampaignClosed: the campaign has not started yet, or is archived.
    """
    campaign, task = task_at_hand(store, annotator, campaign_id, ticket)
    allocation.save_draft(store, allocation.AnswerDraft(campaign.campaign_id, annotator.name, task.item_id, answers))


def take_back_skip(store: Store, annotator: Annotator) -> bool:
    """Give somebody their latest skipped item again; returns False if nothing is skipped.

    Raises:
        CampaignGone, CampaignClosed: the campaign was deleted, has not started yet, or is archived.
    """
    return participation.unskip(store, annotator.name, campaign_at_work(store, annotator).campaign_id) is not None


def pause(store: Store, annotator: Annotator) -> dict[str, Any]:
    """Let go of what somebody holds, and return the code or the sentence with which they leave.

    Raises:
        CampaignGone: the campaign was deleted.
    """
    person, campaign = annotator.name, campaign_at_work(store, annotator)
    # whoever is paused, or has failed the training, has no other code for leaving this way
    next_tasks = participation.next_tasks(store, person, campaign.campaign_id)
    leaving = leaving_outcome(next_tasks, campaign.settings)
    participation.pause(store, person, campaign.campaign_id)
    worked = bool(participation.own_answers(store, person, campaign.campaign_id, limit=1))
    completion = completion_json(campaign.settings, leaving, worked=worked)
    record_departure(store, campaign, person, next_tasks, completion.get("code", ""))
    return {"paused": True} | completion


def withdraw(store: Store, annotator: Annotator, campaign_id: str) -> dict[str, Any]:
    """Withdraw somebody's answers from a campaign, and return how many, and what they are told then.

    Raises:
        NotInCampaign, CampaignGone: as ``Annotator.campaign_in``.
        PermissionError: the campaign does not allow it.
        CampaignClosed: the campaign has not started yet, or is archived.
    """
    context = answer_context(store, SentReference(annotator.name, campaign_id, annotator.turned_to))
    campaign = annotator.campaign_in(context, campaign_id)
    if not campaign.settings.withdrawal:
        raise PermissionError("Answers cannot be withdrawn here. Please write to whoever invited you.")
    n = revocations.withdraw(store, annotator.name, campaign.campaign_id)
    return {"withdrawn": n} | no_item_json(
        store, campaign, participation.next_tasks(store, annotator.name, campaign.campaign_id)
    )


def last_answer(store: Store, annotator: Annotator) -> dict[str, Any] | None:
    """Return somebody's last answer in its form, to be revised; None: they have not answered anything yet.

    Raises:
        CampaignGone, ImageGone: the campaign or the image was deleted.
    """
    campaign = campaign_at_work(store, annotator)
    answers = participation.own_answers(store, annotator.name, campaign.campaign_id)
    return _revisable(store, annotator.name, campaign, answers[0]) if answers else None


def own_answer(store: Store, annotator: Annotator, annotation_id: str) -> dict[str, Any] | None:
    """Return one of somebody's answers in its form, to be revised; None: it is not theirs, or they have revised it since.

    Raises:
        CampaignGone, ImageGone: the campaign or the image was deleted.
    """
    campaign = campaign_at_work(store, annotator)
    answer = participation.own_answer(store, annotator.name, campaign.campaign_id, annotation_id)
    return None if answer is None else _revisable(store, annotator.name, campaign, answer)


def own_answers(store: Store, annotator: Annotator) -> list[dict[str, Any]]:
    """Return somebody's answers, the last one first, each with no more than the form shows, as it can still be revised.

    Raises:
        CampaignGone: the campaign was deleted.
    """
    person, campaign = annotator.name, campaign_at_work(store, annotator)
    past = []
    for answer in participation.own_answers(store, person, campaign.campaign_id, limit=_LOOK_BACK):
        task = campaign_items.get_task(store, answer.public_id)
        about = answered_form(store, campaign, task, person, answer).to_json() if task else {"images": [], "caption": None}
        stored = {"id": answer.annotation_id, "answers": answer.answers, "submitted": answer.submitted.isoformat()}
        past.append(stored | {name: about[name] for name in ("images", "caption")})
    return past


def _revisable(store: Store, person: str, campaign: Campaign, answer: OwnAnswer) -> dict[str, Any]:
    task = campaign_items.get_task(store, answer.public_id)
    if task is None:
        raise ImageGone
    offered = offer_json(store, person, answered_form(store, campaign, task, person, answer))
    return offered | {"answers": answer.answers, "revises": answer.annotation_id}
