"""What somebody who is signed in may try: others' answers, others' campaigns, other people's names, and bodies made to harm."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from data.campaigns.items import CampaignItem
from data.campaigns.settings import Campaign
from data.store.campaigns import management
from tests.ui.accounts_app import House, house
from tests.ui.http_visitor import first
from tests.ui.http_visitor import saying as said_by_default

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("house")) as made:
        management.create(
            made.store, Campaign("d", "Secret", overlap=1000), [CampaignItem(f"geneval/00001/sdv2/{n}") for n in range(2)]
        )
        management.move(made.store, "d", "running")
        yield made


def saying(ticket: str, **other: Any) -> dict[str, Any]:
    """An answer in the campaign that everybody here is invited to."""
    return said_by_default(ticket, campaign="c") | other


def elsewhere(place: House, name: str) -> TestClient:
    """Somebody who works in the other campaign."""
    return place.invited(name, place.invitation(campaign="d"))


def counts(place: House) -> list[int]:
    tables = ("annotations", "judgements", "drafts", "skips", "notes", "taggings", "raters", "items", "campaigns", "claims")
    return [place.column(f"select count(*) from {table}")[0] for table in tables]


def test_nobody_reads_or_revises_anothers_answer(place: House) -> None:
    victim, intruder = place.invited("victim"), place.invited("intruder")
    answers = saying(first(victim)["ticket"])
    assert victim.post("/api/submit", json=answers).status_code == 200
    assert intruder.get(f"/api/mine/{answers['id']}").status_code == 404
    assert answers["id"] not in intruder.get("/api/mine").text
    # under its id, as its revision, and as its own
    ticket = answers["ticket"]
    for other in ({"id": answers["id"]}, {"revises": answers["id"]}, {"id": answers["id"], "revises": answers["id"]}):
        assert intruder.post("/api/submit", json=saying(ticket, **other)).status_code == 422, other
    assert place.column(f"select rater_id from annotations where annotation_id = '{answers['id']}'") == ["victim"]
    assert place.column("select count(*) from annotations where rater_id = 'intruder'") == [0]


def test_nobody_reads_anothers_draft(place: House) -> None:
    victim, intruder = place.invited("drafts"), place.invited("looks for drafts")
    about = {"ticket": first(victim)["ticket"], "campaign": "c"}
    secret, other = ({"objects": text} for text in ("my secret draft", "overwritten"))
    assert victim.post("/api/draft", json=about | {"answers": secret}).status_code == 200
    assert "my secret draft" in victim.get("/api/next").text
    for path in ("/api/next", "/api/last", "/api/mine"):
        assert "my secret draft" not in intruder.get(path).text
    intruder.post("/api/draft", json=about | {"answers": other})
    assert "my secret draft" in victim.get("/api/next").text


@pytest.mark.parametrize("way", ["submit", "draft", "skip", "report"])
def test_an_invitation_opens_one_campaign(place: House, way: str) -> None:
    intruder, theirs = place.invited(f"goes to d by {way}"), first(elsewhere(place, f"in d {way}"))["ticket"]
    before = counts(place)
    body = saying(theirs, campaign="d", reason="x")
    assert intruder.post(f"/api/{way}", json=body).status_code == 422
    assert intruder.post("/api/campaign", json={"campaign": "d"}).status_code == 422
    assert intruder.post("/api/campaign", json={"campaign": "default"}).status_code == 422
    # an item of the other campaign as if it were of this one
    answer = intruder.post("/api/submit", json=saying(theirs))
    assert answer.status_code == 422, answer.text
    assert counts(place) == before


def test_ids_tell_nothing_and_cannot_be_guessed(place: House) -> None:
    client = place.invited("guesses")
    task = first(client)
    assert len(task["ticket"]) >= 16
    assert not [told for told in ("geneval/00000", "sdv2", "00000") if told in json.dumps(task)]
    before = counts(place)
    for ticket in (
        "geneval/00000/sdv2/0",
        "0",
        "1",
        task["ticket"][:-1],
        task["ticket"] + "0",
        task["ticket"].upper(),
        "",
        "%",
        "../x",
    ):
        if ticket != task["ticket"]:
            assert client.post("/api/submit", json=saying(ticket)).status_code in (404, 422), ticket
    for picture in ("0" * 64, "a" * 64, "A" * 64, "../../concord.duckdb", "%2e%2e%2fconcord.duckdb", "x" * 64):
        assert client.get(f"/img/{picture}").status_code in (400, 403, 404)
    assert counts(place) == before


FIELDS: dict[str, Any] = {
    "rater_id": "victim", "rater": "victim", "name": "rosa", "person": "rosa", "status": "gold", "saw_evidence": False,
    "item_id": "geneval/00001/sdv2/0", "campaign_id": "d", "role": "admin", "submitted": "2020-01-01T00:00:00Z", "seq": 0,
    "__proto__": {"role": "admin"}, "session": {"role": "admin"},
}  # fmt: skip


def test_what_a_body_says_beyond_its_fields_is_nothing(place: House) -> None:
    client = place.invited("assigns")
    answers = FIELDS | saying(first(client)["ticket"])
    assert client.post("/api/submit", json=answers).status_code == 200
    row = f"from annotations where annotation_id = '{answers['id']}'"
    assert place.column(f"select rater_id {row}") == ["assigns"]
    assert place.column(f"select campaign_id {row}") == ["c"]
    assert place.column(f"select status {row}") == ["valid"]
    assert place.column(f"select item_id like 'geneval/00000/%' {row}") == [True]
    assert place.column(f"select submitted > '2024-01-01' {row}") == [True]
    assert client.get("/api/studio/version").status_code == 403
    assert client.post("/api/name", json={"name": "rosa"}).status_code == 403


def nested(depth: int, open_: str, close: str) -> bytes:
    return (open_ * depth + close * depth).encode()


BOMBS: dict[str, bytes] = {
    "deep lists": nested(100_000, "[", "]"), "deep objects": b'{"a":' * 40_000 + b"1" + b"}" * 40_000, "cut": b'{"id": "',
    "a huge number": b'{"active_seconds": 1e999999}', "many digits": b'{"active_seconds": ' + b"9" * 200_000 + b"}",
    "NaN": b'{"active_seconds": NaN}', "infinity": b'{"active_seconds": -Infinity}', "no UTF-8": b'{"id": "\xff\xfe"}',
    "half a character": b'{"ticket": "\\ud800"}', "nothing": b"", "null": b"null", "a list": b"[]", "a number": b"3",
    "many keys": b"{" + b",".join(b'"k%d": 1' % n for n in range(20_000)) + b"}", "NUL": b'{"ticket": "\\u0000"}',
    "UTF-16": '{"id": "x"}'.encode("utf-16"), "a mark": b"\xef\xbb\xbf{}", "a comment": b"{/* */}",
}  # fmt: skip


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("path", ["/api/submit", "/api/draft", "/api/studio/notes", "/api/studio/tags"])
def test_bodies_made_to_harm(place: House, path: str, bomb: str) -> None:
    client = place.account("rosa")
    before = counts(place)
    answer = client.post(path, content=BOMBS[bomb], headers=JSON)
    assert answer.status_code in (400, 413, 422), answer.text[:200]
    assert len(answer.content) < 2000
    assert counts(place) == before


def test_the_last_of_two_keys_counts_and_nothing_else_happens(place: House) -> None:
    client = place.invited("twice")
    ticket = first(client)["ticket"]
    body = json.dumps(saying(ticket))[:-1] + ', "ticket": "another"}'
    assert client.post("/api/submit", content=body, headers=JSON).status_code == 404


def test_deep_answers_are_refused(place: House) -> None:
    client = place.invited("deep")
    ticket = first(client)["ticket"]
    deep = '{"a":' * 3000 + "1" + "}" * 3000
    body = f'{{"id": "{uuid.uuid4()}", "ticket": "{ticket}", "answers": {deep}}}'
    assert client.post("/api/submit", content=body, headers=JSON).status_code in (400, 422)


INJECTIONS = (
    "'; drop table items; --", '" or 1=1 --', "') or ('1'='1", "x' union select value from meta --", "\\'; select 1",
    "%' or '%'='", "$1", "?", ":name", "{x}", "read_csv('/etc/passwd')", "/etc/passwd", "\x00", "a" * 900,
    "<script>alert(1)</script>", "${7*7}",
)  # fmt: skip
PARAMETERS = (
    "suite", "task", "generator", "aspect", "target", "rater", "campaign", "certainty", "tag", "since", "until", "by", "order",
    "id", "of", "page", "left", "right", "n", "map", "q", "text", "crossed",
)  # fmt: skip
READING = ("items", "facets", "rows", "strip", "neighbours", "item", "evidence", "remarks", "task", "map/inside", "map/image")


@pytest.mark.parametrize("path", READING)
def test_no_parameter_becomes_sql(place: House, path: str) -> None:
    client, before, secret = place.account("rosa"), counts(place), place.store.secret
    for k, name in enumerate(PARAMETERS):
        # each parameter meets three of them here, and all of them over all routes
        for text in (INJECTIONS[(5 * n + k + READING.index(path)) % len(INJECTIONS)] for n in range(3)):
            answer = client.get(f"/api/studio/{path}", params={"id": "geneval/00000/sdv2/0", "of": "x"} | {name: text})
            assert answer.status_code in (200, 404, 409, 422), (name, text, answer.text[:200])
            assert secret not in answer.text
            assert "root:x:" not in answer.text
    assert counts(place) == before


@pytest.mark.parametrize("text", INJECTIONS)
def test_no_text_becomes_sql_or_markup(place: House, text: str) -> None:
    client = place.account("rosa")
    item = "geneval/00000/sdv2/0"
    client.post("/api/studio/uncover", json={"id": item})
    sent = client.post("/api/studio/notes", json={"id": str(uuid.uuid4()), "item": item, "text": text, "revises": None})
    assert sent.status_code in (200, 422), sent.text
    answer = client.get("/api/studio/remarks", params={"id": item})
    # as text in JSON, which no browser takes for a page
    assert answer.headers["content-type"] == "application/json"
    if sent.status_code == 200:
        assert json.dumps(text)[1:-1] in json.dumps(answer.json())
    assert place.column("select count(*) from items")[0] >= 4
