"""What managers do with a campaign and its people: states, settings, links, people, images that are set aside."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from concord.campaigns import managing, planning
from concord.campaigns.managing import LinkRequest
from concord.campaigns.spec import campaign_spec
from data.refusals import CampaignRefused, InvitationRefused, NoSuchPerson
from data.store.campaigns import management, monitoring, participation
from data.store.judgements import revocations
from tests.concord.campaigns.test_planning import answered
from tests.ui.http_visitor import World


def test_start_pause_archive_and_delete(world: World) -> None:
    store = world.store
    planning.make_campaign(store, campaign_spec({"id": "c"}))
    with pytest.raises(CampaignRefused, match="cannot become stopped directly"):
        managing.move(store, "c", "pause")
    for act, state in (("start", "running"), ("pause", "stopped"), ("archive", "archived"), ("unarchive", "stopped")):
        managing.move(store, "c", act)  # type: ignore[arg-type]
        assert managing.existing(store, "c").state == state
    managing.move(store, "c", "delete")
    assert (management.listed(store), managing.find(store, "c")) == ([], None)
    with pytest.raises(CampaignRefused, match="there is no campaign 'c'"):
        managing.move(store, "c", "delete")


def test_a_duplicate_is_a_draft_with_the_same_items(world: World) -> None:
    store = answered(world, ann="yn")
    made = managing.duplicate(store, "c")
    assert (made.campaign_id, made.title, managing.existing(store, "c-2").state) == ("c-2", "C (copy)", "draft")
    assert management.items(store, "c-2") == management.items(store, "c")


def test_somebody_is_paused_or_revoked_and_let_in_again(world: World) -> None:
    store = answered(world, ann="yn", bob="yy")
    assert managing.move_person(store, "c", "ann", "revoke", "rita") == (
        "ann is revoked. 2 answers stopped counting; these images are offered again."
    )
    assert monitoring.coverage(store, "c").answers == 2
    assert managing.move_person(store, "c", "ann", "reinstate", "rita") == "ann is back. 2 answers of theirs count again."
    assert managing.move_person(store, "c", "ann", "pause", "rita") == "ann is paused; what they answered counts as before."
    assert monitoring.coverage(store, "c").answers == 4
    assert [(gone.person, gone.by) for gone in revocations.current_revocations(store)] == [("ann", "rita")]
    with pytest.raises(NoSuchPerson, match="nobody called 'zoe'"):
        managing.move_person(store, "c", "zoe", "pause", "rita")
    with pytest.raises(CampaignRefused, match="there is no campaign 'x'"):
        managing.move_person(store, "x", "ann", "pause", "rita")


def test_withdrawn_answers_stay_withdrawn(world: World) -> None:
    store = answered(world, ann="yn", bob="yy")
    assert managing.withdraw_answers(store, "c", "ann") == 2
    assert monitoring.coverage(store, "c").answers == 2
    with pytest.raises(CampaignRefused, match="they stay withdrawn"):
        managing.move_person(store, "c", "ann", "reinstate", "rita")
    with pytest.raises(NoSuchPerson):
        managing.withdraw_answers(store, "c", "zoe")


def test_settings_say_what_a_change_means_and_log_it(world: World) -> None:
    store = answered(world, ann="yn")
    form = managing.settings_form(store, managing.existing(store, "c"))
    assert (form.values["overlap"], form.fixed) == (3, ("order", "check_every", "pass_mark"))
    values = dict(form.values) | {"overlap": 4, "limit": None, "instructions": "Look *well*."}
    (overlap, texts) = managing.describe_settings(store, "c", values)
    assert overlap.startswith("People for each: 2 answers more")
    assert texts.startswith("Texts: answers so far were given after the old text")
    managing.save_settings(store, "c", values, "rita")
    changed = managing.existing(store, "c")
    assert (changed.overlap, changed.settings.instructions) == (4, "Look *well*.")
    lines = managing.logged_changes(store, "c")
    assert any(line.endswith("rita: People for each from 3 to 4") for line in lines)
    assert any(line.endswith("rita: Instructions changed") for line in lines)
    # a form of a few fields leaves the others, and an empty number is none
    managing.save_settings(store, "c", {"gold_pass_mark": 0.8, "attention_pass_mark": None}, "rita")
    marks = managing.existing(store, "c").settings
    assert (marks.gold_pass_mark, marks.attention_pass_mark, managing.existing(store, "c").overlap) == (0.8, 0.0, 4)
    assert len(managing.logged_changes(store, "c", ("gold_pass_mark", "attention_pass_mark"))) == 2


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"overlap": 2}, "has answers, so it cannot ask fewer"),
        ({"check_every": 3}, "its check_every cannot change"),
        ({"gold_pass_mark": 80}, "must be from 0 to 1"),
        ({"overlap": "many"}, "overlap must be a number"),
        ({"nothing": 1}, "there is no setting 'nothing'"),
        ({"item_price": "much"}, "item_price"),
    ],
)
def test_settings_that_cannot_be_are_refused(world: World, values: dict[str, object], why: str) -> None:
    store = answered(world, ann="yn")
    before = managing.existing(store, "c")
    with pytest.raises(ValueError, match=why):
        managing.save_settings(store, "c", values, "rita")
    assert managing.existing(store, "c") == before


def test_links_are_made_and_taken_back(world: World) -> None:
    store = answered(world)
    made = managing.make_link(store, "c", LinkRequest("annotator", 14, 0, " for the pilot "), "rita")
    assert (made.role, made.uses, made.made_by, made.note) == ("annotator", None, "rita", "for the pilot")
    assert made.expires - datetime.now(UTC) > timedelta(days=13)
    for asked in (LinkRequest("boss"), LinkRequest(days=0), LinkRequest(days=1e9), LinkRequest(days=float("nan"))):
        with pytest.raises(ValueError, match=r"the role is one of|a link is good for"):
            managing.make_link(store, "c", asked, "rita")
    managing.revoke_link(store, made.invitation_id)
    (listed,) = managing.links(store, "c")
    assert listed.revoked is not None
    with pytest.raises(InvitationRefused):
        managing.revoke_link(store, "nothing")


def test_how_people_were_asked_is_said_field_by_field(world: World) -> None:
    store = answered(world)
    assert managing.save_recruitment(store, "c", {"workers": "12", "ethics": ""}, "rita") == (
        "Saved: 1 field said, 11 not reported."
    )
    assert managing.recruitment(store, "c") == {"workers": "12"}
    with pytest.raises(ValueError, match="there is no field 'x'"):
        managing.save_recruitment(store, "c", {"x": "y"}, "rita")


def test_broken_images_go_aside_and_back(world: World) -> None:
    store = answered(world, ann="yn")
    item = management.items(store, "c")[0].item_id
    participation.report(store, "ann", item, "all black", "c")
    (broken,) = managing.broken(store, "c")
    assert (broken.item_id, broken.aside, len(broken.pictures)) == (item, False, 1)
    assert [(report.person, report.reason) for report in broken.reports] == [("ann", "all black")]
    managing.set_aside(store, "c", item, aside=True)
    assert (monitoring.coverage(store, "c").aside, managing.broken(store, "c")[0].aside) == (1, True)
    managing.set_aside(store, "c", item, aside=False)
    assert managing.broken(store, "c") == []
    with pytest.raises(CampaignRefused, match="no image 'nothing' any more"):
        managing.set_aside(store, "c", "nothing", aside=True)
