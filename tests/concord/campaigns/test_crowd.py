"""Crowds and cards: who needs a look first, numbers of a campaign's people and of those whose answers were brought in."""

from __future__ import annotations

import pytest

from concord.campaigns import managing, planning
from concord.campaigns.cards import campaign_cards
from concord.campaigns.crowd import apart, brought_crowd, campaign_crowd, crowds, number_to_look_at, people_effects
from concord.campaigns.spec import campaign_spec
from data.store.core.store import Store
from data.store.judgements import revocations
from tests.concord import generators_project
from tests.concord.campaigns.test_health import hurry
from tests.concord.campaigns.test_planning import answered
from tests.ui.http_visitor import World


def test_people_with_a_flag_stand_first_and_who_is_out_last(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yy", dan="y")
    for person in ("bob", "cyd"):
        hurry(store, person)
    revocations.revoke(store, "cyd", "rita", "c", uncount=True)
    crowd = campaign_crowd(store, "c")
    assert crowd is not None
    assert [person.name for person in crowd.people] == ["bob", "ann", "dan", "cyd"]
    assert (crowd.look, number_to_look_at(store)) == (1, 1)
    out = crowd.people[-1]
    assert out.revocation is not None
    assert (out.out, out.revocation.by, out.revocation.uncounted, out.withdrawn) == (True, "rita", True, False)
    managing.move(store, "c", "pause")
    assert number_to_look_at(store) == 0


def test_a_persons_numbers_are_quick_without_and_then_with_intervals(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yn")
    quick, whole = (campaign_crowd(store, "c", intervals=intervals) for intervals in (False, True))
    assert quick is not None
    assert whole is not None
    assert quick.topic == whole.topic
    assert whole.topic is not None
    assert whole.topic.aspect == "correct"
    shares = {person.name: person.mean.value if person.mean else None for person in whole.people}
    assert shares == {"ann": 0.5, "bob": 1.0, "cyd": 0.5}
    assert quick.together is not None
    assert whole.together is not None
    assert (quick.together.value, quick.together.low) == (whole.together.value, None)
    assert [person.agreement and person.agreement.value for person in quick.people] == [
        person.agreement and person.agreement.value for person in whole.people
    ]
    assert campaign_crowd(store, "gone") is None


def test_answers_that_were_brought_in_are_a_crowd_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    with Store(tmp_path_factory.mktemp("brought") / "project") as store:
        assert (brought_crowd(store), crowds(store)) == (None, [])
        generators_project.fill(store)
        (crowd,) = crowds(store)
        assert [(person.name, person.answers, person.work) for person in crowd.people] == [("ann", 24, None), ("bob", 24, None)]
        assert crowd.together is not None
        assert (crowd.name, crowd.together.value, crowd.says_yes) == ("", 1.0, True)
        assert not any(apart(person, crowd) for person in crowd.people)
        assert crowd.topic is not None
        reliable = [row.ratings for row in people_effects(store, crowd.topic, simulated=False) if row.ratings]
        assert reliable == sorted(reliable)
        assert set(reliable) == set(range(1, 8))


def test_a_card_says_the_one_problem_or_the_one_fact(world: World) -> None:
    store = answered(world, ann="yn", bob="yy")
    planning.make_campaign(store, campaign_spec({"id": "draft", "n": 2, "overlap": 2}))
    running, draft = campaign_cards(store)
    assert [(card.name, card.fact) for card in (running, draft)] == [
        ("c", ("2 images still have fewer than 3 answers", "")),
        ("draft", ("Nobody has been invited", "")),
    ]
    assert (running.deletable, draft.deletable, draft.can("running"), draft.can("stopped")) == (False, True, True, False)
    # the draft takes what an answer has taken here so far
    assert draft.seconds == pytest.approx(4 * 20.0)
    hurry(store, "bob")
    assert campaign_cards(store)[0].fact == ("1 person needs a look", "warn")
    managing.move(store, "c", "pause")
    managing.move(store, "c", "archive")
    assert [card.name for card in campaign_cards(store)] == ["draft", "c"]
