"""JSON routes of the form: what is next, what was answered. They never tell who made an image, or what others say."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, Field

from annotation.questionnaires.base import clean, validate
from annotation.questionnaires.registry import YES_NO
from concord import form
from concord.common.base_path import at
from data.campaigns.settings import Campaign
from data.records import Annotation
from data.store.campaigns import allocation, management, participation
from data.store.core import campaign_items
from data.store.core.campaign_items import CampaignClosed
from data.store.core.store import Store
from data.store.judgements import answer_status, recording, revocations
from ui.web.api import person_of, refusing
from ui.web.auth import sessions
from ui.web.auth.accounts import NAME_TAKEN, checked_name
from ui.web.auth.authorization import Access, may, visitor_of
from ui.web.texts import language_of

_LOOK_BACK = 100
"""So many of one's own answers can be looked at again."""


class NameBody(BaseModel):
    name: str = Field(max_length=1000)


def _storable(answers: dict[str, Any]) -> dict[str, Any]:
    """JSON may hold what no database or browser takes back: NaN, halves of characters, endless nesting."""
    try:
        json.dumps(answers, ensure_ascii=False, allow_nan=False).encode()
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return answers


def _moment(started: datetime | None) -> datetime | None:
    """Python tells the first and the last years of its calendar in some time zones only."""
    try:
        return started if started is None else started.astimezone(UTC) if started.tzinfo else started.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("not a moment that can be stored") from error


class TicketBody(BaseModel):
    """What a request is about: as the task told it, whatever campaign the person has turned to since."""

    ticket: str = Field(max_length=64)
    campaign: str = Field(default=campaign_items.DEFAULT, max_length=64)


class DraftBody(TicketBody):
    answers: Annotated[dict[str, Any], AfterValidator(_storable)]


class ReportBody(TicketBody):
    reason: str = Field(min_length=1, max_length=1000)


class CampaignBody(BaseModel):
    campaign: str = Field(max_length=64)


class ConsentBody(BaseModel):
    text: str = Field(max_length=64)


class SubmissionBody(TicketBody):
    """One whole answer, as the browser sends it; ``id`` is its own, so that sending twice is harmless.

    ``asked`` is the version of the prompt's own questions, and ``offer`` the signed moment, as the task told them: times are
    believed as far as they lie between that moment and now. ``quick``: it answers the one question of the quick form. With
    ``following`` the answer says what comes next, as ``/api/next`` does, and spares asking.
    """

    id: uuid.UUID
    answers: Annotated[dict[str, Any], AfterValidator(_storable)]
    asked: int | None = Field(default=None, ge=0, le=2**31 - 1)
    offer: str | None = Field(default=None, max_length=200)
    started: Annotated[datetime | None, AfterValidator(_moment)] = None
    active_seconds: float | None = Field(default=None, ge=0, le=86_400, allow_inf_nan=False)
    revises: uuid.UUID | None = None
    quick: bool = False
    following: bool = False


def router(store: Store) -> APIRouter:
    """The routes under ``/api``."""
    routes = APIRouter(prefix="/api")

    # these two are asked for most, so they come first; they are JSON already: FastAPI would walk through all of it once more
    @routes.post("/submit")
    def submit(request: Request, body: SubmissionBody) -> JSONResponse:
        return _submit(store, request, _campaign(store, request, body.campaign), body)

    @routes.get("/next")
    def following(request: Request, quick: bool = False) -> JSONResponse:
        name = sessions.name_of(request)
        if name is None:
            return JSONResponse({"state": "name"})
        chosen = _chosen(request)
        campaign = chosen or campaign_items.DEFAULT
        before = _before(store, name, chosen)
        if before is not None:
            return JSONResponse(before)
        next_tasks = participation.next_tasks(store, name, campaign)
        return JSONResponse(_describe_next_tasks(store, request, name, campaign, next_tasks, quick=quick))

    @routes.post("/name")
    def enter(request: Request, body: NameBody) -> dict[str, str]:
        name = checked_name(body.name)
        try:
            participation.enter(store, name)
        except participation.NameTaken as error:
            raise HTTPException(422, NAME_TAKEN) from error
        request.session.update(name=name)
        # what they have seen before they gave a name, they have seen
        if (visitor := sessions.unnamed_token(request)) is not None:
            answer_status.adopt_unblinding(store, visitor, name)
        return {"name": name}

    @routes.post("/leave")
    def leave(request: Request) -> dict[str, bool]:
        if name := sessions.name_of(request):
            participation.leave(store, name)
        request.session.clear()
        return {"left": True}

    @routes.post("/campaign")
    def choose(request: Request, body: CampaignBody) -> dict[str, str]:
        if _is_invited(request) and body.campaign != _chosen(request):
            raise HTTPException(422, "Your invitation is for another campaign; ask for one for this campaign.")
        if form.campaign_of(store, body.campaign) is None:
            raise HTTPException(404, "There is no such campaign in this project.")
        request.session.update(campaign=body.campaign)
        return {"campaign": body.campaign}

    @routes.post("/consent")
    def agree(request: Request, body: ConsentBody) -> dict[str, bool]:
        person, campaign = person_of(request), _campaign(store, request)
        if body.text != management.consent_hash(campaign.settings):
            raise HTTPException(409, "The text has changed. Please read it again.")
        management.give_consent(store, campaign.campaign_id, person, body.text)
        return {"agreed": True}

    # what else can be done with an item than answering it
    @routes.post("/skip")
    def skip(request: Request, body: TicketBody) -> dict[str, bool]:
        person, campaign = person_of(request), _campaign(store, request, body.campaign)
        with refusing(409, CampaignClosed):
            participation.skip(store, person, _task(store, body.ticket).item_id, campaign.campaign_id)
        return {"skipped": True}

    @routes.post("/unskip")
    def unskip(request: Request) -> dict[str, bool]:
        person, campaign = person_of(request), _campaign(store, request)
        with refusing(409, CampaignClosed):
            return {"taken_back": participation.unskip(store, person, campaign.campaign_id) is not None}

    @routes.post("/pause")
    def pause(request: Request) -> dict[str, Any]:
        person, campaign = person_of(request), _campaign(store, request)
        # whoever is paused, or has failed the training, has no other code for leaving this way
        next_tasks = participation.next_tasks(store, person, campaign.campaign_id)
        leaving = form.leaving_outcome(next_tasks, campaign.settings)
        participation.pause(store, person, campaign.campaign_id)
        worked = bool(participation.own_answers(store, person, campaign.campaign_id, limit=1))
        shown = form.completion_json(campaign.settings, leaving, worked=worked)
        form.record_departure(store, campaign, person, next_tasks, shown.get("code", ""))
        return {"paused": True} | shown

    @routes.post("/report")
    def report(request: Request, body: ReportBody) -> dict[str, bool]:
        person, campaign = person_of(request), _campaign(store, request, body.campaign)
        item_id = _task(store, body.ticket).item_id
        try:
            with refusing(409, CampaignClosed):
                participation.report(store, person, item_id, body.reason.strip(), campaign.campaign_id)
        except KeyError as error:
            raise HTTPException(422, "This image is not part of the campaign.") from error
        return {"reported": True}

    @routes.post("/withdraw")
    def withdraw(request: Request, body: CampaignBody) -> dict[str, Any]:
        person, campaign = person_of(request), _campaign(store, request, body.campaign)
        if not campaign.settings.withdrawal:
            raise HTTPException(403, "Answers cannot be withdrawn here. Please write to whoever invited you.")
        with refusing(409, CampaignClosed):
            n = revocations.withdraw(store, person, campaign.campaign_id)
        return {"withdrawn": n} | form.no_item_json(
            store, campaign, participation.next_tasks(store, person, campaign.campaign_id)
        )

    @routes.post("/draft")
    def draft(request: Request, body: DraftBody) -> dict[str, bool]:
        person, campaign = person_of(request), _campaign(store, request, body.campaign)
        answer_draft = allocation.AnswerDraft(campaign.campaign_id, person, _task(store, body.ticket).item_id, body.answers)
        with refusing(409, CampaignClosed):
            allocation.save_draft(store, answer_draft)
        return {"kept": True}

    # what somebody has answered themselves
    @routes.get("/last")
    def last(request: Request) -> dict[str, Any]:
        person, campaign = person_of(request), _campaign(store, request)
        answers = participation.own_answers(store, person, campaign.campaign_id)
        if not answers:
            raise HTTPException(404, "You have not answered anything yet.")
        return _again(store, person, campaign, answers[0])

    @routes.get("/mine")
    def mine(request: Request) -> dict[str, Any]:
        person, campaign = person_of(request), _campaign(store, request)
        answers = participation.own_answers(store, person, campaign.campaign_id, limit=_LOOK_BACK)
        return {"answers": [_past(store, person, campaign, answer) for answer in answers]}

    @routes.get("/mine/{annotation_id}")
    def my_answer(request: Request, annotation_id: uuid.UUID) -> dict[str, Any]:
        person, campaign = person_of(request), _campaign(store, request)
        answer = participation.own_answer(store, person, campaign.campaign_id, str(annotation_id))
        if answer is None:
            raise HTTPException(404, "This is not your answer, or you have revised it since.")
        return _again(store, person, campaign, answer)

    return routes


def _is_invited(request: Request) -> bool:
    visitor = visitor_of(request)
    return visitor is not None and visitor.invited


def _chosen(request: Request) -> str | None:
    """Return the campaign that this person works in: that of their invitation, or the one that they chose; None: neither."""
    visitor = visitor_of(request)
    if visitor is not None and visitor.invited:
        return visitor.campaign or campaign_items.DEFAULT
    return sessions.campaign_of(request)


def _campaign(store: Store, request: Request, named: str | None = None) -> Campaign:
    """The campaign that this person works in; or the one of a request, if they have worked in it."""
    turned_to = _chosen(request) or campaign_items.DEFAULT
    # the drawer of Images asks for the default one, whatever somebody has turned to on the annotators' page
    theirs = {turned_to} if _is_invited(request) else {turned_to, campaign_items.DEFAULT}
    if named is not None and named not in theirs and not participation.worked_in(store, person_of(request), named):
        raise HTTPException(422, "You are not in this campaign. Please load the page again.")
    campaign = form.campaign_of(store, named or turned_to)
    if campaign is None:
        raise HTTPException(404, "This campaign was deleted. Please ask whoever invited you.")
    return campaign


def _task(store: Store, ticket: str) -> campaign_items.AnnotationTask:
    task = campaign_items.get_task(store, ticket)
    if task is None:
        raise HTTPException(404, "This image is no longer part of the project.")
    return task


def _before(store: Store, name: str, chosen: str | None) -> dict[str, Any] | None:
    """What is to be done before anything is offered."""
    if chosen is None and (offered := form.campaign_choices(store)):
        return {"state": "choose", "name": name, "campaigns": offered}
    campaign = form.campaign_of(store, chosen or campaign_items.DEFAULT)
    if campaign is not None and campaign.state == "running" and (first := form.consent_json(store, campaign, name)):
        return first | {"name": name, "campaign": form.campaign_json(store, campaign)}
    return None


def _describe_next_tasks(
    store: Store, request: Request, name: str, campaign_id: str, next_tasks: allocation.NextTasks, *, quick: bool
) -> dict[str, Any]:
    """What lies before somebody, as their browser is told; ``quick``: with the quick form where no campaign has chosen one.

    A researcher who labels outside campaigns is shown the way to the results.
    """
    campaign = form.campaign_of(store, campaign_id)
    answer: dict[str, Any] = {"name": name, "progress": form.progress_json(next_tasks.progress)}
    visitor = visitor_of(request)
    if visitor is not None and not visitor.invited and may(visitor.role, Access.RESEARCHER):
        # whoever answers in a campaign is there for its questions alone
        answer |= {"results": at("/studio/")} if campaign_id == campaign_items.DEFAULT else {}
    if campaign is not None:
        answer |= {"campaign": form.campaign_json(store, campaign), "training": form.training_json(next_tasks.training)}
    if campaign is None or not next_tasks.tasks:
        ending = form.no_item_json(store, campaign, next_tasks)
        if campaign is not None:
            form.record_departure(store, campaign, name, next_tasks, ending.get("code", ""))
        return answer | ending
    wanted = YES_NO.name if quick else None
    tasks = [
        _offer(store, name, form.item_form(store, campaign, task, name, answered=wanted))
        | {"draft": next_tasks.drafts.get(task.item_id)}
        for task in next_tasks.tasks
    ]
    return answer | {"state": "label", "tasks": tasks}


def _offer(store: Store, person: str, about: form.ItemForm) -> dict[str, Any]:
    return about.to_json() | {"offer": form.sign_offer(store, person, about)}


def _past(store: Store, person: str, campaign: Campaign, answer: participation.OwnAnswer) -> dict[str, Any]:
    """A past answer in the list of one's own: with no more than the form shows, as it can still be revised."""
    here = campaign_items.get_task(store, answer.public_id) is not None
    shown = answered_form(store, person, campaign, answer).to_json() if here else {"images": [], "caption": None}
    past = {"id": answer.annotation_id, "answers": answer.answers, "submitted": answer.submitted.isoformat()}
    return past | {name: shown[name] for name in ("images", "caption")}


def _again(store: Store, person: str, campaign: Campaign, answer: participation.OwnAnswer) -> dict[str, Any]:
    """An answer in its form, to be revised: the questions that were asked then."""
    about = answered_form(store, person, campaign, answer)
    return _offer(store, person, about) | {"answers": answer.answers, "revises": answer.annotation_id}


def answered_form(store: Store, person: str, campaign: Campaign, answer: participation.OwnAnswer) -> form.ItemForm:
    """The form that an answer was given in, to show and to revise it: its questionnaire, and the prompt's questions of then."""
    version = (answer.raw or {}).get("questions")
    return form.item_form(store, campaign, _task(store, answer.public_id), person, version, answer.questionnaire)


def _submit(store: Store, request: Request, campaign: Campaign, body: SubmissionBody) -> JSONResponse:
    person, chosen = person_of(request), _chosen(request)
    revised = participation.own_answer(store, person, campaign.campaign_id, str(body.revises)) if body.revises else None
    questionnaire = revised.questionnaire if revised else YES_NO.name if body.quick else None
    try:
        about = form.item_form(store, campaign, _task(store, body.ticket), person, body.asked, questionnaire)
    except KeyError as error:
        raise HTTPException(422, "The questions have changed. Please load the page again.") from error
    errors = validate(about.questionnaire, body.answers, language_of(request.scope))
    if errors:
        return JSONResponse({"detail": "Some answers are missing or invalid.", "errors": errors}, 422)
    answers = clean(about.questionnaire, body.answers)
    annotation = _annotation(store, about, person, answers, body)
    first = _before(store, person, chosen) if body.following else None
    next_tasks: allocation.NextTasks | None = None
    try:
        with refusing(409, CampaignClosed):
            if body.following and first is None:
                answered = participation.submit_answer(
                    store, annotation, about.form.undecided, chosen or campaign_items.DEFAULT
                )
                saved, next_tasks = answered.saved, answered.next_tasks
            else:
                saved = recording.submit(store, annotation, about.form.undecided)
    except KeyError as error:
        raise HTTPException(422, "The image or the answer that this one revises was deleted, or is not yours.") from error
    feedback = form.feedback_json(answers, saved.feedback)
    # gold and attention items must look like all others
    status = "surplus" if saved.status == "surplus" else "valid"
    reply = {"saved": True, "id": saved.annotation_id, "new": saved.new, "status": status, "feedback": feedback}
    reply |= {"earlier": saved.earlier, "reason": saved.reason}
    if next_tasks is not None:
        first = _describe_next_tasks(store, request, person, chosen or campaign_items.DEFAULT, next_tasks, quick=body.quick)
    return JSONResponse(reply if first is None else reply | {"next": first})


def _annotation(
    store: Store, about: form.ItemForm, person: str, answers: Mapping[str, Any], body: SubmissionBody
) -> Annotation:
    revised = str(body.revises) if body.revises else None
    saw_evidence, revises = answer_status.resolve_revision(store, person, about.task.item_id, revised)
    offered = form.offered_at(store, person, about, body.offer)
    started, active_seconds = form.plausible_times(offered, body.started, body.active_seconds)
    return about.annotation(
        person,
        answers,
        annotation_id=str(body.id),
        started=started,
        active_seconds=active_seconds,
        saw_evidence=saw_evidence,
        revises=revises,
    )
