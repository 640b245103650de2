"""The map of Images and what a line on it lists: made from runs' files, coloured, cut, and the states without a map."""

from __future__ import annotations

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
from concord.browsing.map_drawing import MapPoints, points_of_map
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
from tests.ui.http_visitor import TOKEN
from ui.pages.images import open_images
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


def shown(client: TestClient, **query: Any) -> dict[str, Any]:
    """The map as Images gets it."""
    reply = client.get("/api/studio/map", params=query)
    assert reply.status_code == 200, reply.text
    body: dict[str, Any] = reply.json()
    return body


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


def test_the_map_holds_what_is_listed_inside_its_line_or_not(store: Store, client: TestClient) -> None:
    line, _ = half(made(store))
    whole = shown(client)
    assert "36 images on the map: PCA of embeddings by clip." in whole["about"]
    assert (whole["paint"], len(whole["images"]), len(whole["values"])) == ("generator", 36, 36)
    assert sorted(whole["images"]) == list(range(36))
    on = whole["map"]
    assert on == f"pca:{MODEL}:{maps.map_key(store, 'pca', MODEL)}"
    assert len(shown(client, map=on, lasso=line)["images"]) == 36
    some = shown(client, task="counting", paint="task")
    assert "6 images of 36 on the map" in some["about"]
    assert [(group["title"], group["n"], group["filter"]) for group in some["groups"]] == [
        ("counting", 6, {"task": "counting"})
    ]
    said = shown(client, says=f"{explore_project.RATER}:yes", paint=f"says:{explore_project.RATER}")
    (group,) = said["groups"]
    assert (group["title"], group["value"], group["filter"]) == ("right", "yes", {"says": f"{explore_project.RATER}:yes"})
    assert 0 < group["n"] < 36
    assert "No image of this selection of 36 on the map" in shown(client, q="nosuchword")["about"]


def test_blind_mode_has_no_colours_that_tell_what_somebody_says(store: Store, client: TestClient) -> None:
    made(store)
    blind = shown(client, blind="1", paint=f"says:{explore_project.RATER}")
    assert (blind["paint"], blind["rater"]) == ("generator", "")
    assert [each["value"] for each in blind["paints"]] == ["generator", "task", "suite", "object"]


def test_what_an_address_asks_for_in_vain_is_named(store: Store) -> None:
    made(store)

    def opened(query: str) -> tuple[str, dict[str, str]]:
        answer = open_images(store, QueryParams(f"show=map&{query}"))
        return answer["lost"], dict(QueryParams(answer["query"]))

    lost, followed = opened("map=tsne:x&paint=<b>&task=counting&generator=nobody")
    for text in ("map=tsne:x", "paint=&lt;b&gt;", "generator=nobody"):
        assert text in lost
    assert followed == {"show": "map", "task": "counting"}
    assert "lasso=1,2" in opened(f"map=pca:{MODEL}&lasso=1,2")[0]
    address = {"map": f"pca:{MODEL}", "lasso": "0,0;1,0;1,1", "paint": "task"}
    assert opened(str(QueryParams(address))) == ("", {"show": "map", **address})


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


def drawn(n: int, values: dict[str, Any], coloring: maps.MapColoring) -> MapPoints:
    places = np.random.default_rng(0).uniform(0, 100, (n, 2)).astype(np.float32)
    return points_of_map(Map("umap", "m", tuple(f"i{k}" for k in range(n)), places, n), "0" * 12, values, coloring)


def test_few_classes_are_told_apart_and_the_rest_is_one() -> None:
    coloring = maps.MapColoring("task", "Task", "task")
    many = drawn(20_000, {f"i{k}": f"t{k % 30}" for k in range(20_000)}, coloring)
    assert (many.listed, many.images.size) == (20_000, 20_000)
    assert (many.groups[-1].title, many.groups[-1].rest) == ("18 others", True)
    assert sum(group.n for group in many.groups) == 20_000
    few = drawn(500, {f"i{k}": "x" for k in range(0, 500, 2)}, coloring)
    assert few.images[:3].tolist() == [0, 2, 4]
    assert [group.title for group in few.groups] == ["x"]


def test_of_more_points_a_draw_is_shown_and_counted() -> None:
    every = {f"i{k}": "t" for k in range(30_000)}
    first, second = (drawn(30_000, every, maps.MapColoring("task", "Task", "task")) for _ in range(2))
    assert (first.listed, first.images.size, first.groups[0].n) == (30_000, 20_000, 30_000)
    assert first.images.tolist() == second.images.tolist()


def test_numbers_and_those_without() -> None:
    coloring = maps.MapColoring("score:x", "Score by x", "", "x", continuous=True)
    points = drawn(4, {"i0": 0.1, "i1": None, "i2": 0.3}, coloring)
    assert (points.images.tolist(), points.values, points.groups) == ([0, 1, 2], [0.1, None, 0.3], ())


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
        app = TestClient(create_app(store, TOKEN, pages=False), base_url="http://127.0.0.1", client=("127.0.0.1", 1))
        assert "30 images of 36 on the map" in shown(app)["about"]
        address = {"map": f"pca:{MODEL}", "lasso": WHOLE}
        assert app.get("/api/studio/map/inside", params=address).json()["total"] == 30


@pytest.mark.parametrize(("n", "same"), [(1, False), (36, True)])
def test_one_image_and_equal_ones(tmp_path: Path, n: int, same: bool) -> None:
    with Store(explore_project.project(tmp_path)) as store:
        every = items_of(store)[:n]
        keep(store, every, SETTINGS, "clip here", np.ones((n, 8)))
        made(store)
        app = TestClient(create_app(store, TOKEN, pages=False), base_url="http://127.0.0.1", client=("127.0.0.1", 1))
        about = shown(app)["about"]
        assert ("all 36 embeddings are the same" in about) == same
        assert f"{n} image" in about


def test_without_embeddings_images_have_no_map_and_say_how_to_get_one(tmp_path: Path) -> None:
    with Store(explore_project.project(tmp_path)) as store:
        app = TestClient(create_app(store, TOKEN, pages=False), base_url="http://127.0.0.1", client=("127.0.0.1", 1))
        answer = open_images(store, QueryParams("show=map"))
        assert "show=map" in answer["lost"]
        assert answer["choices"]["show"] == ["grid", "prompts"]
        assert "needs embeddings" in answer["missing"]
        assert "score clipscore" in answer["missing"]
        assert app.get("/api/studio/map").status_code == 409
        keep(store, items_of(store), SETTINGS, "clip here", np.zeros((36, 8)))
        assert "kept no embeddings" in open_images(store, QueryParams())["missing"]
    with Store(tmp_path / "empty") as store:
        assert open_images(store, QueryParams())["missing"] == ""


def test_without_umap_the_map_says_how_to_get_it(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maps, "umap_version", lambda: None)
    answer = shown(client, map=f"umap:{MODEL}")
    need = "UMAP needs the package umap-learn, which is not installed: uv sync --group umap. PCA needs nothing."
    assert (answer["method"], answer["message"], "x" in answer) == ("umap", need, False)


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
