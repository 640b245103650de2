"""JSON routes of New campaign: what a form asks for, saving its draft, and starting it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from concord.common import wording
from concord.new_campaigns import drafting
from concord.new_campaigns.drafting import PRESETS, DraftRefused
from concord.open_project import OpenProject
from data.refusals import CampaignRefused
from ui.shell.html import rendered
from ui.web.api import refusing

_Name = Annotated[str, Field(max_length=100)]


class DraftValuesBody(BaseModel):
    """``campaign``: the draft, empty for a new one; ``values``: of a step's controls; ``preset``: put below them."""

    campaign: str = Field(default="", max_length=64)
    values: dict[_Name, Any] = Field(default_factory=dict, max_length=200)
    preset: str = Field(default="", max_length=20)


class StartBody(BaseModel):
    campaign: str = Field(max_length=64)


def router(store: OpenProject) -> APIRouter:
    """Return the routes under ``/api/studio/drafts``."""
    routes = APIRouter(prefix="/api/studio")

    @routes.post("/drafts/check", response_model=None)
    def check(body: DraftValuesBody) -> dict[str, Any] | JSONResponse:
        """What the form would make: `summary` and `foot` as HTML, and `problems` by field; nothing is written."""
        from ui.pages.new_campaign import foot_of, summary_lines

        try:
            values = _values(store, body)
        except DraftRefused as error:
            return {"problems": error.problems}
        checked = drafting.check_draft(store, values, campaign_id=body.campaign)
        return {
            "summary": rendered(summary_lines(store, checked)),
            "foot": rendered(foot_of(store, checked)),
            "problems": checked.problems,
        }

    @routes.post("/drafts", response_model=None)
    def save(body: DraftValuesBody) -> dict[str, Any] | JSONResponse:
        try:
            campaign = drafting.save_draft(store, _values(store, body), body.campaign)
        except DraftRefused as error:
            return _refused(error)
        return {"campaign": campaign.campaign_id}

    @routes.post("/drafts/preset")
    def preset(body: DraftValuesBody) -> dict[str, Any]:
        """All values of a preset; codes are new each time."""
        if body.preset not in PRESETS:
            raise HTTPException(404, "There is no such preset.")
        return {"values": drafting.preset(body.preset)}

    @routes.post("/drafts/start", response_model=None)
    def start(body: StartBody) -> dict[str, Any] | JSONResponse:
        try:
            with refusing(409, CampaignRefused):
                campaign = drafting.start_draft(store, body.campaign)
        except DraftRefused as error:
            return _refused(error)
        return {"campaign": campaign.campaign_id}

    return routes


def _values(store: OpenProject, body: DraftValuesBody) -> dict[str, Any]:
    """Return a draft's values with those of the form in their place."""
    with refusing(409, CampaignRefused):
        stored = drafting.draft_values(store, body.campaign) if body.campaign else {}
    below = drafting.preset(body.preset) if body.preset in PRESETS else {}
    return drafting.merged({**stored, **below}, body.values)


def _refused(error: DraftRefused) -> JSONResponse:
    """Return a refusal with what is wrong by field."""
    return JSONResponse({"detail": wording.sentence(error), "problems": dict(error.problems)}, 422)
