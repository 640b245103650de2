"""Drafts of campaigns: checked field by field, saved step by step, made anew, started."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from concord.campaigns import gold, planning
from concord.campaigns.spec import campaign_spec
from concord.new_campaigns import drafting
from concord.new_campaigns.drafting import (
    FIELDS,
    DraftRefused,
    check_draft,
    draft_values,
    merged,
    preset,
    save_draft,
    start_draft,
)
from data.refusals import CampaignRefused
from data.remarks import Adjudication
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.judgements import remarks
from tests.concord.campaigns.test_planning import answered
from tests.ui.http_visitor import World

YAML = "name: mine\nquestions:\n  - id: likes\n    kind: likert\n    text: Like it?\n    options: [no, so so, yes]\n"
WRONG_GOLD = "item,role,count_0\ngeneval/00000/sdv2/0,gold,7\n"


def problems(store: Store, campaign: str = "", **given: Any) -> dict[str, str]:
    """Return what is wrong with values beside a title, by field."""
    try:
        values = merged(draft_values(store, campaign) if campaign else {"title": "T"}, given)
    except DraftRefused as error:
        return dict(error.problems)
    return dict(check_draft(store, values, campaign_id=campaign).problems)


def test_a_draft_is_saved_step_by_step_and_has_its_images_made_anew(world: World) -> None:
    store = world.store
    made = save_draft(store, merged({}, {"title": "A pilot", "n": "2", "overlap": "3", "suite": []}))
    assert (made.campaign_id, made.state, made.overlap) == ("a-pilot", "draft", 3)
    assert len(management.items(store, "a-pilot")) == 2
    values = merged(draft_values(store, "a-pilot"), {"n": "", "overlap": "2", "title": "A study"})
    again = save_draft(store, values, "a-pilot")
    assert (again.campaign_id, again.title, again.overlap) == ("a-pilot", "A study", 2)
    assert len(management.items(store, "a-pilot")) == 4
    assert again.stamp != made.stamp
    # a form of another step leaves these as they are
    save_draft(store, merged(draft_values(store, "a-pilot"), {"limit": "7"}), "a-pilot")
    assert draft_values(store, "a-pilot") == {"id": "a-pilot", "title": "A study", "overlap": 2, "limit": 7}
    assert [each.campaign_id for each in management.listed(store)] == ["a-pilot"]
    # a second one of the same title gets an id of its own
    assert save_draft(store, {"title": "A pilot!"}).campaign_id == "a-pilot-2"


def test_what_is_wrong_stands_beside_its_field(world: World) -> None:
    store = world.store
    assert problems(store) == {}
    expected: dict[str, tuple[dict[str, Any], str]] = {
        "n": ({"n": "99"}, "99 images are requested, but only 4 are available."),
        "lease_minutes": ({"lease_minutes": "0"}, "“Reservation time” must be above 0, at most 10080, got 0.0."),
        "limit": ({"limit": "two"}, "A number is expected, got 'two'."),
        "overlap": ({"overlap": "2.5"}, "A whole number is expected, got 2.5."),
        "item_price": ({"item_price": "much"}, "An amount such as 12.50 expected, got 'much'."),
        "budget": ({"budget": "10"}, "“Budget” needs “Price of an answer” or “Base pay”: without a price nothing is spent."),
        "generator": ({"questionnaire": "ab"}, "Pairs are of two generators: name both; there are sdv2."),
        "gold_from": ({"gold_from": "unanimous"}, "No image has a right answer from 3 people"),
        "items": ({"items": "gone/1\n"}, "There is no item 'gone/1' in this project."),
        "suite": ({"suite": ["gone"]}, "No images with files fit this selection: choose another, or import images."),
        "questionnaire": ({"questionnaire": "x"}, "There is no questionnaire 'x'"),
        "definition": ({"questionnaire": "own", "definition": " "}, "Write the questionnaire’s YAML"),
        "known": ({"known": WRONG_GOLD, "check_every": "5"}, "The known answers, line 2: count_0"),
        "template": ({"template": "<p>no form</p>"}, "The file: this is not GenEval's published form"),
        "closes": ({"closes": "tomorrow"}, "A moment such as 2027-01-31 18:00 expected, got 'tomorrow'."),
    }  # fmt: skip
    found = {name: problems(store, **given) for name, (given, _) in expected.items()}
    for name, (_, words) in expected.items():
        assert list(found[name]) == [name], (name, found[name])
        assert found[name][name].startswith(words), found[name]
    # both at once, and a text of megabytes is no text of a form
    assert set(problems(store, limit="x", overlap="y")) == {"limit", "overlap"}
    assert "at most 200,000 are read" in problems(store, known="x" * 300_000)["known"]
    with pytest.raises(DraftRefused) as refused:
        save_draft(store, {})
    assert refused.value.problems == {"title": "Give it a title: people read it above the form."}
    with pytest.raises(DraftRefused) as refused:
        save_draft(store, {"title": "☃"})
    assert list(refused.value.problems) == ["id"]
    assert management.listed(store) == []


def test_a_questionnaire_of_ones_own_and_one_after_it(world: World) -> None:
    store = world.store
    values = merged({"title": "T"}, {"questionnaire": "own", "definition": YAML})
    assert save_draft(store, values).questionnaire == "mine"
    values = merged(draft_values(store, "t"), {"questionnaire": "yes_no", "definition": YAML})
    again = save_draft(store, values, "t")
    assert (again.questionnaire, again.definition) == ("yes_no", None)


def test_checks_are_chosen_after_the_preset_that_wants_them(world: World) -> None:
    store = answered(world, ann="yn", bob="yy")
    values = merged(preset("Crowd") | {"title": "Crowd"}, {"suite": ["geneval"]})
    codes = [value for name, value in values.items() if name.endswith("_code")]
    assert len(set(codes)) == 6
    checked = check_draft(store, values)
    assert (checked.problems, len(checked.notes)) == ({}, 1)
    made = save_draft(store, values)
    assert (made.settings.check_every, made.settings.limit) == (None, 60)
    with pytest.raises(DraftRefused) as refused:
        start_draft(store, "crowd")
    assert list(refused.value.problems) == ["check_every"]
    save_draft(store, merged(draft_values(store, "crowd"), {"gold_from": "person ann", "gold_n": "2"}), "crowd")
    assert start_draft(store, "crowd").state == "running"
    stored = management.get(store, "crowd")
    assert stored
    assert stored.settings.check_every == 5
    assert sum(item.role == "gold" for item in management.items(store, "crowd")) == 2
    with pytest.raises(CampaignRefused, match="running; only a draft is edited here"):
        draft_values(store, "crowd")
    with pytest.raises(DraftRefused, match="is running; only a draft is made anew"):
        save_draft(store, {"title": "Crowd"}, "crowd")


def test_what_was_changed_besides_the_form_stays(world: World) -> None:
    """Settings of the draft's own page, and gold that a verdict gave it."""
    store = answered(world, ann="yn", bob="yy")
    first, second = [item.item_id for item in management.items(store, "c")]
    save_draft(store, {"title": "D", "items": [first]})
    management.change_settings(store, "d", {"withdrawal": True}, "rita", title="Named anew")
    remarks.adjudicate(store, Adjudication(str(uuid.uuid4()), second, "count", "scorer", "1", "rita", "car", "c", "s"))
    gold.make_gold(store, "d", second, "ann")
    values = draft_values(store, "d")
    assert (values["withdrawal"], values["title"]) == (True, "Named anew")
    made = save_draft(store, merged(values, {"overlap": "5"}), "d")
    assert (made.title, made.settings.withdrawal, made.settings.check_every) == ("Named anew", True, 10)
    roles = {item.item_id: (item.role, item.expected) for item in management.items(store, "d")}
    assert roles[first] == ("ordinary", None)
    assert roles[second][0] == "gold"
    # the form's word counts again once it is given
    save_draft(store, merged(draft_values(store, "d"), {"withdrawal": False}), "d")
    stored = management.get(store, "d")
    assert stored
    assert not stored.settings.withdrawal


def test_drafts_of_commands_and_copies_are_edited_too(world: World) -> None:
    store = world.store
    planning.make_campaign(store, campaign_spec({"id": "c", "n": 2, "pass_mark": None, "suite": "geneval"}))
    assert draft_values(store, "c") == {"id": "c", "n": 2, "suite": ["geneval"]}
    management.duplicate(store, "c", "copy", "Copy")
    assert save_draft(store, {**draft_values(store, "copy"), "title": "Copy", "n": 3}, "copy").campaign_id == "copy"
    assert [len(management.items(store, name)) for name in ("c", "copy")] == [2, 3]
    management.remove(store, "copy")
    for name in ("copy", "nothing"):
        with pytest.raises(CampaignRefused, match=f"'{name}' is gone"):
            draft_values(store, name)


def test_every_field_is_in_a_step() -> None:
    assert {drafting.step_of(name) for name in FIELDS} == {"images", "questions", "checks"}
