"""Payment: amounts to the cent, and a budget that is never exceeded, against arithmetic in whole fractions."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from math import floor

import pytest

from data.campaigns.payment import DECISIONS, PayTerms, amount, price_for_wage


def half_up(value: Fraction) -> Fraction:
    return Fraction(floor(value * 100 + Fraction(1, 2)), 100)


def test_pay_and_fee_are_cents_and_add_up() -> None:
    draw = random.Random(7)
    for _ in range(300):
        price, base, fee = (Decimal(draw.randrange(0, top)) / unit for top, unit in ((3000, 10_000), (500, 100), (500, 1000)))
        terms, items = PayTerms(price, base, fee), draw.randrange(0, 400)
        for outcome, decision in DECISIONS.items():
            made = terms.payout(outcome, items)
            earned = half_up(Fraction(price) * items)
            whole = max(earned, half_up(Fraction(base))) if items else Fraction(0)
            due = {"approve": whole, "wait": whole, "return": earned, "reject": Fraction(0)}[decision]
            assert (Fraction(made.pay), Fraction(made.fee)) == (due, half_up(due * Fraction(fee)))
            assert made.base + made.bonus + made.fee == made.cost == round(made.cost, 2)


def test_what_is_affordable_is_the_most_that_fits() -> None:
    draw = random.Random(8)
    for _ in range(200):
        terms = PayTerms(Decimal("0.0333"), Decimal(draw.randrange(0, 100)) / 100, Decimal("0.33"), Decimal("5.00"))
        items, others = draw.randrange(0, 100), Decimal(draw.randrange(0, 600)) / 100
        n = terms.affordable(items, 3, others)
        assert n == 0 or others + terms.cost(items + n) <= Decimal(5)
        assert n == 3 or others + terms.cost(items + n + 1) > Decimal(5)
    assert PayTerms(Decimal(1)).affordable(9, 2, Decimal(99)) == 2


def test_amounts_are_read_as_written() -> None:
    assert (amount(" 0.08 "), amount(""), amount("12")) == (Decimal("0.08"), Decimal(0), Decimal(12))
    assert price_for_wage(Decimal("12.00"), 7.5) == Decimal("0.0250")
    for text in ("-1", "1,50", "NaN", "0.00001", "1e12", "Infinity"):
        with pytest.raises(ValueError, match="expected, got"):
            amount(text)
