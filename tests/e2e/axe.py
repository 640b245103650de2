"""axe-core's rules: nothing that it calls serious or critical."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page

TELLING = ("serious", "critical")
GRADIOS_OWN = {"nested-interactive": "common.upload"}
"""By rule, a part of what Gradio itself draws against it: its field for files holds a button for more of them."""


_SETTLED = (
    "() => Promise.all(document.getAnimations().filter((a) => a.effect.getTiming().iterations !== Infinity)"
    ".map((a) => a.finished.catch(() => {})))"
)
"""A color that is on its way from one to another has no contrast yet."""


def serious(page: Page) -> list[str]:
    """What axe-core finds wrong, a line each."""
    page.evaluate(_SETTLED)
    value: Any = Axe().run(page, None, {"resultTypes": ["violations"]})
    return [
        f"{entry['id']} ({entry['impact']}): {entry['help']}: {node['target']} {node['html'][:160]}"
        for entry in value.response["violations"]
        if entry["impact"] in TELLING
        for node in entry["nodes"]
        if GRADIOS_OWN.get(entry["id"], "\0") not in node["html"]
    ][:8]
