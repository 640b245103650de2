"""Studio's pages, as a person uses what several of them have."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def unfold(page: Page) -> None:
    """Open *All numbers*, where the tables are, unless it is open."""
    folded = page.locator("#all-numbers > button")
    expect(folded).to_be_visible()
    if "open" not in (folded.get_attribute("class") or "").split():
        folded.click()
