"""The form that makes a campaign, through the functions that Gradio calls."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import gradio as gr

from data.store.core.store import Store
from tests.ui.http_visitor import World
from ui.pages.campaigns import forms
from ui.shell.html import rendered


def text(html: str) -> str:
    """What a page shows of it."""
    return " ".join(re.sub("<[^>]*>", " ", html).split())


def preview(store: Store, values: dict[str, Any]) -> tuple[str, bool]:
    """What a new campaign would be, and whether it can be made."""
    told, possible = forms.preview_campaign(store, values)
    return rendered(told), possible


def test_the_form_says_what_it_would_be_and_makes_it(world: World) -> None:
    store = world.store
    with gr.Blocks():
        fields = forms.create_form()
    values: dict[str, Any] = {name: control.value for name, control in fields.items()}
    said, possible = preview(store, values)
    assert "This asks for 4 images (all that fit) × 3 people = 12 answers. " in text(said)
    assert "Give it a title." in said
    assert not possible
    values |= {"id": "new", "title": "New", "n": 2, "overlap": 5, "also": "geneval/00000/sdv2/0\n", "completion_code": "C1"}
    said, possible = preview(store, values)
    assert possible
    campaign, wrong = forms.make_campaign(store, values)
    assert wrong == ""
    assert campaign
    assert (campaign.overlap, campaign.settings.completion_code, campaign.settings.limit) == (5, "C1", None)
    assert "There is a campaign &#39;new&#39; already" in rendered(forms.preview_campaign(store, values)[0])
    assert forms.make_campaign(store, values | {"id": "Bad Id"})[1].startswith("A campaign's id has lower-case letters")
    assert preview(store, values | {"id": "x", "n": 99}) == (
        '<p class="cc-note cc-bad">99 items are requested, but only 4 are available.</p>', False
    )  # fmt: skip


def test_the_form_reads_yaml_and_known_answers(world: World, tmp_path: Path) -> None:
    own = {"id": "x", "questionnaire": forms.OWN, "definition": ""}
    assert "Write the questionnaire’s YAML" in rendered(forms.preview_campaign(world.store, own)[0])
    yaml = "name: mine\nquestions:\n  - id: likes\n    kind: likert\n    text: Like it?\n    options: [no, so so, yes]\n"
    said, possible = preview(world.store, own | {"definition": yaml})
    assert (possible, "mine: The questionnaire mine" in said) == (True, True), said
    file = tmp_path / "k.csv"
    file.write_text("item,role,count_0\ngeneval/00000/sdv2/0,gold,7\n")
    checks = {"id": "x", "known": str(file), "check_every": 5}
    assert "count_0: &#39;7&#39; cannot be an expected answer" in rendered(forms.preview_campaign(world.store, checks)[0])
    file.write_text("item,role,count_0\ngeneval/00000/sdv2/0,gold,1\n")
    assert "besides: 1 gold items" in rendered(forms.preview_campaign(world.store, checks)[0])
    file.write_bytes(b"\xff\xfe")
    assert "is not UTF-8" in rendered(forms.preview_campaign(world.store, checks)[0])
    file.write_bytes(b"x" * 300_000)
    assert "at most 200,000 are read" in rendered(forms.preview_campaign(world.store, checks)[0])
