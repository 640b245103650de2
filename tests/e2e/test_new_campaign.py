"""New campaign in the browser: from the plan to a running campaign with a link, and what is wrong beside its field."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from data.store.campaigns import management
from data.store.people import invitations
from tests.e2e.axe import serious
from tests.e2e.browser_watch import Visitor
from tests.e2e.project_files import LEFT_PROMPTS, visor_folder
from tests.e2e.server import Server

Visit = Callable[..., Visitor]
GOES_ON = {"images": "questions", "questions": "checks and pay", "checks": "invite"}


def go_on(page: Page, step: str) -> None:
    page.get_by_role("button", name=f"Next: {GOES_ON[step]}").click()
    following = [*GOES_ON, "invite"][[*GOES_ON].index(step) + 1]
    expect(page).to_have_url(re.compile(rf"step={following}&campaign="))


@pytest.mark.slow
def test_from_a_question_to_a_running_campaign_with_a_link(visitor: Visit, fresh: Server, tmp_path: Path) -> None:
    images = visor_folder(tmp_path / "alpha", LEFT_PROMPTS[:3])
    fresh.run("import", "images", images, "--layout", "visor", "--generator", "alpha")
    seen = visitor(fresh)
    # a refused draft answers 422, and a link without a name 401, which the browser's console names
    seen.watch.expected = lambda problem: "422" in problem or "401" in problem
    page = seen.page
    page.set_default_timeout(20_000)
    # drawings come late, as on a machine with much to do
    late: list[Route] = []
    page.route(re.compile(r"places/people/new\?(.*whole=true|.*wage=12)"), lambda route: late.append(route))
    page.goto("/studio/people/new")
    foot = page.get_by_role("contentinfo").or_(page.locator(".cc-wizard-foot"))
    expect(page.get_by_role("heading", name=re.compile("prompts? and 2 people an image give ± 0.05"))).to_be_visible()
    expect(page.get_by_text("no data yet: typical variances")).to_be_visible()
    page.get_by_label("Pay an hour").fill("12")
    with page.expect_response(late[0].request.url):
        late[0].continue_()
    # what somebody types stays when it comes
    page.wait_for_timeout(500)
    expect(page.get_by_label("Pay an hour")).to_have_value("12")
    page.get_by_label("Pay an hour").press("Enter")
    # a link of the drawing before knows no wage yet
    page.get_by_role("link", name="larger").click()
    expect(page).to_have_url(re.compile("margin=0.06.*wage=12|wage=12.*margin=0.06"))
    page.unroute_all()
    page.reload()
    page.get_by_role("link", name="3 people an image").click()
    expect(page).to_have_url(re.compile("people=3"))
    assert serious(page) == []
    page.get_by_role("link", name="Next: images").click()
    expect(page.get_by_label("People for each")).to_have_value("3")

    page.get_by_role("button", name="Next: questions").click()
    title = page.get_by_label("Title")
    expect(page.get_by_text("Give it a title: people read it above the form.")).to_be_visible()
    expect(title).to_be_focused()
    title.fill("A pilot")
    page.get_by_label("How many").fill("7")
    expect(page.get_by_text("7 images are requested, but only 3 are available.")).to_be_visible()
    page.get_by_label("How many").fill("2")
    page.get_by_label("People for each").fill("1")
    expect(foot).to_contain_text("2 answers")
    go_on(page, "images")
    page.get_by_role("radio", name=re.compile("^Yes or no")).check()
    page.get_by_label("Instructions").fill("Look at *each* picture.")
    assert serious(page) == []
    # what is typed stays while one looks back, and is saved
    page.get_by_role("link", name="Back").click()
    expect(page.get_by_label("How many")).to_have_value("2")
    go_on(page, "images")
    expect(page.get_by_label("Instructions")).to_have_value("Look at *each* picture.")
    expect(page.get_by_role("radio", name=re.compile("^Yes or no"))).to_be_checked()
    go_on(page, "questions")
    # the plan's pay an hour is in it
    expect(page.get_by_label("Target wage")).to_have_value("12")
    page.get_by_label("Price of an answer").fill("0.5")
    expect(foot).to_contain_text("1.00")
    assert serious(page) == []
    go_on(page, "checks")
    expect(page.get_by_text("This asks for 2 images (2 drawn by chance from 3")).to_be_visible()
    assert serious(page) == []
    page.get_by_label("People", exact=True).fill("5")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("textbox", name="Your name").fill("rita")
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url(re.compile(r"/studio/people\?campaign=a-pilot&tab=links"))
    campaign = management.get(fresh.store, "a-pilot")
    assert campaign
    assert (campaign.state, campaign.questionnaire, campaign.overlap) == ("running", "yes_no", 1)
    assert (campaign.settings.item_price, campaign.settings.target_wage) == ("0.5", "12")
    (link,) = invitations.listed(fresh.store, "a-pilot")
    assert (link.role, link.uses) == ("annotator", 5)


@pytest.mark.slow
def test_the_wizard_fits_a_phone_and_takes_a_selection(visitor: Visit, fresh: Server, tmp_path: Path) -> None:
    images = visor_folder(tmp_path / "alpha", LEFT_PROMPTS[:3])
    fresh.run("import", "images", images, "--layout", "visor", "--generator", "alpha")
    page = visitor(fresh, viewport={"width": 390, "height": 844}).page
    page.set_default_timeout(20_000)
    page.goto("/studio/people/new")
    foot = page.locator(".cc-wizard-foot")
    expect(foot).to_be_in_viewport()
    expect(foot).to_contain_text("answers")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1280, "height": 900})
    page.goto("/studio/images")
    page.locator(".cc-cell [data-tick]").first.click()
    page.get_by_role("button", name="In a campaign").click()
    expect(page.get_by_text("1 image by hand")).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name=re.compile("^Pilot")).click()
    expect(page.get_by_label("How many")).to_have_value("30")
    expect(page.get_by_text("30 images are requested, but only 1 are available.")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
