"""How often a headline calls a generator best that is not: simulated studies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from agreement.estimate import Estimate
from agreement.generators import GeneratorDifference
from agreement.reasons import Method, MethodCode
from concord import headlines

PROMPTS = 30


def headline(means: dict[str, float], rng: np.random.Generator) -> headlines.GeneratorHeadline:
    """Of one study: prompts are hard for all generators, and each answers some better than others."""
    hard = rng.normal(size=PROMPTS)
    rows = [
        {"prompt": f"p{k}", "generator": name, "item": f"{name}{k}", "value": hard[k] + mean + 0.7 * rng.normal()}
        for name, mean in means.items()
        for k in range(PROMPTS)
    ]
    answers = pd.DataFrame(rows)
    seen = answers.groupby("generator").value.mean()
    estimates = {
        str(name): Estimate(generator=str(name), value=float(value), n_ratings=PROMPTS) for name, value in seen.items()
    }
    made = headlines.generator_headline("people", estimates, answers)
    assert made is not None
    return made


def called_best(means: dict[str, float], studies: int, seed: int) -> int:
    rng = np.random.default_rng(seed)
    return sum(headline(means, rng).state == "best" for _ in range(studies))


def error_of(studies: int) -> tuple[int, int]:
    """How often .05 of so many studies occur but for one in a thousand, on either side."""
    low, high = stats.binom.ppf([0.0005, 0.9995], studies, 0.05)
    return int(low), int(high)


@pytest.mark.parametrize(("p", "said"), [(0.049, "better"), (0.051, "undecided"), (None, "better")])
def test_a_generator_beats_another_where_interval_and_test_say_so(p: float | None, said: str) -> None:
    method = Method(MethodCode.SIGN_FLIPS, swaps=25, exact=False)
    difference = GeneratorDifference("a", "b", 0.13, 0.001, 0.25, p, p, 25, 12, 4, 9, method, answers=300)
    assert headlines.direction(difference) == said


def test_of_two_equal_generators_ahead_of_all_others_one_is_best_in_at_most_a_twentieth_of_studies() -> None:
    low, high = error_of(250)
    assert low <= called_best({"a": 1.0, "b": 1.0, "c": -1.0}, 250, 1) <= high


def test_a_generator_that_is_clearly_ahead_of_each_other_one_is_called_best() -> None:
    assert called_best({"a": 2.0, "b": 1.0, "c": 1.0}, 40, 2) >= 38


def test_of_three_equal_generators_one_is_best_in_fewer_studies() -> None:
    assert called_best({"a": 1.0, "b": 1.0, "c": 1.0}, 250, 3) <= error_of(250)[1]


@pytest.mark.slow
@pytest.mark.parametrize("last", [-1.0, 0.9, 1.0])
def test_two_equal_generators_in_many_studies(last: float) -> None:
    low, high = error_of(3000)
    best = called_best({"a": 1.0, "b": 1.0, "c": last}, 3000, 4)
    assert best <= high
    assert best >= low or last > 0
