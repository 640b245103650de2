"""Tables of co-occurrence in a project: kept, the last one first, and gone when taken back."""

from __future__ import annotations

import pytest

from data.formats.cooccurrence import Cooccurrence
from data.store import imports, library
from data.store.core.store import Store
from data.store.imports import ImportBundle, ImportRefused
from data.store.judgements import recording
from tests.data.store.small_project import content

TABLE = {("cat", "cat"): 3, ("dog", "dog"): 2, ("cat", "dog"): 1, ("<b>'; drop", "<b>'; drop"): 0}


def bundle(name: str = "val", sha256: str = "1", images: int = 4) -> ImportBundle:
    return ImportBundle("cooccurrence", name, sha256, cooccurrence=Cooccurrence(name, images, TABLE), exclusive=True)


def one(store: Store, some: ImportBundle) -> int:
    (imported,) = imports.apply(store, [some])
    assert imported.import_id is not None
    return imported.import_id


def test_a_table_comes_back_as_it_was_imported(store: Store) -> None:
    assert library.latest_cooccurrence(store) is None
    before = content(store)
    number = one(store, bundle())
    cooccurrence = library.latest_cooccurrence(store)
    assert cooccurrence is not None
    assert (cooccurrence.name, cooccurrence.images, cooccurrence.together) == ("val", 4, TABLE)
    # the same thing while it stays, so that what is made from it is not made again
    assert library.latest_cooccurrence(store) is cooccurrence
    assert one(store, bundle()) == number
    with pytest.raises(ImportRefused, match=f"import undo {number}"):
        imports.apply(store, [bundle(sha256="2")])
    recording.rebuild(store, lambda *_: pytest.fail("nothing was said"))
    assert library.latest_cooccurrence(store) is cooccurrence
    assert imports.undo(store, number)["cooccurrences"] == 4
    assert library.latest_cooccurrence(store) is None
    assert content(store) == before


def test_the_last_imported_table_is_used(store: Store) -> None:
    one(store, bundle("train"))
    number = one(store, bundle("val", "2", 9))
    cooccurrence = library.latest_cooccurrence(store)
    assert cooccurrence is not None
    assert (cooccurrence.name, cooccurrence.images) == ("val", 9)
    imports.undo(store, number)
    cooccurrence = library.latest_cooccurrence(store)
    assert cooccurrence is not None
    assert (cooccurrence.name, cooccurrence.images) == ("train", 4)
