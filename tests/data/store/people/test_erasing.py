"""Erasing a person: their rows, their bytes, their way back; and that everything else stays."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from data.people import Arrival, Terms
from data.records import Rater
from data.refusals import NameTaken, NoSuchPerson
from data.remarks import Adjudication, Tagging
from data.store import erased, imports
from data.store.browse import filters
from data.store.campaigns import allocation, participation
from data.store.campaigns.allocation import AnswerDraft
from data.store.core import rows
from data.store.core.connections import DATABASE
from data.store.core.database_file import NUMBER_FILE
from data.store.core.store import Store, StoreError
from data.store.erased import Erased
from data.store.imports import ImportBundle
from data.store.judgements import answer_status, recording, remarks, revocations
from data.store.people import erasing, invitations
from tests.data.store.small_project import answer, fill

NAME = "Ottilie Example"


def everything(store: Store, who: str = NAME) -> list[str]:
    """A project in which a person has done all that a person can do."""
    items = fill(store)
    for person in (who, "ann"):
        participation.enter(store, person)
        participation.next_tasks(store, person)
        for item in items[:2]:
            annotation = answer(item, person)
            recording.submit(store, annotation)
        recording.submit(store, replace(answer(items[1], person, "no"), revises=annotation.annotation_id))
    participation.skip(store, who, items[2])
    allocation.save_draft(store, AnswerDraft("default", who, items[2], {"note": f"by {who}"}))
    participation.report(store, who, items[2], "broken")
    answer_status.record_unblinding(store, who, items[0], answer_status.ON_REQUEST)
    answer_status.record_unblinding(store, "ann", items[0], answer_status.by_browsing(who))
    revocations.revoke(store, who, "ann", "default")
    revocations.revoke(store, "ann", who)
    for n, (by, about) in enumerate(((who, "ann"), ("ann", who), ("ann", "clipscore"))):
        remarks.adjudicate(store, Adjudication(f"v{n}", items[0], "correct", "person", "yes", by, rater_id=about))
    until = datetime.now(UTC) + timedelta(days=1)
    made = invitations.create(store, Terms(campaign=None, role="annotator", expires=until), who)
    invitations.arrive(store, Arrival(made.invitation_id, who, "name", who))
    invitations.arrive(store, Arrival(made.invitation_id, "ann", "name", "ann"))
    for by in (who, "ann"):
        remarks.tag_items(store, Tagging(f"t {by == who}", (items[0],), "odd", on=True, made_by=by))
        filters.save_view(store, f"v {by == who}", f"view {by == who}", "suite=geneval", by)
    return items


def whole(store: Store) -> dict[str, list[Any]]:
    with store.read() as cursor:
        names = [row[0] for row in cursor.execute("select table_name from duckdb_tables() order by 1").fetchall()]
        return {name: sorted(cursor.execute(f"select * from {name}").fetchall(), key=repr) for name in names}


def people_at(store: Store) -> list[int]:
    return [row["people"] for row in store.query("select people from campaign_items order by item_id")]


def test_nothing_of_them_stays_and_all_else_does(store: Store) -> None:
    items = everything(store)
    before = whole(store)
    assert people_at(store)[:2] == [2, 2]
    removed = erasing.erase(store, NAME)
    assert removed == erased.ErasedRows(annotations=3, judgements=2, adjudications=2)
    after = whole(store)
    assert NAME not in repr(after)
    # what did not name them is as it was, with "(erased)" where they had made something
    for name, was in before.items():
        remaining = [row for row in was if NAME not in repr(row)]
        if name not in ("campaign_items", "erased", "browse", "stale"):
            assert [row for row in after[name] if erased.NOBODY not in repr(row)] == remaining, name
    assert after["stale"] == []
    assert [row.made_by for row in filters.saved_views(store)] == ["ann", erased.NOBODY]
    assert remarks.list_tags(store) == [remarks.TagCount("odd", 1)]
    assert len(after["annotations"]) == 3
    assert len(after["erased"]) == 1
    assert people_at(store)[:2] == [1, 1]
    assert [invitation.made_by for invitation in invitations.listed(store)] == [erased.NOBODY]
    assert answer_status.unblinded_how(store, "ann", items[0]) == answer_status.by_browsing(erased.NOBODY)
    assert erasing.is_erased(store, NAME)
    assert not erasing.is_erased(store, "ann")


def test_the_bytes_go_and_the_project_goes_on(store: Store) -> None:
    items = everything(store)
    path = store.project / DATABASE
    with store.read() as cursor:
        cursor.execute("checkpoint")
    assert NAME.encode() in path.read_bytes()
    erasing.erase(store, NAME)
    for file in store.project.iterdir():
        if file.is_file():
            assert NAME.encode() not in file.read_bytes(), file
    assert {file.name for file in store.project.iterdir() if file.is_file()} - {f"{DATABASE}.wal"} == {DATABASE, NUMBER_FILE}
    # numbers, keys, checks and what the database may do are as before
    annotation = answer(items[2], "bob")
    assert recording.submit(store, annotation).status == "valid"
    assert not recording.submit(store, annotation).new
    with store.read() as cursor:
        assert rows.value(cursor, "select count(distinct seq) = count(*) from annotations where revises is null")
        with pytest.raises(Exception, match="onstraint"):
            cursor.execute("insert into raters values ('bob', 'human', 'person', null, '{}', false, null)")
        with pytest.raises(Exception, match=r"ermission|isabled"):
            cursor.execute("select * from read_csv('/etc/passwd')")


def test_they_do_not_come_back_unnoticed(store: Store) -> None:
    items = everything(store)
    erasing.erase(store, NAME)
    before = whole(store)
    with pytest.raises(Erased, match="was erased from this project on"):
        recording.submit(store, answer(items[0], NAME))
    with pytest.raises(NameTaken, match="was erased"):
        participation.enter(store, NAME)
    bundle = ImportBundle("ratings", "r", "r-1", raters=[Rater(NAME, "human", "person"), Rater("new", "human", "person")])
    with pytest.raises(Erased, match="Remove their rows"):
        imports.apply(store, [bundle])
    assert whole(store) == before
    participation.enter(store, "Ottilie")


def test_a_late_answer_fails_alone(store: Store) -> None:
    items = everything(store)
    erasing.erase(store, NAME)
    outcomes: dict[str, object] = {}

    def say(who: str) -> None:
        try:
            outcomes[who] = recording.submit(store, answer(items[2], who)).status
        except Erased as error:
            outcomes[who] = error

    threads = [threading.Thread(target=say, args=(who,)) for who in (NAME, "bob", "cyd")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert isinstance(outcomes.pop(NAME), Erased)
    assert outcomes == {"bob": "valid", "cyd": "valid"}


def test_again_and_nobody(store: Store) -> None:
    everything(store)
    imports.apply(store, [ImportBundle("x", "x", "x", raters=[Rater("clip", "scorer"), Rater("slot 1", "human", "slot")])])
    for name in ("nobody", "clip", "slot 1"):
        with pytest.raises(NoSuchPerson):
            erasing.erase(store, name)
    assert whole(store)["erased"] == []
    erasing.erase(store, NAME)
    assert erasing.erase(store, NAME) == erased.ErasedRows(0, 0, 0)
    assert len(whole(store)["erased"]) == 1


def test_others_work_meanwhile(store: Store) -> None:
    items = everything(store)
    stop = threading.Event()
    wrong: list[BaseException] = []
    answers: list[str] = []

    def work(who: str) -> None:
        try:
            while not stop.is_set():
                annotation = answer(items[0], who)
                recording.submit(store, annotation)
                answers.append(annotation.annotation_id)
                with store.read() as cursor:
                    rows.value(cursor, "select count(*) from annotations")
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(f"w{n}",)) for n in range(4)]
    for thread in threads:
        thread.start()
    for name in (NAME, "ann"):
        erasing.erase(store, name)
    stop.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert answers
    with store.read() as cursor:
        stored = {row[0] for row in cursor.execute("select annotation_id from annotations").fetchall()}
    assert set(answers) <= stored


def test_a_disk_that_is_full_is_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    everything(store)

    def full(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("data.store.core.store.Path.replace", full)
    with pytest.raises(StoreError, match="may still be in it: no space left"):
        erasing.erase(store, NAME)
    monkeypatch.undo()
    # the rows are gone, the project goes on, and doing it again is enough
    assert NAME not in repr(whole(store))
    erasing.erase(store, NAME)
    assert NAME.encode() not in (store.project / DATABASE).read_bytes()
