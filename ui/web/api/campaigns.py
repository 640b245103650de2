"""JSON routes of campaigns for those who manage them: states, settings, people with flags, cases and their verdicts, pay."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel, Field

from concord.campaigns import cases, crowd, managing, payment, revoking
from concord.campaigns.adjudication import PEOPLE
from concord.campaigns.cases import CaseList, NoSuchCase, Ruling
from concord.common import wording
from concord.open_project import OpenProject
from data.refusals import CampaignRefused, NoSuchPerson
from ui.web.api import person_of, refusing

CampaignId = Annotated[str, Query(max_length=64)]
Name = Annotated[str, Field(max_length=1000)]
_SIGNED = "who revokes people is recorded"
_CHANGED = "who changes a campaign is recorded"


class RevokeBody(BaseModel):
    """``people``: their names; None: those who are preselected. ``uncount``: their answers so far stop counting, too."""

    campaign: str = Field(max_length=64)
    people: list[Name] | None = Field(default=None, max_length=10_000)
    uncount: bool = False


class NamedCampaign(BaseModel):
    campaign: str = Field(max_length=64)


class MoveBody(NamedCampaign):
    act: managing.Move


class ValuesBody(NamedCampaign):
    """``values``: settings, or answers on how people were asked, by name."""

    values: dict[Annotated[str, Field(max_length=100)], Any] = Field(max_length=100)


class ItemBody(NamedCampaign):
    item: str = Field(max_length=1000)
    aside: bool


class PersonMoveBody(NamedCampaign):
    person: Name
    act: managing.PersonMove


class SettleBody(NamedCampaign):
    person: Name
    decision: Literal["approve", "reject", "return"]


class SubmissionsBody(NamedCampaign):
    """``text``: the CSV file of submissions that a crowd platform exports; nothing of it is stored."""

    text: str = Field(max_length=4_000_000)


class CaseBody(NamedCampaign):
    """A case of a list: what it is about, whom people are compared with, which cases are listed, and the case's key."""

    case: str = Field(max_length=4000)
    about: str = Field(default="", max_length=1000)
    against: str = Field(default=PEOPLE, max_length=1000)
    only: str = Field(default=cases.ANY, max_length=1100)

    @property
    def asked(self) -> CaseList:
        """The list that the case is in."""
        return CaseList(self.campaign, self.about, self.against, self.only)


class RulingBody(CaseBody):
    verdict: str = Field(default="", max_length=1000)
    wrong: str = Field(default="", max_length=20)
    rater: str = Field(default="", max_length=1000)
    note: str = Field(default="", max_length=10_000)


def router(store: OpenProject) -> APIRouter:
    """Return the routes under ``/api/studio`` that campaigns are managed by."""
    routes = APIRouter(prefix="/api/studio")
    _add_revoking(routes, store)
    _add_changes(routes, store)
    _add_cases(routes, store)
    _add_pay(routes, store)
    return routes


def _add_revoking(routes: APIRouter, store: OpenProject) -> None:
    @routes.get("/look")
    def look() -> dict[str, int]:
        return {"people": crowd.number_to_look_at(store)}

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
    def undo(request: Request, body: NamedCampaign) -> dict[str, Any]:
        by = person_of(request, _SIGNED)
        with refusing(409, CampaignRefused):
            people, answers = revoking.undo(store, body.campaign, by)
        return {"people": people, "answers": answers}

    @routes.post("/campaign/person")
    def person(request: Request, body: PersonMoveBody) -> dict[str, str]:
        by = person_of(request, _SIGNED)
        with refusing(404, NoSuchPerson), refusing(409, CampaignRefused):
            return {"said": managing.move_person(store, body.campaign, body.person, body.act, by)}


def _add_changes(routes: APIRouter, store: OpenProject) -> None:
    @routes.post("/campaign/move")
    def move(body: MoveBody) -> dict[str, Any]:
        with refusing(409, CampaignRefused):
            managing.move(store, body.campaign, body.act)
        return {}

    @routes.post("/campaign/duplicate")
    def duplicate(body: NamedCampaign) -> dict[str, str]:
        with refusing(409, CampaignRefused):
            return {"campaign": managing.duplicate(store, body.campaign).campaign_id}

    @routes.post("/campaign/meaning")
    def meaning(body: ValuesBody) -> dict[str, list[str]]:
        with refusing(422, ValueError):
            return {"changes": managing.describe_settings(store, body.campaign, body.values)}

    @routes.post("/campaign/settings")
    def settings(request: Request, body: ValuesBody) -> dict[str, str]:
        by = person_of(request, _CHANGED)
        with refusing(422, ValueError):
            managing.save_settings(store, body.campaign, body.values, by)
        return {"said": "The settings are saved."}

    @routes.post("/campaign/asked")
    def recruitment(request: Request, body: ValuesBody) -> dict[str, str]:
        by = person_of(request, _CHANGED)
        with refusing(422, ValueError):
            values = {name: str(value) for name, value in body.values.items()}
            return {"said": managing.save_recruitment(store, body.campaign, values, by)}

    @routes.post("/campaign/aside")
    def aside(body: ItemBody) -> dict[str, Any]:
        with refusing(409, CampaignRefused):
            managing.set_aside(store, body.campaign, body.item, aside=body.aside)
        return {}


def _add_cases(routes: APIRouter, store: OpenProject) -> None:
    @routes.post("/case")
    def open_case(request: Request, body: CaseBody) -> dict[str, Any]:
        """A case with all answers, as HTML; that whoever asks has seen them is recorded first."""
        from ui.pages.people.disputes import opened_case

        person = person_of(request, "who uncovers an image is recorded")
        with refusing(404, NoSuchCase):
            return {"html": opened_case(cases.open_case(store, body.asked, body.case, person))}

    @routes.post("/case/verdict")
    def verdict(request: Request, body: RulingBody) -> dict[str, str]:
        person = person_of(request, "verdicts are signed")
        ruling = Ruling(body.verdict, body.wrong, body.rater, body.note)
        with refusing(422, ValueError), refusing(404, NoSuchCase):
            return {"following": cases.decide(store, body.asked, body.case, ruling, person)}


def _add_pay(routes: APIRouter, store: OpenProject) -> None:
    @routes.post("/campaign/settle")
    def settle(request: Request, body: SettleBody) -> dict[str, str]:
        by = person_of(request, "who decides about pay is recorded")
        with refusing(409, ValueError), refusing(404, CampaignRefused):
            campaign = managing.existing(store, body.campaign)
            paid = payment.settle(store, campaign, body.person, body.decision, by)
        return {"decision": paid.payout.decision, "pay": str(paid.payout.pay)}

    @routes.post("/campaign/submissions")
    def submissions(body: SubmissionsBody) -> dict[str, Any]:
        """The files of pay with people's own ids, which a platform's file brings and nothing here keeps."""
        with refusing(404, CampaignRefused):
            campaign = managing.existing(store, body.campaign)
        with refusing(422, ValueError):
            roll = payment.payroll(store, campaign, body.text)
        n = sum(person.submission is not None for person in roll.people)
        said = f"{n:,} of {wording.count(len(roll.people), 'person')} here are in the file."
        if roll.unknown:
            said += f" {len(roll.unknown):,} in the file never came here, such as {roll.unknown[0]}."
        files = {
            f"{body.campaign}-pay.csv": payment.payment_file(roll),
            f"{body.campaign}-bonuses.csv": payment.bonus_lines(roll),
        }
        return {"said": said, "files": files if n else {}}
