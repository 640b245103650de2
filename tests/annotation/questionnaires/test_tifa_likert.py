"""TIFA's Likert study: the guideline's suggestions, and each image's own judgement."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from annotation.questionnaires.base import to_json
from annotation.questionnaires.form import FormItem
from annotation.questionnaires.tifa_likert import FORM, MOST_ELEMENTS, suggested
from data.prompts.questions import PromptQuestion
from data.records import Judgement

# By hand from appendix C.1: a row for each n, a column for each x from 0 to n. 5 without a miss; 4 up to min(2, n/3); 3 up to
# n/2; 2 above; 1 where all is missed, so that no major object is there.
BY_HAND = {
    1: "51",
    2: "531",
    3: "5421",
    4: "54321",
    5: "543221",
    6: "5443221",
    7: "54432221",
    8: "544332221",
}


@pytest.mark.parametrize(("n", "x"), [(n, x) for n in BY_HAND for x in range(n + 1)])
def test_the_guideline_by_hand(n: int, x: int) -> None:
    assert suggested(n, x) == int(BY_HAND[n][x])


@pytest.mark.parametrize("n", range(1, MOST_ELEMENTS + 1))
def test_the_score_follows_the_guideline(n: int) -> None:
    """The paper's inequalities as they stand, in fractions, for halves too."""
    for halves in range(2 * n + 1):
        x = Fraction(halves, 2)
        fits = {
            5: x == 0,
            4: 0 < x <= 2 and x <= Fraction(n, 3),
            3: min(Fraction(2), Fraction(n, 3)) < x <= Fraction(n, 2),
            2: x > Fraction(n, 2) and x < n,
            1: x == n,
        }
        (expected,) = [score for score, holds in fits.items() if holds]
        assert suggested(n, float(x)) == expected, (n, x)


@pytest.mark.parametrize(("n", "x"), [(0, 0), (-1, 0), (3, 4), (3, -0.5), (0, 1), (3, float("nan")), (float("nan"), 1)])
def test_counts_that_cannot_be_suggest_nothing(n: float, x: float) -> None:
    assert suggested(n, x) is None


def test_the_browser_gets_the_same_table() -> None:
    counter = to_json(FORM.build(FormItem("p", n_images=3)))["counter"]
    assert (counter["elements"], counter["missed"], counter["scores"]) == (
        "elements", ("missed_0", "missed_1", "missed_2"), ("faithfulness_0", "faithfulness_1", "faithfulness_2"),
    )  # fmt: skip
    for n in range(1, MOST_ELEMENTS + 1):
        assert [counter["table"][n - 1][halves] for halves in range(2 * n + 1)] == [
            suggested(n, halves / 2) for halves in range(2 * n + 1)
        ]


def test_the_prompts_own_elements_anchor_no_count() -> None:
    spec = {"include": [{"class": "cup", "count": 2, "color": "red"}, {"class": "dog", "count": 1, "position": ["left of", 0]}]}
    beach = PromptQuestion("q", "Is there a beach?", ("yes", "no"), "yes", "location", "beach")
    assert FORM.build(FormItem("p", spec, questions=(beach,))) == FORM.build(FormItem("p"))


def test_the_persons_score_is_the_judgement_of_each_image() -> None:
    answers: dict[str, Any] = {"elements": 4, "missed_0": 4, "faithfulness_0": 5, "faithfulness_1": "cannot_tell"}
    answers |= {"faithfulness_2": 1, "missed_2": 0}
    assert FORM.derive(FormItem("p", n_images=4, images=("a", "b", "c", "d")), answers | {"blank_image_3": "yes"}) == [
        Judgement("faithfulness", "5", 5.0, item_id="a"),
        Judgement("faithfulness", None, None, None, "cannot_tell", item_id="b"),
        Judgement("faithfulness", "1", 1.0, item_id="c"),
        Judgement("faithfulness", "1", 1.0, item_id="d"),
    ]


def test_images_in_another_order_on_the_screen() -> None:
    item = FormItem("p", n_images=3, order=(2, 0, 1), images=("a", "b", "c"))
    results = FORM.derive(item, {"faithfulness_0": 1, "faithfulness_1": 2, "faithfulness_2": 3})
    assert [(judgement.item_id, judgement.label) for judgement in results] == [("c", "1"), ("a", "2"), ("b", "3")]
