"""The page Campaigns, through the functions that Gradio calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import gradio as gr
import pytest
from typer.testing import CliRunner

from app import app
from concord.campaigns import adjudication, planning
from concord.campaigns.spec import campaign_spec
from data.campaigns.checks import ATTENTION_PASS_MARK, GOLD_PASS_MARK
from data.store.campaigns import management, monitoring, participation
from data.store.core.store import Store
from data.store.people import invitations
from tests.concord.campaigns.test_planning import answered
from tests.ui.drawn_pages import as_text
from tests.ui.http_visitor import World
from tests.ui.small_project import done, geneval_folder
from ui.pages.campaigns import CampaignsPage, forms, people, progress, updates
from ui.pages.campaigns.view import SHOWN, ActingUser, CampaignsView
from ui.shell.changes import Drawn
from ui.shell.html import rendered

HOSTILE = "<img src=x onerror=alert(1)>"
ME = ActingUser("rita", "admin", "http://here")


def text(html: str) -> str:
    """What a page shows of it."""
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def drawn(store: Store, view: CampaignsView) -> Drawn:
    """What a view draws last, by name."""
    *_, last = updates.draw(store, view)
    return as_text(last)


def preview(store: Store, values: dict[str, Any]) -> tuple[str, bool]:
    """What a new campaign would be, and whether it can be made."""
    told, possible = forms.preview_campaign(store, values)
    return rendered(told), possible


def at(**changes: str) -> CampaignsView:
    return CampaignsView(campaign="c", **changes)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as store:
        yield store


def test_an_empty_project_teaches(empty: Store) -> None:
    shown = drawn(empty, CampaignsView())
    assert shown["campaign-panel"] is False
    assert "There are no images yet to ask about. Import some: uv run app.py import images FOLDER" in text(shown["campaigns"])


def test_a_project_without_campaigns_says_what_one_is(world: World) -> None:
    shown = text(drawn(world.store, CampaignsView())["campaigns"])
    assert shown.startswith("A campaign asks people the same questions about the same images")
    assert f"uv run app.py campaigns create pilot --n 50 --overlap 3 --project {world.store.project}" in shown


def test_the_list_has_state_coverage_and_pace(world: World) -> None:
    store = answered(world, ann="yn", bob="yy")
    shown = drawn(store, CampaignsView())
    assert '<progress max="6" value="4" aria-label="answers of c">' in shown["campaigns"]
    line = text(shown["campaigns"])
    assert "C c · geneval · 3 people each running 0 of 2 have enough answers 4 of 6 (67 %) 2" in line
    assert "(n = 4 in the last 24 h), about" in line
    assert shown["campaign-panel"] is False


def test_one_campaign_is_watched(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="y")
    shown = drawn(store, at())
    assert shown["campaign-panel"] is True
    assert [shown[f"part-{name}"] for name in SHOWN] == [True, *[False] * (len(SHOWN) - 1)]
    assert text(shown["coverage"]).startswith("5 of 6 answers; 1 of 2 items have enough, 1 have some, 0 have none. Pace: ")
    assert shown["by-answers"] is not None
    assert [shown[f"campaign-{name}"].interactive for name in ("start", "stop", "archive", "delete")] == [
        False,
        True,
        True,
        False,
    ]
    assert "surplus 0 answers after" in text(shown["apart"])


def test_the_figures_have_the_counts(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="y")
    bars = progress.by_answers(monitoring.items_by_answer_count(store, "c"), 3).data[0]
    assert (list(bars.x), list(bars.y)) == ([0, 1, 2, 3], [0, 0, 1, 1])
    hours = monitoring.answers_by_hour(store, "c")
    valid, others = progress.by_time(hours).data
    assert (sum(valid.y), sum(others.y)) == (5, 0)
    long_ago = [monitoring.Hour(hours[0].start - timedelta(days=4), 3, 2), *hours]
    valid, others = progress.by_time(long_ago).data
    assert (valid.x[0], list(valid.y), list(others.y)) == (f"{long_ago[0].start:%Y-%m-%d}", [2, 5], [1, 0])


def test_people_with_their_numbers_and_rules(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yn")
    participation.report(store, "dot", management.items(store, "c")[0].item_id, "odd", "c")
    shown = drawn(store, at(show="people"))["people"]
    line = text(shown)
    assert "Agreement is about “correct” (all that the prompt asks is there) of geneval: Krippendorff’s α" in line
    assert re.search(r"ann 2 valid 20\.0 s 40 s in all, n = 2 -?\d\.\d{3} .*?n = 4 ", line)
    assert "1 reported (100% of what they dealt with)" in line
    assert "below a third of the campaign’s" in line
    assert shown.count('data-do="revoke"') == 4


def test_nobody_has_worked_yet(world: World) -> None:
    planning.make_campaign(world.store, campaign_spec({"id": "c"}))
    assert text(drawn(world.store, at(show="people"))["people"]).startswith("No work in this campaign")
    assert text(drawn(world.store, at(show="adjudicate"))["cases"]).startswith("No disagreements yet")
    assert text(drawn(world.store, at(show="broken"))["broken"]).startswith("No image has been reported")


def test_revoking_and_reinstating(world: World) -> None:
    store = answered(world, ann="yn", bob="yy")
    assert text(rendered(updates.revoke_question("ann"))).startswith("Revoke ann: they get nothing more here")
    assert rendered(updates.revoke_question("")) == ""
    assert updates.revoke(store, "", "c", ME, uncount=False) == "Choose somebody first."
    assert updates.revoke(store, "ann", "c", ME, uncount=True) == (
        "ann is revoked. 2 answers stopped counting; their items are offered again."
    )
    assert monitoring.coverage(store, "c").answers == 2
    shown = drawn(store, at(show="people"))["people"]
    assert (shown.count('data-do="reinstate"'), shown.count('data-do="revoke"')) == (1, 1)
    assert updates.reinstate(store, "ann", "c", ME) == "ann is back. 2 answers of theirs count again."
    assert monitoring.coverage(store, "c").answers == 4
    assert updates.revoke(store, "ann", "c", ME, uncount=False) == "ann is revoked."
    assert monitoring.coverage(store, "c").answers == 4


def test_pass_marks_of_a_running_campaign_are_changed_and_logged(world: World) -> None:
    store = answered(world)
    hint, gold, attention, log, filled = forms.open_marks(store, "c", "people", "")
    assert (gold.value, attention.value, log, filled) == (GOLD_PASS_MARK, ATTENTION_PASS_MARK, "", "c")
    assert "This campaign has no checks" in hint
    # somebody may be typing in it
    for values in (("c", "people", "c"), ("c", "coverage", "")):
        assert forms.open_marks(store, *values) == [gr.skip()] * 5
    assert forms.save_marks(store, "c", (0.8, None), ME) == ("The marks are saved.", "")
    changed = management.get(store, "c")
    assert changed
    assert (changed.settings.gold_pass_mark, changed.settings.attention_pass_mark) == (0.8, 0.0)
    line = text(rendered(forms.marks_log(store, "c")))
    assert "rita: Pass mark of gold from 0.9 to 0.8" in line
    assert "rita: Pass mark of attention checks from 0.98 to 0" in line
    assert forms.save_marks(store, "c", (80, 0.5), ME) == ("Gold_pass_mark must be from 0 to 1, got 80.", "cc-bad")
    assert forms.save_marks(store, "gone", (1, 1), ME)[1] == "cc-bad"
    assert len(management.changes(store, "c")) == 1


def test_start_stop_archive_delete(world: World) -> None:
    store = world.store
    planning.make_campaign(store, campaign_spec({"id": "c"}))
    can = ("campaign-start", "campaign-stop", "campaign-archive", "campaign-delete")
    assert [drawn(store, at())[name].interactive for name in can] == [True, False, True, True]
    assert updates.move(store, "c", "stop") == "Campaign 'c' is draft and cannot become stopped directly."
    assert updates.move(store, "c", "start") == ""
    assert [drawn(store, at())[name].interactive for name in can] == [False, True, True, True]
    assert updates.move(store, "c", "stop") == ""
    assert drawn(store, at())["campaign-start"].value == "Go on"
    assert updates.move(store, "c", "archive") == ""
    shown = drawn(store, at())
    assert [shown[name].interactive for name in can] == [False, True, False, True]
    assert shown["campaign-stop"].value == "Unarchive"
    assert updates.move(store, "c", "delete") == ""
    assert management.listed(store) == []
    assert updates.move(store, "c", "delete") == "There is no campaign 'c'."
    assert updates.message_update("x").visible is True
    assert updates.message_update("").visible is False


def test_broken_images_go_aside_and_back(world: World) -> None:
    store = answered(world, ann="yn")
    item = management.items(store, "c")[0].item_id
    participation.report(store, "ann", item, "all black", "c")
    shown = drawn(store, at(show="broken"))["broken"]
    assert "ann: all black" in text(shown)
    assert "still offered" in text(shown)
    assert '<img src="/img/' in shown
    assert updates.set_aside(store, "c", item, aside=True) == ""
    assert monitoring.coverage(store, "c").aside == 1
    assert "set aside" in text(rendered(progress.broken_table(store, "c")))
    assert updates.set_aside(store, "c", item, aside=False) == ""
    assert text(rendered(progress.broken_table(store, "c"))).startswith("No image has been reported")
    assert updates.set_aside(store, "c", "nothing", aside=True) == "This campaign has no item 'nothing' any more."


def opened(store: Store, person: str | None = "rita") -> tuple[CampaignsView, list[Any]]:
    """The first case, opened."""
    view = at(show="adjudicate")
    view = at(show="adjudicate", case=updates.neighbour(store, view, 1))
    return view, updates.show_case(store, view, person)


def test_a_case_is_opened_with_a_name_and_recorded(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yn")
    listed = text(drawn(store, at(show="adjudicate"))["cases"])
    # how far they differ, not what they said
    assert re.search(r"1 case .* 1 a photo of a \w+( \w+)? correct 0\.67 3", listed)
    view, nameless = opened(store, None)
    assert nameless[0].visible is True
    assert "Enter your name first" in nameless[1]
    assert "bob" not in str(nameless)
    participation.enter(store, "rita")
    view, (naming, html, panel, verdict, *_) = opened(store)
    assert (naming.visible, panel.visible) == (False, True)
    assert "bob (human) yes" in text(html)
    assert verdict.choices == [("a · yes", "yes"), ("b · no", "no")]
    assert world.column("select how from uncovered where rater_id = 'rita'") == ["asked"]
    # drawn again as a live page does, a verdict that is half given stays; of another case it starts anew
    again = updates.show_case(store, view, "rita", ("c", view.case))
    assert "bob (human) yes" in text(again[1])
    assert again[3:7] == [gr.skip()] * 4
    assert updates.show_case(store, view, "rita", ("c", "another"))[4].value is None
    # of a case that is not listed nothing is shown, and nothing is recorded
    assert updates.show_case(store, at(show="adjudicate", case="{"), "sam")[1] == ""
    assert updates.show_case(store, at(show="people", case=view.case), "sam")[1] == ""
    assert world.column("select rater_id from uncovered") == ["rita"]


def test_a_verdict_names_who_was_wrong_and_leads_to_its_cases(world: World) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yn")
    participation.enter(store, "rita")
    view, _ = opened(store)
    assert updates.rule(store, at(), ("no", "person", "bob", ""), ME) == "Open a case first."
    assert updates.rule(store, view, (None, "person", "bob", ""), ME) == "Choose the correct answer first."
    assert updates.rule(store, view, ("no", None, None, ""), ME) == "Choose who was wrong."
    assert updates.rule(store, view, ("no", "person", None, ""), ME) == "Say which person was wrong."
    assert updates.rule(store, view, ("no", "person", "bob", ""), ActingUser(None)).startswith("Enter your name first")
    # who says something else than the verdict is proposed
    chosen = updates.blame(store, view, "person", "no")
    assert (chosen.visible, chosen.choices, chosen.value) == (True, [("bob", "bob")], "bob")
    assert [name for _, name in updates.blame(store, view, "person", "yes").choices] == ["ann", "cyd"]
    assert updates.blame(store, view, "prompt", "yes").visible is False
    assert updates.rule(store, view, ("no", "person", "bob", " look closer "), ME) == ""
    (one,) = adjudication.verdicts(store, "c")
    assert (one.made_by, one.rater_id, one.note, one.verdict) == ("rita", "bob", "look closer", "no")
    shown = drawn(store, at(show="adjudicate"))
    assert "person bob 1" in text(shown["verdicts"])
    assert "only=person%3A+bob" in shown["verdicts"]
    assert "no: person bob was wrong" in text(shown["cases"])
    assert text(drawn(store, at(show="adjudicate", only="open"))["cases"]) == "No cases."
    blamed = at(show="adjudicate", only="person: bob", case=view.case)
    assert "1 case" in text(drawn(store, blamed)["cases"])
    assert "Verdict so far: no; person bob was wrong. By rita" in text(updates.show_case(store, blamed, "rita")[1])
    # the controls know it
    chosen_only = updates.choices(store, blamed)["only"]
    assert chosen_only.value == "person: bob"
    # a rater is kept only where there is one to blame
    assert updates.rule(store, view, ("yes", "guideline", "bob", ""), ME) == ""
    assert adjudication.verdicts(store, "c")[0].rater_id is None


def test_links_are_made_and_taken_back_by_those_who_may(world: World) -> None:
    store = answered(world)
    assert people.make_link(store, "c", ("annotator", 14, 0, "for the pilot", False), ME) == ""
    (made,) = invitations.listed(store, "c")
    assert (made.role, made.uses, made.made_by, made.note) == ("annotator", None, "rita", "for the pilot")
    assert made.expires - datetime.now(UTC) > timedelta(days=13)
    shown = rendered(people.links(store, "c", ME))
    assert 'data-do="copy" data-copied="http://here/join/' in shown
    assert "for the pilot" in text(shown)
    researcher = ActingUser("sam", "researcher", "http://here")
    assert (
        people.make_link(store, "c", ("annotator", 14, None, "", False), researcher)
        == "Only an administrator can create links."
    )
    assert people.revoke_link(store, made.invitation_id, researcher) == "Only an administrator can create links."
    # a link is a key
    assert "/join/" not in rendered(people.links(store, "c", researcher))
    assert people.revoke_link(store, made.invitation_id, ME) == ""
    after = rendered(people.links(store, "c", ActingUser("ann", base="http://here")))
    assert "/join/" not in after
    assert "taken back" in text(after)
    for values in (
        ("boss", 14, None, "", False),
        ("annotator", 0, None, "", False),
        ("annotator", None, None, "", False),
        ("annotator", 1, -1, "", False),
    ):
        assert people.make_link(store, "c", values, ME)
    assert "There is no invitation" in people.revoke_link(store, "nothing", ME)
    assert len(invitations.listed(store, "c")) == 1
    assert people.make_link(store, "c", ("annotator", 1, None, "", True), ME) == ""
    signed, _ = invitations.listed(store, "c")
    assert signed.signed
    assert f"people link {signed.invitation_id} PLATFORM ID" in text(
        rendered(people.links(store, "c", ActingUser("ann", base="http://here")))
    )


def test_the_form_says_what_it_would_be_and_makes_it(world: World) -> None:
    store = world.store
    with gr.Blocks():
        fields = forms.create_form()
    values: dict[str, Any] = {name: control.value for name, control in fields.items()}
    said, possible = preview(store, values)
    assert "This asks for 4 images (all that fit) × 3 people = 12 answers. " in text(said)
    assert "Give it a title." in said
    assert not possible
    values |= {"id": "new", "title": "New", "n": 2, "overlap": 5, "also": "geneval/00000/sdv2/0\n", "completion_code": "C1"}
    said, possible = preview(store, values)
    assert possible
    campaign, wrong = forms.make_campaign(store, values)
    assert wrong == ""
    assert campaign
    assert (campaign.overlap, campaign.settings.completion_code, campaign.settings.limit) == (5, "C1", None)
    assert "There is a campaign &#39;new&#39; already" in rendered(forms.preview_campaign(store, values)[0])
    assert forms.make_campaign(store, values | {"id": "Bad Id"})[1].startswith("A campaign's id has lower-case letters")
    assert preview(store, values | {"id": "x", "n": 99}) == (
        '<p class="cc-note cc-bad">99 items are requested, but only 4 are available.</p>', False
    )  # fmt: skip


def test_the_form_reads_yaml_and_known_answers(world: World, tmp_path: Path) -> None:
    own = {"id": "x", "questionnaire": forms.OWN, "definition": ""}
    assert "Write the questionnaire’s YAML" in rendered(forms.preview_campaign(world.store, own)[0])
    yaml = "name: mine\nquestions:\n  - id: likes\n    kind: likert\n    text: Like it?\n    options: [no, so so, yes]\n"
    said, possible = preview(world.store, own | {"definition": yaml})
    assert (possible, "mine: The questionnaire mine" in said) == (True, True), said
    file = tmp_path / "k.csv"
    file.write_text("item,role,count_0\ngeneval/00000/sdv2/0,gold,7\n")
    checks = {"id": "x", "known": str(file), "check_every": 5}
    assert "count_0: &#39;7&#39; cannot be an expected answer" in rendered(forms.preview_campaign(world.store, checks)[0])
    file.write_text("item,role,count_0\ngeneval/00000/sdv2/0,gold,1\n")
    assert "besides: 1 gold items" in rendered(forms.preview_campaign(world.store, checks)[0])
    file.write_bytes(b"\xff\xfe")
    assert "is not UTF-8" in rendered(forms.preview_campaign(world.store, checks)[0])
    file.write_bytes(b"x" * 300_000)
    assert "at most 200,000 are read" in rendered(forms.preview_campaign(world.store, checks)[0])


def test_nothing_of_the_data_is_html(world: World) -> None:
    store = answered(world, ann="yn", **{HOSTILE: "yy"})
    planning.make_campaign(store, campaign_spec({"id": "h", "title": HOSTILE}))
    participation.enter(store, "rita")
    participation.report(store, HOSTILE, management.items(store, "c")[0].item_id, HOSTILE, "c")
    people.make_link(store, "c", ("annotator", 1, None, HOSTILE, True), ActingUser(HOSTILE))
    view, case = opened(store)
    assert updates.rule(store, view, ("no", "person", HOSTILE, HOSTILE), ActingUser(HOSTILE)) == ""
    html = "".join(str(drawn(store, at(show=show))[part]) for show, part in
                   (("people", "people"), ("broken", "broken"), ("adjudicate", "verdicts"), ("adjudicate", "cases"),
                    ("coverage", "campaigns")))  # fmt: skip
    html += rendered(people.links(store, "c", ME))
    html += case[1] + updates.show_case(store, view, "rita")[1] + rendered(updates.revoke_question(HOSTILE))
    html += str(drawn(store, CampaignsView(campaign="h"))["campaign-title"])
    assert html.count("&lt;img src=x") >= 10
    assert "<img src=x" not in html


def test_an_address_is_followed_or_named(world: World) -> None:
    store = answered(world, ann="yn", bob="yy")
    results = updates.choices(store, at(show="people", about="geneval: quality"))
    assert [choice.value for choice in results.values()][:3] == ["c", "people", "geneval: correct"]
    assert updates.choices(store, CampaignsView(campaign="gone"))["campaign"].value == ""
    address = at(show="people", about="a: b").address()
    assert address == "/studio/people?campaign=c&show=people&about=a%3A+b&against=people"


def test_the_default_campaign_is_listed_once_somebody_has_worked_in_it(tmp_path: Path) -> None:
    project = tmp_path / "project"
    done(project, "import", "images", geneval_folder(tmp_path / "g"), "--layout", "geneval", "--generator", "g")
    with Store(project) as store:
        participation.enter(store, "ann")
        participation.next_tasks(store, "ann")
        shown = drawn(store, CampaignsView(campaign="default"))
        assert "All images (no campaign)" in text(shown["campaigns"])
        assert shown["campaign-delete"].interactive is False


def test_what_somebody_is_choosing_is_not_set_back(world: World) -> None:
    store = answered(world, ann="yn", bob="yy")
    with gr.Blocks():
        page = CampaignsPage(store)
        page.build()
    requested = {"campaign": "c", "show": "people", "about": "geneval: gone", "against": "people"}
    named = page.changes([requested.get(name) for name in page.controls])
    # only what is none of the choices is set
    assert named["about"]["value"] == "geneval: correct"
    assert not {"campaign", "show", "against"} & {name for name, change in named.items() if "value" in change}


def test_a_link_is_good_for_as_long_whether_page_or_command_makes_it(world: World) -> None:
    with gr.Blocks():
        page = CampaignsPage(world.store)
        page.build()
    invite = CliRunner().invoke(app, ["people", "invite", "--help"], env={"COLUMNS": "200"})
    assert f"[default: {page.fields['days'].value}d]" in invite.stdout
