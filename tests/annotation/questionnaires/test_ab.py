"""Two images side by side: whose image is preferred does not depend on the side."""

from __future__ import annotations

import pytest

from annotation.questionnaires.ab import FORM
from annotation.questionnaires.form import FormItem
from data.records import Judgement

STRAIGHT = FormItem("a cow", n_images=2, generators=("sd", "if"), order=(0, 1))
CROSSED = FormItem("a cow", n_images=2, generators=("sd", "if"), order=(1, 0))


@pytest.mark.parametrize(
    ("asked", "side", "label"),
    [
        (STRAIGHT, "left", "sd"),
        (STRAIGHT, "right", "if"),
        (CROSSED, "left", "if"),
        (CROSSED, "right", "sd"),
        (CROSSED, "both", "both"),
        (CROSSED, "none", "none"),
    ],
)
def test_the_generator_is_judged_not_the_side(asked: FormItem, side: str, label: str) -> None:
    assert FORM.derive(asked, {"preference": side}) == [Judgement("preference", label, None)]


def test_cannot_tell_and_blank_images() -> None:
    unsure = Judgement("preference", None, None, None, "cannot_tell")
    assert FORM.derive(CROSSED, {"preference": "cannot_tell"}) == [unsure]
    both = {"blank_image_0": "yes", "blank_image_1": "yes"}
    assert FORM.derive(CROSSED, both) == [Judgement("preference", "none", None)]
    # one of them is no answer yet: the other may be faithful or not
    assert FORM.derive(CROSSED, {"blank_image_0": "yes"}) == []
    assert FORM.derive(CROSSED, {"blank_image_0": "yes", "preference": "right"})[0].label == "sd"


@pytest.mark.parametrize(
    ("generators", "words"),
    [(("sd", "sd"), "two generators"), (("sd",), "two generators"), ((), "two generators"), (("both", "sd"), "named 'both'")],
)
def test_pairs_that_say_nothing_are_refused(generators: tuple[str, ...], words: str) -> None:
    item = FormItem("a cow", n_images=2, generators=generators)
    assert words in (FORM.problem(item) or "")
    with pytest.raises(ValueError, match=words):
        FORM.derive(item, {"preference": "left"})
