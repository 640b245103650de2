"""What a session is good for, until when, and for whom: stolen, planted, forged and forgotten cookies."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from itsdangerous import TimestampSigner
from starlette.testclient import TestClient

from data.store.core.store import Store
from data.store.people import invitations
from tests.ui.accounts_app import PASSWORD, House, house, users_file
from tests.ui.http_visitor import TOKEN
from ui.web.auth import sessions
from ui.web.auth.accounts import Accounts, AccountsError
from ui.web.auth.sessions import SEEN_EVERY, YEAR_SECONDS, Lifetimes
from ui.web.server import create_app

HOUR, DAY = 3600, 24 * 3600


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("house")) as made:
        yield made


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Seconds that have passed."""
    passed, began = [0], sessions.now()
    monkeypatch.setattr("ui.web.auth.sessions.now", lambda: began + passed[0])
    monkeypatch.setattr("ui.web.auth.authorization.now", lambda: began + passed[0])
    return passed


def held(client: TestClient) -> dict[str, Any]:
    """What the cookie says."""
    payload: dict[str, Any] = json.loads(base64.b64decode(next(iter(client.cookies.values())).split(".")[0]))
    return payload


def thief(place: House, client: TestClient) -> TestClient:
    """Somebody elsewhere with a copy of the cookie."""
    other = place.client("203.0.113.66")
    other.cookies = dict(client.cookies)
    return other


def signed(place: House, content: dict[str, Any]) -> TestClient:
    """A cookie that only somebody with the project's secret can make."""
    client = place.client()
    name = next(iter(place.account("rosa").cookies))
    value = TimestampSigner(place.store.secret).sign(base64.b64encode(json.dumps(content).encode())).decode()
    client.cookies.set(name, value, domain="concord.example")
    return client


def status(client: TestClient, path: str = "/api/next") -> int:
    return client.get(path).status_code


@pytest.mark.parametrize("way", ["/logout", "/api/leave"])
def test_signing_out_ends_every_copy_also_after_a_restart(tmp_path: Path, way: str) -> None:
    with house(tmp_path) as place:
        client, stays = place.account("rosa"), place.account("rosa")
        copy = thief(place, client)
        assert (status(copy), status(stays)) == (200, 200)
        assert client.post(way, json={}).status_code in (200, 303)
        assert (status(copy), status(thief(place, client)), status(stays)) == (401, 401, 200)
        # a second copy, as the first one was told to forget it
        again, there = dict(thief(place, client).cookies), dict(stays.cookies)
        copied = place.client()
        copied.cookies = {**again}
        project = place.store.project
        remaining = place.column("select session from ended_sessions")
        assert len(remaining) == 1
        assert held(stays)["id"] not in remaining
    with Store(project) as store:
        place = House(store, create_app(store, TOKEN, Accounts(place.users), pages=False), place.users)
        late, later = place.client(), place.client()
        late.cookies, later.cookies = again, there
        assert (status(late), status(later)) == (401, 200)


def test_signing_in_rotates_and_ends_what_was_there(place: House) -> None:
    client = place.invited("before the sign-in")
    first, copy = held(client)["id"], thief(place, client)
    assert client.post("/login", data={"name": "anna", "password": PASSWORD}).status_code == 303
    assert held(client)["id"] != first
    assert (status(client), status(copy)) == (200, 401)
    second = held(client)["id"]
    client.post("/login", data={"name": "anna", "password": PASSWORD})
    assert held(client)["id"] != second


def test_another_role_ends_a_session(tmp_path: Path) -> None:
    with house(tmp_path) as place:
        client = place.account("anna")
        users_file(place.users, {"anna": "researcher"})
        assert status(client) == 401
        users_file(place.users)
        assert status(client) == 401


def test_a_planted_cookie_does_not_become_somebodys(place: House) -> None:
    # fixation: the attacker's own session in the victim's browser, who then signs in
    attacker = place.invited("the attacker")
    victim = thief(place, attacker)
    victim.post("/login", data={"name": "rosa", "password": PASSWORD})
    assert status(victim, "/api/studio/version") == 200
    assert status(attacker, "/api/studio/version") in (401, 403)


@pytest.mark.parametrize(("name", "unused"), [("rosa", 12 * HOUR), ("adam", 12 * HOUR), ("anna", 30 * DAY)])
def test_unused_sessions_end(place: House, clock: list[int], name: str, unused: int) -> None:
    client = place.account(name)
    clock[0] += unused - 60
    assert status(client) == 200
    # it was used: the time begins anew
    clock[0] += unused - 60
    assert status(client) == 200
    copy = thief(place, client)
    clock[0] += unused + 60
    answer = client.get("/api/next")
    assert (answer.status_code, "not used for a long time" in answer.json()["detail"]) == (401, True)
    clock[0] = 0
    # it does not come back, whatever the clock says
    assert status(copy) == 401


def test_annotators_by_link_are_not_sent_away_in_the_middle(place: House, clock: list[int]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        # the invitation itself is for a day only
        patch.setattr("data.store.people.invitations.Invitation.closed", lambda *_: None)
        client = place.invited("labels for weeks")
        for _ in range(25):
            clock[0] += DAY
            assert status(client) == 200


def test_no_session_of_a_researcher_lasts_longer_than_a_week(place: House, clock: list[int]) -> None:
    client = place.account("rosa")
    statuses = []
    for _ in range(16):
        clock[0] += 11 * HOUR
        statuses.append(status(client))
    assert statuses == [200] * 15 + [401]


def test_a_clock_that_is_set_back_sends_nobody_away(place: House, clock: list[int]) -> None:
    clock[0] = 2 * DAY
    client = place.account("rosa")
    clock[0] = 0
    assert status(client) == 200
    # nor does it make a session that never ends
    clock[0] = 13 * HOUR
    assert status(client) == 401


def test_being_there_is_written_down_seldom(place: House, clock: list[int]) -> None:
    client = place.account("rosa")
    assert "set-cookie" not in client.get("/api/next").headers
    clock[0] += SEEN_EVERY + 1
    answer = client.get("/api/next")
    assert "set-cookie" in answer.headers
    assert held(client)["seen"] == sessions.now()
    # pictures come in dozens
    clock[0] += SEEN_EVERY + 1
    assert "set-cookie" not in client.get("/img/x").headers


@pytest.mark.parametrize(
    "value",
    ["", "null", "x", "x.y.z", "e30.aaaa.bbbb", "." * 3, "é", "A" * 3000, "eyJuYW1lIjogInJvc2EifQ==.aaaaaa.bbbbbbbb"],
)
def test_cookies_that_are_none(place: House, value: str) -> None:
    name = next(iter(place.account("rosa").cookies))
    client = place.client(Cookie=f"{name}={value}".encode("latin-1"))  # type: ignore[arg-type]
    assert status(client) == 401
    assert client.get("/login").status_code == 200


def test_a_changed_byte_anywhere_is_no_session(place: House) -> None:
    client = place.account("rosa")
    name, value = next(iter(client.cookies.items()))
    for at in range(0, len(value), 7):
        changed = value[:at] + ("A" if value[at] != "A" else "B") + value[at + 1 :]
        copy = place.client()
        copy.cookies.set(name, changed, domain="concord.example")
        # the last character of a signature has bits that nobody reads
        assert status(copy, "/api/studio/version") == 401 or at == len(value) - 1
    assert status(client, "/api/studio/version") == 200


def test_a_signed_cookie_of_another_meaning_opens_nothing(place: House) -> None:
    # such as one of an earlier Concord, or of a person who has no account any more
    for content in (
        {"name": "rosa"},
        {"name": "rosa", "account": "x"},
        {"role": "admin"},
        {"name": "x", "invitation": "y"},
        {},
    ):
        assert status(signed(place, content), "/api/studio/version") == 401
    for odd in ([], "text", 3, None, [{"name": "rosa"}]):
        assert status(signed(place, odd)) == 401  # type: ignore[arg-type]


def test_cookies_of_before_there_were_ids(place: House) -> None:
    invitation = place.invitation()
    place.invited("old friend", invitation)
    old = {"name": "old friend", "invitation": invitation.invitation_id, "campaign": "c"}
    client = signed(place, old)
    copy = thief(place, client)
    assert (status(client), status(copy)) == (200, 200)
    client.post("/api/leave", json={})
    assert status(copy) == 401


def test_over_https_the_cookie_is_this_hosts_alone(place: House) -> None:
    https = {"X-Forwarded-Proto": "https"}
    client = place.client("127.0.0.1", **https)
    answer = client.post("/login", data={"name": "adam", "password": PASSWORD}, headers={"Origin": "https://concord.example"})
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Host-concord-")
    lowers = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert {"secure", "httponly", "samesite=lax", "path=/"} <= lowers
    assert not any(part.startswith("domain") for part in lowers)
    name, value = cookie.split(";")[0].split("=", 1)
    for values, expected in ((name, 200), (name.removeprefix("__Host-"), 401)):
        plain = place.client("127.0.0.1", Cookie=f"{values}={value}", **https)
        assert status(plain) == expected


def test_what_is_ended_is_kept_as_long_as_its_cookies_are_good(place: House) -> None:
    long_ago = datetime(2020, 1, 1, tzinfo=UTC)
    invitations.end_session(place.store, "old", datetime(2021, 1, 1, tzinfo=UTC), now=long_ago)
    assert invitations.is_session_ended(place.store, "old")
    invitations.end_session(place.store, "new", datetime(2031, 1, 1, tzinfo=UTC))
    assert (invitations.is_session_ended(place.store, "old"), invitations.is_session_ended(place.store, "new")) == (False, True)
    # no cookie can be read out of what is kept
    assert not {"old", "new"} & set(place.column("select session from ended_sessions"))


def test_how_long_sessions_last_is_in_the_file_of_accounts(tmp_path: Path) -> None:
    file = users_file(tmp_path / "users.toml")
    accounts = Accounts(file)
    assert accounts.lifetimes == Lifetimes()
    file.write_text(file.read_text() + "\n[sessions]\nresearcher_idle_hours = 1\nannotator_days = 10\n")
    assert accounts.lifetimes == Lifetimes(researcher_idle=HOUR, annotator=10 * DAY)
    for wrong in (
        "x = 1",
        "researcher_days = 0",
        'annotator_days = "7"',
        f"annotator_days = {YEAR_SECONDS}",
        "researcher_days = true",
    ):
        bad = users_file(tmp_path / "bad.toml")
        bad.write_text(bad.read_text() + f"\n[sessions]\n{wrong}\n")
        with pytest.raises(AccountsError, match=r"bad.toml: \[sessions\]"):
            Accounts(bad)
