"""Payment of a campaign's people: amounts in whole cents, what an outcome earns, and what a platform adds.

Amounts are texts such as ``12.50`` in settings and ``Decimal`` in sums, never floats: each person's pay and fee are rounded to
the cent, half up, and a total is the sum of what is paid, so that every file adds up.

Pay is by item: every item that somebody answers as they were asked to counts, checks and training too, as it takes the same
time. Whoever reaches the end gets the base pay by the platform's approval and the rest, if their items are worth more, as a
bonus, whatever becomes of the campaign afterwards. Whoever leaves before gets what their items are worth as a bonus; so does
whoever is paused, as long as their answers stay. Whose answers stopped counting, by the checks, a manager or themselves, gets
what those of their items are worth whose answers count; nothing, where none does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Final, Literal

CENT: Final = Decimal("0.01")
Outcome = Literal["completion", "stopped", "training", "paused", "quota", "left", "working", "withdrawn"]
"""How somebody left: as ``data.campaigns.settings.OUTCOMES``; ``left``: without a word; ``working``: not yet; ``withdrawn``:
they took their answers back."""
Decision = Literal["approve", "look first", "return", "reject", "wait"]
SettledDecision = Literal["approve", "return", "reject"]
DECISIONS: Final[Mapping[Outcome, Decision]] = {
    "completion": "approve",
    "stopped": "return",
    "training": "return",
    "quota": "return",
    "left": "return",
    "paused": "return",
    "withdrawn": "return",
    "working": "wait",
}
"""What a platform is to do with a submission, unless something about the person says otherwise (``decide``); ``return``: the
person is asked to return it, and what was done is paid by a bonus."""
IMPOSSIBLE: Final = 5
"""So many times the target wage, or the median pay by the hour, is more than anybody works for."""
FEWEST_PAID: Final = 3
"""So many people must have been paid for timed work before their median says what is impossible."""


def amount(text: str) -> Decimal:
    """An amount of money, or a price with up to four decimals, from its text; empty: 0.

    Raises:
        ValueError: it is no such number, or below 0.
    """
    try:
        value = Decimal(text.strip() or "0")
    except InvalidOperation:
        raise ValueError(f"an amount such as 12.50 expected, got {text!r}") from None
    if not value.is_finite() or not 0 <= value < 10**9 or value != round(value, 4):
        raise ValueError(f"an amount from 0, with four decimals at most, expected, got {text!r}")
    return value


def to_cents(value: Decimal) -> Decimal:
    """Rounded to the cent, half up."""
    return value.quantize(CENT, ROUND_HALF_UP)


def price_for_wage(wage: Decimal, seconds: float) -> Decimal:
    """What an item of so many seconds costs at a wage by the hour, to a hundredth of a cent."""
    return (wage * Decimal(repr(seconds)) / 3600).quantize(Decimal("0.0001"), ROUND_HALF_UP)


@dataclass(frozen=True, slots=True)
class Payout:
    """What one person gets: ``base`` by approval, ``bonus`` besides, and the platform's ``fee`` on both."""

    decision: Decision
    base: Decimal
    bonus: Decimal
    fee: Decimal

    @property
    def pay(self) -> Decimal:
        """What the person gets in all."""
        return self.base + self.bonus

    @property
    def cost(self) -> Decimal:
        """Pay and fee together."""
        return self.pay + self.fee


@dataclass(frozen=True, slots=True)
class PayTerms:
    """What a campaign pays.

    Attributes:
        price: of one answered item; ``base``: what the platform pays on approval.
        fee: the platform's share on top of all pay, such as 0.33.
        budget: the most that everything may cost; None: no cap.
    """

    price: Decimal = Decimal(0)
    base: Decimal = Decimal(0)
    fee: Decimal = Decimal(0)
    budget: Decimal | None = None

    @property
    def paid(self) -> bool:
        """Whether anything is paid at all."""
        return bool(self.price or self.base)

    def payout(self, outcome: Outcome, items: int, decision: Decision | None = None) -> Payout:
        """Return what somebody gets who has left so and is paid for so many items; whoever still works, as if at the end.

        ``decision`` takes the place of the outcome's.
        """
        decision = decision or DECISIONS[outcome]
        earned = to_cents(self.price * items)
        if decision == "reject":
            base = bonus = Decimal("0.00")
        elif decision == "return" or (decision == "look first" and DECISIONS[outcome] == "return") or not items:
            base, bonus = Decimal("0.00"), earned
        else:
            base = to_cents(self.base)
            bonus = max(earned - base, Decimal("0.00"))
        return Payout(decision, base, bonus, to_cents((base + bonus) * self.fee))

    def cost(self, items: int) -> Decimal:
        """Cost of one completed submission with this many items, fees included."""
        return self.payout("completion", items).cost

    def cost_of(self, answers: int) -> Decimal:
        """What so many answers cost by the price of an item, whoever gives them."""
        return to_cents(to_cents(self.price * answers) * (1 + self.fee))

    def affordable(self, items: int, more: int, others: Decimal) -> int:
        """How many of ``more`` further items the budget has room for, beside ``items`` of this person and others' cost."""
        if self.budget is None or not self.paid:
            return more
        return next((n for n in range(more, 0, -1) if others + self.cost(items + n) <= self.budget), 0)


@dataclass(frozen=True, slots=True)
class PaidWork:
    """The facts that decide about one person's pay.

    Attributes:
        items: that they answered as they were asked to; ``counted``: of these, items whose answers count.
        uncounted: whether answers of theirs stopped counting, as they were revoked or took them back.
        failed_attention: whether they are paused, and below the mark of checks that were declared as attention checks.
        hourly: pay by the hour if they are approved; None without pay or time; ``usual``: the target wage, or the median of the
            others; None if neither is known.
        untimed: answers without a known time.
        convicting: sentences of flags that ask for a look before somebody is paid.
    """

    outcome: Outcome
    items: int
    counted: int
    uncounted: bool = False
    failed_attention: bool = False
    hourly: Decimal | None = None
    usual: Decimal | None = None
    untimed: int = 0
    convicting: Sequence[str] = ()

    @property
    def paid_items(self) -> int:
        """Items that are paid: all whose answers stay, checks and training too; else those whose answers count."""
        return self.counted if self.uncounted else self.items


def decide(work: PaidWork) -> tuple[Decision, tuple[str, ...]]:
    """Return what to do with somebody's submission, and why it needs a look first.

    Nobody is rejected whose answers count, nor for anything but checks that were declared as attention checks.
    """
    decision = DECISIONS[work.outcome]
    if decision == "wait":
        return decision, ()
    if work.outcome == "paused" and work.failed_attention and not work.counted:
        return "reject", ()
    reasons = list(work.convicting)
    if work.hourly is not None and work.usual is not None and work.hourly > IMPOSSIBLE * work.usual:
        reasons.insert(0, f"{work.hourly:,} an hour, more than {IMPOSSIBLE} times {work.usual:,}")
    if work.items and work.untimed == work.items:
        reasons.insert(0, "no working time is known")
    # whoever is out has been looked at, and whoever is paid nothing needs no look
    looked_at = work.outcome in ("paused", "withdrawn") or not work.paid_items
    return (decision, ()) if looked_at or not reasons else ("look first", tuple(reasons))
