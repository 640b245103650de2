"""JSON routes of the form: what is next, what was answered. They never tell who made an image, or what others say."""

from __future__ import annotations

import json
import unicodedata
import uuid
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import JSONResponse
from pydantic import AfterValidator, BaseModel, Field

from annotation.questionnaires import geneval
from annotation.questionnaires.base import Questionnaire, clean, to_json
from annotation.questionnaires.checks import validate
from annotation.questionnaires.form import Asked
from data.records import Annotation
from data.store import browse, campaigns, statements, uncovered
from data.store.store import Store
from ui import teaching
from ui.commands.derive import derive, of_image
from ui.root import at

MAX_NAME = 60


class Name(BaseModel):
    name: str = Field(max_length=1000)


class Skip(BaseModel):
    ticket: str = Field(max_length=64)


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
        return started if started is None or started.tzinfo is None else started.astimezone(UTC)
    except OverflowError as error:
        raise ValueError("not a moment that can be stored") from error


class Submission(BaseModel):
    """One whole answer, as the browser sends it; ``id`` is its own, so that sending twice is harmless."""

    id: uuid.UUID
    ticket: str = Field(max_length=64)
    answers: Annotated[dict[str, Any], AfterValidator(_storable)]
    started: Annotated[datetime | None, AfterValidator(_moment)] = None
    active_seconds: float | None = Field(default=None, ge=0, le=86_400, allow_inf_nan=False)
    revises: uuid.UUID | None = None


def router(store: Store) -> APIRouter:
    """The routes under ``/api``."""
    routes = APIRouter(prefix="/api")

    @routes.post("/name")
    def enter(request: Request, body: Name) -> dict[str, str]:
        name = checked_name(body.name)
        try:
            campaigns.enter(store, name)
        except campaigns.NameTaken as error:
            sentence = str(error)
            raise HTTPException(422, sentence[0].upper() + sentence[1:] + ".") from error
        request.session["name"] = name
        return {"name": name}

    @routes.post("/leave")
    def leave(request: Request) -> dict[str, bool]:
        if name := request.session.pop("name", None):
            campaigns.leave(store, name)
        return {"left": True}

    @routes.get("/next")
    def following(request: Request) -> dict[str, Any]:
        name = request.session.get("name")
        return {"state": "name"} if name is None else _desk(store, name)

    @routes.post("/skip")
    def skip(request: Request, body: Skip) -> dict[str, bool]:
        person = _person(request)
        campaigns.skip(store, person, _task(store, body.ticket).item_id)
        return {"skipped": True}

    @routes.get("/last")
    def last(request: Request) -> dict[str, Any]:
        found = campaigns.last_annotation(store, _person(request))
        if found is None:
            raise HTTPException(404, "You have not answered anything yet.")
        task = _task(store, found["public_id"])
        return task_json(task) | {"answers": found["answers"], "revises": found["annotation_id"]}

    @routes.post("/submit", response_model=None)
    def submit(request: Request, body: Submission) -> dict[str, Any] | JSONResponse:
        return _submit(store, _person(request), body)

    return routes


def checked_name(text: str) -> str:
    """A person's name as they typed it, without blanks around it.

    Raises:
        HTTPException: 422, with a sentence for the person.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise HTTPException(422, "Please type a name.")
    if len(name) > MAX_NAME:
        raise HTTPException(422, f"That name is too long: {MAX_NAME} characters at most.")
    if any(unicodedata.category(character).startswith("C") for character in name):
        raise HTTPException(422, "That name has characters that cannot be shown.")
    return name


def _person(request: Request) -> str:
    name = request.session.get("name")
    if name is None:
        raise HTTPException(401, "Please give your name first.")
    return str(name)


def _task(store: Store, ticket: str) -> campaigns.Task:
    task = campaigns.task(store, ticket)
    if task is None:
        raise HTTPException(404, "This image is no longer part of the project.")
    return task


def _desk(store: Store, name: str) -> dict[str, Any]:
    desk = campaigns.desk(store, name)
    progress = _progress(desk.progress)
    if desk.tasks:
        return {"state": "label", "name": name, "progress": progress, "tasks": [task_json(task) for task in desk.tasks]}
    if browse.totals(store)["images"] == 0:
        message = "There are no images in this project yet. Import some, and this page will offer them."
        return {"state": "empty", "name": name, "message": message, "commands": teaching.commands(store, teaching.IMAGES)}
    message = f"Nothing is left for you, {name}: every image has been answered by you or by enough other people. Thank you!"
    return {"state": "done", "name": name, "progress": progress, "message": message}


def _progress(progress: campaigns.Progress) -> dict[str, int]:
    return {"done": progress.done, "remaining": progress.remaining, "total": progress.done + progress.remaining}


def _questionnaire(task: campaigns.Task) -> Questionnaire:
    return geneval.FORM.build(_asked(task))


def _asked(task: campaigns.Task) -> Asked:
    return Asked(task.text, task.spec)


def task_json(task: campaigns.Task) -> dict[str, Any]:
    """All that a form needs to ask about one image, and nothing that tells whose image it is."""
    return {
        "ticket": task.public_id,
        "image": at(f"/img/{task.sha256}"),
        "width": task.width,
        "height": task.height,
        "caption": task.text,
        "questionnaire": to_json(_questionnaire(task)),
        "answers": None,
        "revises": None,
    }


def _submit(store: Store, person: str, body: Submission) -> dict[str, Any] | JSONResponse:
    task = _task(store, body.ticket)
    questionnaire = _questionnaire(task)
    errors: Mapping[str, str] = validate(questionnaire, body.answers)
    if errors:
        return JSONResponse({"detail": "Some answers are missing or cannot be right.", "errors": errors}, 422)
    answers = clean(questionnaire, body.answers)
    rule_version, derived = derive(questionnaire.name, answers, _asked(task))
    revised = str(body.revises) if body.revises else None
    saw_evidence, revises = uncovered.place_of(store, person, task.item_id, revised)
    annotation = Annotation(
        annotation_id=str(body.id),
        item_id=task.item_id,
        rater_id=person,
        questionnaire=questionnaire.name,
        answers=answers,
        judgements=of_image(derived),
        rule_version=rule_version,
        campaign_id=campaigns.DEFAULT,
        started=body.started,
        active_seconds=body.active_seconds,
        saw_evidence=saw_evidence,
        revises=revises,
    )
    try:
        saved = statements.submit(store, annotation)
    except KeyError as error:
        raise HTTPException(422, "The image or the answer that this one revises is gone, or is not yours.") from error
    return {"saved": True, "id": saved.annotation_id, "new": saved.new, "status": saved.status}
