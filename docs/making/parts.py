"""Which pages have made parts, and who makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from docs.making import commands, dictionary, routes, settings, statistics
from docs.making import pages as pages_
from docs.making.blocks import ROOT, put

PARTS: Final[Mapping[str, Mapping[str, Callable[[], str]]]] = {
    "docs/commands.md": {"commands": commands.made},
    "docs/api.md": {"routes": routes.made},
    "docs/pages.md": {"pages": pages_.made},
    "docs/data.md": {"tables": dictionary.made},
    "docs/statistics.md": {"statistics": statistics.made},
    "docs/campaigns.md": {"recruitment": settings.recruitment},
    "docs/settings.md": {"campaign-settings": settings.campaigns, "scorer-settings": settings.scorers},
}
"""By page and by the part's name in its markers."""


def page(name: str) -> str:
    """A page with made parts as it is to be."""
    text = (ROOT / name).read_text(encoding="utf-8")
    for part, make in PARTS[name].items():
        text = put(text, part, make())
    return text


def pages() -> dict[str, str]:
    """Each of them."""
    return {name: page(name) for name in PARTS}
