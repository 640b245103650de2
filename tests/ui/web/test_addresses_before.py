"""Links that people kept from before the five places lead to where their page stands now."""

from __future__ import annotations

import pytest

from ui.web.addresses_before import new_address


@pytest.mark.parametrize(
    ("path", "query", "expected"),
    [
        ("workbench", [("id", "a/b c"), ("suite", "s"), ("shown", "people")], "images?image=a%2Fb+c&suite=s&shown=people"),
        ("images/one", [("id", "x"), ("tag", "a"), ("tag", "b")], "images?image=x&tag=a&tag=b"),
        ("browse", [("q", "a&b"), ("id", "kept")], "images?q=a%26b&id=kept"),
        ("map", [], "images?show=map"),
        ("images/map", [("paint", "task"), ("task", "a")], "images?show=map&paint=task&task=a"),
        ("scorers", [("suite", "s"), ("epsilon", "0.2")], "agreement?suite=s&epsilon=0.2"),
        ("agreement/scorers", [("task", "t1")], "agreement?task=t1"),
        ("explore", [("rater", "visor"), ("threshold", "0.5")], "agreement/tune?rater=visor&threshold=0.5"),
        ("explore", [("show", "failures"), ("picture", "counts")], "agreement/failures?picture=counts"),
        ("agreement/explore", [("show", "questions"), ("see", "people")], "agreement/failures?picture=people"),
        ("explore", [("show", "flips"), ("flip", "color")], "agreement/failures?flip=color&picture=flips"),
        ("matching", [("suite", "itm")], "agreement/captions?suite=itm"),
        ("reports", [("suite", "s"), ("seed", "3")], "report?suite=s&seed=3"),
        ("studies", [("study", "tifa"), ("show", "different")], "report?study=tifa&show=different"),
        ("report/studies", [("study", "tia2"), ("page", "2")], "report?study=tia2&page=2"),
    ],
)  # fmt: skip
def test_an_address_of_before_leads_to_its_image_with_its_listing(
    path: str, query: list[tuple[str, str]], expected: str
) -> None:
    assert new_address(path, query) == expected
