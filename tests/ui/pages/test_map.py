"""The page Map and what a lasso on it lists: made from runs' files, coloured, cut, and the states without a map."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.datastructures import QueryParams
from starlette.testclient import TestClient

from concord import maps
from concord.maps import MapAddress
from data.jobs.maps import Map, MapFolder
from data.jobs.runs import Observation, Run, RunFolder, pack_embeddings
from data.records import Rater
from data.spec import parse_spec
from data.store import imports, runs
from data.store.browse.filters import ListingQuery
from data.store.core.store import Store
from data.store.imports import ImportBundle
from scorers import clipscore
from scorers import maps as scorer_maps
from scorers.running.worker_main import attempt
from tests.ui import explore_project, worker_threads
from tests.ui.drawn_pages import as_text
from tests.ui.http_visitor import TOKEN
from ui.pages import map as map_page
from ui.shell.changes import Drawn
from ui.shell.view import ignored
from ui.web.server import create_app

MODEL = "clip@0123456789ab"
SETTINGS: dict[str, Any] = {"clip": "models/clip", "weights": {"clip": "0123456789ab"}}
ALL = ListingQuery()
WHOLE = "-10,-10;110,-10;110,110;-10,110"
"""A line around all of the map."""
_SECONDS = 60


def items_of(store: Store) -> list[str]:
    with store.read() as cursor:
        return [row[0] for row in cursor.execute("select item_id from items order by item_id").fetchall()]


def keep(store: Store, items: list[str], settings: dict[str, Any], rater: str, vectors: Any = None) -> None:
    """A run of CLIPScore that kept embeddings: two clouds, by the number of the image."""
    rng = np.random.default_rng(len(items))
    if vectors is None:
        vectors = np.array([np.eye(8)[k % 2] for k in range(len(items))]) + rng.normal(size=(len(items), 8)) * 0.05
    payload = {"cosine": 0.25, "tokens": 3, "read": 3}
    seen = [
        Observation(item, payload, embedding=embedding) for item, embedding in zip(items, pack_embeddings(vectors), strict=True)
    ]
    scorer = clipscore.SCORER
    run = Run(making_id(store), scorer.name, scorer.version, "playground", settings)
    folder = RunFolder(store.project / "runs" / run.run_id)
    folder.create(run, [])
    folder.write_part(0, seen)
    runs.add_run(store, run, Rater(rater, "scorer", None, scorer.version, settings), f"runs/{run.run_id}", len(seen))
    judged = [(observation, scorer.judge(parse_spec({}), observation, settings).judgements) for observation in seen]
    runs.ingest(store, run.run_id, 0, judged, "1")
    runs.set_state(store, run.run_id, "done")


def making_id(store: Store) -> str:
    return f"{len(runs.listed(store)) + 50:04d}-run"


def made(store: Store, method: str = "pca", model: str = MODEL) -> Map:
    until = time.monotonic() + _SECONDS
    while time.monotonic() < until:
        standing = maps.request_map(store, method, model)
        if standing.made is not None:
            return standing.made
        assert standing.busy, standing.message
        time.sleep(0.01)
    raise AssertionError("no map came")


@pytest.fixture(scope="module", autouse=True)
def _workers_are_threads() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scorer_maps, "lower_priority", lambda: None)  # the tests' own process stays as important as it is
        worker_threads.put(
            patch, maps.WORKER, lambda folder, *_: attempt(MapFolder(folder), scorer_maps.work, scorer_maps.explain)
        )
        yield


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """36 images with embeddings, two people, an imitation and two scorers."""
    with Store(explore_project.project(tmp_path_factory.mktemp("mapped"))) as opened:
        keep(opened, items_of(opened), SETTINGS, "clip here")
        yield opened


@pytest.fixture(scope="module")
def client(store: Store) -> TestClient:
    app = create_app(store, TOKEN, pages=False)
    return TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 1), raise_server_exceptions=False)


def opened(store: Store, query: str = "") -> dict[str, Any]:
    """The page as it stands in the end, by what it is made of."""
    lost, method, steps = map_page.open_map(store, QueryParams(query))
    *_, last = steps
    return {"notice": ignored(lost, {}), "method": method, **as_text(last or {})}


def half(result: Map) -> tuple[str, set[str]]:
    """A line around the left one of the two clouds, and what is in it."""
    x = result.places[:, 0]
    line = "-10,-10;50,-10;50,110;-10,110"
    return line, {item for item, place in zip(result.items, x, strict=True) if place < 50}


def test_a_lasso_lists_in_browse_what_lies_inside(store: Store, client: TestClient) -> None:
    line, wanted = half(made(store))
    assert 0 < len(wanted) < 36
    address = {"map": f"pca:{MODEL}", "lasso": line}
    reply = client.get("/api/studio/items", params=address).json()
    assert reply["total"] == len(wanted)
    assert {row["item_id"] for row in reply["items"]} == wanted
    inside = client.get("/api/studio/map/inside", params=address).json()
    assert inside["total"] == len(wanted)
    assert {row["item_id"] for row in inside["items"]} <= wanted
    # classes are counted within the line, not over the whole map
    with store.read() as cursor:
        generators = Counter(dict(cursor.execute("select item_id, generator from items").fetchall())[item] for item in wanted)
    painted = client.get("/api/studio/map/inside", params=address | {"paint": "generator"}).json()
    assert painted["classes"] == dict(generators)
    assert inside["classes"] == {}
    # it restricts together with the rest of the address
    with store.read() as cursor:
        tasks = dict(cursor.execute("select item_id, task from items").fetchall())
    counting = {item for item in wanted if tasks[item] == "counting"}
    assert client.get("/api/studio/items", params=address | {"task": "counting"}).json()["total"] == len(counting)
    # and the Workbench goes on within it
    first = sorted(wanted)[0]
    beside = client.get("/api/studio/neighbours", params=address | {"id": first}).json()
    assert beside["total"] == len(wanted)


def test_images_like_one_come_first_the_most_alike(store: Store, client: TestClient) -> None:
    _, wanted = half(made(store))
    one = sorted(wanted)[1]
    reply = client.get("/api/studio/items", params={"like": one}).json()
    listed = [row["item_id"] for row in reply["items"]]
    assert listed[0] == one
    assert set(listed[: len(wanted)]) == wanted
    beside = client.get("/api/studio/neighbours", params={"like": one, "id": one}).json()
    assert (beside["place"], beside["next"]["id"]) == (1, listed[1])
    assert client.get("/api/studio/facets", params={"like": one}).json()["sentence"].endswith(f"most like {one}")
    unknown = client.get("/api/studio/items", params={"like": "no such image"})
    assert unknown.status_code == 409
    assert "score clipscore" in unknown.text


def test_the_map_s_key_goes_with_the_line(store: Store, client: TestClient) -> None:
    line, wanted = half(made(store))
    key = maps.map_key(store, "pca", MODEL)
    assert client.get("/api/studio/items", params={"map": f"pca:{MODEL}:{key}", "lasso": line}).json()["total"] == len(wanted)
    other = client.get("/api/studio/items", params={"map": f"pca:{MODEL}:000000000000", "lasso": line})
    assert (other.status_code, "Draw the lasso anew" in other.text) == (409, True)
    gone = client.get("/api/studio/items", params={"map": "pca:nobody's", "lasso": line})
    assert (gone.status_code, "no image here has an embedding by it" in gone.text) == (409, True)


@pytest.mark.parametrize(
    "line",
    ["", "1,2", "1,2;3,4", "a,b;c,d;e,f", "1,2;3,4;nan,1", "1,2;3,4;inf,1", "1;2;3", "1,2,3;4,5;6,7", "1e9,2;3,4;5,6", ";;;"],
)
def test_a_line_that_is_none_is_refused(client: TestClient, line: str) -> None:
    answer = client.get("/api/studio/map/inside", params={"map": f"pca:{MODEL}", "lasso": line})
    assert answer.status_code == 422
    assert "lasso" in answer.json()["detail"]


@pytest.mark.parametrize("on", ["", "pca", "tsne:m", "pca:", "pca:m:k:x", "../../x", "umap:<script>:../x"])
def test_a_map_that_is_none_is_refused(client: TestClient, on: str) -> None:
    answers = [
        client.get("/api/studio/map/inside", params={"map": on, "lasso": "0,0;1,0;1,1"}),
        client.get("/api/studio/map/image", params={"map": on, "n": 0}),
    ]
    assert {answer.status_code for answer in answers} <= {422, 409}


def test_too_many_corners_are_refused() -> None:
    line = ";".join(f"{k % 50},{k % 7}" for k in range(maps.MOST_POINTS + 1))
    with pytest.raises(ValueError, match="3 to 200 corners"):
        maps.points_of(line)


def test_inside_is_the_even_odd_rule() -> None:
    places = np.array([(1, 1), (5, 5), (9, 1), (5, 9), (20, 5), (-1, 1)], np.float32)
    square = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)]
    assert maps.inside(places, square).tolist() == [True, True, True, True, False, False]
    # a line that goes around a hole, and a bow that crosses itself
    hole = [*square, (0.0, 0.0), (4.0, 4.0), (4.0, 6.0), (6.0, 6.0), (6.0, 4.0), (4.0, 4.0)]
    assert maps.inside(places, hole).tolist() == [True, False, True, True, False, False]
    bow = [(0.0, 0.0), (10.0, 10.0), (10.0, 0.0), (0.0, 10.0)]
    assert maps.inside(np.array([(1, 5), (9, 5), (5, 1), (5, 9)], np.float32), bow).tolist() == [True, True, False, False]
    assert maps.inside(places, [(1.0, 1.0)] * 3).tolist() == [False] * 6


def test_the_picture_at_a_point(store: Store, client: TestClient) -> None:
    result = made(store)
    answer = client.get("/api/studio/map/image", params={"map": f"pca:{MODEL}", "n": 3}).json()
    assert answer["item_id"] == result.items[3]
    assert len(answer["sha256"]) == 64
    assert "mean" not in answer
    assert client.get("/api/studio/map/image", params={"map": f"pca:{MODEL}", "n": 36}).status_code == 404
    assert client.get("/api/studio/map/image", params={"map": f"pca:{MODEL}", "n": -1}).status_code == 422


def test_the_page_shows_the_selection_and_says_what(store: Store) -> None:
    made(store)
    shown = opened(store)
    assert (shown["notice"], shown["method"]) == ("", "pca")
    assert "36 images on the map: PCA of embeddings by clip." in shown["map-lead"]
    points = shown["map-plot"]
    assert points is not None
    panel = json.loads(shown["cc-map"])
    assert (panel["map"].rsplit(":", 1)[0], panel["lasso"], panel["paint"]) == (f"pca:{MODEL}", "", "generator")
    some = opened(store, "task=counting&paint=task")
    assert "6 images of 36 on the map" in some["map-lead"]
    assert "/studio/images?task=counting" in some["map-lead"]
    assert json.loads(some["cc-map"])["groups"] == [
        {"title": "counting", "n": 6, "filter": {"task": "counting"}, "rest": False}
    ]
    answers = opened(store, f"says={explore_project.RATER}:yes&paint=says:{explore_project.RATER}")
    (group,) = json.loads(answers["cc-map"])["groups"]
    assert (group["title"], group["filter"]) == ("right", {"says": f"{explore_project.RATER}:yes"})
    assert 0 < group["n"] < 36
    none = opened(store, "q=nosuchword")
    assert "None of the selected images is on it." in none["map-lead"]


def test_what_an_address_asks_for_in_vain_is_named(store: Store) -> None:
    made(store)
    assert "about=correct" in opened(store, "about=correct")["notice"]
    shown = opened(store, "map=tsne:x&paint=<b>&lasso=1,2&certainty=perhaps&task=counting&generator=nobody")
    for text in ("map=tsne:x", "paint=&lt;b&gt;", "lasso=1,2", "certainty=perhaps", "generator=nobody"):
        assert text in shown["notice"]
    assert shown["method"] == "pca"
    assert "model" in opened(store, "map=pca:nobody")["notice"] or "map=pca:nobody" in opened(store, "map=pca:nobody")["notice"]
    old = opened(store, f"map=pca:{MODEL}:000000000000&lasso=0,0;1,0;1,1")
    assert "lasso=0,0;1,0;1,1" in old["notice"]
    assert json.loads(old["cc-map"])["lasso"] == ""
    good = opened(store, f"map=pca:{MODEL}&lasso=0,0;1,0;1,1")
    assert (good["notice"], json.loads(good["cc-map"])["lasso"]) == ("", "0,0;1,0;1,1")


def test_an_equal_figure_is_sent_once_and_a_line_does_not_go_to_another_map(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made(store)
    first = opened(store, f"map=pca:{MODEL}&lasso=0,0;1,0;1,1")
    shown, figure = first["shown"], first["figure"]

    def drawn(view: map_page.MapView, paint: str = "generator") -> Drawn:
        *_, last = map_page.draw_page(store, view, figure, "pca", MODEL, paint)
        assert last
        return last

    assert "map-plot" not in drawn(map_page.MapView(**shown))
    painted = drawn(map_page.MapView(**shown), "task")
    assert painted["map-plot"] is not None
    assert painted["shown"]["lasso"] == "0,0;1,0;1,1"
    # while another map is being made the one before stays
    monkeypatch.setattr(maps, "finished_map", lambda *_: None)
    monkeypatch.setattr(map_page, "_WAIT_SECONDS", 0.0)
    waiting = next(map_page.draw_page(store, map_page.MapView(**shown), figure, "pca", MODEL, "generator"))
    assert waiting is not None
    assert "see the map before." in as_text(waiting)["map-lead"]
    assert not {"map-plot", "cc-map"} & waiting.keys()
    assert waiting["shown"] == shown
    monkeypatch.undo()
    elsewhere = drawn(map_page.MapView(**{**shown, "key": "000000000000"}))["shown"]
    assert elsewhere["lasso"] == ""
    assert elsewhere["turn"] > shown["turn"]


def test_colours_are_what_browse_would_list(store: Store, client: TestClient) -> None:
    result = made(store)
    offered = maps.colorings(store)
    assert {"generator", "task", "suite", "object", "people", "simulated", f"says:{explore_project.RATER}"} <= set(offered)
    assert offered[f"score:{explore_project.CLIP}"].continuous
    for name in ("generator", "task", "suite"):
        values = maps.color_values(store, offered[name], result.items, ALL)
        for value in set(values.values()):
            n = client.get("/api/studio/items", params=maps.browse_filter(offered[name], value)).json()["total"]
            assert n == sum(entry == value for entry in values.values())
    for name in ("people", f"says:{explore_project.RATER}"):
        values = maps.color_values(store, offered[name], result.items, ALL)
        assert len(set(values.values())) > 1
        for value in set(values.values()) - ({"none"} if name != "people" else set()):
            n = client.get("/api/studio/items", params=maps.browse_filter(offered[name], value)).json()["total"]
            assert n == sum(entry == value for entry in values.values()), (name, value)
    simulated = maps.color_values(store, offered["simulated"], result.items, ALL)
    assert set(simulated.values()) == {"yes", "no", "none"}
    assert simulated != maps.color_values(store, offered["people"], result.items, ALL)
    scores = maps.color_values(store, offered[f"score:{explore_project.CLIP}"], result.items, ALL)
    assert all(isinstance(value, float) for value in scores.values())
    objects = set(maps.color_values(store, offered["object"], result.items, ALL).values())
    assert len(objects) > 3


def drawn(n: int, results: dict[str, Any], paint: maps.MapColoring, turn: int = 0) -> map_page.MapDrawing:
    places = np.random.default_rng(0).uniform(0, 100, (n, 2)).astype(np.float32)
    return map_page.draw_map(Map("umap", "m", tuple(f"i{k}" for k in range(n)), places, n), "0" * 12, results, paint, (), turn)


def test_a_figure_of_many_points_is_webgl_and_small() -> None:
    paint = maps.MapColoring("task", "Task", "task")
    many = drawn(20_000, {f"i{k}": f"t{k % 30}" for k in range(20_000)}, paint)
    assert {trace.type for trace in many.figure.data} == {"scattergl"}
    assert (many.shown, many.drawn) == (20_000, 20_000)
    assert len(many.figure.to_json()) < 600_000
    assert [group.title for group in many.groups][-1] == "18 others"
    assert sum(group.n for group in many.groups) == 20_000
    few = drawn(500, {f"i{k}": "<b>" for k in range(0, 500, 2)}, paint)
    assert {trace.type for trace in few.figure.data} == {"scatter"}
    assert few.figure.data[0].name == "&lt;b&gt;"
    assert [int(k) for k in few.figure.data[0].customdata[:3]] == [0, 2, 4]


def test_of_more_points_a_draw_is_shown_and_counted() -> None:
    paint = maps.MapColoring("task", "Task", "task")
    every = {f"i{k}": "t" for k in range(30_000)}
    first, second = drawn(30_000, every, paint), drawn(30_000, every, paint)
    assert (first.shown, first.drawn, first.groups[0].n) == (30_000, 20_000, 30_000)
    assert map_page.digest(first.figure.to_json()) == map_page.digest(second.figure.to_json())
    assert map_page.digest(drawn(30_000, every, paint, turn=1).figure.to_json()) != map_page.digest(first.figure.to_json())


def test_numbers_and_those_without() -> None:
    paint = maps.MapColoring("score:x", "Score by x", "", "x", continuous=True)
    drawing = drawn(4, {"i0": 0.1, "i1": None, "i2": 0.3, "i3": 0.2}, paint)
    assert [len(trace.x) for trace in drawing.figure.data] == [1, 3]
    assert drawing.groups == []
    assert [len(trace.x) for trace in drawn(2, {"i0": None, "i1": None}, paint).figure.data] == [2, 0]


@pytest.mark.parametrize(
    ("numbers", "line"),
    [
        ((10, 20, 30, 40), "10,30;20,30;20,40;10,40"),
        ((20.123, 10, 40, 30), "20.12,40;10,40;10,30;20.12,30"),
        ((None, 1, 2, 3), ""),
        ((1, 1, 2, 3), ""),
        ((float("nan"), 1, 2, 3), ""),
        ((-1e300, 1e300, 0, 1), "-1000,0;1000,0;1000,1;-1000,1"),
    ],
)
def test_a_rectangle_by_numbers(numbers: tuple[float | None, ...], line: str) -> None:
    result, why = map_page.rectangle(numbers)
    assert result == line
    assert bool(why) == (not line)
    if line:
        maps.points_of(line)


def test_models_do_not_mix_and_new_embeddings_make_another_map(tmp_path: Path) -> None:
    with Store(explore_project.project(tmp_path)) as store:
        every = items_of(store)
        keep(store, every[:20], SETTINGS, "one")
        keep(store, every[10:], {**SETTINGS, "weights": {"clip": "ba9876543210"}}, "other")
        assert list(maps.embedding_sources(store)) == [MODEL, "clip@ba9876543210"]
        assert len(made(store).items) == 20
        assert len(made(store, model="clip@ba9876543210").items) == 26
        key = maps.map_key(store, "pca", MODEL)
        # another way to judge by the same model: what it adds joins, and what is there already counts once
        keep(store, every[15:30], {**SETTINGS, "variant": "100*cos"}, "one, otherwise")
        assert maps.map_key(store, "pca", MODEL) != key
        assert set(made(store).items) == set(every[:30])
        # the earlier map stays for those who have its address
        where = maps.condition_of(store, maps.Lasso(MapAddress("pca", MODEL, key), maps.points_of(WHOLE)))
        assert set(where[1][0]) == set(every[:20])


def test_images_that_are_gone_are_left_out(tmp_path: Path) -> None:
    with Store(explore_project.project(tmp_path)) as store:
        keep(store, items_of(store), SETTINGS, "clip here")
        assert len(made(store).items) == 36
        with store.read() as cursor:
            cursor.execute("delete from items where task = 'counting'")
            cursor.execute("insert into stale values (null)")
        imports.apply(store, [ImportBundle("nothing", "n", "n")])
        assert "30 images of 36 on the map" in opened(store)["map-lead"]
        app = TestClient(create_app(store, TOKEN, pages=False), base_url="http://127.0.0.1", client=("127.0.0.1", 1))
        address = {"map": f"pca:{MODEL}", "lasso": WHOLE}
        assert app.get("/api/studio/map/inside", params=address).json()["total"] == 30


@pytest.mark.parametrize(("n", "same"), [(1, False), (36, True)])
def test_one_image_and_equal_ones(tmp_path: Path, n: int, same: bool) -> None:
    with Store(explore_project.project(tmp_path)) as store:
        every = items_of(store)[:n]
        keep(store, every, SETTINGS, "clip here", np.ones((n, 8)))
        made(store)
        lead = opened(store)["map-lead"]
        assert ("all 36 embeddings are the same" in lead) == same
        assert f"{n} image" in lead


def test_without_embeddings_the_page_says_how_to_get_some(tmp_path: Path) -> None:
    with Store(tmp_path / "empty") as store:
        assert [*map_page.open_map(store, QueryParams(""))[2]] == [None]
        taught = map_page.MapPage(store).teaching()
        assert "No image has an embedding yet" in taught
        assert "score clipscore" in taught
    with Store(explore_project.project(tmp_path)) as store:
        keep(store, items_of(store), SETTINGS, "clip here", np.zeros((36, 8)))
        assert "stored no embeddings" in map_page.MapPage(store).teaching()


def test_without_umap_the_page_says_how_to_get_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "umap_version", lambda: None)
    shown = opened(store, f"map=umap:{MODEL}")
    assert (
        "UMAP needs the package umap-learn, which is not installed: uv sync --group umap. PCA needs nothing."
        in shown["map-lead"]
    )
    assert shown["method"] == "umap"


def test_a_worker_that_fails_is_told_and_tried_again_only_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(explore_project.project(tmp_path)) as store:
        keep(store, items_of(store), SETTINGS, "clip here")
        monkeypatch.setattr(maps, "WORKER", ("sh", "-c", "echo broken >&2; exit 3"))
        maps.request_map(store, "pca", MODEL)
        until = time.monotonic() + _SECONDS
        while (failed := maps.request_map(store, "pca", MODEL)).busy and time.monotonic() < until:
            time.sleep(0.05)
        assert failed.message == "The map could not be made: broken. Reload this page to try again."
        monkeypatch.undo()
        assert maps.request_map(store, "pca", MODEL).message == failed.message
        assert maps.request_map(store, "pca", MODEL, again=True).busy
        assert len(made(store).items) == 36
