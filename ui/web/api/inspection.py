"""JSON routes of the drawer of Images: one image, its form, what scorers saw and others said, what researchers leave.

What scorers saw and others said is told only once somebody may see it. Researchers leave notes and verdicts on who was wrong;
the image's history says what happened to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from pydantic import BaseModel, Field

from concord.browsing import grid
from concord.browsing.listing import ImageListing
from concord.campaigns import gold
from concord.common import wording
from concord.form import preview
from concord.inspection import evidence, image, remarks
from concord.inspection.image import NoSuchImage
from concord.inspection.remarks import Covered, EmptyNote, NothingToTakeBack, NotJudged, VerdictCase
from concord.open_project import OpenProject
from data.refusals import NoteRefused
from data.remarks import Note, Wrong
from ui.components.addresses import listing_of
from ui.web.api import person_of, refusing
from ui.web.api.form import DraftBody
from ui.web.auth.sessions import name_of, unnamed_token

ItemId = Annotated[str, Query(max_length=1000)]


class UncoverBody(BaseModel):
    """``shown`` names the rater whose values the grid shows that somebody comes from."""

    id: str = Field(max_length=1000)
    shown: str | None = Field(default=None, max_length=1000)


def router(store: OpenProject) -> APIRouter:
    """The routes under ``/api/studio`` that the drawer uses: an image, what is left beside it, and campaigns: one as people
    will see it, and gold of an image with a verdict. None of them tells anything before it may be seen."""
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/item")
    def item(request: Request, id: ItemId) -> dict[str, Any]:
        with _refusing():
            return image.image_json(store, name_of(request), id, unnamed_token(request))

    @routes.get("/task")
    def task(request: Request, id: ItemId, quick: bool = False) -> dict[str, Any]:
        with _refusing():
            return image.task_json(store, name_of(request), id, quick=quick)

    @routes.get("/neighbours")
    def neighbours(id: ItemId, listing: Annotated[ImageListing, Depends(listing_of)]) -> dict[str, Any]:
        return grid.neighbours_json(store, listing, id)

    @routes.get("/evidence")
    def seen(request: Request, id: ItemId) -> dict[str, Any]:
        with _refusing():
            return evidence.visible_evidence(store, name_of(request), id, unnamed_token(request))

    @routes.post("/open")
    def open_image(request: Request, body: UncoverBody) -> dict[str, Any]:
        """All that was said of an image, for somebody outside of Blind mode, with or without a name; that they have seen it is
        recorded first, and is theirs once they give a name."""
        person, token = name_of(request), unnamed_token(request) or ""
        if person is None and not token:
            token = unnamed_token(request, new=True) or ""
        with _refusing():
            return evidence.open_image(store, person, body.id, body.shown, token)

    @routes.post("/uncover")
    def uncover(request: Request, body: UncoverBody) -> dict[str, Any]:
        with _refusing():
            return evidence.uncover(store, person_of(request, "who uncovers an image is recorded"), body.id, body.shown)

    @routes.get("/remarks")
    def listed(request: Request, id: Annotated[str, Query(max_length=1000)]) -> dict[str, Any]:
        with _refusing():
            return remarks.image_remarks(store, image.viewer(name_of(request), unnamed_token(request)), id)

    @routes.post("/notes")
    def note(request: Request, body: NoteBody) -> dict[str, Any]:
        revises = str(body.revises) if body.revises else None
        with _refusing():
            written = Note(str(body.id), body.item, body.text.strip(), person_of(request, _SIGNED), revises)
            return remarks.write_note(store, written)

    @routes.post("/verdict")
    def verdict(request: Request, body: VerdictBody) -> dict[str, Any]:
        case = VerdictCase(str(body.id), body.item, body.aspect, body.target)
        with _refusing(), refusing(422, ValueError):
            return remarks.give_verdict(
                store,
                person_of(request, _SIGNED),
                case,
                verdict=body.verdict,
                wrong=body.wrong,
                rater=body.rater,
                note=body.note,
            )

    @routes.post("/verdict/back")
    def take_back(request: Request, body: TakeBackBody) -> dict[str, Any]:
        case = VerdictCase(str(body.id), body.item, body.aspect, body.target)
        with _refusing():
            return remarks.take_back_verdict(store, person_of(request, _SIGNED), case)

    @routes.get("/preview")
    def look(campaign: Annotated[str, Query(max_length=64)]) -> dict[str, Any]:
        form = preview.preview_json(store, campaign)
        if form is None:
            raise HTTPException(404, f"There is no campaign {campaign!r} in this project.")
        return form

    @routes.post("/preview")
    def answer_preview(body: DraftBody) -> dict[str, Any]:
        """What a campaign would tell a worker about these answers in a preview (`feedback`); nothing is stored."""
        feedback = preview.preview_feedback_json(store, body.campaign, body.ticket, body.answers)
        if feedback is None:
            raise HTTPException(404, "This image is not part of the campaign.")
        return feedback

    @routes.get("/gold")
    def drafts() -> dict[str, Any]:
        return {"campaigns": [{"id": draft.campaign_id, "title": draft.title} for draft in gold.drafts(store)]}

    @routes.post("/gold")
    def make(request: Request, body: GoldBody) -> dict[str, Any]:
        person = person_of(request, "gold is made of your verdicts and answers")
        with _refusing(), refusing(422, ValueError):
            return remarks.make_gold(store, person, body.campaign, body.item)

    return routes


@contextmanager
def _refusing() -> Iterator[None]:
    """Answer what cannot be done with an image with a status and a sentence."""
    try:
        yield
    except NotJudged as error:
        # it may begin with the name of a rater
        raise HTTPException(422, str(error)) from error
    except (NoSuchImage, EmptyNote, Covered, NothingToTakeBack, NoteRefused) as error:
        status = {NoSuchImage: 404, EmptyNote: 422}.get(type(error), 409)
        raise HTTPException(status, wording.sentence(error)) from error


_Text = Annotated[str, Field(max_length=1000)]
MOST_REMARKS = 4000
"""Characters of a note."""
_SIGNED = "notes and verdicts are signed"


class NoteBody(BaseModel):
    """An empty text takes the note back that it revises."""

    id: UUID
    item: _Text
    text: str = Field(max_length=MOST_REMARKS)
    revises: UUID | None = None


class TakeBackBody(BaseModel):
    """The aspect (and target) of an image of which the latest verdict is taken back."""

    id: UUID
    item: _Text
    aspect: _Text
    target: _Text | None = None


class VerdictBody(BaseModel):
    """What is right about an aspect (and target) of an image, and who or what was wrong."""

    id: UUID
    item: _Text
    aspect: _Text
    target: _Text | None = None
    verdict: _Text
    wrong: Wrong
    rater: _Text | None = None
    note: str = Field(default="", max_length=MOST_REMARKS)


class GoldBody(BaseModel):
    """An image that becomes gold of a campaign."""

    item: _Text
    campaign: _Text
