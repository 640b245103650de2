"""axe-core's rules: nothing that it calls serious or critical."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

TELLING = ("serious", "critical")


def serious(page: Page) -> list[str]:
    """What axe-core finds wrong, a line each."""
    # Gradio's own placeholder, for the moment before a plot is drawn
    context = {"exclude": [[".empty"]]}
    found: Any = Axe().run(page, context, {"resultTypes": ["violations"]})
    return [
        f"{one['id']} ({one['impact']}): {one['help']}: {node['target']} {node['html'][:160]}"
        for one in found.response["violations"]
        if one["impact"] in TELLING
        for node in one["nodes"][:4]
    ]
