"""The annotators' page: what a cold browser has to wait for."""

from __future__ import annotations

import re

from tests.ui.http_visitor import World


def test_the_page_names_one_script_and_one_style_sheet_that_are_kept_for_ever(standing_world: World) -> None:
    client = standing_world.client()
    page = client.get("/annotate/").text
    ours = re.findall(r'(?:src|href|from)[= ]"(/[^"]+)"', page)
    assert {re.sub("-[0-9a-f]{12}", "", path) for path in ours} == {
        "/assets/js/form/form.js", "/assets/css/annotate.css", "/assets/icon.svg",
    }  # fmt: skip
    assert "gradio" not in page.lower()
    for path in ours:
        answer = client.get(path)
        assert answer.status_code == 200
        if path != "/assets/icon.svg":
            assert "immutable" in answer.headers["cache-control"]
    # a page of before an update gets what there is now, and does not keep it
    before = re.sub("-[0-9a-f]{12}", "-000000000000", ours[0])
    assert client.get(before).text == client.get(ours[0]).text
    assert client.get(before).headers["cache-control"] == "no-cache"


def test_the_page_asks_for_what_is_next_before_its_script_is_there(standing_world: World) -> None:
    page = standing_world.client().get("/annotate/").text
    early, module = page.index("next?quick=true"), page.index('<script type="module">')
    assert early < module
