"""People by HTTP: the place with its tabs, and the routes that its buttons use."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote_plus

import pytest
from starlette.testclient import TestClient

from concord.campaigns import managing, planning
from concord.campaigns.crowd import crowds
from concord.campaigns.spec import campaign_spec
from data.store.campaigns import management, monitoring, participation
from data.store.core.store import Store
from data.store.people import invitations
from tests.concord.campaigns.test_planning import answered
from tests.data.store.small_project import submit
from tests.ui.http_visitor import TOKEN, World
from tests.ui.small_project import done, geneval_folder
from ui.pages.people.view import TABS, PeopleView
from ui.web.server import create_app

HOSTILE = "<img src=x onerror=alert(1)>"


def place(client: TestClient, **query: str) -> dict[str, Any]:
    answer = client.get("/api/studio/places/people", params=query | {"whole": "true"})
    assert answer.status_code == 200, answer.text
    drawn: dict[str, Any] = answer.json()
    return drawn


def words(content: str) -> str:
    """What a reader sees of it."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", content)).split())


@pytest.fixture
def rita(world: World) -> TestClient:
    return world.person("rita")


def test_a_project_without_answers_offers_to_label_and_to_invite(tmp_path: Path) -> None:
    project = tmp_path / "project"
    with Store(project) as store:
        client = World(store, create_app(store, TOKEN, pages=False), tmp_path).client()
        assert "There are no images yet to ask about. Add images" in words(place(client)["content"])
    done(project, "import", "images", geneval_folder(tmp_path / "g"), "--layout", "geneval", "--generator", "g")
    with Store(project) as store:
        client = World(store, create_app(store, TOKEN, pages=False), tmp_path).client()
        content = place(client)["content"]
        assert words(content).startswith("Nobody has answered yet")
        assert "Label yourself" in content
        assert "Invite others" in content
        assert "/studio/people/new" in content
        assert words(place(client, campaign="gone")["content"]).endswith("There is no such campaign any more")


def test_the_overview_has_sentence_cards_and_people(world: World, rita: TestClient) -> None:
    answered(world, ann="yn", bob="yy", cyd="y")
    planning.make_campaign(world.store, campaign_spec({"id": "next", "title": "Next", "n": 2}))
    said = words(place(rita)["content"])
    assert re.match(r"Three people (answer alike|do not agree beyond chance)", said), said
    assert "5 answers by 3 people in 1 running campaign, about geneval. 1 image has fewer answers than asked for." in said
    assert "C running 1 image still has fewer than 3 answers 5 of 6 answers" in said
    assert "Next draft Nobody has been invited 0 of 6 answers images 2 people an image 3 takes 2 min in all" in said
    assert "How often each says yes" in said
    one = words(place(rita, campaign="c")["content"])
    assert "c: geneval 3; 2 images; 3 people an image; fixed order; seed 1; drawn by chance." in one
    assert "1 of 2 images have enough answers, 1 have some, 0 have none. Pace: 5.0 an hour" in one


def test_one_person_is_told_that_one_more_makes_agreement_measurable(world: World, rita: TestClient) -> None:
    answered(world, ann="yn")
    assert words(place(rita)["content"]).startswith("One person has answered one more makes agreement measurable")


def test_an_archived_campaign_stands_behind_a_link(world: World, rita: TestClient) -> None:
    answered(world, ann="yn")
    for act in ("pause", "archive"):
        assert rita.post("/api/studio/campaign/move", json={"campaign": "c", "act": act}).status_code == 200
    said = words(place(rita)["content"])
    assert "1 closed" in said
    assert "Closed: no answer" not in said
    assert "Closed: no answer comes in or changes" in words(place(rita, archived="1")["content"])


def test_all_numbers_of_everybody_are_in_the_panel(world: World, rita: TestClient) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="yn")
    participation.report(store, "dot", management.items(store, "c")[0].item_id, "odd", "c")
    said = words(place(rita, campaign="c", tab="people", numbers="1")["content"])
    assert "Agreement is about “correct” (all that the prompt asks is there) of geneval" in said
    assert re.search(r"ann 2 0 0 20\.0 s 40 s in all, n = 2 -?\d\.\d{3} .*?n = 4 0\.500 .*?n = 2", said), said
    assert "1 reported (100% of what they dealt with)" in said
    assert "Severity: how much higher than the average person each rates" in said
    # the rules of the flags
    assert "below a third of the campaign’s" in said


def test_of_many_people_the_first_are_listed_and_the_others_are_found_by_name(world: World, rita: TestClient) -> None:
    answered(world, **{f"person{n:02}": "y" for n in range(64)})
    rows = re.compile(r'<th scope="row"><span title="(person\d\d)"')
    content = place(rita, campaign="c", tab="people")["content"]
    assert len(rows.findall(content)) == 20
    assert "All 64 people" in content
    assert len(rows.findall(place(rita, campaign="c", tab="people", all="1")["content"])) == 64
    assert rows.findall(place(rita, campaign="c", tab="people", find="SON63")["content"]) == ["person63"]
    assert "Nobody is called “zoe” here" in place(rita, campaign="c", tab="people", find="zoe")["content"]


def test_addresses_of_before_open_their_tab() -> None:
    def read(**query: str) -> PeopleView:
        return PeopleView.read(lambda name: [query[name]] if name in query else [])

    before = {"coverage": "progress", "people": "people", "pay": "pay", "broken": "broken", "adjudicate": "disputes"}
    before |= {"invite": "links", "settings": "settings", "recruitment": "asked", "nothing": "progress"}
    assert {show: read(campaign="c", show=show).tab for show in before} == before
    view = read(campaign="c", show="adjudicate", about="geneval: correct", against="visor", only="open", case="{}")
    assert view.address() == (
        "/studio/people?campaign=c&tab=disputes&about=geneval%3A+correct&against=visor&only=open&case=%7B%7D"
    )
    assert read(tab="<x>", only="x" * 5000).address() == f"/studio/people?only={'x' * 1100}"


def test_what_a_manager_does_with_people_goes_by_routes_and_is_signed(world: World, rita: TestClient) -> None:
    store = answered(world, ann="yn", bob="yy")
    body = {"campaign": "c", "person": "ann", "act": "revoke"}
    assert world.client().post("/api/studio/campaign/person", json=body).status_code == 401
    done = rita.post("/api/studio/campaign/person", json=body)
    assert done.json() == {"said": "ann is revoked. 2 answers stopped counting; these images are offered again."}
    assert "revoked by rita" in words(place(rita, campaign="c", tab="people")["content"])
    assert monitoring.coverage(store, "c").answers == 2
    for wrong, status in (({"person": "zoe"}, 404), ({"campaign": "x"}, 409), ({"act": "erase"}, 422)):
        assert rita.post("/api/studio/campaign/person", json=body | wrong).status_code == status, wrong
    assert rita.post("/api/studio/people/withdraw", json={"campaign": "c", "name": "bob"}).json() == {"withdrawn": 2}
    assert "took their answers back" in words(place(rita, campaign="c", tab="people")["content"])
    assert rita.get("/api/studio/look").json() == {"people": 0}


def test_a_case_is_opened_by_name_and_decided(world: World, rita: TestClient) -> None:
    answered(world, ann="yn", bob="yy", cyd="yn")
    listed = place(rita, campaign="c", tab="disputes")["content"]
    assert re.search(r"1 a photo of a \w+( \w+)? correct 0\.67 3", words(listed))
    case = re.search(r"case=([^\"&]+)", listed)
    assert case is not None
    key = html.unescape(case[1])
    body = {"campaign": "c", "case": unquote_plus(key)}
    assert world.client().post("/api/studio/case", json=body).status_code == 401
    assert world.column("select 1 from uncovered") == []
    opened = rita.post("/api/studio/case", json=body).json()["html"]
    assert "bob (person) yes" in words(opened)
    assert world.column("select rater_id from uncovered") == ["rita"]
    # the place itself, which all share, never holds what was said
    assert "bob" not in place(rita, campaign="c", tab="disputes", case=body["case"])["content"]
    refused = rita.post("/api/studio/case/verdict", json=body | {"verdict": "no"})
    assert (refused.status_code, refused.json()["detail"]) == (422, "Choose who was wrong.")
    ruling = {"verdict": "no", "wrong": "person", "rater": "bob", "note": "look closer"}
    assert rita.post("/api/studio/case/verdict", json=body | ruling).json() == {"following": ""}
    assert "no: person bob was wrong" in words(place(rita, campaign="c", tab="disputes")["content"])
    assert "Verdict so far: no; person bob was wrong. By rita" in words(rita.post("/api/studio/case", json=body).json()["html"])
    assert rita.post("/api/studio/case", json=body | {"case": "{}"}).status_code == 404


def test_pay_is_decided_and_the_platforms_file_brings_peoples_ids(world: World, rita: TestClient) -> None:
    store = answered(world, ann="yn", bob="yy")
    management.change_settings(store, "c", {"item_price": "0.10", "currency": "GBP"}, "rita")
    assert "0.40 GBP pay" in words(place(rita, campaign="c", tab="pay")["content"])
    body = {"campaign": "c", "person": "ann", "decision": "approve"}
    refused = rita.post("/api/studio/campaign/settle", json=body)
    assert (refused.status_code, "still works" in refused.json()["detail"]) == (409, True)
    managing.move_person(store, "c", "ann", "pause", "rita")
    # nobody has decided anything yet
    assert re.search(r"ann suggested: return paused or revoked", words(place(rita, campaign="c", tab="pay")["content"]))
    assert rita.post("/api/studio/campaign/settle", json=body).json() == {"decision": "approve", "pay": "0.20"}
    pay = words(place(rita, campaign="c", tab="pay")["content"])
    assert "2 people: 1 decided: approve, 1 wait" in pay
    assert re.search(r"ann decided: approve paused or revoked", pay)
    text = "Participant id,Status\nabc,APPROVED\n"
    read = rita.post("/api/studio/campaign/submissions", json={"campaign": "c", "text": text}).json()
    assert (read["said"].startswith("0 of 2 people here are in the file. 1 in the file never came here"), read["files"]) == (
        True,
        {},
    )
    large = text + "\n".join(f"id{n},APPROVED" for n in range(40_000))
    assert rita.post("/api/studio/campaign/submissions", json={"campaign": "c", "text": large}).status_code == 200
    assert rita.post("/api/studio/campaign/submissions", json={"campaign": "c", "text": "a,b\n1,2\n"}).status_code == 422


def test_links_are_shown_by_a_route_of_administrators_alone(world: World, rita: TestClient) -> None:
    answered(world)
    asked = {"campaign": "c", "days": 14, "uses": None, "note": HOSTILE}
    made = rita.post("/api/studio/people/links", json=asked).json()
    assert made["path"].startswith("/join/")
    table = rita.get("/api/studio/people/links", params={"campaign": "c"}).json()["html"]
    assert made["path"] in table
    assert "<img" not in table
    assert "/join/" not in place(rita, campaign="c", tab="links")["content"]
    assert rita.post("/api/studio/people/links/revoke", json={"invitation": made["invitation"]}).json() == {}
    after = rita.get("/api/studio/people/links", params={"campaign": "c"}).json()["html"]
    assert "/join/" not in after
    assert "taken back" in after
    assert rita.post("/api/studio/people/links/revoke", json={"invitation": "x"}).status_code == 404
    assert rita.post("/api/studio/people/links", json=asked | {"days": 0}).status_code == 422
    assert len(invitations.listed(world.store, "c")) == 1


def test_settings_say_what_they_mean_before_they_are_saved(world: World, rita: TestClient) -> None:
    store = answered(world, ann="yn")
    body = {"campaign": "c", "values": {"overlap": 4}}
    (said,) = rita.post("/api/studio/campaign/meaning", json=body).json()["changes"]
    assert said.startswith("People for each: 2 answers more")
    assert managing.existing(store, "c").overlap == 3
    assert rita.post("/api/studio/campaign/settings", json=body).json() == {"said": "The settings are saved."}
    assert "rita: People for each from 3 to 4" in words(place(rita, campaign="c", tab="settings")["content"])
    assert rita.post("/api/studio/campaign/settings", json={"campaign": "c", "values": {"overlap": 1}}).status_code == 422
    said_of = {"campaign": "c", "values": {"workers": "12"}}
    assert rita.post("/api/studio/campaign/asked", json=said_of).json()["said"].startswith("Saved: 1 field said")
    assert ">12</textarea>" in place(rita, campaign="c", tab="asked")["content"]
    assert rita.post("/api/studio/campaign/duplicate", json={"campaign": "c"}).json() == {"campaign": "c-2"}
    assert rita.post("/api/studio/campaign/move", json={"campaign": "c-2", "act": "delete"}).status_code == 200
    assert rita.post("/api/studio/campaign/move", json={"campaign": "c-2", "act": "start"}).status_code == 409


def test_nothing_of_the_data_is_markup(world: World, rita: TestClient) -> None:
    store = answered(world, ann="yn", **{HOSTILE: "yy"})
    management.change_settings(store, "c", {}, HOSTILE, title=HOSTILE)
    item = management.items(store, "c")[0].item_id
    participation.report(store, HOSTILE, item, HOSTILE, "c")
    content = place(rita)["content"] + place(rita, campaign=HOSTILE, find=HOSTILE)["content"]
    content += "".join(place(rita, campaign="c", tab=tab, numbers="1", find="")["content"] for tab in TABS)
    content += place(rita, campaign="c", tab="people", find=HOSTILE, only=HOSTILE, about=HOSTILE)["content"]
    assert content.count("&lt;img src=x") >= 15
    assert "<img src=x" not in content


def test_everyday_labelling_is_a_campaign_once_somebody_has_worked_in_it(world: World, rita: TestClient) -> None:
    store: Store = world.store
    participation.enter(store, "ann")
    participation.next_tasks(store, "ann")
    said = words(place(rita)["content"])
    assert "Everyday labelling running Made by “Label images”: all images, whoever opens it. No study of yours." in said
    refused = rita.post("/api/studio/campaign/move", json={"campaign": "default", "act": "delete"})
    assert refused.status_code == 409
    assert "Delete" not in words(place(rita, campaign="default")["content"])


def test_everyday_labelling_is_no_study_of_the_managers_and_its_own_people_need_no_look(world: World, rita: TestClient) -> None:
    store = answered(world, ann="yn", bob="yy", cyd="y")
    for task in participation.next_tasks(store, "rita").tasks:
        submit(store, task.item_id, "rita", active_seconds=0.3)
    flags = {person.name: person.flags for crowd in crowds(store) for person in crowd.people}
    assert flags["rita"]
    said = words(place(rita)["content"])
    assert "7 answers by 4 people in 1 running campaign, about geneval; everyday labelling beside." in said
    assert re.match(
        r"Three people (answer alike|do not agree beyond chance) 3 people agree at α [^ ]+ (\[.*?\] )?in C", said
    ), said
    assert said.index("Everyday labelling running") > said.index("C running")
    assert rita.get("/api/studio/look").json() == {"people": 0}


def test_closing_and_deleting_ask_first_and_a_draft_is_edited_where_it_was_made(world: World, rita: TestClient) -> None:
    answered(world, ann="yn")
    planning.make_campaign(world.store, campaign_spec({"id": "next", "title": "Next", "n": 2}))
    overview = place(rita)["content"]
    assert "Close “C”? Nobody is offered an image any more, and no answer comes in or changes. 2 answers and what" in words(
        overview
    )
    assert "/studio/people/new?step=images&amp;campaign=next" in overview.replace(
        "campaign=next&amp;step=images", "step=images&amp;campaign=next"
    )
    draft = place(rita, campaign="next")["content"]
    lost = (
        "Delete “Next”? Its settings, its list of 2 images and its 0 links are lost, and nothing brings them back. Nobody has"
    )
    assert lost in words(draft)
    assert 'data-then="/studio/people"' in draft
    # what somebody has answered in is never deleted
    assert "Delete “C”" not in words(place(rita, campaign="c")["content"])
