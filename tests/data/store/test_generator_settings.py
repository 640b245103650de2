"""How generators were asked, and which images are blank."""

from __future__ import annotations

from dataclasses import replace

from data.records import Image
from data.store import imports, runs
from data.store.browse import contents, grid
from data.store.browse.filters import ListingQuery
from data.store.core.store import Store
from data.store.imports import ImportBundle
from tests.data.store.small_project import PROMPT, items_of, picture


def bring(store: Store, name: str, *images: Image) -> int:
    (imported,) = imports.apply(store, [ImportBundle("generated", name, name, [PROMPT], images, items_of(list(images)))])
    assert imported.import_id is not None
    return imported.import_id


def test_settings_are_kept_by_generator_until_they_are_forgotten(store: Store) -> None:
    assert runs.generator_settings(store, "sd15") is None
    runs.set_generator_settings(store, "sd15", {"model": "m", "asked": {"steps": None}, "seed": 2**40})
    runs.set_generator_settings(store, "O'Neil\n", {"model": "é"})
    assert runs.generator_settings(store, "sd15") == {"model": "m", "asked": {"steps": None}, "seed": 2**40}
    runs.set_generator_settings(store, "sd15", {"model": "n"})
    assert runs.generator_settings(store, "sd15") == {"model": "n"}
    assert runs.generator_settings(store, "O'Neil\n") == {"model": "é"}
    runs.delete_generator_settings(store, "sd15")
    assert runs.generator_settings(store, "sd15") is None


def test_images_of_which_nothing_is_known_were_made_elsewhere(store: Store) -> None:
    bring(store, "a", picture(0, "g1"))
    bring(store, "b", picture(0, "g2", file=False))
    assert runs.was_generated_elsewhere(store, "g1")
    assert not runs.was_generated_elsewhere(store, "g2"), "a place without a file is nobody's picture"
    assert not runs.was_generated_elsewhere(store, "g3")
    runs.set_generator_settings(store, "g1", {"model": "m"})
    assert not runs.was_generated_elsewhere(store, "g1")


def test_an_image_says_why_it_is_blank_until_its_file_goes(store: Store) -> None:
    place = picture(1, "g1", file=False)
    bring(store, "places", place)
    blank, whole = replace(picture(0, "g1"), blanked="filter"), picture(2, "g1")
    # a place that had no file gets a blank one
    number = bring(store, "files", blank, whole, replace(picture(1, "g1"), blanked="black"))
    runs.set_generator_settings(store, "g1", {"model": "m"})

    def told() -> dict[int | None, str | None]:
        page = grid.items(store, ListingQuery())
        assert [row.blanked for row in page.rows] == [contents.item(store, row.item_id).blanked for row in page.rows]  # type: ignore[union-attr]
        return {row.idx: row.blanked for row in page.rows}

    assert told() == {0: "filter", 1: "black", 2: None}
    entry = contents.item(store, whole.image_id)
    assert entry is not None
    assert entry.generated == {"model": "m"}
    imports.undo(store, number)
    assert told() == {1: None}
