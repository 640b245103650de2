"""JSON routes about people for administrators: what somebody is owed, erasing them, a new re-entry code, a personal link."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, HTTPException, Query
from pydantic import BaseModel, Field

from concord import erasing, people
from concord.campaigns import payment
from concord.common.base_path import at
from concord.common.context import CommandError
from concord.project import OpenProject
from data.refusals import NoSuchPerson
from ui.web.api import refusing

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

    return routes


def _debt_json(debt: payment.Debt) -> dict[str, Any]:
    paid = debt.paid
    amounts = {"pay": str(paid.payout.pay), "fee": str(paid.payout.fee), "currency": debt.currency}
    return {"campaign": debt.campaign, "items": paid.work.items, "decision": paid.payout.decision} | amounts
