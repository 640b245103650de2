"""Imports: all or nothing, once, and gone without a trace when taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from data.records import Evidence, Item, Judgement, Prompt, Rater
from data.store import imports
from data.store.campaigns import participation
from data.store.core.store import Store
from data.store.imports import ImportBundle, ImportRefused
from tests.data.store.small_project import PROMPT, answer, column, content, fill, items_of, picture, pictures, submit


def study(n: int = 2, name: str = "g1", sha256: str = "s1") -> ImportBundle:
    """A study of n places without files: one slot's answers and one metric's scores."""
    images = [picture(k, name, file=False) for k in range(n)]
    items = items_of(images)
    score = Judgement("score", None, 0.5)
    return ImportBundle(
        "study", name, sha256, [PROMPT], images, items,
        raters=[Rater("s/slot-1", "human", "slot"), Rater("clip", "scorer")],
        scales=[("geneval", "correct", "nominal"), ("geneval", "score", "interval")],
        annotations=[answer(i.item_id, "s/slot-1", annotation_id=f"{name}{i.item_id}", campaign_id=None) for i in items],
        evidence=[Evidence(f"e{name}{i.item_id}", i.item_id, "clip", {"score": 0.5}, (score,), "1") for i in items],
        exclusive=True,
    )  # fmt: skip


def one(store: Store, bundle: ImportBundle) -> int:
    (imported,) = imports.apply(store, [bundle])
    assert imported.import_id is not None
    return imported.import_id


def test_twice_is_once(store: Store) -> None:
    first = one(store, study())
    before = content(store)
    (again,) = imports.apply(store, [study()])
    assert (again.import_id, again.counts) == (first, {})
    assert content(store) == before
    assert [row.import_id for row in imports.listed(store)] == [first]


def test_another_file_under_an_exclusive_name_is_refused(store: Store) -> None:
    first = one(store, study())
    before = content(store)
    with pytest.raises(ImportRefused, match=f"import undo {first}"):
        imports.apply(store, [study(1, "g2"), study(sha256="s2")])
    assert content(store) == before


def test_undo_leaves_no_trace_and_can_be_done_again(store: Store) -> None:
    fill(store, 2)
    submit(store, "geneval/00000/g1/0", "ann")
    before = content(store)
    for _ in range(3):
        number = one(store, replace(study(2, "g2"), prompts=[PROMPT, Prompt("geneval/00001", "geneval", "a dog")]))
        after = content(store)
        assert after != before
        assert imports.find_import(store, "study", "s1") == number
        imports.undo(store, number)
        assert content(store) == before
        assert imports.find_import(store, "study", "s1") is None
        with pytest.raises(ImportRefused, match="undone already"):
            imports.undo(store, number)
    with pytest.raises(ImportRefused, match="there is no import 99"):
        imports.undo(store, 99)


def test_files_may_come_after_the_places(store: Store) -> None:
    one(store, study())
    places = content(store)
    number = one(store, pictures(2))
    assert participation.next_tasks(store, "ann").progress.remaining == 2
    assert len(content(store)["images"]) == 2
    imports.undo(store, number)
    assert content(store)["images"] == places["images"]
    assert content(store)["items"] == places["items"]


def test_undoing_a_study_keeps_places_with_files_from_elsewhere(store: Store) -> None:
    first = one(store, study())
    second = one(store, pictures(1))
    imports.undo(store, first)
    assert column(store, "select item_id from items") == ["geneval/00000/g1/0"]
    assert column(store, "select sha256 is not null from images") == [True]
    assert content(store)["annotations"] == content(store)["judgements"] == content(store)["scales"] == []
    assert participation.next_tasks(store, "ann").progress.remaining == 1
    imports.undo(store, second)
    assert {name: rows for name, rows in content(store).items() if rows and name != "campaigns"} == {}


def test_undoing_files_keeps_places_that_ratings_are_about(store: Store) -> None:
    first = one(store, pictures(2))
    second = one(store, study(1))
    imports.undo(store, first)
    assert column(store, "select item_id from items") == ["geneval/00000/g1/0"]
    assert column(store, "select sha256 from images") == [None]
    assert participation.next_tasks(store, "ann").tasks == []
    third = one(store, pictures(2))
    assert participation.next_tasks(store, "ann").progress.remaining == 2
    imports.undo(store, second)
    imports.undo(store, third)
    assert content(store)["items"] == content(store)["images"] == content(store)["prompts"] == []


def test_undo_is_refused_where_people_have_answered(store: Store) -> None:
    number = one(store, pictures(2))
    submit(store, "geneval/00000/g1/0", "ann")
    submit(store, "geneval/00000/g1/0", "bob")
    before = content(store)
    with pytest.raises(ImportRefused, match="2 people have given 2 answers"):
        imports.undo(store, number)
    assert content(store) == before


def test_a_name_that_an_undone_import_brought_can_still_answer(store: Store) -> None:
    one(store, pictures(1))
    number = one(
        store, ImportBundle("ratings", "x", "x", items=[Item("r1", "ratings")], raters=[Rater("ann", "human", "person")])
    )
    participation.enter(store, "ann")
    imports.undo(store, number)
    submit(store, "geneval/00000/g1/0", "ann")
    assert column(store, "select r.rater_id from judgements join raters r using (rater_id)") == ["ann"]


def test_a_text_is_not_overwritten_and_what_was_made_from_another_is_left_out(store: Store) -> None:
    one(store, pictures(1))
    other = replace(PROMPT, text="two dogs")
    fresh = Prompt("geneval/00001", "geneval", "a dog")
    (imported,) = imports.apply(store, [ImportBundle("prompts", "p", "p", prompts=[other, fresh])])
    assert imported.refused == ["geneval/00000: its text is 'two cats' already, not 'two dogs'"]
    assert column(store, "select text from prompts order by 1") == ["a dog", "two cats"]
    (imported,) = imports.apply(store, [replace(pictures(3, "g2"), prompts=[other])])
    assert len(imported.refused) == 1
    assert column(store, "select generator from items") == ["g1"]
    before = content(store)
    with pytest.raises(ImportRefused, match="two dogs"):
        imports.apply(store, [replace(study(), prompts=[other])])
    assert content(store) == before
    (imported,) = imports.apply(store, [replace(pictures(3, "g2"), prompts=[replace(PROMPT, text=" two cats\n")])])
    assert imported.refused == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scales": [("geneval", "correct", "ordinal:1-5")]}, "one aspect has one scale"),
        ({"raters": [Rater("clip", "human", "person")]}, "the name 'clip' belongs to a scorer"),
        ({"items": [Item("geneval/00000/g1/0", "ratings")]}, "has suite 'geneval' in this project already, not 'ratings'"),
        ({"items": [Item("geneval/00000/g1/0", "geneval", generator="g9")]}, "has generator 'g1'"),
    ],
)
def test_contradictions_are_refused_with_nothing_written(store: Store, change: dict[str, object], message: str) -> None:
    one(store, study())
    before = content(store), imports.listed(store)
    with pytest.raises(ImportRefused, match=message):
        imports.apply(store, [pictures(2, "g5"), replace(ImportBundle("ratings", "r", "r"), **change)])  # type: ignore[arg-type]
    assert (content(store), imports.listed(store)) == before


def test_a_place_keeps_its_file_but_finds_it_where_it_moved(store: Store) -> None:
    one(store, pictures(1))
    changed = replace(picture(0), sha256="f" * 64, path=Path("/nowhere/other.png"))
    moved = replace(picture(0), path=Path("/elsewhere/g1-0.png"))
    (imported,) = imports.apply(store, [ImportBundle("images", "g1", "c", images=[changed])])
    assert imported.refused == ["/nowhere/other.png: geneval/00000/g1/0 has another file already"]
    assert column(store, "select path from images") == ["/nowhere/g1-0.png"]
    (imported,) = imports.apply(store, [ImportBundle("images", "g1", "m", images=[moved])])
    assert imported.refused == []
    assert column(store, "select path from images") == ["/elsewhere/g1-0.png"]


def test_ratings_before_their_images(store: Store) -> None:
    item = items_of([picture(0)])[0]
    one(store, ImportBundle("ratings", "x", "x", items=[Item(item.item_id, "geneval")]))
    one(store, pictures(1))
    assert [task.item_id for task in participation.next_tasks(store, "ann").tasks] == [item.item_id]


def test_public_ids_tell_nothing(store: Store) -> None:
    one(store, pictures(3))
    public = column(store, "select public_id from items")
    assert len(set(public)) == 3
    assert all(len(name) == 24 and "g1" not in name for name in public)
    assert imports.public_id("x", store.secret) != imports.public_id("x", "00" * 32)
