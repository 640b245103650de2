"""Agreement's Tune, Failures and Captions: a slider moved by keys, settings saved, marks that lead to their images."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.server import Server

Visit = Callable[..., Visitor]


@pytest.mark.slow
def test_a_slider_moves_the_sentence_and_its_settings_are_saved_under_a_name(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    page.goto("/studio/agreement/tune")
    sentence = page.get_by_role("heading", level=1)
    expect(sentence).to_contain_text("as it was run")
    expect(page.get_by_role("button", name="Save as a new scorer")).to_be_disabled()
    slider = page.get_by_role("slider", name="Confidence", exact=True)
    slider.focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"[?&]threshold=0\.9(&|$)"))
    expect(sentence).to_contain_text(re.compile(r"confidence at 0\.9, .*Cohen’s κ falls from 0\.\d\d to 0\.\d\d"))
    # what is drawn anew leaves the slider where it is
    expect(slider).to_be_focused()
    expect(slider).to_have_value("0.9")
    expect(page.get_by_text("on held-out prompts (5 folds")).to_be_visible()

    # images whose verdict flips are pictures; a copied link is the same view
    page.get_by_role("link", name=re.compile(r"^No longer \d")).click()
    expect(page).to_have_url(re.compile("flips=against"))
    flips = page.locator(".cc-flip")
    expect(flips.first).to_contain_text("yes → no ≠")
    other = visitor(playground).page
    other.goto(page.url)
    expect(other.locator(".cc-flip")).to_have_count(flips.count())
    expect(other.get_by_role("slider", name="Confidence", exact=True)).to_have_value("0.9")

    page.get_by_role("button", name="Save as a new scorer").click()
    page.get_by_role("textbox", name="Name").fill("strict")
    page.get_by_role("button", name="Save", exact=True).click()
    said = page.get_by_text("Saved as strict: 504 images judged")
    expect(said).to_be_visible()
    undo = re.search(r"import undo (\d+)", said.inner_text())
    assert undo
    page.get_by_role("link", name="Reset").click()
    expect(sentence).to_contain_text("as it was run")
    expect(slider).to_have_value("0.3")
    page.get_by_role("button", name="Scorer geneval-playground").click()
    page.get_by_role("link", name="strict", exact=True).click()
    expect(sentence).to_contain_text("strict’s Cohen’s κ is")
    expect(slider).to_have_value("0.9")
    playground.run("import", "undo", undo[1])


def test_tabs_lead_to_failures_whose_marks_lead_to_their_images(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    page.goto("/studio/agreement/tune")
    page.get_by_role("navigation", name="Agreement").get_by_role("link", name="Failures").click()
    expect(page).to_have_url(re.compile("/studio/agreement/failures"))
    mark = page.get_by_role("link", name=re.compile("^2 asked for, 1 found"))
    expect(mark).to_be_visible()
    page.get_by_role("navigation", name="Pictures").get_by_role("link", name="Flip test").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Flipped relations lower the score of")
    page.get_by_role("button", name="Flip the prompts’ relations").click()
    page.get_by_role("link", name="colours", exact=True).click()
    expect(page).to_have_url(re.compile("flip=color"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Flipped colours")
    page.go_back()
    page.go_back()
    mark.click()
    expect(page).to_have_url(re.compile(r"/studio/images\?.*picture=counts.*asked=2.*found=1"))


@pytest.mark.slow
def test_captions_are_listed_by_task_and_outcome(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    page.goto("/studio/agreement/captions?suite=playground")
    expect(page.get_by_role("heading", level=1)).to_contain_text("takes the right caption")
    mark = page.get_by_role("link", name=re.compile("clipmatch-playground, counting"))
    mark.click()
    expect(page).to_have_url(re.compile("task=counting.*said=wrong"))
    expect(page.locator(".cc-match").first).to_be_visible()
