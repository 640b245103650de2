"""Style sheets: each class has one owner, the one sheet whose rules begin with it; no other styles what has only that class."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import product
from pathlib import Path

ASSETS = Path(__file__).resolve().parents[3] / "assets"
_TOKEN = re.compile(r"[^{};]*[{};]")
_COMMA = re.compile(r",(?![^(\[]*[)\]])")
_INSIDE = re.compile(r"\((?:[^()]|\([^()]*\))*\)")
_STEP = re.compile(r"[\s>+~]+")
_NAME = re.compile(r"\.cc-(?!root\b)[\w-]+|#[a-z][\w-]*")


def _selectors(sheet: str) -> Iterator[str]:
    """Each selector in full, those inside of others too."""
    around = [[""]]
    for token in _TOKEN.findall(re.sub(r'/\*.*?\*/|"[^"]*"', "", sheet, flags=re.DOTALL)):
        text = token[:-1].strip()
        if token.endswith("}"):
            around.pop()
        elif token.endswith("{") and text.startswith("@"):
            around.append(around[-1])
        elif token.endswith("{"):
            inner = [one.strip() for one in _COMMA.split(text)]
            pairs = product(around[-1], inner)
            around.append([one.replace("&", outer) if "&" in one else f"{outer} {one}" for outer, one in pairs])
            yield from around[-1]


def test_no_class_is_styled_by_two_sheets() -> None:
    owners: defaultdict[str, set[str]] = defaultdict(set)
    for path in ASSETS.rglob("*.css"):
        for selector in _selectors(path.read_text(encoding="utf-8")):
            if first := _NAME.search(selector):
                owners[first[0]].add(path.name)
    assert len(owners) > 300
    assert not {name: sheets for name, sheets in owners.items() if len(sheets) > 1}


def test_a_rule_styles_nothing_that_another_sheet_owns() -> None:
    """Where a container wants something else of a component, it sets a property that the component's own rule reads, or gives
    the element a class of its own beside the component's."""
    selectors = [
        (path.name, selector) for path in ASSETS.rglob("*.css") for selector in _selectors(path.read_text(encoding="utf-8"))
    ]
    owner = {first[0]: sheet for sheet, selector in selectors if (first := _NAME.search(selector))}
    foreign = set()
    for sheet, selector in selectors:
        styled = _NAME.findall(_STEP.split(_INSIDE.sub("", selector).strip())[-1])
        if styled and sheet not in {owner.get(name, sheet) for name in styled}:
            foreign.add((sheet, selector))
    assert not foreign
