"""Orders of a listing: what would sort nothing for whose values are shown says what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from starlette.datastructures import QueryParams

from concord.browsing.listing import ImageListing
from concord.browsing.orders import unusable_orders
from data.selection import PEOPLE, Selection
from data.store.browse import grid
from data.store.browse.filters import ListingQuery
from data.store.browse.grid import ORDERS, ListingDisplay, Order
from data.store.core.store import Store
from tests.ui.answered_projects import KINDS, fill
from ui.pages.images import open_images


@pytest.mark.parametrize(
    ("kind", "rater", "aspect", "missing"),
    [
        ("five persons", PEOPLE, "correct", {"confidence", "likert"}),
        ("five persons", "metric", "correct", {"split", "differs", "likert"}),
        ("five persons", "verdicts", "correct", {"split", "confidence", "likert"}),
        ("slots", PEOPLE, "faithfulness", {"differs", "confidence", "likert"}),
        ("slots", "metric", "faithfulness", {"split", "differs"}),
    ],
)
def test_an_order_that_would_sort_nothing_says_what_is_missing(
    tmp_path: Path, kind: str, rater: str, aspect: str, missing: set[str]
) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, kind)
        found = unusable_orders(store, rater, aspect, by_rank=False)
        assert set(found) == missing
        offered = open_images(store, QueryParams({"suite": "s", "rater": rater, "by": aspect}))["choices"]["order"]
        assert {name: why[0] for name, _, *why in offered if why} == found
        # those that are left put something first
        for order in set(ORDERS) - missing - {"prompt", "recent"}:
            listing = ImageListing(Selection(suite=("s",)), aspect, rater, cast("Order", order), None, Selection())
            listed = grid.items(store, ListingQuery(Selection(suite=("s",))), listing.display(store)).rows
            assert [row.item_id for row in listed] != sorted(row.item_id for row in listed), order


def test_a_scorer_that_does_not_answer_the_question_is_shown_by_its_score(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, KINDS[1])
        listing = ImageListing(Selection(suite=("s",)), "faithfulness", "metric", "highest", None, Selection())
        rows = grid.items(store, ListingQuery(), listing.display(store)).rows
    assert listing.display(store) == ListingDisplay("score", "metric", "highest")
    means = [row.mean for row in rows if row.mean is not None]
    assert len(means) == len(rows)
    assert means == sorted(means, reverse=True)
