"""Draw probabilities: high where scorers disagree or are near the cut, never too low, and as many in all as are wanted."""

import numpy as np
import pytest

from agreement.meta.drawing import FLOOR, draw_probabilities, expected_error, ranked


def test_scorers_that_disagree_or_are_near_the_cut_make_an_error_likely() -> None:
    nan = np.nan
    error = expected_error([np.array([1, 1, 0, 0.5, nan]), np.array([1, 0, 0, nan, nan])])
    # half a yes and half a no more: 2.5 of 3, 1.5 of 3, .5 of 3, 1 of 2, .5 of 1
    assert error == pytest.approx([np.sqrt(5 / 36), 0.5, np.sqrt(5 / 36), 0.5, 0.5])


def test_scores_count_by_their_rank() -> None:
    assert ranked(np.array([-3.0, 8, 8, np.nan, 1e9])) == pytest.approx([1 / 8, 1 / 2, 1 / 2, np.nan, 7 / 8], nan_ok=True)


@pytest.mark.parametrize("expected", [1, 20, 80, 99, 100])
def test_they_add_up_and_keep_to_the_floor(expected: int) -> None:
    error = np.random.default_rng(4).random(100) ** 4
    chance = draw_probabilities(error, expected)
    assert chance.sum() == pytest.approx(expected)
    assert chance.max() <= 1
    assert chance.min() >= FLOOR * expected / 100 - 1e-12
    order = np.argsort(error)
    assert (np.diff(chance[order]) >= -1e-12).all()


def test_without_any_expected_error_all_are_alike_and_too_many_are_refused() -> None:
    assert draw_probabilities(np.zeros(4), 2) == pytest.approx([0.5] * 4)
    for wrong in (0, 5):
        with pytest.raises(ValueError, match="from 1 to 4"):
            draw_probabilities(np.ones(4), wrong)
