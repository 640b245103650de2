"""Browse's routes: what is counted is what is listed, the address is read in one place, tags and views keep who and when."""

from __future__ import annotations

import random
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from concord.browsing.listing import FILTERED, filters_in
from data.records import Evidence, Image, Item, Judgement, Prompt, Rater
from data.selection import Selection
from data.store import imports
from data.store.browse import grid, index_refresh
from data.store.browse.filters import Between, Filters, ListingQuery
from data.store.browse.grid import ListingDisplay
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements.recording import submit
from tests.data.store.small_project import answer
from tests.ui.http_visitor import TOKEN, World
from ui.web.server import create_app

COLON = "vqa: big"
HOSTILE = "a\"b'c;--<i>%_"
SPECS: dict[str, dict[str, Any]] = {
    "counting": {"tag": "counting", "include": [{"class": "cat", "count": 3}]},
    "colors": {"tag": "colors", "include": [{"class": "dog", "count": 1, "color": "red"}]},
    "position": {
        "tag": "position",
        "include": [{"class": "dog", "count": 1}, {"class": "cat", "count": 1, "position": ["left of", 0]}],
    },
}
N = 4


def filled(store: Store) -> None:
    """24 images of 6 prompts by two generators; two scorers with verdicts, one of them with scores; three people."""
    dice = random.Random(7)
    prompts = [
        Prompt(f"geneval/{n:05}", "geneval", f"Snow and a {task} {n}%", task, spec)
        for n, (task, spec) in enumerate([*SPECS.items()] * 2)
    ]
    images = [Image(p.prompt_id, g, n) for p in prompts for g in ("g1", HOSTILE) for n in range(2)]
    of = {p.prompt_id: p for p in prompts}
    items = [Item(i.image_id, "geneval", i.prompt_id, of[i.prompt_id].task, i.generator) for i in images]
    evidence = []
    for rater in ("geneval", COLON):
        for item in items:
            label = dice.choice(("yes", "no", None))
            says = [Judgement("correct", label, float(label == "yes"), None, None)] if label else []
            says += [Judgement("score", None, dice.random(), None, None)] if rater == COLON and dice.random() < 0.8 else []
            failed = None if says else "unreadable"
            evidence.append(Evidence(f"{rater}:{item.item_id}", item.item_id, rater, {}, tuple(says), "1", failed))
    scales = [("geneval", "correct", "nominal"), ("geneval", "score", "interval")]
    raters = [Rater(name, "scorer") for name in ("geneval", COLON)]
    imports.apply(store, [ImportBundle("b", "b", "b", prompts, images, items, raters=raters, scales=scales, evidence=evidence)])
    for item in items:
        for who in ("ann", "bob", "cyd"):
            if dice.random() < 0.6:
                submit(store, answer(item.item_id, who, dice.choice(("yes", "no"))))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("browsing") / "project") as opened:
        filled(opened)
        yield opened


@pytest.fixture(scope="module")
def app(store: Store) -> FastAPI:
    return create_app(store, TOKEN, pages=False)


@pytest.fixture
def client(store: Store, app: FastAPI) -> TestClient:
    return World(store, app, store.project).client()


@pytest.fixture
def person(store: Store, app: FastAPI) -> TestClient:
    return World(store, app, store.project).person("ann")


def get(client: TestClient, route: str, *query: tuple[str, Any]) -> Any:
    answer = client.get(f"/api/studio/{route}?{urlencode(query)}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def ids(client: TestClient, *query: tuple[str, Any]) -> list[str]:
    value = get(client, "items", *query)
    assert value["total"] == len(value["items"])
    return [item["item_id"] for item in value["items"]]


def counts(client: TestClient, *query: tuple[str, Any]) -> dict[tuple[str, str], int]:
    value = get(client, "facets", *query)
    return {(facet["name"], value["value"]): value["n"] for facet in value["facets"] for value in facet["values"]}


CHOICES: list[list[tuple[str, str]]] = [
    [],
    [("task", "counting")],
    [("generator", HOSTILE), ("object", "cat")],
    [("says", "geneval:no"), ("people", "yes")],
    [("says", "geneval:no"), ("says", "geneval:failed"), ("says", f"{COLON}:yes")],
    [("differs", "geneval:missed"), ("differs", "people")],
    [("certainty", "majority"), ("certainty", "unanimous"), ("color", "red")],
    [("range", f"{COLON}:0.25..0.75")],
    [("q", "position snow"), ("relation", "left of")],
    [("q", "%")],
    [("count", "3"), ("differs", "scorers")],
]


@pytest.mark.parametrize("chosen", CHOICES, ids=str)
def test_what_a_facet_counts_is_what_it_lists(client: TestClient, chosen: list[tuple[str, str]]) -> None:
    content = get(client, "facets", *chosen)
    assert content["total"] == len(ids(client, *chosen))
    assert content["behind"] == 0
    seen = 0
    for facet in content["facets"]:
        entry = facet["name"]
        for value in facet["values"]:
            # the facet's own choice is left out; of `says` only this scorer's
            rater = value["value"].rpartition(":")[0] if entry == "says" else ""
            others = [(n, v) for n, v in chosen if n != entry or (n == "says" and v.rpartition(":")[0] != rater)]
            assert value["n"] == len(ids(client, *others, (entry, value["value"]))), (facet["title"], value)
            assert value["on"] == ((entry, value["value"]) in chosen)
            assert value["n"] or value["on"]
            seen += 1
    assert seen > 5


def test_all_facets_are_there(client: TestClient) -> None:
    value = get(client, "facets")
    titles = [(facet["name"], facet["title"]) for facet in value["facets"]]
    assert titles == [
        ("differs", "To look at"), ("people", "Most people say"), ("suite", "Suite"), ("task", "Task"),
        ("generator", "Generator"), ("says", "geneval says"), ("says", f"{COLON} says"), ("certainty", "Certainty"),
        ("object", "Object"), ("color", "Colour"), ("count", "Count"), ("relation", "Relation"),
    ]  # fmt: skip
    assert counts(client)["object", "dog"] == 16
    assert counts(client)["count", "3"] == 8
    # where answers cross, certainty is the crossing's
    crossed = [("about", "correct"), ("a", "geneval"), ("b", "people"), ("certainty", "unanimous")]
    assert "certainty" not in [facet["name"] for facet in get(client, "facets", *crossed)["facets"]]


def test_what_is_chosen_stays_though_nothing_fits(client: TestClient) -> None:
    assert counts(client, ("task", "nothing"))["task", "nothing"] == 0
    assert counts(client, ("tag", "nothing"))["tag", "nothing"] == 0
    assert ids(client, ("object", "unicorn")) == []


def test_many_values_are_cut_and_told(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.store.browse.facets.MOST_VALUES", 1)
    task = next(facet for facet in get(client, "facets", ("task", "position"))["facets"] if facet["name"] == "task")
    # the first, and what is chosen
    assert [value["value"] for value in task["values"]] == ["colors", "position"]
    assert task["more"] == 1


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ([("task", "counting"), ("generator", "g1"), ("says", "geneval:no"), ("people", "yes")],
         "counting images by g1 where geneval says no and most people say yes"),
        ([("suite", "geneval"), ("object", "dog"), ("object", "cat"), ("color", "red")],
         "images whose prompt asks for dog or cat and the colour red"),
        ([("says", f"{COLON}:yes"), ("says", f"{COLON}:failed"), ("range", f"{COLON}:..0.5")],
         f"images where {COLON} says yes or could not look and {COLON} scores at most 0.5"),
        ([("differs", "geneval:missed"), ("differs", "people"), ("certainty", "split")],
         "where people are split and geneval says no and most people say yes or people differ"),
        ([("q", "snow %")], "images where “snow” and “%” are in the prompt or the id"),
    ],
)  # fmt: skip
def test_the_sentence(client: TestClient, query: list[tuple[str, str]], words: str) -> None:
    value = get(client, "facets", *query)
    assert value["sentence"].startswith(f"{value['total']:,} ")
    assert words in value["sentence"] or words.replace("images", "image") in value["sentence"]


# --- the address ------------------------------------------------------------------------------------------------------
def test_filters_are_read_from_an_address() -> None:
    ranges = (Between("a: b", None, 0.1), Between("m", -1.0, 2.5))
    filters = Filters(
        object=("dog",), color=("red",), count=("3",), relation=("left of",), says=(("a: b", "no"),), people=("yes", "none"),
        certainty=("split",), differs=(("m", "missed"), ("", "people")), verdict=("none", "prompt"), q=("two", "words"),
        range=ranges, item=("x/1",),
    )  # fmt: skip
    query = [
        ("object", "dog"), ("color", "red"), ("count", "3"), ("relation", "left of"), ("says", "a: b:no"), ("people", "yes"),
        ("people", "none"), ("certainty", "split"), ("differs", "m:missed"), ("differs", "people"), ("verdict", "none"),
        ("verdict", "prompt"), ("q", "two words"), ("range", "a: b:..0.1"), ("range", "m:-1.0..2.5"), ("item", "x/1"),
    ]  # fmt: skip
    assert {name for name, _ in query} == set(FILTERED)
    assert filters_in(lambda name: [value for key, value in query if key == name]) == filters
    assert filters_in(lambda _: [""]) == Filters()


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("says", "geneval", "says=geneval: it is written RATER:yes|no|failed."),
        ("says", "geneval:yess", "says=geneval=yess: did you mean yes?"),
        ("says", "nobody:yes", "There is no scorer 'nobody' in this project; known: ann, bob, cyd, geneval, vqa: big"),
        ("says", "genevall:yes", "There is no scorer 'genevall' in this project; did you mean geneval?"),
        ("people", "yse", "people=yse: did you mean yes?"),
        ("people", "42", "people=42: known: yes, no, tie, none"),
        ("certainty", "unanimos", "--certainty unanimos: there is no such class; did you mean unanimous?"),
        ("differs", "geneval:passes", "differs=geneval=passes: did you mean passed?"),
        ("differs", "peple", "differs=peple: did you mean people?"),
        ("verdict", "scorers", "verdict=scorers: did you mean scorer?"),
        (
            "range",
            "geneval:1",
            "range=geneval:1: it is written RATER:LOW..HIGH, with numbers or nothing beside the dots.",
        ),
        ("range", "geneval:nan..", None),
        ("range", "geneval:0..inf", None),
        ("range", "0..1", None),
        ("order", "best", "order must be one of prompt, lowest, highest, split, differs, confidence, likert, recent."),
    ],
)
def test_what_cannot_be_followed_is_said(client: TestClient, name: str, value: str, why: str | None) -> None:
    answer = client.get(f"/api/studio/facets?{name}={quote(value)}")
    assert answer.status_code == 422
    assert why is None or answer.json()["detail"] == why


@pytest.mark.parametrize("text", [HOSTILE, "'; drop table browse; --", "\x00", "%", "🦊", "a" * 500, "$1 ?"])
def test_hostile_values_are_values(client: TestClient, text: str) -> None:
    for name in ("suite", "task", "generator", "tag", "object", "color", "count", "relation", "q"):
        for route in ("items", "facets", "rows", "strip"):
            assert client.get(f"/api/studio/{route}", params={name: text}).status_code == 200


# --- orders, neighbours -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("rater", ["people", "geneval", COLON, "simulated people", "ann"])
@pytest.mark.parametrize("order", grid.ORDERS)
def test_the_neighbours_are_those_of_the_listing(client: TestClient, order: str, rater: str) -> None:
    query = [("order", order), ("rater", rater), ("q", "snow"), ("by", "score" if rater == COLON else "correct")]
    listed = get(client, "items", *query)["items"]
    names = [row["item_id"] for row in listed]
    assert len(set(names)) == 24
    for place in (0, 1, 11, 23):
        value = get(client, "neighbours", *query, ("id", names[place]))
        assert (value["place"], value["total"]) == (place + 1, 24)
        for side, other in (("previous", place - 1), ("next", place + 1)):
            expected = {"id": names[other], "shown": listed[other]["mean"] is not None} if 0 <= other < 24 else None
            assert value[side] == expected


def test_what_orders_put_first(client: TestClient) -> None:
    differs = [
        None if row["verdict"] is None or row["people"] == {"yes": 0, "no": 0}
        else abs((row["verdict"] == "yes") - row["people"]["yes"] / sum(row["people"].values()))
        for row in get(client, "items", ("order", "differs"), ("rater", "geneval"))["items"]
    ]  # fmt: skip
    known = [value for value in differs if value is not None]
    assert differs == sorted(known, reverse=True) + [None] * (24 - len(known))
    assert known[0] == 1
    scores = [row["mean"] for row in get(client, "items", ("order", "confidence"), ("rater", COLON), ("by", "score"))["items"]]
    known = [value for value in scores if value is not None]
    assert scores[len(known) :] == [None] * (24 - len(known))
    middle = sorted(known, key=lambda value: abs(value - known[0]))
    assert middle[0] == known[0]


def test_what_was_judged_last_comes_first(tmp_path: Any) -> None:
    with Store(tmp_path / "p") as store:
        filled(store)
        item = grid.items(store, ListingQuery()).rows[-1].item_id
        submit(store, answer(item, "dan"))
        assert grid.items(store, ListingQuery(), ListingDisplay(order="recent")).rows[0].item_id == item


# --- the strip --------------------------------------------------------------------------------------------------------
def test_the_strip_counts_every_score_once(client: TestClient) -> None:
    value = get(client, "strip", ("generator", "g1"), ("range", f"{COLON}:0..0.1"))
    assert (value["of"], value["choices"]) == (COLON, [COLON])
    everything = [row["mean"] for row in get(client, "items", ("rater", COLON), ("by", "score"))["items"]]
    scores = [score for score in everything if score is not None]
    assert (value["low"], value["high"]) == (min(scores), max(scores))
    assert sum(entry["of_all"] for entry in value["bins"]) == len(scores)
    mine = [row["mean"] for row in get(client, "items", ("rater", COLON), ("by", "score"), ("generator", "g1"))["items"]]
    assert value["undefined"] == mine.count(None)
    for k, entry in enumerate(value["bins"]):
        last = k == len(value["bins"]) - 1
        inside = [s for s in mine if s is not None and entry["low"] <= s and (s < entry["high"] or last)]
        assert entry["n"] == len(inside)
    assert (
        client.get("/api/studio/strip?of=geneval").json()["detail"]
        == f"'geneval' has no scores here; those that have: {COLON}."
    )


# --- rows by prompt ---------------------------------------------------------------------------------------------------
def test_rows_by_prompt(client: TestClient) -> None:
    value = get(client, "rows")
    assert (value["total"], value["size"], value["generators"]) == (6, 20, sorted(["g1", HOSTILE]))
    assert [row["prompt_id"] for row in value["rows"]] == [f"geneval/{n:05}" for n in range(6)]
    for row in value["rows"]:
        assert {generator: [item["idx"] for item in items] for generator, items in row["cells"].items()} == {
            "g1": [0, 1],
            HOSTILE: [0, 1],
        }
    assert get(client, "rows", ("left", "g1"), ("right", "g1"))["generators"] == ["g1", "g1"]
    chosen = [("people", "yes"), ("says", "geneval:no")]
    fitting = set(ids(client, *chosen))
    rows = get(client, "rows", *chosen)["rows"]
    items = [item for row in rows for cell in row["cells"].values() for item in cell]
    assert {item["item_id"] for item in items if item["fits"]} == fitting
    assert len(rows) == len({item.rsplit("/", 2)[0] for item in fitting})
    assert get(client, "rows", *chosen, ("page", 3))["total"] == len(rows)


# --- tags and views ---------------------------------------------------------------------------------------------------
@pytest.fixture
def tagging(tmp_path: Path) -> Iterator[World]:
    """Images of its own: a tag is one more facet in all tests of the module's."""
    with Store(tmp_path / "project") as own:
        filled(own)
        yield World(own, create_app(own, TOKEN, pages=False), tmp_path)


def test_tags_need_a_name_and_count_once(tagging: World) -> None:
    store, client, person = tagging.store, tagging.client(), tagging.person()
    items = ids(client)[:3]
    body = {"id": "t1", "items": items, "tag": "  odd  one ", "on": True}
    assert client.post("/api/studio/tags", json=body).status_code == 401
    assert person.post("/api/studio/tags", json=body).json() == {"new": True, "tags": {item: ["odd one"] for item in items}}
    assert not person.post("/api/studio/tags", json=body).json()["new"]
    assert get(client, "tags") == {"tags": [{"name": "odd one", "n": 3}]}
    assert ids(client, ("tag", "odd one")) == items
    assert counts(client)["tag", "odd one"] == 3
    assert get(client, "items")["items"][0]["tags"] == ["odd one"]
    assert "3 images tagged odd one" in get(client, "facets", ("tag", "odd one"))["sentence"]
    off = {"id": "t2", "items": items[:1], "tag": "odd one", "on": False}
    assert person.post("/api/studio/tags", json=off).json()["tags"] == {}
    assert ids(client, ("tag", "odd one")) == items[1:]
    # for every other selection, too
    assert grid.items(store, ListingQuery(Selection(tag=("odd one",)))).total == 2
    with store.read() as cursor:
        log = cursor.execute("select tagging_id, item_id, tagged, made_by from taggings order by seq").fetchall()
    assert log == [*(("t1", item, True, "ann") for item in items), ("t2", items[0], False, "ann")]


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"items": []}, 422),
        ({"items": ["nothing"]}, 404),
        ({"tag": " "}, 422),
        ({"tag": "a\x00b"}, 422),
        ({"tag": "x" * 101}, 422),
    ],
)
def test_absurd_tags(person: TestClient, change: dict[str, Any], status: int) -> None:
    body = {"id": "absurd", "items": ["geneval/00000/g1/0"], "tag": "a", "on": True} | change
    assert person.post("/api/studio/tags", json=body).status_code == status
    assert "absurd" not in str(person.get("/api/studio/tags").json())


def test_views_are_kept_replaced_and_let_go_of(client: TestClient, person: TestClient) -> None:
    assert get(client, "views") == {"views": []}
    body = {"id": "v1", "name": "mine", "query": "?task=counting"}
    assert client.post("/api/studio/views", json=body).status_code == 401
    for _ in range(2):
        (view,) = person.post("/api/studio/views", json=body).json()["views"]
    assert (view["name"], view["query"], view["made_by"]) == ("mine", "task=counting", "ann")
    (view,) = person.post("/api/studio/views", json=body | {"id": "v2", "query": "task=colors"}).json()["views"]
    assert view["query"] == "task=colors"
    assert person.post("/api/studio/views/forget", json={"id": "v3", "name": "other"}).status_code == 404
    assert person.post("/api/studio/views/forget", json={"id": "v4", "name": "mine"}).json() == {"views": []}


def test_readers_say_what_they_are_behind(client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_refresh, "catch_up", lambda _: 12)
    value = get(client, "facets")
    assert (value["behind"], value["version"]) == (12, store.version)


def test_the_largest_gap_between_a_score_and_people_comes_first(tmp_path: Any) -> None:
    with Store(tmp_path / "p") as store:
        filled(store)
        every = grid.items(
            store, ListingQuery(Selection(generator=("g1",))), ListingDisplay(aspect="score", rater=COLON, order="lowest")
        ).rows
        judged = [row.item_id for row in every if row.mean is not None]
        # people see it as the scorer does, but for its best image
        for index, item in enumerate(judged):
            fit = 1 if index == len(judged) - 1 else 1 + 3 * index // len(judged)
            judgement = Judgement("caption_fit", str(fit), float(fit), None, None)
            submit(store, answer(item, "dan", judgements=(judgement,)))
        records = grid.items(
            store, ListingQuery(Selection(generator=("g1",))), ListingDisplay(aspect="score", rater=COLON, order="likert")
        ).rows
        assert records[0].item_id == judged[-1]
        assert {row.item_id for row in records[: len(judged)]} == set(judged)


def test_blind_mode_tells_nothing_of_what_anybody_says(client: TestClient) -> None:
    told = {"people", "says", "mean", "n", "verdict", "reason", "crossed"}
    nothing = {"people": {"yes": 0, "no": 0}, "says": {}, "mean": None, "n": 0, "verdict": None, "reason": None}
    seen, hidden = (get(client, "items", ("rater", "geneval"), *blind)["items"] for blind in ((), (("blind", "1"),)))
    assert [row["item_id"] for row in seen] == [row["item_id"] for row in hidden]
    assert any(row["mean"] is not None for row in seen)
    assert any(row["says"] for row in seen)
    for row in hidden:
        assert {name: row[name] for name in told & row.keys()} == nothing
    for row in get(client, "rows", ("blind", "1"))["rows"]:
        for image in [image for images in row["cells"].values() for image in images]:
            assert {name: image[name] for name in ("people", "says", "mean")} == {
                name: nothing[name] for name in ("people", "says", "mean")
            }
    names = {facet["name"] for facet in get(client, "facets", ("blind", "1"))["facets"]}
    assert {"object", "task"} <= names
    assert not {"differs", "people", "says", "certainty", "verdict"} & names


def test_the_place_says_what_of_an_address_it_follows_and_what_its_scope_leaves(client: TestClient) -> None:
    place = get(
        client,
        "images",
        ("task", "counting"),
        ("generator", "nobody"),
        ("image", "some/image"),
        ("blind", "1"),
        ("aspect", "correct"),
    )
    assert place["query"] == "task=counting&blind=1&by=correct"
    assert "generator=nobody" in place["lost"]
    assert place["all"] == get(client, "items", ("task", "counting"))["total"]
    # a part of the scope is changed by a link that keeps all else
    assert "/studio/images?blind=1&amp;task=counting&amp;by=" in place["scope"]


def test_a_kept_view_of_before_lists_the_same_at_the_new_place(client: TestClient, person: TestClient) -> None:
    query = "suite=geneval&task=counting&task=colors&says=geneval%3Ano&rater=geneval&order=lowest&show=prompts&of=geneval"
    body = {"id": str(uuid.uuid4()), "name": "of before", "query": query}
    assert person.post("/api/studio/views", json=body).status_code == 200
    place = get(client, "images", ("view", "of before"))
    assert parse_qsl(place["query"]) == parse_qsl(query)
    assert place["lost"] == ""
    # both tasks stay when another part of the scope is chosen
    assert "task=counting&amp;task=colors" in place["scope"]
    assert person.post("/api/studio/views/forget", json={"id": str(uuid.uuid4()), "name": "of before"}).status_code == 200
