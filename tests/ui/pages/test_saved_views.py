"""Addresses that somebody kept, from before an aspect had the name that it has now."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qs

from starlette.datastructures import QueryParams

from concord.browsing.marks import save_view
from concord.scope import Scope, open_scope
from data.records import Annotation, Image, Item, Judgement, Prompt, Rater
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle
from ui.pages import images


def fill(store: Store, *aspects: str) -> None:
    """Bring an image with a grade in each of these aspects."""
    image = Image("s/0", "g", 0)
    said = tuple(Judgement(aspect, "3", 3.0) for aspect in aspects)
    bundle = ImportBundle(
        "ratings", "all", "0", prompts=[Prompt("s/0", "s", "a cow")], images=[image],
        items=[Item(image.image_id, "s", "s/0", None, "g")], raters=[Rater("ann", "human", "person")],
        scales=[("s", aspect, "ordinal:1-4") for aspect in aspects],
        annotations=[Annotation("a", image.image_id, "ann", "geneval", {}, said, "1")],
    )  # fmt: skip
    imports.apply(store, [bundle])


def test_a_saved_view_of_a_renamed_aspect_opens_by_its_name_of_today(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, "caption_match", "correct")
        save_view(store, "1", "doubtful", "suite=s&by=caption_fit&aspect=caption_fit", "ann")
        followed = images.follow(store, QueryParams("view=doubtful"))
        opened = open_scope(store, Scope(aspect="caption_fit"))
    assert parse_qs(followed.query)["by"] == ["caption_match"]
    assert followed.lost == {}
    assert opened is not None
    assert (opened.scope.aspect, opened.lost) == ("caption_match", ())


def test_where_both_names_have_answers_each_means_its_own(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, "caption_match", "caption_fit")
        followed = images.follow(store, QueryParams("by=caption_fit"))
        opened = open_scope(store, Scope(aspect="caption_fit"))
    assert parse_qs(followed.query)["by"] == ["caption_fit"]
    assert opened is not None
    assert opened.scope.aspect == "caption_fit"
