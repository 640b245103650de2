"""The Estimates page: what it says first, its numbers with links, and why there is none."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agreement.meta.estimates import EstimateFinding
from concord.reporting.material import NAME, estimates_of
from data.selection import Selection
from data.store.core.store import Store
from data.store.imports import apply
from tests.concord.meta.test_estimates import PROMPTS, bundle, campaign, label
from tests.ui.drawn_pages import as_text
from ui.pages.estimates import EstimatesPage, EstimatesView


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Half of the images are labelled, drawn by chance."""
    with Store(Path(tmp_path_factory.mktemp("estimates")) / "project") as made:
        apply(made, [bundle(range(PROMPTS))])
        label(made, campaign(made, n=40, seed=3))
        yield made


def drawn(store: Store, **requested: str) -> dict[str, object]:
    page = EstimatesPage(store)
    view = page.view({"scorer": "m"} | requested)
    assert isinstance(view, EstimatesView)
    (result,) = page.draw(view)
    assert result is not None
    return as_text(result)


def test_a_close_race_has_no_winner_and_numbers_open_their_images(store: Store) -> None:
    results = drawn(store)
    assert "Too few answers yet to compare generators" in str(results["lead"])
    assert "Estimated from 40 images labelled and m’s verdicts of 80 images in all" in str(results["lead"])
    assert "/studio/images?suite=geneval&amp;generator=g1&amp;rater=m&amp;by=correct" in str(results["numbers"])
    assert results["forest"] is not None


def test_a_method_that_refuses_says_why_beneath_the_table(store: Store) -> None:
    results = drawn(store, scorer="n", method="corrected")
    assert "No estimate" in str(results["lead"])
    assert "tells too little" in str(results["lead"])
    assert "g1: " in str(results["numbers"])
    assert "sensitivity" in str(results["numbers"])


def test_the_report_has_what_is_estimated(store: Store) -> None:
    rows = estimates_of(store, Selection())[NAME]
    assert {row.scorer for row in rows} == {"m", "n"}
    assert all(isinstance(row, EstimateFinding) and row.n_unlabelled and row.value is not None for row in rows)
    assert estimates_of(store, Selection(certainty=("split",))) == {}
