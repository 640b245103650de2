"""Addresses that pages of Studio had before the five places: links that people kept still lead to their page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

NEW_ADDRESSES: Final[Mapping[str, str]] = {
    "overview": "results",
    "estimates": "results",
    "compare": "results/compare",
    "preferences": "results/votes",
    "browse": "images",
    "map": "images",
    "images/map": "images",
    "workbench": "images",
    "images/one": "images",
    "scorers": "agreement",
    "agreement/scorers": "agreement",
    "explore": "agreement/tune",
    "agreement/explore": "agreement/tune",
    "matching": "agreement/captions",
    "agreement/matching": "agreement/captions",
    "campaigns": "people",
    "plan": "people/new",
    "people/plan": "people/new",
    "reports": "report",
    "studies": "report",
    "report/studies": "report",
    "import": "add",
    "runs": "add/runs",
}
"""By what stood behind ``/studio/``, what stands there now; the query stays but for `RENAMED`."""
_EXPLORED: Final = {"see": "picture", "source": "task"}
RENAMED: Final[Mapping[str, Mapping[str, str]]] = {
    "workbench": {"id": "image"},
    "images/one": {"id": "image"},
    "explore": _EXPLORED,
    "agreement/explore": _EXPLORED,
}
"""By what stood behind ``/studio/``, names of its query that are others now."""
_FAILING: Final = {"failures": (), "flips": (("picture", "flips"),), "questions": ()}
"""Parts of Explore that are pictures of Failures now, with what their address says besides."""

ADDED: Final[Mapping[str, Mapping[str, str]]] = {"map": {"show": "map"}, "images/map": {"show": "map"}}
"""By what stood behind ``/studio/``, what its new home's query says besides."""


def new_address(path: str, query: Sequence[tuple[str, str]]) -> str:
    """Return what stands behind ``/studio/`` for an address of before, with its query."""
    renamed, place = RENAMED.get(path, {}), NEW_ADDRESSES[path]
    part = dict(query).get("show", "") if renamed is _EXPLORED else ""
    if part in _FAILING:
        place, query = "agreement/failures", [pair for pair in query if pair[0] != "show"] + [*_FAILING[part]]
    pairs = [*ADDED.get(path, {}).items(), *((renamed.get(name, name), value) for name, value in query)]
    return place + (f"?{urlencode(pairs)}" if pairs else "")
