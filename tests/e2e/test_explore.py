"""The page Explore: a slider dragged by keyboard over stored evidence, what follows from it, and settings kept."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browser_watch import Visitor
from tests.e2e.page_driver import unfold
from tests.e2e.server import Server

Visit = Callable[..., Visitor]
KEPT = "geneval-playground[threshold=0.9]"
SCORE = re.compile(r"score (0\.\d{3})(?: → (0\.\d{3}))?, Cohen’s κ with simulated people (0\.\d{3})(?: → (0\.\d{3}))?")


def opened(page: Page, address: str = "/studio/agreement/explore") -> None:
    page.goto(address)
    expect(page.locator("#explore-plot .js-plotly-plot")).to_be_visible()
    unfold(page)
    expect(page.locator("#explore-numbers table").first).to_be_visible()


def displayed_score(page: Page) -> tuple[str | None, ...]:
    match = SCORE.search(page.locator("#explore-lead").inner_text())
    assert match
    return match.groups()


@pytest.mark.slow
def test_a_slider_moves_score_and_agreement_and_saved_settings_appear_on_agreement(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    opened(page)
    score, nothing, kappa, _ = displayed_score(page)
    assert nothing is None
    expect(page.locator("#explore-changes a")).to_have_count(0)
    expect(page.get_by_role("button", name="Keep these settings")).to_be_disabled()
    slider = page.get_by_role("slider", name="range slider for Confidence", exact=True)
    slider.focus()
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"[?&]threshold=0\.9(&|$)"))
    expect(page.locator("#explore-lead")).to_contain_text(f"score {score} → ")
    before, now, kappa_before, kappa_now = displayed_score(page)
    assert (before, kappa_before) == (score, kappa)
    assert now is not None
    assert kappa_now is not None
    assert float(now) < float(before or 0)

    # a count leads to its images, on this page
    link = page.locator('#explore-changes a[href*="task=colors"]').first
    count = int(link.inner_text())
    link.click()
    expect(page).to_have_url(re.compile("task=colors"))
    expect(page.locator("#explore-pictures a")).to_have_count(count)
    expect(page.locator("#explore-pictures a").first).to_contain_text("wrong now: expected")

    # a copied link is the same view, where nothing was turned before
    other = visitor(playground).page
    opened(other, page.url)
    # beside what is being drawn Gradio writes seconds
    lead = re.sub(r"^[\d.]+s\s+", "", page.locator("#explore-lead").inner_text().strip())
    expect(other.locator("#explore-lead")).to_contain_text(lead)
    expect(other.locator("#explore-pictures a")).to_have_count(count)
    expect(other.get_by_role("slider", name="range slider for Confidence", exact=True)).to_have_value("0.9")
    assert other.locator("#ignored").inner_text().strip() == ""

    page.get_by_role("button", name="Keep these settings").click()
    message = page.locator("#explore-message")
    expect(message).to_contain_text(f"Kept as {KEPT}: 504 images")
    undo = re.search(r"import undo (\d+)", message.inner_text())
    assert undo
    message.get_by_role("link", name="Agreement").click()
    unfold(page)
    table = page.locator("#agreement-tables")
    expect(table).to_contain_text(KEPT)
    row = next(
        row
        for row in playground.agreement("--suite", "playground", "--aspect", "correct", "--rater", KEPT)["raters"]
        if (row["rater"], row["task"], row["generator"], row["statistic"]) == (KEPT, "all", "all", "cohen_kappa")
    )
    assert f"{row['value']:.3f}" == kappa_now
    page.goto(f"/studio/images?suite=playground&rater={KEPT}&by=correct")
    expect(page.locator(".cc-cell").first).to_be_visible()
    playground.run("import", "undo", undo[1])
    assert KEPT not in {row["rater"] for row in playground.agreement("--suite", "playground", "--aspect", "correct")["raters"]}


def test_reset_and_change_of_rater(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    opened(page, "/studio/agreement/explore?threshold=0.85&rule=paper&counting_threshold=7")
    expect(page.locator("#ignored")).to_contain_text("counting_threshold=7")
    expect(page.locator("#explore-lead")).to_contain_text("→")
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(page.locator("#explore-lead")).to_contain_text("0 verdicts changed")
    expect(page.get_by_role("slider", name="range slider for Confidence", exact=True)).to_have_value("0.3")
    expect(page.get_by_label("official")).to_be_checked()
    page.get_by_label("Rater").click()
    page.get_by_role("option", name="clipscore-playground", exact=True).click()
    expect(page.locator("#explore-lead")).to_contain_text("gives a number for each image")
    expect(page.locator("#knob-threshold")).to_be_hidden()
    expect(page.get_by_role("button", name="Keep these settings")).to_be_hidden()


@pytest.mark.slow
def test_the_flip_test_is_chosen_and_its_address_is_the_same_view(playground: Server, visitor: Visit) -> None:
    page = visitor(playground).page
    opened(page)
    page.get_by_label("Flip test").click()
    expect(page.get_by_label("Flip test")).to_be_checked()
    numbers = page.locator("#flip-numbers")
    expect(numbers.locator("caption")).to_have_text("Prompts with flipped relations")
    expect(page.locator("#explore-knobs")).to_be_hidden()
    # the sample has no run over flipped prompts: what makes one is said
    expect(numbers.locator("pre")).to_contain_text("score clipscore --set flip=relation")
    page.get_by_label("colours").check()
    expect(numbers.locator("caption")).to_have_text("Prompts with flipped colours")
    expect(page.locator("#flip-plot .js-plotly-plot")).to_be_visible()
    expect(page).to_have_url(re.compile(r"show=flips.*flip=color"))
    other = visitor(playground).page
    other.goto(page.url)
    expect(other.locator("#flip-numbers caption")).to_have_text("Prompts with flipped colours")
    expect(other.locator("#flip-numbers table")).to_be_visible()
    # the table alone: while a page draws, Gradio writes seconds beside it
    assert other.locator("#flip-numbers table").inner_text() == numbers.locator("table").inner_text()
