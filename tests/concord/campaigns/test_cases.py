"""Cases: a list that says nothing of what was said, an opened case that is recorded, and the verdict."""

from __future__ import annotations

import pytest

from concord.campaigns import adjudication, cases
from concord.campaigns.cases import CaseList, NoSuchCase, Ruling
from data.store.campaigns import participation
from data.store.core.store import Store
from tests.concord.campaigns.test_planning import answered
from tests.ui.http_visitor import World

ALL = CaseList("c")


@pytest.fixture
def store(world: World) -> Store:
    """Two images, of which people judge one differently."""
    participation.enter(world.store, "rita")
    return answered(world, ann="yn", bob="yy", cyd="yn")


def first(store: Store, asked: CaseList = ALL) -> str:
    return cases.docket(store, asked).cases[0].key


def test_opening_a_case_is_recorded_and_one_that_is_not_listed_is_not_opened(world: World, store: Store) -> None:
    opened = cases.open_case(store, ALL, first(store), "rita")
    assert [(each.rater, each.value) for each in opened.values] == [("ann", "no"), ("bob", "yes"), ("cyd", "no")]
    assert (opened.labels, opened.number, opened.following, opened.before) == (("yes", "no"), 1, "", "")
    assert world.column("select how from uncovered where rater_id = 'rita'") == ["asked"]
    for key in ("{", "", '["correct", "gone", null]'):
        with pytest.raises(NoSuchCase, match="not in the list any more"):
            cases.open_case(store, ALL, key, "sam")
    assert world.column("select rater_id from uncovered") == ["rita"]


def test_a_verdict_names_who_was_wrong_and_leads_to_its_cases(store: Store) -> None:
    key = first(store)
    for ruling, why in (
        (Ruling("", "person", "bob"), "choose the correct answer first"),
        (Ruling("no", ""), "choose who was wrong"),
        (Ruling("no", "person"), "say which person"),
        (Ruling("no", "scorer"), "say which scorer"),
    ):
        with pytest.raises(ValueError, match=why):
            cases.decide(store, ALL, key, ruling, "rita")
    assert cases.decide(store, ALL, key, Ruling("no", "person", "bob", " look closer "), "rita") == ""
    (verdict,) = adjudication.verdicts(store, "c")
    assert (verdict.made_by, verdict.rater_id, verdict.note, verdict.verdict) == ("rita", "bob", "look closer", "no")
    assert cases.docket(store, CaseList("c", only="open")).cases == ()
    (blame,) = cases.docket(store, ALL).blames
    of_bob = cases.docket(store, CaseList("c", only=cases.blame_name(blame)))
    assert [case.key for case in of_bob.cases] == [key]
    # a rater is kept only where there is one to blame
    cases.decide(store, ALL, key, Ruling("yes", "guideline", "bob"), "rita")
    assert adjudication.verdicts(store, "c")[0].rater_id is None


def test_a_list_of_a_campaign_that_is_gone_is_empty(store: Store) -> None:
    assert cases.docket(store, CaseList("gone", "no: topic", "nobody", "person: x")).total == 0
