"""Overview counts what there is: images with and without a picture, and the scorers that scored."""

from __future__ import annotations

from pathlib import Path

from data.records import Item, Rater
from data.store import imports
from data.store.browse import contents
from data.store.core.store import Store
from data.store.imports import ImportBundle
from ui.pages.overview import _summary


def test_the_summary_says_what_is_counted(tmp_path: Path) -> None:
    items = [Item(f"a/{n}", "a", None, None, "g") for n in range(3)]
    silent = Rater("silent", "scorer", None, "1", {})
    with Store(tmp_path / "project") as store:
        imports.apply(store, [ImportBundle("ratings", "a", "0" * 64, items=items, raters=[silent])])
        said = _summary(store, contents.totals(store))
    assert "3 images (0 with a picture), 0 answers by people, 0 scorers that scored" in said
