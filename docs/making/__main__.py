"""``python -m docs.making [--check]``: make the generated parts of the docs anew, or say which are stale."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Final

from docs.making import ROOT, commands, put, reference
from docs.making import pages as pages_

PARTS: Final[Mapping[str, Mapping[str, Callable[[], str]]]] = {
    "docs/commands.md": {"commands": commands.made},
    "docs/api.md": {"routes": reference.made},
    "docs/pages.md": {"pages": pages_.made},
    "docs/data.md": {"tables": reference.tables},
    "docs/statistics/formulas.md": {"statistics": reference.statistics},
    "docs/suite-metrics.md": {"metrics": reference.suite_metrics},
    "docs/campaigns.md": {"recruitment": reference.recruitment},
    "docs/library.md": {"library": reference.library},
    "docs/settings.md": {"campaign-settings": reference.campaigns, "scorer-settings": reference.scorers},
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


def main(check: bool) -> int:
    stale = 0
    for name, text in pages().items():
        path = ROOT / name
        if path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(f"{name}: {'stale' if check else 'made anew'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    return int(check and stale > 0)


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
