"""Every word of the pages before the form is in the reader's language; so are the addresses that they lead to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from data.store.people import invitations
from tests.ui.accounts_app import PAGE, PASSWORD, House, house
from tests.ui.other_language import write_catalogue
from ui.web import texts

_VALUES = {"Cows", "Cows - Concord", "Concord"}
"""A campaign's title, a name, and ours: in no catalogue."""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("house")) as made, pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "FOLDER", write_catalogue(tmp_path_factory.mktemp("texts")))
        yield made


def left_in_english(page: str) -> list[str]:
    """Words outside of the brackets in which the other language has everything."""
    shown = re.sub(r'<code class="cc-code"[^>]*>[^<]*</code>', "", page)
    words = (unescape(part).strip() for part in re.findall(r">([^<>]+)<", shown))
    plain = (re.sub(r"⟦[^⟧]*⟧", "", one).strip(" -\n") for one in words)
    return [one for one in plain if one and one not in _VALUES]


def translated(answer: Any, status: int, *said: str) -> None:
    assert answer.status_code == status, answer.text
    assert '<html lang="fa" dir="rtl">' in answer.text
    assert left_in_english(answer.text) == []
    for text in said:
        assert f"⟦{text}" in unescape(answer.text)


def test_what_is_left_in_english_is_found() -> None:
    page = "<title>⟦Sign in⟧ - Concord</title><p>⟦You are rosa.⟧</p><p>Go on</p><label>⟦Name⟧ here</label>"
    assert left_in_english(page) == ["Go on", "here"]


def test_signing_in_and_out(place: House) -> None:
    client = place.client()
    translated(client.get("/login?lang=fa"), 200, "Sign in", "Name", "Password")
    wrong = client.post("/login?lang=fa", data={"name": "rosa", "password": "wrong"})
    translated(wrong, 401, "Name or password is wrong.")
    assert 'action="/login?lang=fa"' in wrong.text
    tries = (client.post("/login?lang=fa", data={"name": "eve", "password": "wrong"}) for _ in range(20))
    translated(next(one for one in tries if one.status_code != 401), 429, "Too many wrong attempts. Wait ")
    entered = client.post("/login?lang=fa", data={"name": "rosa", "password": PASSWORD})
    assert (entered.status_code, entered.headers["location"]) == (303, "/studio/?lang=fa")
    translated(client.get("/login?lang=fa"), 200, "You are signed in as rosa.", "Sign out and change person")
    translated(client.get("/logout?lang=fa"), 200, "Your answers stay.")
    assert client.post("/logout?lang=fa").headers["location"] == "/login?lang=fa"
    anna = place.account("anna")
    translated(anna.get("/studio/?lang=fa", headers=PAGE), 403, "Not for this account", "Your account is for labelling images")


def test_coming_by_a_link(place: House) -> None:
    client, link = place.client(), place.link()
    translated(client.get(f"{link}?lang=fa"), 200, "Your name", "Start")
    for name, status, why in (
        ("", 422, "Please type a name."),
        ("x" * 61, 422, "That name is too long."),
        ("anna", 409, "That name is taken"),
    ):
        translated(client.post(f"{link}?lang=fa", data={"name": name}), status, why)
    entered = client.post(f"{link}?lang=fa", data={"name": "Zoe"})
    assert (entered.status_code, entered.headers["location"]) == (303, "/annotate/?lang=fa")
    translated(client.get(f"{link}?PROLIFIC_PID=5&lang=fa"), 200, "In this browser you are Zoe.", "Continue as the participant")
    translated(place.client().post(f"{link}?lang=fa", data={"name": "Zoe"}), 409, "That name is taken. If it is yours")


def test_coming_from_a_platform(place: House) -> None:
    link = f"{place.link()}?PROLIFIC_PID=worker&lang=fa"
    shown = place.client().get(link)
    translated(shown, 200, "You can come back in this browser", "Write it down", "Start")
    assert 'href="/annotate/?lang=fa"' in shown.text
    other = place.client("10.0.0.9")
    translated(other.get(link), 403, "Somebody has already started with your id", "Re-entry code", "Go on")
    translated(other.post(link, data={"code": "AAAA"}), 403, "This is not your re-entry code.")


@pytest.mark.parametrize(
    "query", ["PROLIFIC_PID={{%PID%}}", "PROLIFIC_PID=1&workerId=2", "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE"]
)
def test_addresses_that_name_nobody(place: House, query: str) -> None:
    translated(place.client().get(f"{place.link()}?{query}&lang=fa"), 403, "You cannot join with this link")


def test_links_that_are_over(place: House) -> None:
    over, back = place.invitation(), place.invitation()
    client = place.invited("Yan", over)
    place.expire(over)
    invitations.revoke(place.store, back.invitation_id)
    for link, why in (
        (place.link(over), "has expired"),
        (place.link(back), "has been taken back"),
        ("/join/none", "not complete"),
    ):
        answer = place.client().get(f"{link}?lang=fa")
        translated(answer, 403, "You cannot join with this link")
        assert why in answer.text
    translated(client.get("/annotate/?lang=fa", headers=PAGE), 401, "You cannot go on here", "This invitation has expired.")
