"""JSON routes of the form: what is next, what was answered. They never tell who made an image, or what others say."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, Field

from concord import sign_in
from concord.form import annotator, campaign_info, submission
from concord.form.annotator import Annotator, CampaignGone, ImageGone, NotInCampaign
from concord.form.submission import InvalidAnswers, QuestionsChanged, SubmittedAnswer
from concord.inspection import evidence
from concord.open_project import OpenProject
from concord.sign_in import NameRefused
from data.campaigns.settings import DEFAULT
from data.refusals import CampaignClosed, NameTaken
from ui.web.api import person_of, refusing
from ui.web.auth import sessions
from ui.web.auth.accounts import NAME_TAKEN
from ui.web.auth.authorization import Access, may, visitor_of
from ui.web.texts import language_of


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
    campaign: str = Field(default=DEFAULT, max_length=64)


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


def router(store: OpenProject) -> APIRouter:
    """The routes under ``/api``."""
    routes = APIRouter(prefix="/api")

    # these two are asked for most, so they come first; they are JSON already: FastAPI would walk through all of it once more
    @routes.post("/submit")
    def submit(request: Request, body: SubmissionBody) -> JSONResponse:
        sent = SubmittedAnswer(
            annotation_id=str(body.id),
            ticket=body.ticket,
            campaign=body.campaign,
            answers=body.answers,
            asked=body.asked,
            offer=body.offer,
            started=body.started,
            active_seconds=body.active_seconds,
            revises=str(body.revises) if body.revises else None,
            quick=body.quick,
            following=body.following,
        )
        try:
            with _refusing():
                return JSONResponse(submission.submit(store, _annotator(request), sent, language_of(request.scope)))
        except InvalidAnswers as error:
            return JSONResponse({"detail": "Some answers are missing or invalid.", "errors": error.errors}, 422)
        except QuestionsChanged as error:
            raise HTTPException(422, "The questions have changed. Please load the page again.") from error
        except KeyError as error:
            raise HTTPException(422, "The image or the answer that this one revises was deleted, or is not yours.") from error

    @routes.get("/next")
    def following(request: Request, quick: bool = False) -> JSONResponse:
        if sessions.name_of(request) is None:
            return JSONResponse({"state": "name"})
        return JSONResponse(annotator.next_items(store, _annotator(request), quick=quick))

    @routes.post("/name")
    def enter(request: Request, body: NameBody) -> dict[str, str]:
        try:
            with refusing(422, NameRefused):
                name = sign_in.enter(store, body.name)
        except NameTaken as error:
            raise HTTPException(422, NAME_TAKEN) from error
        request.session.update(name=name)
        # what they have seen before they gave a name, they have seen
        if (token := sessions.unnamed_token(request)) is not None:
            evidence.adopt_seen(store, token, name)
        return {"name": name}

    @routes.post("/leave")
    def leave(request: Request) -> dict[str, bool]:
        sign_in.leave(store, sessions.name_of(request))
        request.session.clear()
        return {"left": True}

    @routes.post("/campaign")
    def choose(request: Request, body: CampaignBody) -> dict[str, str]:
        visitor = visitor_of(request)
        if visitor is not None and visitor.invited and body.campaign != (visitor.campaign or DEFAULT):
            raise HTTPException(422, "Your invitation is for another campaign; ask for one for this campaign.")
        if not campaign_info.can_be_chosen(store, body.campaign):
            raise HTTPException(404, "There is no such campaign in this project.")
        request.session.update(campaign=body.campaign)
        return {"campaign": body.campaign}

    @routes.post("/consent")
    def agree(request: Request, body: ConsentBody) -> dict[str, bool]:
        with _refusing():
            if not annotator.consent(store, _annotator(request), body.text):
                raise HTTPException(409, "The text has changed. Please read it again.")
        return {"agreed": True}

    # what else can be done with an item than answering it
    @routes.post("/skip")
    def skip(request: Request, body: TicketBody) -> dict[str, bool]:
        with _refusing():
            annotator.skip(store, _annotator(request), body.campaign, body.ticket)
        return {"skipped": True}

    @routes.post("/unskip")
    def unskip(request: Request) -> dict[str, bool]:
        with _refusing():
            return {"taken_back": annotator.take_back_skip(store, _annotator(request))}

    @routes.post("/pause")
    def pause(request: Request) -> dict[str, Any]:
        with _refusing():
            return annotator.pause(store, _annotator(request))

    @routes.post("/report")
    def report(request: Request, body: ReportBody) -> dict[str, bool]:
        try:
            with _refusing():
                annotator.report(store, _annotator(request), body.campaign, body.ticket, body.reason)
        except KeyError as error:
            raise HTTPException(422, "This image is not part of the campaign.") from error
        return {"reported": True}

    @routes.post("/withdraw")
    def withdraw(request: Request, body: CampaignBody) -> dict[str, Any]:
        with _refusing(), refusing(403, PermissionError):
            return annotator.withdraw(store, _annotator(request), body.campaign)

    @routes.post("/draft")
    def draft(request: Request, body: DraftBody) -> dict[str, bool]:
        with _refusing():
            annotator.keep_draft(store, _annotator(request), body.campaign, body.ticket, body.answers)
        return {"kept": True}

    # what somebody has answered themselves
    @routes.get("/last")
    def last(request: Request) -> dict[str, Any]:
        with _refusing():
            answer = annotator.last_answer(store, _annotator(request))
        if answer is None:
            raise HTTPException(404, "You have not answered anything yet.")
        return answer

    @routes.get("/mine")
    def mine(request: Request) -> dict[str, Any]:
        with _refusing():
            return {"answers": annotator.own_answers(store, _annotator(request))}

    @routes.get("/mine/{annotation_id}")
    def my_answer(request: Request, annotation_id: uuid.UUID) -> dict[str, Any]:
        with _refusing():
            answer = annotator.own_answer(store, _annotator(request), str(annotation_id))
        if answer is None:
            raise HTTPException(404, "This is not your answer, or you have revised it since.")
        return answer

    return routes


def _annotator(request: Request) -> Annotator:
    """Return who makes the request, and in which campaign they work: that of their invitation, or the one that they chose."""
    name, visitor = person_of(request), visitor_of(request)
    if visitor is not None and visitor.invited:
        return Annotator(name, visitor.campaign or DEFAULT, invited=True)
    researcher = visitor is not None and may(visitor.role, Access.RESEARCHER)
    return Annotator(name, sessions.campaign_of(request), researcher=researcher)


_GONE = {
    NotInCampaign: (422, "You are not in this campaign. Please load the page again."),
    CampaignGone: (404, "This campaign was deleted. Please ask whoever invited you."),
    ImageGone: (404, "This image is no longer part of the project."),
}


@contextmanager
def _refusing() -> Iterator[None]:
    """Answer what an annotator cannot do with a status and a sentence for them."""
    try:
        with refusing(409, CampaignClosed):
            yield
    except tuple(_GONE) as error:
        status, sentence = _GONE[type(error)]
        raise HTTPException(status, sentence) from error
