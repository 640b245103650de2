"""New campaign: from what is to be found out to a link for people, in five steps. A draft is saved after each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import htpy
from htpy import Node

from concord.campaigns.progress import describe_plan
from concord.common.base_path import at
from concord.new_campaigns import drafting
from concord.new_campaigns.drafting import DraftCheck, check_draft, draft_form, draft_values, gold_choice, image_choices
from concord.new_campaigns.plan_numbers import plan_numbers
from concord.new_campaigns.platform_sheet import platform_sheet
from concord.new_campaigns.study_plan import plan_study, plan_values
from concord.new_campaigns.suggested import campaign_workload
from concord.open_project import OpenProject
from data.refusals import CampaignRefused
from ui.components.addresses import page_address
from ui.components.tables import bullets, note
from ui.pages.new_campaign.checks_step import checks_body
from ui.pages.new_campaign.frame import foot_line, footer, page
from ui.pages.new_campaign.images_step import images_body
from ui.pages.new_campaign.invite_step import invite_body, start_button
from ui.pages.new_campaign.plan_step import plan_body, plan_footer
from ui.pages.new_campaign.questions_step import questions_body
from ui.pages.new_campaign.view import PARAMETERS, PATH, WizardView
from ui.shell.live_place import LivePlace, PlaceDrawing

_TITLE = "New campaign"


class NewCampaignPage(LivePlace):
    """The place."""

    title, path, ADDRESS = _TITLE, PATH, PARAMETERS
    module, scoped = "wizard", False

    def draw_place(self, values: Callable[[str], Sequence[str]]) -> Iterator[PlaceDrawing]:
        """Yield the step that an address asks for."""
        view = WizardView.read(values)
        stored: dict[str, Any] = {}
        if view.campaign:
            try:
                stored = draft_values(self.store, view.campaign)
            except CampaignRefused as error:
                yield PlaceDrawing("", _no_draft(view.campaign, str(error)), _TITLE)
                return
        if view.step == "plan":
            yield from self._plan(view, stored)
            return
        if view.step != "images" and not view.campaign:
            # what is asked is asked about images
            view = replace(view, step="images")
        yield PlaceDrawing("", self._step(view, stored), str(stored.get("title") or _TITLE))

    def _plan(self, view: WizardView, stored: Mapping[str, Any]) -> Iterator[PlaceDrawing]:
        title = str(stored.get("title") or _TITLE)
        for complete in (False, True):
            study = plan_study(self.store, view.asked, intervals=complete)
            numbers = plan_numbers(self.store, study) if complete and study.asked.goal != "scorer" else None
            body = plan_body(view, study, numbers, complete=complete)
            yield PlaceDrawing("", page(view, title, body, plan_footer(view, study)), title, complete)

    def _step(self, view: WizardView, stored: Mapping[str, Any]) -> Node:
        brought = self._from_address(view)
        values = {**stored, **brought}
        checked = check_draft(self.store, values, campaign_id=view.campaign, final=view.step == "invite")
        body: Node
        last: Node = None
        if view.step == "images":
            body = images_body(values, image_choices(self.store, values), brought, new=not view.campaign)
        elif view.step == "questions":
            body = questions_body(values, draft_form(values, checked), view.campaign)
        elif view.step == "checks":
            body = checks_body(values, gold_choice(self.store, values))
        else:
            body, last = self._invite(view, checked), start_button() if checked.plan is not None else None
        aside = None if view.step == "invite" else summary(self.store, checked)
        if checked.plan is None and view.step == "invite":
            # what it takes is known also where something is missing
            checked = check_draft(self.store, values, campaign_id=view.campaign)
        foot = footer(view, foot_of(self.store, checked), last=last)
        content = htpy.div(class_="cc-wizard-step")[htpy.div(class_="cc-wizard-fields")[body], aside]
        return page(view, str(values.get("title") or ""), content, foot)

    def _from_address(self, view: WizardView) -> dict[str, Any]:
        """Return what a plan, or a selection of Images, brings to the values."""
        brought: dict[str, Any] = {}
        if view.items:
            brought["items"] = list(view.items)
        if view.planned and view.step == "images":
            brought |= plan_values(self.store, view.asked)
        return brought

    def _invite(self, view: WizardView, checked: DraftCheck) -> Node:
        if checked.plan is None:
            where = [(drafting.step_of(name), text) for name, text in checked.problems.items()]
            links = [[htpy.a(href=view.address(step=step))[text]] for step, text in where]
            return [htpy.h2["Not ready to start"], bullets(links)]
        lead, *lines = describe_plan(self.store, checked.plan)
        sheet = platform_sheet(self.store, checked.plan.campaign, checked.plan)
        preview = at(f"/annotate/?preview={quote(view.campaign)}")
        return invite_body(view.campaign, lead, lines, sheet, preview)


def summary(store: OpenProject, checked: DraftCheck) -> Node:
    """Return what a draft asks for, beside its form."""
    return htpy.aside(class_="cc-wizard-summary", data_summary="true", aria_label="What this asks for")[
        summary_lines(store, checked)
    ]


def summary_lines(store: OpenProject, checked: DraftCheck) -> Node:
    """Return the lines of the summary."""
    if checked.plan is None:
        return note("What this asks for is known once the fields are right.")
    lead, *lines = describe_plan(store, checked.plan)
    return [htpy.h2["This asks for"], htpy.p[htpy.b[lead]], bullets([*lines, *checked.notes])]


def foot_of(store: OpenProject, checked: DraftCheck) -> Node:
    """Return a draft's answers, hours and money."""
    if checked.plan is None:
        return "Answers, hours and money are known once the fields are right."
    work = campaign_workload(store, checked.plan)
    return foot_line(work, checked.plan.campaign.settings.currency)


def _no_draft(campaign: str, why: str) -> Node:
    href = page_address("people", campaign=campaign)
    return [
        htpy.h1[_TITLE],
        note(f"This campaign is not edited here: {why}.", "cc-bad"),
        htpy.p[htpy.a(href=href)["To its page"], " · ", htpy.a(href=page_address("people/new"))["Begin a new one"]],
    ]
