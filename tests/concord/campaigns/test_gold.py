"""Gold without a file: from a person's answers, from verdicts, and from what everybody says alike."""

from __future__ import annotations

import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from annotation.questionnaires import geneval, registry
from concord.campaigns import gold, planning
from concord.campaigns.gold import gold_items
from concord.campaigns.spec import CampaignSpec, campaign_spec
from concord.form.item_form import item_form
from concord.new_campaigns import drafting
from data.remarks import Adjudication
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.judgements import recording, remarks
from tests.concord.campaigns.test_planning import answered, tasks_of
from tests.data.store.small_campaign import give
from tests.data.store.small_project import fill, submit
from tests.ui.http_visitor import COW, World


def say(store: Store, item_id: str, who: str, **answers: Any) -> None:
    campaign = management.get(store, "c")
    assert campaign
    (task,) = tasks_of(store, item_id)
    made = item_form(store, campaign, task, who).annotation(who, COW | answers, annotation_id=str(uuid.uuid4()))
    give(store, "c", item_id, who)
    recording.submit(store, made)


def keys(store: Store, source: str) -> dict[str, Any]:
    made = gold_items(store, geneval.FORM, source, 9)
    return {row.item_id: row.expected for row in made.rows}


@pytest.fixture
def judged(world: World) -> Store:
    """Three people about two images: on the first they differ in count and color, on the second in how well it fits."""
    store = answered(world)
    first, second = [item.item_id for item in management.items(store, "c")]
    for who, count, fit in (("ann", 1, 4), ("bob", 1, 3), ("cyd", 2, 4)):
        say(store, first, who, count_0=count, color_0=["red"] if count == 1 else ["blue", "red"])
        say(store, second, who, caption_fit=fit)
    return store


def test_what_everybody_says_alike_is_right(judged: Store) -> None:
    first, second = [item.item_id for item in management.items(judged, "c")]
    results = keys(judged, "unanimous")
    # a grade is right within one level: of three levels of realism the highest two; free texts are no key
    assert results[first] == {"realism_0": {"any": [2, 3]}, "caption_fit": {"any": [3, 4]}}
    assert results[second] == {"count_0": 1, "color_0": ["black"], "realism_0": {"any": [2, 3]}}


def test_a_verdict_says_whose_answers_are_right(judged: Store) -> None:
    first = management.items(judged, "c")[0].item_id
    with pytest.raises(ValueError, match="no image has a right answer from verdicts in 'geneval' yet"):
        keys(judged, "verdicts")
    verdict = Adjudication(str(uuid.uuid4()), first, "count", "person", "2", "rita", target="cow", campaign_id="c")
    remarks.adjudicate(judged, verdict)
    # cyd is right, and differs from the others in these two
    assert keys(judged, "verdicts") == {first: {"count_0": 2, "color_0": ["blue", "red"]}}


def test_a_researcher_labels_and_it_is_gold(judged: Store) -> None:
    first, second = [item.item_id for item in management.items(judged, "c")]
    assert gold.sources(judged, geneval.FORM).images == {"unanimous": 2, "person ann": 2, "person bob": 2, "person cyd": 2}
    values = {"id": "g", "suite": ["geneval"], "gold_from": "person bob", "gold_n": 1, "pass_mark": None}
    made = planning.make_campaign(judged, campaign_spec(values))
    roles = {item.item_id: item.role for item in made.items}
    (checked,) = [item for item, role in roles.items() if role == "gold"]
    assert checked in (first, second)
    # what is left stands with its right answers in the instructions, without being asked for, so nobody is asked about it
    (shown,) = {first, second} - {checked}
    assert shown not in roles
    settings = made.campaign.settings
    assert settings.check_every == 10
    assert settings.instructions.startswith(f"![Example](item:{shown})\n\n*")
    assert "are in the image? **1**" in settings.instructions
    assert "How well does the image fit this caption? **Misses one of many**" in settings.instructions or shown == first
    with pytest.raises(ValueError, match="21 images with known answers are asked for, and only 2 can be had from person bob"):
        planning.plan_campaign(judged, campaign_spec({"id": "h", "gold_from": "person bob", "training_n": 1}))
    with pytest.raises(ValueError, match="gold comes from verdicts, unanimous or 'person NAME'"):
        planning.plan_campaign(judged, campaign_spec({"id": "h", "gold_from": "x"}))


def test_an_image_with_a_verdict_becomes_gold_of_a_draft(judged: Store) -> None:
    first, second = [item.item_id for item in management.items(judged, "c")]
    planning.make_campaign(judged, campaign_spec({"id": "d", "items": [first, second]}))
    assert [draft.campaign_id for draft in gold.drafts(judged)] == ["d"]
    with pytest.raises(ValueError, match="no verdict says what is right about this image"):
        gold.make_gold(judged, "d", first, "rita")
    for item, target, right in ((first, "cow", "2"), (second, "car", "3")):
        remarks.adjudicate(judged, Adjudication(str(uuid.uuid4()), item, "count", "person", right, "rita", target))
    made = gold.make_gold(judged, "d", first, "rita")
    assert (made.role, made.expected) == ("gold", {"count_0": 2, "color_0": ["blue", "red"]})
    assert made in management.items(judged, "d")
    stored = management.get(judged, "d")
    assert stored
    assert stored.settings.check_every == 10
    # all say that there is one car, the verdict says three: only who gave it may say so too
    with pytest.raises(ValueError, match="nobody's answers to 'geneval' say what the verdict says; answer this image yourself"):
        gold.make_gold(judged, "d", second, "rita")
    say(judged, second, "rita", count_0=3)
    with pytest.raises(ValueError, match="at least one ordinary item"):
        gold.make_gold(judged, "d", second, "rita")
    with pytest.raises(ValueError, match="'c' is running, and gold is added to a draft"):
        gold.make_gold(judged, "c", first, "rita")


def test_gold_is_added_to_a_draft_that_lacks_the_image(judged: Store) -> None:
    first, second = [item.item_id for item in management.items(judged, "c")]
    planning.make_campaign(judged, campaign_spec({"id": "d", "items": [first]}))
    remarks.adjudicate(judged, Adjudication(str(uuid.uuid4()), second, "count", "scorer", "1", "rita", "car", "c", "s"))
    gold.make_gold(judged, "d", second, "ann")
    assert [(item.item_id, item.role) for item in management.items(judged, "d")] == [(first, "ordinary"), (second, "gold")]


def test_what_people_said_in_other_words_is_gold_of_a_form_of_one_question(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        items = fill(store, 5)
        for item, labels in zip(items, ("yyy", "nnn", "yyn", "yy"), strict=False):
            for who, letter in zip(("ann", "bob", "cyd"), labels, strict=False):
                submit(store, item, who, {"y": "yes", "n": "no"}[letter])
        # the questionnaire `direct` of these answers is not the form's
        found = gold.sources(store, registry.YES_NO)
        assert (found.images["unanimous"], found.images["person ann"], found.answered, found.most) == (2, 4, 4, 3)
        made = gold_items(store, registry.YES_NO, "unanimous", 9)
        question = registry.YES_NO.build(registry.YES_NO.example).questions[0].id
        assert {row.item_id: row.expected for row in made.rows} == {items[0]: {question: "yes"}, items[1]: {question: "no"}}
        values = {"suite": [], "questionnaire": "yes_no"}
        choice = drafting.gold_choice(store, values)
        assert choice.sources["unanimous"] == "3 people or more who all agree: 2 images"
        assert choice.why_not == ("No image by verdicts: none is decided yet (a campaign’s Disputes, or an image’s drawer).",)


def test_examples_take_no_image_that_is_asked_about(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        for item, label in zip(fill(store, 5), ("yes", "no", "yes", "no"), strict=False):
            submit(store, item, "ann", label)
        wish = CampaignSpec("c", questionnaire="yes_no", gold_from="person ann", gold_n=1)
        roles = [item.role for item in planning.plan_campaign(store, replace(wish, n=4)).items]
        assert sorted(roles) == ["gold", *["ordinary"] * 4]
        # where there are enough, pictures with right answers begin the instructions
        shown = planning.plan_campaign(store, replace(wish, n=1)).campaign.settings.instructions
        assert shown.count("![Example]") == 3


def test_a_form_without_gold_says_why(world: World) -> None:
    store = world.store
    nobody = drafting.gold_choice(store, {"questionnaire": "geneval"})
    said = "Nobody has answered the questions “geneval” yet. Other questions are answered about 1 image. Label some images"
    assert (nobody.sources, nobody.why_not[0].startswith(said)) == ({}, True)
    answered(world, ann="yn", bob="yy")
    some = drafting.gold_choice(store, {"questionnaire": "geneval"})
    assert [*some.sources] == ["person ann", "person bob"]
    assert some.why_not[0] == (
        "No image by agreement: 3 people must say the same, and no image has answers of more than 2 so far."
    )
