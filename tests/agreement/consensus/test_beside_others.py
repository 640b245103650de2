"""Each person beside the label that the others give, by hand-derived cases."""

from __future__ import annotations

import math

import numpy as np
import pytest

from agreement.consensus.beside_others import beside_others
from agreement.consensus.methods import CrowdAnswers, fit_consensus


def answers(*said: str) -> CrowdAnswers:
    """A text for each person: y, n, or . for each unit in turn."""
    rows = [
        (unit, person, "ny".index(letter))
        for person, text in enumerate(said)
        for unit, letter in enumerate(text)
        if letter != "."
    ]
    return CrowdAnswers(*(np.array(column, np.int64) for column in zip(*rows, strict=True)))


def test_a_person_is_compared_where_the_others_have_a_label() -> None:
    said = answers("yyynn", "yynny", "yynn.")
    first, second, third = beside_others(said, fit_consensus(said, "majority"))
    # the others say y y n n and, alone, y at the last
    assert first.equal.tolist() == [True, True, False, True, False]
    # own: 3 y of 5, others: 3 y of 5
    assert first.chance == pytest.approx(0.6 * 0.6 + 0.4 * 0.4)
    assert first.kappa == pytest.approx((0.6 - 0.52) / 0.48)
    # of the second the others differ at the third unit: no label there
    assert second.equal.tolist() == [True, True, True, False]
    assert third.equal.tolist() == [True, True, True]


def test_nobody_beside_and_one_label_are_undefined() -> None:
    said = answers("yy.", "yy.", "..n")
    first, _, alone = beside_others(said, fit_consensus(said, "majority"))
    assert (first.equal.tolist(), first.chance) == ([True, True], 1.0)
    assert math.isnan(first.kappa)
    assert alone.equal.size == 0
    assert math.isnan(alone.chance)
    assert math.isnan(alone.kappa)


def test_who_guesses_has_a_kappa_near_zero_beside_a_model_of_everybody() -> None:
    chance = np.random.default_rng(3)
    truth = chance.integers(0, 2, 400)
    people = [np.where(chance.random(400) < error, 1 - truth, truth) for error in (0.03, 0.05, 0.04)] + [
        chance.integers(0, 2, 400)
    ]
    said = answers(*("".join("ny"[label] for label in labels) for labels in people))
    kappas = [person.kappa for person in beside_others(said, fit_consensus(said, "dawid_skene"))]
    assert all(kappa > 0.85 for kappa in kappas[:3])
    assert abs(kappas[3]) < 0.15
