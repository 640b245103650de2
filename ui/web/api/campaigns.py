"""JSON routes of campaigns for those who manage them: who has which flags, and revoking several people together."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from concord.campaigns import revoking
from concord.project import OpenProject
from data.refusals import CampaignRefused
from ui.web.api import person_of, refusing

CampaignId = Annotated[str, Query(max_length=64)]
_SIGNED = "who revokes people is recorded"


class RevokeBody(BaseModel):
    """``people``: their names; None: those who are preselected. ``uncount``: their answers so far stop counting, too."""

    campaign: str = Field(max_length=64)
    people: list[Annotated[str, Field(max_length=1000)]] | None = Field(default=None, max_length=10_000)
    uncount: bool = False


class UndoBody(BaseModel):
    campaign: str = Field(max_length=64)


def router(store: OpenProject) -> APIRouter:
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/flagged")
    def flagged(campaign: CampaignId) -> list[dict[str, Any]]:
        with refusing(404, CampaignRefused):
            return [asdict(candidate) for candidate in revoking.candidates(store, campaign)]

    @routes.post("/revoke")
    def revoke(request: Request, body: RevokeBody) -> dict[str, Any]:
        by = person_of(request, _SIGNED)
        with refusing(409, CampaignRefused):
            people = body.people
            if people is None:
                people = [each.person for each in revoking.candidates(store, body.campaign) if each.preselected]
            answers = revoking.revoke(store, body.campaign, people, by, uncount=body.uncount)
        return {"people": people, "answers": answers}

    @routes.post("/revoke/undo")
    def undo(request: Request, body: UndoBody) -> dict[str, Any]:
        by = person_of(request, _SIGNED)
        with refusing(409, CampaignRefused):
            people, answers = revoking.undo(store, body.campaign, by)
        return {"people": people, "answers": answers}

    return routes
