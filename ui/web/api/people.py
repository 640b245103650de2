"""JSON routes about people for administrators: invitations and their links, what somebody is owed, withdrawing their answers,
erasing them, a new re-entry code, a personal link.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Query, Request
from pydantic import BaseModel, Field

from concord import erasing, people
from concord.campaigns import managing, payment
from concord.campaigns.managing import LinkRequest
from concord.common.base_path import at
from concord.common.context import CommandError
from concord.open_project import OpenProject
from data.people import LINK_DAYS, ROLES
from data.refusals import CampaignRefused, InvitationRefused, NoSuchPerson
from ui.web.api import person_of, refusing

Name = Annotated[str, Field(max_length=1000)]


class PersonBody(BaseModel):
    name: Name


class ErasureBody(PersonBody):
    """``keep_debt``: whoever asks has read what is owed."""

    keep_debt: bool = False


class LinkBody(BaseModel):
    invitation: str = Field(max_length=64)
    platform: Literal["prolific", "mturk", "participant"]
    identifier: str = Field(min_length=1, max_length=200)


class NewLinkBody(BaseModel):
    """``days`` that it is good for, and how many people it lets in (``uses``; 0 or None: any number)."""

    campaign: str = Field(max_length=64)
    role: str = Field(default=ROLES[0], max_length=20)
    days: float = LINK_DAYS
    uses: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    note: str = Field(default="", max_length=500)
    signed: bool = False


class InvitationBody(BaseModel):
    invitation: str = Field(max_length=64)


class WithdrawalBody(PersonBody):
    campaign: str = Field(max_length=64)


def router(store: OpenProject) -> APIRouter:
    """The routes under ``/api/studio/people``."""
    routes = APIRouter(prefix="/api/studio/people")

    @routes.get("/owed")
    def owed(name: Annotated[str, Query(max_length=1000)]) -> dict[str, Any]:
        return {"owed": [_debt_json(debt) for debt in payment.debts(store, name)]}

    @routes.post("/erase")
    def erase(body: ErasureBody) -> dict[str, Any]:
        debts = payment.debts(store, body.name)
        if debts and not body.keep_debt:
            raise HTTPException(409, f"Something is owed: {'; '.join(erasing.describe_debts(debts))}. Pay it first.")
        with refusing(404, NoSuchPerson):
            removed, failed = erasing.erase_everywhere(store, body.name)
        return {"answers": removed.annotations, "kept": [_debt_json(debt) for debt in debts], "copies_failed": failed}

    @routes.post("/code")
    def code(body: PersonBody) -> dict[str, str]:
        with refusing(404, CommandError):
            return {"code": people.new_reentry_code(store, body.name)}

    @routes.post("/link")
    def link(body: LinkBody) -> dict[str, str]:
        with refusing(404, CommandError):
            return {"path": at(people.personal_link(store, body.invitation, body.platform, body.identifier))}

    @routes.get("/links")
    def links(campaign: Annotated[str, Query(max_length=64)]) -> dict[str, str]:
        """A campaign's links as HTML: each opens what it says, so nobody else is shown them."""
        from ui.pages.people.links import links_table

        return {"html": links_table(store, campaign)}

    @routes.post("/links")
    def make_link(request: Request, body: NewLinkBody) -> dict[str, str]:
        asked = LinkRequest(body.role, body.days, body.uses, body.note, body.signed)
        with refusing(422, ValueError), refusing(404, CampaignRefused):
            made = managing.make_link(store, body.campaign, asked, person_of(request, "who invites people is recorded"))
        return {"invitation": made.invitation_id, "path": at(people.link_path(store, made))}

    @routes.post("/links/revoke")
    def revoke_link(body: InvitationBody) -> dict[str, Any]:
        with refusing(404, InvitationRefused):
            managing.revoke_link(store, body.invitation)
        return {}

    @routes.post("/withdraw")
    def withdraw(body: WithdrawalBody) -> dict[str, int]:
        with refusing(409, ValueError), refusing(404, NoSuchPerson, CampaignRefused):
            return {"withdrawn": managing.withdraw_answers(store, body.campaign, body.name)}

    return routes


def _debt_json(debt: payment.Debt) -> dict[str, Any]:
    paid = debt.paid
    amounts = {"pay": str(paid.payout.pay), "fee": str(paid.payout.fee), "currency": debt.currency}
    return {"campaign": debt.campaign, "items": paid.work.items, "decision": paid.payout.decision} | amounts
