"""Addresses that pages of Studio had before the five places: links that people kept still lead to their page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

NEW_ADDRESSES: Final[Mapping[str, str]] = {
    "overview": "results",
    "estimates": "results",
    "compare": "results/compare",
    "preferences": "results/votes",
    "browse": "images",
    "map": "images/map",
    "workbench": "images/one",
    "scorers": "agreement/scorers",
    "explore": "agreement/explore",
    "matching": "agreement/matching",
    "campaigns": "people",
    "plan": "people/plan",
    "reports": "report",
    "studies": "report/studies",
    "import": "add",
    "runs": "add/runs",
}
"""By what stood behind ``/studio/``, what stands there now; the query stays as it is."""
