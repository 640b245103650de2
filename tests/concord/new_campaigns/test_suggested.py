"""What a new campaign can expect: the time of an answer and the pay of those before, and the work that follows."""

from __future__ import annotations

from decimal import Decimal

from concord.campaigns import planning
from concord.campaigns.spec import campaign_spec
from concord.new_campaigns.suggested import campaign_workload, latest_pay, time_of_answer, workload
from tests.concord.campaigns.test_planning import answered
from tests.ui.http_visitor import World


def test_time_and_pay_are_those_of_campaigns_before(world: World) -> None:
    store = world.store
    assert (time_of_answer(store), latest_pay(store)) == ((10.0, 0), ("", ""))
    answered(world, ann="yn", bob="yy")
    assert time_of_answer(store) == time_of_answer(store, "geneval") == (20.0, 4)
    # nobody has answered that one
    assert time_of_answer(store, "yes_no") == (10.0, 0)
    planning.make_campaign(store, campaign_spec({"id": "p", "target_wage": "12", "currency": "EUR"}))
    assert latest_pay(store) == ("12", "EUR")


def test_money_is_by_the_price_and_else_by_the_wage(world: World) -> None:
    by_wage = campaign_spec({"id": "w", "overlap": 3, "target_wage": "12"})
    by_price = campaign_spec({"id": "x", "overlap": 3, "target_wage": "12", "item_price": "0.5"})
    works = [campaign_workload(world.store, planning.plan_campaign(world.store, spec)) for spec in (by_wage, by_price)]
    assert [(work.answers, work.cost) for work in works] == [(12, Decimal("0.40")), (12, Decimal("6.00"))]
    assert workload(3600, (10.0, 0), "much").cost is None
