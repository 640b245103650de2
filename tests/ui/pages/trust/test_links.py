"""A number of Trust's panel opens the images that it counts, and no others."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from fastapi import FastAPI
from starlette.middleware.sessions import SessionMiddleware
from starlette.testclient import TestClient

from data.store.core.store import Store
from tests.ui.answered_projects import KINDS, fill
from tests.ui.pages.trust.test_states import whole
from ui.web.api import browsing, inspection


def visitor(store: Store) -> TestClient:
    app = FastAPI()
    for router in (browsing.router, inspection.router):
        app.include_router(router(store))
    app.add_middleware(SessionMiddleware, secret_key=store.secret)
    return TestClient(app)


def panel_links(drawn: str) -> list[tuple[int, str]]:
    """Return the number and the address of each link of the panel that counts images."""
    panel = drawn.partition("cc-trust-panel")[2].partition("By task")[0]
    found = re.findall(r'<a[^>]*href="([^"]*/studio/images[^"]*)"[^>]*>(.*?)</a>', panel, re.DOTALL)
    texts = [(re.sub("<[^>]+>", " ", text).replace("Judge these", "").split(), unescape(address)) for address, text in found]
    return [(int(words[0].replace(",", "")), address) for words, address in texts if words and words[0][:1].isdigit()]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pair", [("metric", ""), ("verdicts", ""), ("verdicts", "metric"), ("metric", "noise")])
def test_each_number_of_the_panel_opens_its_own_images(tmp_path: Path, kind: str, pair: tuple[str, str]) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, kind)
        drawn = whole(store, rater=pair[0], beside=pair[1])
        client = visitor(store)
        links = panel_links(drawn)
        opened = [client.get(f"/api/studio/items?{urlsplit(address).query}").json()["total"] for _, address in links]
    assert links
    assert opened == [number for number, _ in links]


@pytest.mark.parametrize("kind", KINDS)
def test_a_thumbnail_opens_among_the_images_that_it_stands_among(tmp_path: Path, kind: str) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, kind)
        drawn = whole(store, rater="metric", numbers="pair")
        client = visitor(store)
        numbers = drawn.partition("cc-trust-numbers")[2]
        address = next(unescape(each) for each in re.findall(r'href="([^"]*image=[^"]*)"', numbers))
        query = parse_qs(urlsplit(address).query)
        around = client.get(f"/api/studio/neighbours?{urlsplit(address).query}&id={query['image'][0]}")
    assert (around.json()["place"] > 0, around.json()["total"]) == (True, len(query["item"]))
