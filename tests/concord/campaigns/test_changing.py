"""A campaign that is changed after it was made: what may change, what follows, and what a copy has."""

from __future__ import annotations

import pytest

from concord.campaigns.changing import describe_change
from data.campaigns.settings import Campaign, Settings, id_of_title
from data.refusals import CampaignRefused
from data.store.campaigns import management, monitoring, participation
from data.store.core.store import Store
from tests.concord.campaigns.test_planning import answered
from tests.ui.http_visitor import World


def campaign(store: Store, name: str = "c") -> Campaign:
    found = management.get(store, name)
    assert found
    return found


def test_more_people_are_asked_of_items_that_were_full(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yy")
    assert participation.next_tasks(store, "dan", "c").tasks == []
    answers = describe_change(store, campaign(store), {}, 5)
    assert answers[0].startswith("People for each: 4 answers more, 80 s of active time.")
    assert answers[0].endswith("makes its interval too narrow.")
    management.change_settings(store, "c", {}, "rita", overlap=5)
    assert (monitoring.coverage(store, "c").wanted, campaign(store).overlap) == (10, 5)
    assert len(participation.next_tasks(store, "dan", "c").tasks) == 2
    assert participation.next_tasks(store, "ann", "c").tasks == []
    (entry,) = management.changes(store, "c")
    assert (list(entry.settings["overlap"]), entry.made_by) == ([3, 5], "rita")
    with pytest.raises(CampaignRefused, match="cannot ask fewer than 5 people about an item"):
        management.change_settings(store, "c", {}, "rita", overlap=4)


def test_each_change_says_what_follows(world: World) -> None:
    store = answered(world, ann="yn")
    values = {
        "limit": 9,
        "stopped_code": "X",
        "consent": "New",
        "item_price": "0.10",
        "currency": "EUR",
        "closes": "2030-01-01",
    }
    starts = [line.split(":")[0] for line in describe_change(store, campaign(store), values, 3)]
    assert starts == ["Limit", "Codes", "Texts", "Pay", "Close"]
    assert (
        "so far 0.00 becomes 0.20 EUR"
        in describe_change(store, campaign(store), {"item_price": "0.1", "currency": "EUR"}, 3)[0]
    )
    assert describe_change(store, campaign(store), {}, 3) == []
    with pytest.raises(ValueError, match="budget needs item_price"):
        describe_change(store, campaign(store), {"budget": "5"}, 3)
    with pytest.raises(CampaignRefused, match="has answers, so its order cannot change"):
        management.change_settings(store, "c", {"order": "random"}, "rita")


def test_a_copy_has_the_items_and_settings_and_no_answers(world: World) -> None:
    store = answered(world, ann="yn")
    management.change_settings(store, "c", {"limit": 7, "completion_code": "X"}, "rita")
    assert management.free_id(store, "c") == "c-2"
    made = management.duplicate(store, "c", "c-2", "C again")
    assert (made.state, made.title, made.settings.limit, made.stratum) == ("draft", "C again", 7, campaign(store).stratum)
    assert management.items(store, "c-2") == management.items(store, "c")
    assert (monitoring.coverage(store, "c-2").answers, management.free_id(store, "c")) == (0, "c-3")
    # a draft may still change what decides the order
    assert management.change_settings(store, "c-2", {"order": "shared"}, "rita", overlap=1).settings.order == "shared"
    assert monitoring.coverage(store, "c-2").wanted == 2


def test_an_id_from_a_title() -> None:
    made = [id_of_title(title) for title in ("Cows & benches, été", "  ", "日本", "A" * 90)]
    assert made == ["cows-benches-ete", "", "", "a" * 60]
    assert Campaign(made[3], "x", settings=Settings()).campaign_id == "a" * 60
