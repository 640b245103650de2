"""Coming by an invitation link: by a typed name, or sent by a crowd platform."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlencode

import pytest

from concord import people
from concord.campaigns.annotators import annotators_of
from concord.people import Participant, UnclearParticipant, participant_in
from data.people import Terms, platform_pseudonym
from data.refusals import InvitationRefused
from data.store.campaigns import management
from data.store.people import erasing, invitations
from tests.ui.accounts_app import HASH, PASSWORD, House, house
from tests.ui.http_visitor import World, first, saying
from ui.web.auth import routes
from ui.web.auth.rate_limit import FREE_BY_NAME, SignInLimiter


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with pytest.MonkeyPatch.context() as patch:
        # no moment passes between two wrong codes, however slow the machine is
        patch.setattr(routes, "SignInLimiter", lambda: SignInLimiter(lambda: 0.0))
        with house(tmp_path_factory.mktemp("house")) as made:
            yield made


def test_a_name_a_campaign_and_the_form(place: House) -> None:
    invitation = place.invitation()
    link = place.link(invitation)
    client = place.client()
    page = client.get(link)
    assert (page.status_code, page.headers["cache-control"]) == (200, "no-store")
    assert "Cows" in page.text
    answer = client.post(link, data={"name": "  Zoë "})
    assert (answer.status_code, answer.headers["location"]) == (303, "/annotate/")
    # as NFC, so that one name is one person
    assert client.get("/api/next").json()["name"] == "Zoë"
    results = place.column("select rater_id || ' ' || came_as from arrivals")
    assert "Zoë name" in results


def test_the_token_tells_nothing_but_the_id(place: House) -> None:
    invitation = place.invitation(note="for the secret lab", made_by="rosa")
    token = people.link_path(place.store, invitation).removeprefix("/join/")
    assert people.invitation_behind(place.store, token).invitation_id == invitation.invitation_id
    other = place.invitation()
    assert len(token) == len(people.link_path(place.store, other).removeprefix("/join/"))


def test_a_link_for_the_default_campaign_opens_that_alone(place: House) -> None:
    for campaign in (None, "default"):
        client = place.invited(f"only {campaign}", place.invitation(campaign=campaign))
        # nothing to choose from, though another campaign runs
        assert client.get("/api/next").json()["state"] == "label"
        ticket = first(client)["ticket"]
        assert client.post("/api/campaign", json={"campaign": "c"}).status_code == 422
        assert client.post("/api/submit", json=saying(ticket, campaign="c")).status_code == 422
        assert client.get("/api/next").json()["campaign"]["id"] == "default"
        assert client.post("/api/campaign", json={"campaign": "default"}).status_code == 200
        assert client.post("/api/submit", json=saying(ticket)).json()["saved"]
        assert client.get("/api/mine").json()["answers"]


@pytest.mark.parametrize("kind", ["forged", "cut", "of another project", "nonsense", "revoked", "expired", "used up"])
def test_links_that_let_nobody_in(place: House, kind: str) -> None:
    invitation = place.invitation(uses=1)
    link = place.link(invitation)
    says = "not complete, or not one of ours"
    if kind == "forged":
        link = link[:-2] + ("A" if link[-2] != "A" else "B") + link[-1]
    elif kind == "cut":
        link = link[:-5]
    elif kind == "of another project":
        secret, place.store.secret = place.store.secret, "00" * 32
        link = place.link(invitation)
        place.store.secret = secret
    elif kind == "nonsense":
        link = "/join/%F0%9F%90%84.x"
    elif kind == "revoked":
        invitations.revoke(place.store, invitation.invitation_id)
        says = "has been taken back"
    elif kind == "expired":
        place.expire(invitation)
        says = "has expired. Ask whoever sent the link"
    else:
        place.invited(f"early {invitation.invitation_id}", invitation)
        says = "used up"
    client = place.client()
    shown, sent = client.get(f"{link}?participant=new{kind}"), client.post(link, data={"name": f"late {kind}"})
    for answer in (shown, sent):
        assert (answer.status_code, answer.headers["content-type"]) == (403, "text/html; charset=utf-8")
        assert says in answer.text
    assert not client.cookies
    assert not any("late" in name for name in place.column("select rater_id from raters") if kind in name)


def test_used_up_links_still_let_their_people_in(place: House) -> None:
    link = place.link(place.invitation(uses=1))
    client = place.client()
    assert client.get(f"{link}?participant=77").status_code == 200
    assert client.get(f"{link}?participant=77").status_code == 303
    assert place.client().get(f"{link}?participant=78").status_code == 403


def reentry(page: str) -> str:
    """The code that a page shows."""
    (code,) = re.findall(r'id="reentry" dir="ltr">([A-Z0-9-]+)<', page)
    return str(code)


def test_a_platforms_id_belongs_to_the_browser_that_came_first(place: House) -> None:
    link = f"{place.link()}?PROLIFIC_PID=shared"
    owner, other = place.client(), place.client("10.0.0.8")
    code = reentry(owner.get(link).text)
    ticket = first(owner)["ticket"]
    said = owner.post("/api/submit", json=saying(ticket, campaign="c")).json()["id"]
    # the cookie is enough, also when the session is over; the code is not shown again
    owner.post("/logout")
    assert (owner.get("/api/next").status_code, owner.get(link).status_code) == (401, 303)
    assert owner.get(f"/api/mine/{said}").status_code == 200
    for answer in (other.get(link), other.post(link), other.post(link, data={"code": "AAAA-AAAA-AAAA"})):
        assert (answer.status_code, "re-entry code" in answer.text) == (403, True)
        assert other.get(f"/api/mine/{said}").status_code == 401
        assert other.post("/api/submit", json=saying(ticket, campaign="c", revises=said)).status_code == 401
    name = platform_pseudonym(place.store.secret, "prolific", "shared")
    assert place.column(f"select refused from identities where rater_id = '{name}'") == [3]
    # with the code both browsers are theirs
    assert other.post(link, data={"code": code.lower().replace("-", " ")}).status_code == 303
    assert other.get(f"/api/mine/{said}").status_code == 200
    other.post("/logout")
    assert [client.get(link).status_code for client in (other, owner)] == [303, 303]


def test_a_new_code_ends_the_one_before(place: House) -> None:
    link = f"{place.link()}?workerId=forgetful"
    old = reentry(place.client().get(link).text)
    new = invitations.renew_code(place.store, platform_pseudonym(place.store.secret, "mturk", "forgetful"))
    assert place.client().post(link, data={"code": old}).status_code == 403
    assert place.client().post(link, data={"code": new}).status_code == 303
    with pytest.raises(KeyError):
        invitations.renew_code(place.store, "anna")


def test_codes_are_not_guessed(place: House) -> None:
    link = f"{place.link()}?participant=guessed"
    code = reentry(place.client().get(link).text)
    guesser = place.client("10.0.0.66")
    statuses = [guesser.post(link, data={"code": f"{n}"}).status_code for n in range(FREE_BY_NAME + 1)]
    assert statuses == [403] * FREE_BY_NAME + [429]
    assert place.client("10.0.0.67").post(link, data={"code": code}).status_code == 303


def test_who_came_before_ids_belonged_to_browsers_needs_their_session(place: House) -> None:
    link = f"{place.link()}?participant=early"
    client = place.client()
    client.get(link)
    name = platform_pseudonym(place.store.secret, "participant", "early")
    with place.store.read() as cursor:
        for table in ("identities", "browsers"):
            cursor.execute(f"delete from {table} where rater_id = '{name}'")
    assert place.client().get(link).status_code == 403
    assert client.get(link).status_code == 200


def test_secrets_and_networks_are_stored_as_hashes_and_erased_with_the_person(place: House) -> None:
    client = place.client("198.51.100.7")
    page = client.get(f"{place.link()}?participant=hashed")
    name = platform_pseudonym(place.store.secret, "participant", "hashed")
    (secret,) = (value for key, value in client.cookies.items() if key.endswith(name))
    place.store.rewrite()
    stored = (place.store.project / "concord.duckdb").read_bytes()
    assert not [one for one in (secret, reentry(page.text), "198.51.100.7") if one.encode() in stored]
    (network,) = place.column(f"select network from arrivals where rater_id = '{name}'")
    assert network.encode() in stored
    erasing.erase(place.store, name)
    stored = (place.store.project / "concord.duckdb").read_bytes()
    assert network.encode() not in stored
    for table in ("identities", "browsers", "arrivals"):
        assert place.column(f"select count(*) from {table} where rater_id = '{name}'") == [0]


def test_people_from_one_network_are_flagged(place: House) -> None:
    link = place.link()
    names = {}
    for who, address in (
        ("a", "198.51.100.9"),
        ("b", "198.51.100.9"),
        ("c", "2001:db8::1"),
        ("d", "2001:db8::2"),
        ("e", "10.7.0.1"),
    ):
        client = place.client(address)
        client.get(f"{link}?participant=near-{who}")
        client.get("/api/next")
        names[platform_pseudonym(place.store.secret, "participant", f"near-{who}")] = who
    place.client("198.51.100.9").get(f"{link}?participant=near-e")
    campaign = management.get(place.store, "c")
    assert campaign is not None
    flags = {
        names[annotator.worker.person]: tuple(flag.sentence for flag in annotator.flags)
        for annotator in annotators_of(place.store, campaign, None)
        if annotator.worker.person in names
    }
    # a stranger came with e's id: nobody is told who of the network it was, and e has no flag
    shared = ("2 people came from one network",)
    assert flags == {"a": shared, "b": shared, "c": shared, "d": shared, "e": ()}


def test_a_stranger_with_somebodys_id_is_flagged_and_not_the_one_whose_id_it_is(place: House) -> None:
    link = place.link()
    clients = {}
    for who, address in (("owner", "203.0.113.5"), ("thief", "203.0.113.66"), ("lone", "203.0.113.77")):
        clients[who] = place.client(address)
        clients[who].get(f"{link}?participant=id-{who}")
        clients[who].get("/api/next")
    # one in the own session, one without any from a network of their own, and the owner at another machine
    post = f"{link}?participant=id-owner"
    assert clients["thief"].post(post).status_code == 403
    assert place.client("203.0.113.77").get(post).status_code == 403
    assert place.client("203.0.113.5").get(post).status_code == 403
    campaign = management.get(place.store, "c")
    assert campaign is not None
    flags = {annotator.worker.person: annotator.flags for annotator in annotators_of(place.store, campaign, None)}
    codes = {
        who: [flag.code for flag in flags[platform_pseudonym(place.store.secret, "participant", f"id-{who}")]]
        for who in clients
    }
    assert codes == {"owner": ["another browser"], "thief": ["somebody else’s id"], "lone": ["somebody else’s id"]}


def test_a_signed_link_fits_one_id(place: House) -> None:
    invitation = place.invitation(signed=True)
    link = people.personal_link_path(place.store, invitation, Participant("prolific", "one"))
    for changed in (
        link.replace("PROLIFIC_PID=one", "PROLIFIC_PID=two"),
        link.replace("PROLIFIC_PID", "participant"),
        f"{place.link(invitation)}?PROLIFIC_PID=one",
        place.link(invitation),
        # an open link does not take a forged one either
        f"{place.link()}?PROLIFIC_PID=one&signature=00",
    ):
        client = place.client()
        assert [client.get(changed).status_code, client.post(changed, data={"name": "x"}).status_code] == [403, 403]
        assert not client.cookies
    assert place.client().get(link).status_code == 200


@pytest.mark.parametrize(
    "name", ["", "   ", "x" * 61, "a\u200bb", "anna", "ANNA", "ｒｏｓａ", "secretscorer", "prolific-0123456789"]
)
def test_names_that_cannot_be(place: House, name: str) -> None:
    client = place.client()
    answer = client.post(place.link(), data={"name": name})
    assert answer.status_code in (409, 422)
    assert 'role="alert"' in answer.text
    assert client.get("/api/next").status_code == 401


def test_nobody_takes_the_name_of_another(place: House) -> None:
    invitation, other = place.invitation(), place.invitation(campaign=None)
    theirs = place.invited("Mia", invitation)
    for link in (place.link(invitation), place.link(other)):
        for name in ("Mia", "mia"):
            answer = place.client().post(link, data={"name": name})
            assert (answer.status_code, "is taken" in answer.text) == (409, True)
    # but whoever has it in this browser keeps it, also in another campaign
    assert 'value="Mia"' in theirs.get(place.link(other)).text
    assert theirs.post(place.link(other), data={"name": "Mia"}).status_code == 303
    assert place.column("select count(*) from arrivals where rater_id = 'Mia'") == [2]


def test_a_name_in_html(place: House) -> None:
    client = place.client()
    evil = "<img src=x onerror=alert(1)>"
    assert client.post(place.link(), data={"name": evil}).status_code == 303
    assert "<img" not in client.get(place.link()).text
    assert "<img" not in place.client().post(place.link(), data={"name": evil}).text


def test_a_platforms_participant_is_a_pseudonym(place: House) -> None:
    link = place.link()
    query = "?PROLIFIC_PID=5f3c0ffee&STUDY_ID=s123456&SESSION_ID=x123456"
    names = []
    client = place.client()
    for status in (200, 303):
        answer = client.get(link + query)
        assert answer.status_code == status
        names.append(client.get("/api/next").json()["name"])
    assert names == [platform_pseudonym(place.store.secret, "prolific", "5f3c0ffee")] * 2
    assert names[0].startswith("prolific-")
    place.store.rewrite()
    stored = (place.store.project / "concord.duckdb").read_bytes()
    assert names[0].encode() in stored
    assert not [raw for raw in (b"5f3c0ffee", b"s123456", b"x123456") if raw in stored]


def test_pseudonyms_are_keyed_and_differ() -> None:
    one, other = "ab" * 32, "cd" * 32
    told = ((one, "prolific", "a"), (other, "prolific", "a"), (one, "mturk", "a"), (one, "prolific", "b"))
    assert len({platform_pseudonym(*each) for each in told}) == 4
    assert platform_pseudonym(one, "prolific", "a") == platform_pseudonym(one, "prolific", "a")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ([("PROLIFIC_PID", "p"), ("STUDY_ID", "s")], Participant("prolific", "p")),
        ([("workerId", " w "), ("assignmentId", "3X"), ("hitId", "h")], Participant("mturk", "w")),
        ([("participant", "7")], Participant("participant", "7")),
        ([("task", "x")], None),
        ([], None),
    ],
)
def test_who_was_sent(query: list[tuple[str, str]], found: Participant | None) -> None:
    assert participant_in(query) == found


@pytest.mark.parametrize(
    "query",
    [
        [("PROLIFIC_PID", "{{%PROLIFIC_PID%}}")], [("participant", "")], [("participant", "x" * 201)],
        [("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"), ("hitId", "h")],
        [("participant", "a"), ("workerId", "b")], [("participant", "a"), ("participant", "b")],
    ],
)  # fmt: skip
def test_unclear_addresses(place: House, query: list[tuple[str, str]]) -> None:
    with pytest.raises(UnclearParticipant):
        participant_in(query)
    client = place.client()
    assert client.get(f"{place.link()}?{urlencode(query)}").status_code == 403
    assert not client.cookies


def test_a_link_takes_no_session_away_unasked(place: House) -> None:
    client = place.account("rosa")
    link = f"{place.link()}?participant=rosas-second-self"
    page = client.get(link)
    assert (page.status_code, "you are rosa" in page.text) == (200, True)
    assert client.get("/api/next").json()["name"] == "rosa"
    assert client.post(link).status_code == 200
    assert client.get("/api/next").json()["name"].startswith("participant-")
    assert client.get("/api/studio/version").status_code == 403


@pytest.mark.parametrize("end", ["revoked", "expired"])
def test_the_end_of_an_invitation_ends_its_sessions(place: House, end: str) -> None:
    invitation = place.invitation()
    client = place.invited(f"one of {end}", invitation)
    ticket = first(client)["ticket"]
    if end == "revoked":
        invitations.revoke(place.store, invitation.invitation_id)
    else:
        place.expire(invitation)
    answer = client.post("/api/submit", json=saying(ticket))
    assert (answer.status_code, "invitation" in answer.json()["detail"]) == (401, True)
    # the page says so once; after that they are nobody
    assert client.get("/api/next").json() == {"detail": "Please sign in first."}


def test_a_name_from_a_link_stays(place: House) -> None:
    client = place.invited("Noa")
    assert client.post("/api/name", json={"name": "anna"}).status_code == 403
    assert client.get("/api/next").json()["name"] == "Noa"


def test_an_erased_person_is_sent_away(place: House) -> None:
    client = place.invited("Ludo")
    ticket = first(client)["ticket"]
    erasing.erase(place.store, "Ludo")
    answer = client.post("/api/submit", json=saying(ticket))
    assert (answer.status_code, "erased" in answer.json()["detail"]) == (401, True)
    answer = place.client().post(place.link(), data={"name": "Ludo"})
    assert (answer.status_code, "name is taken" in answer.text) == (409, True)
    assert "Ludo" not in place.column("select rater_id from raters")


def test_without_accounts_a_link_gives_a_name_and_a_campaign(world: World) -> None:
    until = datetime.now(UTC) + timedelta(hours=1)
    made = invitations.create(world.store, Terms(campaign=None, role="annotator", expires=until), "x")
    client = world.client()
    answer = client.post(people.link_path(world.store, made), data={"name": "kim"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/annotate/")
    assert client.get("/api/next").json()["name"] == "kim"
    assert client.get("/api/studio/version").status_code == 200
    here = {"origin": "http://127.0.0.1"}
    assert client.post("/login", data={"name": "x", "password": PASSWORD}, headers=here).headers["location"] == "/"
    invitations.revoke(world.store, made.invitation_id)
    assert client.get("/api/next").status_code == 401
    assert client.get("/api/next").json() == {"state": "name"}
    assert world.client("10.0.0.7").get(people.link_path(world.store, made)).status_code == 403
    assert HASH not in client.get("/login").text


@pytest.mark.parametrize("given", [{"expires": datetime(2020, 1, 1, tzinfo=UTC)}, {"uses": 0}, {"campaign": "nowhere"}])
def test_invitations_that_make_no_sense(place: House, given: dict[str, Any]) -> None:
    before = len(invitations.listed(place.store))
    with pytest.raises(InvitationRefused):
        place.invitation(**given)
    assert len(invitations.listed(place.store)) == before
