"""Answers: once each, revised in place, judged as they say."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from data.records import Evidence, Judgement, Rater
from data.selection import Selection
from data.store import imports
from data.store.browse import grid
from data.store.browse.filters import ListingQuery
from data.store.browse.grid import ListingDisplay
from data.store.campaigns import participation
from data.store.core import frame
from data.store.core.cache import Cache
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording
from data.store.judgements.recording import JudgedSource, SavedAnswer, SentAnswer
from tests.data.store.small_project import answer, column, content, fill, submit, table

EVERYTHING = Selection()


def derive(source: JudgedSource) -> tuple[str, Sequence[Judgement]]:
    """The rule of these hand-made answers."""
    said = source.payload if source.questionnaire is None else source.answers
    assert said is not None
    if said["label"] == "cannot_tell":
        return "direct-1", [Judgement(said["aspect"], None, None, said["target"], "cannot_tell")]
    return "direct-1", [Judgement(said["aspect"], said["label"], said["value"], said["target"])]


def labels(store: Store) -> dict[str, str | None]:
    """By rater; None where nothing counts."""
    found = frame.frame(store, EVERYTHING)
    assert not found.duplicated(["item", "rater", "aspect", "seq"]).any()
    counted = found[found["excluded"].isna()]
    return dict(zip(counted["rater"], counted["label"], strict=True))


def excluded(store: Store) -> list[str]:
    return sorted(frame.frame(store, EVERYTHING)["excluded"].dropna())


def test_an_answer_sent_twice_is_saved_once(store: Store) -> None:
    (item, *_) = fill(store)
    annotation = answer(item)
    assert recording.submit(store, annotation) == SavedAnswer(annotation.annotation_id, True, "valid")
    before = content(store)
    assert recording.submit(store, annotation) == SavedAnswer(annotation.annotation_id, False, "valid")
    assert content(store) == before


def test_sent_twice_at_once_and_in_one_group(store: Store) -> None:
    (item, *_) = fill(store)
    annotation = answer(item)
    with ThreadPoolExecutor(16) as pool:
        saved = list(pool.map(lambda _: recording.submit(store, annotation), range(32)))
    assert [s.new for s in saved].count(True) == 1
    other = answer(item, "bob")
    with store.read() as cursor:
        cursor.begin()
        group = recording.save_all(cursor, [SentAnswer(annotation, Cache()) for annotation in (other, other, annotation)])
        cursor.commit()
    assert [s.new for s in group] == [True, False, False]
    assert len(table(store, "annotations")) == len(table(store, "judgements")) == 2


def test_the_same_id_with_another_answer_is_refused(store: Store) -> None:
    first, second, _ = fill(store)
    annotation = answer(first)
    recording.submit(store, annotation)
    for wrong in (replace(annotation, rater_id="bob"), replace(annotation, item_id=second)):
        with pytest.raises(KeyError):
            recording.submit(store, wrong)
    assert len(table(store, "annotations")) == 1


def test_a_batch_is_saved_like_single_answers(store: Store) -> None:
    first, second, _ = fill(store)
    participation.next_tasks(store, "ann")
    batch = [answer(item, who) for item in (first, second) for who in "abcdab"]
    batch += [
        answer(first, "a", "no", revises=batch[0].annotation_id),
        answer(first, "e"),
        answer(first, "f", campaign_id=None),
    ]
    with store.read() as cursor:
        cursor.begin()
        together = recording.save_all(cursor, [SentAnswer(annotation, Cache()) for annotation in batch])
        judged = cursor.execute("select item_id, rater_id, label, source_id from judgements order by seq").fetchall()
        cursor.rollback()
    one_by_one = [recording.submit(store, annotation) for annotation in batch]
    assert one_by_one == together
    with store.read() as cursor:
        rows = cursor.execute("select item_id, rater_id, label, source_id from judgements order by seq").fetchall()
    assert rows == judged
    statuses = [saved.status for saved in together]
    assert statuses == (["valid"] * 3 + ["surplus"] + ["valid"] * 2) * 2 + ["valid", "surplus", "valid"]


def test_a_revision_replaces_the_answer_it_revises(store: Store) -> None:
    (item, *_) = fill(store)
    first = submit(store, item, "ann", "yes")
    submit(store, item, "bob", "yes")
    submit(store, item, "ann", "no", revises=first.annotation_id)
    assert column(store, "select rater_id from judgements order by seq") == ["ann", "bob"]
    assert labels(store) == {"ann": "no", "bob": "yes"}
    assert excluded(store) == []
    assert len(table(store, "annotations")) == 3


def test_a_revision_of_a_revised_answer_joins_the_end_of_the_chain(store: Store) -> None:
    (item, *_) = fill(store)
    first = submit(store, item, "ann", "yes")
    second = submit(store, item, "ann", "no", revises=first.annotation_id)
    third = submit(store, item, "ann", "yes", revises=first.annotation_id)
    assert labels(store) == {"ann": "yes"}
    assert column(store, "select source_id from judgements") == [third.annotation_id]
    revised = column(store, f"select revises from annotations where annotation_id = '{third.annotation_id}'")
    assert revised == [second.annotation_id]
    (last,) = participation.own_answers(store, "ann", limit=9)
    assert last.annotation_id == third.annotation_id
    assert participation.own_answer(store, "ann", "default", third.annotation_id) == last
    assert participation.own_answer(store, "ann", "default", second.annotation_id) is None
    assert participation.own_answer(store, "bob", "default", third.annotation_id) is None


def test_people_can_revise_only_their_own_answer_on_that_item(store: Store) -> None:
    item, other, _ = fill(store)
    first = submit(store, item, "ann")
    before = content(store)
    for wrong in (
        {"item_id": item, "who": "bob", "revises": first.annotation_id},
        {"item_id": other, "who": "ann", "revises": first.annotation_id},
        {"item_id": item, "who": "ann", "revises": "no such answer"},
        {"item_id": "no such item", "who": "ann"},
    ):
        with pytest.raises(KeyError):
            submit(store, **wrong)
    assert content(store) == before


def test_surplus_is_stored_and_does_not_count(store: Store) -> None:
    (item, *_) = fill(store)
    participation.next_tasks(store, "ann")
    statuses = [submit(store, item, who).status for who in ("ann", "bob", "cid", "dan")]
    assert statuses == ["valid", "valid", "valid", "surplus"]
    assert set(labels(store)) == {"ann", "bob", "cid"}
    assert excluded(store) == ["surplus"]
    assert submit(store, item, "eve", campaign_id=None).status == "valid"


def test_a_second_answer_is_a_repeat(store: Store) -> None:
    (item, *_) = fill(store)
    submit(store, item, "ann", "yes")
    submit(store, item, "ann", "no")
    assert labels(store) == {"ann": "yes"}
    assert excluded(store) == ["repeat"]
    page = grid.items(store, ListingQuery(EVERYTHING), ListingDisplay(order="lowest"))
    assert (page.rows[0].mean, page.rows[0].n, page.total) == (1.0, 1, 3)
    assert grid.items(store, ListingQuery(EVERYTHING), offset=60).total == 3


def test_unblinded_and_undecided_answers_do_not_count(store: Store) -> None:
    (item, *_) = fill(store)
    submit(store, item, "ann", "yes", saw_evidence=True)
    submit(store, item, "ann", "no")
    submit(store, item, "bob", None)
    assert labels(store) == {"ann": "no"}
    assert excluded(store) == ["cannot_tell", "saw_evidence"]


def test_a_suite_judged_for_the_first_time_gets_its_scales(store: Store) -> None:
    (item, *_) = fill(store)
    assert frame.scales(store) == {}
    submit(store, item)
    assert frame.scales(store) == {("geneval", "correct"): "nominal"}


def test_rebuild_makes_the_same_judgements(store: Store) -> None:
    item, other, _ = fill(store)
    participation.next_tasks(store, "ann")
    first = submit(store, item, "ann")
    submit(store, other, "bob", None)
    submit(store, item, "ann", "no", revises=first.annotation_id)
    for who in ("bob", "cid", "dan"):
        submit(store, item, who)
    before = content(store)
    assert recording.rebuild(store, derive) == 5
    assert content(store) == before
    store.change(lambda connection: connection.execute("delete from judgements"))
    assert table(store, "judgements") == []
    recording.rebuild(store, derive)
    assert content(store) == before


def test_a_rebuild_that_fails_changes_nothing(store: Store) -> None:
    (item, *_) = fill(store)
    submit(store, item)
    before = content(store)
    with pytest.raises(ZeroDivisionError):
        recording.rebuild(store, lambda _: 1 // 0)  # type: ignore[arg-type, return-value]
    assert content(store) == before


def test_browse_shows_a_raters_values_or_all_peoples(store: Store) -> None:
    first, second, third = fill(store)
    submit(store, first, "ann", "yes")
    submit(store, first, "bob", "no")
    submit(store, second, "bob", "no")
    everyone = grid.items(store, ListingQuery(EVERYTHING), ListingDisplay(order="highest"))
    assert [(row.item_id, row.mean, row.n) for row in everyone.rows] == [
        (first, 0.5, 2),
        (second, 0.0, 1),
        (third, None, None),
    ]
    bob = grid.items(store, ListingQuery(EVERYTHING), ListingDisplay(rater="bob", order="lowest"))
    assert {row.item_id: row.mean for row in bob.rows} == {first: 0.0, second: 0.0, third: None}
    assert [row.mean for row in grid.items(store, ListingQuery(EVERYTHING), ListingDisplay(rater="nobody")).rows] == [None] * 3


def test_scorers_that_were_tuned_where_people_had_answered_are_marked(store: Store) -> None:
    first, second = fill(store, 2)

    def brings(kind: str, rater: str, item: str) -> None:
        evidence = Evidence(f"{rater} {item}", item, rater, {}, (Judgement("correct", "yes", 1.0),), "1")
        imports.apply(
            store, [ImportBundle(kind, rater, f"{rater} {item}", raters=[Rater(rater, "scorer")], evidence=[evidence])]
        )

    brings(frame.KEPT_SETTINGS, "before", first)
    submit(store, first, "ann")
    brings(frame.KEPT_SETTINGS, "after", first)
    # nobody has answered about this image
    brings(frame.KEPT_SETTINGS, "elsewhere", second)
    brings(frame.TUNED_RATINGS, "said so", second)
    brings("ratings", "scored", first)
    found = frame.frame(store, EVERYTHING)
    assert set(found.loc[found["saw_labels"], "rater"]) == {"after", "said so"}
    assert set(found.loc[~found["saw_labels"], "rater"]) == {"before", "ann", "elsewhere", "scored"}
